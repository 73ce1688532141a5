"""Widgets and formats: labelled rows, questions, menus, votes, tables of runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from contracts.human.approvers import Poll
from contracts.human.checkpoints import OpenQuestion
from contracts.notices import Notice
from contracts.runs.state_view import StateView
from contracts.words import say
from domain.agents.search_scope import describe_scope
from greenlight.bootstrap import COMMAND
from greenlight.terminal.display.prices import format_price

QUERY_LINES = 4
WHOLE_QUERY = f"whole: {COMMAND} runs --json"

STATUS_STYLE = {
    "completed": "green",
    "partial": "yellow",
    "failed": "red",
    "rejected": "red",
    "cancelled": "red",
    "waiting": "magenta",
    "paused": "yellow",
}


@dataclass(frozen=True)
class ShortText:
    """A text of at most `lines` lines; a cut text ends with an ellipsis, and `more` below."""

    text: str
    lines: int
    style: str = ""
    more: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wrapped = self._fold().wrap(console, options.max_width)
        shown = wrapped[: self.lines]
        if len(wrapped) <= self.lines:
            yield Text("\n").join(shown)
            return
        shown[-1].rstrip()
        shown[-1].truncate(options.max_width - 1)
        shown[-1].append("…")
        yield Text("\n").join(shown)
        if self.more:
            yield Text(self.more, style="dim")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._fold())

    def _fold(self) -> Text:
        return Text(" ".join(self.text.split()), style=self.style)


def draw_facts(rows: Iterable[tuple[str, RenderableType]]) -> RenderableType:
    """Draw labelled rows, aligned; rows without a value are left out."""
    grid = Table.grid(Column(style="dim", no_wrap=True), Column(overflow="fold"), padding=(0, 2))
    for name, value in rows:
        if value:
            grid.add_row(name, Text(value) if isinstance(value, str) else value)
    return indent(grid)


def make_table(*columns: Column) -> Table:
    """Make a table with a line under its heads."""
    return Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def indent(content: RenderableType, above: int = 0, below: int = 0) -> RenderableType:
    """Indent something, with empty lines around it."""
    return Padding(content, (above, 0, below, 2), expand=False)


def draw_header(
    state: StateView, search: Notice, filings: str, samples: Sequence[str]
) -> RenderableType:
    """Render a run's header: startup, model, price, search, and `filings` if the run reads them.

    `samples` are commands of runs with recorded answers, shown if the stand-in answers.
    """
    title = Text.assemble(("Greenlight", "bold green"), ("  " + state.definition_id, "dim"))
    stand_in = say("en", "cli-offline") if state.offline else state.model
    model = state.recorded.notice.text if state.recorded else stand_in
    price = format_price(state.price, state)
    startup = state.startup.name if state.startup else ""
    rows = [("startup", startup), ("model", model), ("price", price)]
    scope = describe_scope(len(state.files), state.collections, search)
    rows += [("search", scope.text), ("filings", filings), ("samples", "\n".join(samples))]
    return Group(
        "",
        title,
        indent(ShortText(state.query, QUERY_LINES, "bold", WHOLE_QUERY), 1, 1),
        draw_facts([*rows, ("run", state.run_id)]),
    )


def draw_question(question: OpenQuestion, number: str) -> RenderableType:
    """Draw one question with its reason and numbered choices."""
    rows: list[RenderableType] = [Text(question.question, style="bold")]
    if question.context:
        rows.append(Text(question.context, style="dim italic"))
    rows += [
        Text.assemble((f"{n}  ", "green"), choice) for n, choice in enumerate(question.choices, 1)
    ]
    return Group("", draw_facts([(number, Group(*rows))]))


def draw_menu(entries: Sequence[tuple[str, str, str]]) -> RenderableType:
    """Draw entries of key, name and hint, a line each."""
    grid = Table.grid(Column(style="bold green"), Column(), Column(style="dim"), padding=(0, 2))
    for entry in entries:
        grid.add_row(*(Text(part, no_wrap=True, overflow="ellipsis") for part in entry))
    return indent(grid, 1)


def draw_numbered(items: Iterable[RenderableType]) -> RenderableType:
    """Draw numbered parts."""
    return draw_facts((str(number), item) for number, item in enumerate(items, 1))


def draw_markdown(text: str) -> RenderableType:
    """Draw a text as a report is drawn."""
    return indent(Markdown(text), 1, 1)


def format_poll(poll: Poll) -> str:
    """Describe the votes so far and the missing ones."""
    verbs = {"approve": "approves", "reject": "rejects"}
    votes = [f"{vote.by} {verbs[vote.action]}" for vote in poll.votes]
    voters = ", ".join([*poll.asked, *(f"anyone with the role {role}" for role in poll.roles)])
    return "; ".join(
        [*votes, f"{poll.missing} of {poll.needed} approvals missing, asked: {voters}"]
    )


def shorten(lines: list[str], most: int, more: int = 0) -> list[str]:
    """Return the first lines, and how many follow: the rest of `lines` and `more` that are not in it."""
    more += len(lines[most:])
    return [*lines[:most], f"… and {more} more"] if more else lines


def count_noun(count: int, noun: str) -> str:
    """Format a count with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}{'es' if noun.endswith('ch') else 's'}"


def format_duration(seconds: float) -> str:
    """Format a time span; an empty string below 0.05 s."""
    if seconds < 0.05:
        return ""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60):02d} s"
