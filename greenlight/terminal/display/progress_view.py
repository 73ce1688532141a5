"""View of progress: a live region on a terminal, plain lines anywhere else."""

from datetime import UTC, datetime
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Column, Table
from rich.text import Text

from contracts.runs.records import LoggedEvent
from contracts.runs.state_view import StateView
from contracts.runs.statuses import SETTLED
from greenlight.terminal.display.prices import format_spent
from greenlight.terminal.display.progress import LivePhase, Progress, is_to_the_run
from greenlight.terminal.display.widgets import count_noun, format_duration

RECENT_CALLS = 6
MEANWHILE = "In another terminal: steer, pause or cancel last"
PAUSED = "Paused: no call is made. In another terminal: resume last"
LOST = "connection lost, trying again"
MARKS = {
    "pending": ("·", "dim"),
    "waiting": ("?", "magenta"),
    "paused": ("‖", "yellow"),
    "completed": ("✓", "green"),
    "partial": ("◐", "yellow"),
    "failed": ("✗", "red"),
    "skipped": ("–", "dim"),
}


class ProgressView:
    """Shows a run's progress: on a terminal as redrawn phases, in a pipe as one line per notable event.

    Nothing else may be printed while the live region is shown, because rich draws it from a thread and frames
    would mix. The region ends before a permanent line and starts again below it; settled phases then stay on
    the terminal.
    """

    def __init__(self, console: Console, progress: Progress, state: StateView) -> None:
        self._console = console
        self._progress = progress
        self._state = state
        self._is_lost = False
        self._spinner = Spinner("dots", style="green")
        self._is_live = console.is_terminal and not console.is_dumb_terminal
        self._region: Live | None = None

    def __enter__(self) -> Self:
        self._begin_region()
        return self

    def __exit__(self, *exc: object) -> None:
        self._end_region()

    def show(self, event: LoggedEvent) -> None:
        """Apply an event; the next frame shows it, or the line printed now."""
        self._is_lost = False
        line = self._progress.apply(event)
        if not line or (self._is_live and not is_to_the_run(event)):
            return
        clock = datetime.fromisoformat(event.at).astimezone().strftime("%H:%M:%S")
        self._end_region()
        self._print(f"{clock} {line}")
        self._begin_region()

    def reconnect(self) -> None:
        """Show that the stream is being reopened."""
        self._is_lost = True
        if not self._is_live:
            self._print(LOST)

    def _begin_region(self) -> None:
        if self._is_live:
            self._region = Live(
                get_renderable=self._draw,
                console=self._console,
                refresh_per_second=10,
                transient=True,
            )
            self._region.start()

    def _end_region(self) -> None:
        if self._region is None:
            return
        self._region.stop()
        self._region = None
        for phase in self._list_open():
            if phase.status in SETTLED:
                self._console.print(self._draw_phase(phase))
                phase.is_printed = True

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _draw(self) -> RenderableType:
        rows = [self._draw_phase(phase) for phase in self._list_open()]
        if outline := self._progress.outline.draw():
            rows += [Text("\n  the report so far", style="bold"), outline]
        known = len(self._progress.sources)
        facts = [
            format_spent(self._progress.usd, self._state),
            count_noun(known, "source") if known else "",
            "paused" if self._progress.paused else "",
            LOST if self._is_lost else self._progress.note,
        ]
        footer = (" · ".join(filter(None, facts)), "bold")
        meanwhile = PAUSED if self._progress.paused else MEANWHILE
        hint = (f"\n  Ctrl-C leaves; the run is kept. {meanwhile}", "dim")
        return Group(*rows, Text.assemble("\n  ", footer, hint))

    def _list_open(self) -> list[LivePhase]:
        return [phase for phase in self._progress.phases.values() if not phase.is_printed]

    def _draw_phase(self, phase: LivePhase) -> RenderableType:
        mark = Text(*MARKS[phase.status]) if phase.status in MARKS else self._spinner
        attempt = f" (attempt {phase.attempt})" if phase.attempt > 1 else ""
        grid = Table.grid(
            Column(width=3, justify="right"),
            Column(min_width=14),
            Column(width=10, justify="right"),
            Column(style="dim"),
            padding=(0, 1),
        )
        grid.add_row(
            mark,
            Text(phase.title + attempt, style="dim" if phase.status == "pending" else ""),
            format_duration(phase.elapsed(datetime.now(UTC))),
            Text(phase.detail),
        )
        calls = (
            Text(f"      {call}", style="dim", no_wrap=True, overflow="ellipsis")
            for call in list(phase.calls.values())[-RECENT_CALLS:]
        )
        return Group(grid, *calls)
