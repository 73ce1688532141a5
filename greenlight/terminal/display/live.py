"""Views of progress: a live region on a terminal, plain lines anywhere else."""

from datetime import UTC, datetime
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from contracts.runs.records import LoggedEvent
from contracts.runs.state import SETTLED, StateView
from greenlight.terminal.display.progress import LivePhase, Progress
from greenlight.terminal.display.widgets import count_noun, format_duration, format_spent

MARKS = {
    "completed": ("✓", "green"),
    "partial": ("◐", "yellow"),
    "failed": ("✗", "red"),
    "skipped": ("–", "dim"),
}


class LineView:
    """Prints one plain line for each event worth one."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console = console
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def show(self, event: LoggedEvent) -> None:
        """Print the event's line, if it has one."""
        if line := self._progress.apply(event):
            clock = datetime.fromisoformat(event.at).astimezone().strftime("%H:%M:%S")
            self._print(f"{clock} {line}")

    def reconnect(self) -> None:
        """Print that the stream is being reopened."""
        self._print("connection lost, trying again")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class LiveView:
    """Redraws the current phases in place; at the end, settled phases stay on the terminal.

    Nothing is printed beside the live region: rich draws it from a thread, and a print in between
    would at times leave half a frame behind.
    """

    def __init__(self, console: Console, progress: Progress, state: StateView) -> None:
        self._console = console
        self._progress = progress
        self._state = state
        self._is_lost = False
        self._spinner = Spinner("dots", style="green")
        self._live = Live(
            get_renderable=self._draw, console=console, refresh_per_second=10, transient=True
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._live.stop()
        for phase in self._list_open():
            if phase.status in SETTLED:
                self._console.print(_draw_settled(phase))
                phase.is_printed = True

    def show(self, event: LoggedEvent) -> None:
        """Apply an event; the next frame shows it."""
        self._is_lost = False
        self._progress.apply(event)

    def reconnect(self) -> None:
        """Show that the stream is being reopened."""
        self._is_lost = True

    def _draw(self) -> RenderableType:
        now = datetime.now(UTC)
        rows: list[RenderableType] = [self._draw_phase(phase, now) for phase in self._list_open()]
        if outline := self._progress.outline.draw():
            rows += [Text("\n  the report so far", style="bold"), outline]
        known = len(self._progress.sources)
        facts = [
            format_spent(self._progress.usd, self._state),
            count_noun(known, "source") if known else "",
            "paused" if self._progress.paused else "",
            "connection lost, trying again" if self._is_lost else self._progress.note,
        ]
        footer = (" · ".join(filter(None, facts)), "bold")
        hint = ("\n  Ctrl-C leaves; the run is kept", "dim")
        return Group(*rows, Text.assemble("\n  ", footer, hint))

    def _list_open(self) -> list[LivePhase]:
        return [phase for phase in self._progress.phases.values() if not phase.is_printed]

    def _draw_phase(self, phase: LivePhase, now: datetime) -> RenderableType:
        if phase.status in SETTLED:
            return _draw_settled(phase)
        if phase.status == "pending":
            return _draw_row(Text("·", style="dim"), Text(phase.title, style="dim"), "", "")
        detail = phase.counts
        if phase.written:
            detail = " · ".join(filter(None, [detail, f"writing, {phase.written:,} characters"]))
        mark = Text("?", style="magenta") if phase.status == "waiting" else self._spinner
        elapsed = format_duration(phase.elapsed(now))
        calls = [
            Text(f"      {call}", style="dim", no_wrap=True, overflow="ellipsis")
            for call in list(phase.calls)
        ]
        return Group(_draw_row(mark, _draw_title(phase), elapsed, detail), *calls)


def _draw_settled(phase: LivePhase) -> RenderableType:
    mark, style = MARKS.get(phase.status, ("·", ""))
    detail = phase.counts if phase.status == "completed" else "; ".join(phase.notes) or phase.status
    elapsed = format_duration(phase.seconds) if phase.status != "skipped" else ""
    return _draw_row(Text(mark, style=style), _draw_title(phase), elapsed, detail)


def _draw_title(phase: LivePhase) -> Text:
    attempt = f" (attempt {phase.attempt})" if phase.attempt > 1 else ""
    return Text(phase.title + attempt)


def _draw_row(mark: RenderableType, title: Text, elapsed: str, detail: str) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=3, justify="right")
    grid.add_column(min_width=14)
    grid.add_column(width=10, justify="right")
    grid.add_column()
    grid.add_row(mark, title, elapsed, Text(detail, style="dim"))
    return grid
