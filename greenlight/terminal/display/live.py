"""Drawing progress: a live region on a terminal, plain lines anywhere else."""

from datetime import UTC, datetime
from typing import Protocol, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from contracts.runs.records import LoggedEvent
from contracts.runs.state import SETTLED, StateView
from greenlight.terminal.display.progress import Phase, Progress, plural
from greenlight.terminal.display.run import duration, spent

MARKS = {
    "completed": ("✓", "green"),
    "partial": ("◐", "yellow"),
    "failed": ("✗", "red"),
    "skipped": ("–", "dim"),
}


class View(Protocol):
    """Shows events as they happen, while it is entered."""

    def __enter__(self) -> Self:
        """Begin to draw."""

    def __exit__(self, *exc: object) -> None:
        """Leave the terminal as it was."""

    def show(self, event: LoggedEvent) -> None:
        """Take in one event and show what it changed."""

    def cut(self) -> None:
        """Say that the stream broke and is being opened again."""


class Lines:
    """One plain line for each thing that happened."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console = console
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def show(self, event: LoggedEvent) -> None:
        """Print the event's line, if it has one."""
        line = self._progress.apply(event)
        if line:
            clock = datetime.fromisoformat(event.at).astimezone().strftime("%H:%M:%S")
            self._say(f"{clock} {line}")

    def cut(self) -> None:
        """Say that the stream broke."""
        self._say("connection lost, trying again")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class Screen:
    """What goes on now, redrawn in place; in the end, what was settled stays.

    Nothing is printed beside the live region: rich draws it from a thread of its own, and a print
    in between would at times leave half a frame behind.
    """

    def __init__(self, console: Console, progress: Progress, state: StateView) -> None:
        self._console = console
        self._progress = progress
        self._state = state
        self._cut = False
        self._spinner = Spinner("dots", style="green")
        self._live = Live(
            get_renderable=self._draw, console=console, refresh_per_second=10, transient=True
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._live.stop()
        for phase in self._untold():
            if phase.status in SETTLED:
                self._console.print(_settled(phase))
                phase.told = True

    def show(self, event: LoggedEvent) -> None:
        """Take in one event."""
        self._cut = False
        self._progress.apply(event)

    def cut(self) -> None:
        """Show that the stream broke."""
        self._cut = True

    def _draw(self) -> RenderableType:
        now = datetime.now(UTC)
        rows: list[RenderableType] = [self._phase(phase, now) for phase in self._untold()]
        if report := self._progress.growth.draw():
            rows += [Text("\n  the report so far", style="bold"), report]
        return Group(*rows, self._foot())

    def _untold(self) -> list[Phase]:
        return [phase for phase in self._progress.phases.values() if not phase.told]

    def _phase(self, phase: Phase, now: datetime) -> RenderableType:
        if phase.status in SETTLED:
            return _settled(phase)
        grid = _grid()
        if phase.status == "pending":
            grid.add_row(Text("·", style="dim"), Text(phase.title, style="dim"), "", "")
            return grid
        detail = phase.counts
        if phase.written:
            detail = " · ".join(filter(None, [detail, f"writing, {phase.written:,} characters"]))
        waiting = Text("?", style="magenta") if phase.status == "waiting" else self._spinner
        grid.add_row(
            waiting, _title(phase), duration(phase.elapsed(now)), Text(detail, style="dim")
        )
        calls = [Text(f"      {call}", style="dim") for call in list(phase.calls)]
        for call in calls:
            call.no_wrap, call.overflow = True, "ellipsis"
        return Group(grid, *calls)

    def _foot(self) -> RenderableType:
        known = len(self._progress.sources)
        parts = [spent(self._progress.usd, self._state), plural(known, "source") if known else ""]
        parts.append("paused" if self._progress.paused else "")
        parts.append("connection lost, trying again" if self._cut else self._progress.note)
        text = " · ".join(part for part in parts if part)
        return Text.assemble("\n  ", (text, "bold"), ("\n  Ctrl-C leaves; the run is kept", "dim"))


def _settled(phase: Phase) -> RenderableType:
    mark, style = MARKS.get(phase.status, ("·", ""))
    grid = _grid()
    detail = phase.counts if phase.status == "completed" else "; ".join(phase.notes) or phase.status
    took = duration(phase.seconds) if phase.status != "skipped" else ""
    grid.add_row(Text(mark, style=style), _title(phase), took, Text(detail, style="dim"))
    return grid


def _title(phase: Phase) -> Text:
    again = f" (attempt {phase.attempt})" if phase.attempt > 1 else ""
    return Text(phase.title + again)


def _grid() -> Table:
    grid = Table.grid(padding=(0, 1))
    for column in (
        {"width": 3, "justify": "right"},
        {"min_width": 14},
        {"width": 10, "justify": "right"},
        {},
    ):
        grid.add_column(**column)
    return grid
