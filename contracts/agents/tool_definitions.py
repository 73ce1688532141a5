"""The tools of agents: their arguments, and the roles that may use them."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from contracts.base import Contract, Json
from contracts.evidence.claims import Claim
from contracts.evidence.sources import SearchKind
from contracts.models.answer_json_schema import code_fills, get_answer_schema
from contracts.models.call import Tool
from contracts.report.patches import TABLE, UpdateReportArgs
from contracts.words import Language

MAX_ABOUT_CHARS = 800
"""Characters of what a page is opened for: several wishes, each of which a long page is searched for."""


class WebSearchArgs(Contract):
    """The arguments of `web_search`."""

    query: str = Field(min_length=1, max_length=400)
    kind: SearchKind = Field(default="web", description="news: articles of the press")
    max_results: int | None = Field(default=None, ge=1, le=20)


class FetchUrlArgs(Contract):
    """The arguments of `fetch_url`."""

    url: str = Field(
        min_length=1,
        max_length=2_000,
        description="as a search, a page or the user gave it; no other can be read",
        json_schema_extra={"format": "uri"},
    )
    about: str = Field(
        default="",
        max_length=MAX_ABOUT_CHARS,
        description="all that you look for in it, divided by `;`: of a long one, what bears most on each is shown",
    )


class ParseContentArgs(Contract):
    """The arguments of `parse_content`: which part of a source that was fetched."""

    source: int = Field(ge=1, description="its number")
    find: str = Field(
        default="",
        max_length=400,
        description="shows the best passages for these words, with their pages",
    )
    section: str = Field(
        default="", max_length=200, description="shows the section under this heading"
    )
    page: int | None = Field(default=None, ge=1, description="shows this page")
    start: int | None = Field(
        default=None, ge=0, description="shows the text from this character on"
    )

    @model_validator(mode="after")
    def _names_one_part(self) -> "ParseContentArgs":
        given = [self.find, self.section, self.page is not None, self.start is not None]
        if sum(map(bool, given)) != 1:
            raise ValueError("give one of find, section, page and start")
        return self


def _printable(text: str) -> str:
    """Return a text on one line, without characters that a drawing cannot hold."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


Label = Annotated[str, Field(max_length=200), AfterValidator(_printable)]
Title = Annotated[Label, Field(min_length=1)]
Number = Annotated[float, Field(ge=-1e18, le=1e18, allow_inf_nan=False)]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")]
TableCell = Number | Label | None


class CalculateArgs(Contract):
    """The arguments of `calculate`."""

    expression: str = Field(
        min_length=1,
        max_length=300,
        description="numbers, variables, + - * / // % **, round abs min max sqrt log exp",
    )
    variables: dict[Variable, Number] = Field(default={}, max_length=30)


class TableArgs(Contract):
    """The arguments of `table`: every row has a cell for each column, null where nothing is known."""

    title: Title
    columns: list[Title] = Field(min_length=1, max_length=12)
    rows: list[list[TableCell]] = Field(
        min_length=1,
        max_length=200,
        description="each with a cell for each column, null where nothing is known",
    )
    note: str = code_fills("", "what its short words mean; it stands below")
    rows_left_out: int = Field(
        default=0,
        exclude_if=lambda count: not count,
        description="rows that it has beyond these",
        json_schema_extra={"readOnly": True},
    )

    @model_validator(mode="after")
    def _is_rectangular(self) -> "TableArgs":
        wanted = len(self.columns)
        for number, row in enumerate(self.rows):
            if len(row) != wanted:
                raise ValueError(f"rows[{number}] has {len(row)} cells for {wanted} columns")
        return self


class ChartSeries(Contract):
    """One thing drawn in a chart."""

    name: Title
    values: list[Number | None] = Field(max_length=200, description="one for each x; null: a gap")


class TableChartArgs(Contract):
    """The arguments of `chart`: what is drawn of a table of the run."""

    title: Title
    table: str = Field(
        min_length=1, max_length=200, description="id or title of a table made before this turn"
    )
    kind: Literal["scatter", "line", "bar"]
    x: Title = Field(description="the column along the x axis; its name labels the axis")
    columns: list[Title] = Field(
        min_length=1, max_length=8, description="the columns to draw, a series each"
    )
    y_label: Title
    unit: Label = Field(default="", description="of y, e.g. %, USD, people")

    @model_validator(mode="before")
    @classmethod
    def _names_a_table(cls, given: Any) -> Any:
        if isinstance(given, dict) and (
            given.keys() & {"series", "x_label"} or "table" not in given
        ):
            raise ValueError(
                "a chart is drawn from a table of this run: give `table` (its id or title), `x` (a "
                "column) and `columns` (those to draw); make the table with `table` first"
            )
        return given


class ChartArgs(Contract):
    """What is drawn in a chart."""

    title: Title
    kind: Literal["scatter", "line", "bar"]
    x_label: Title
    y_label: Title
    unit: Label = Field(default="", description="of y, e.g. %, USD, people")
    x: list[Title] | list[Number] = Field(min_length=1, max_length=200)
    series: list[ChartSeries] = Field(min_length=1, max_length=8)
    language: Language = Field(default="en", description="that its figures are written in")

    @model_validator(mode="after")
    def _can_be_drawn(self) -> "ChartArgs":
        for number, series in enumerate(self.series):
            if len(series.values) != len(self.x):
                told = f"{len(series.values)} values for {len(self.x)} x values"
                raise ValueError(f"series[{number}] has {told}")
        if all(value is None for series in self.series for value in series.values):
            raise ValueError("series: no value is given")
        if self.kind == "scatter" and not self.is_measured:
            raise ValueError("x: a scatter chart takes numbers; a bar or line chart takes names")
        return self

    @property
    def y_title(self) -> str:
        """The label of y with its unit, unless it says that itself."""
        is_said = self.unit.casefold() in self.y_label.casefold()
        return self.y_label if is_said else f"{self.y_label} ({self.unit})"

    @property
    def is_measured(self) -> bool:
        """Return whether x is a quantity rather than names."""
        return all(isinstance(x, float) for x in self.x)


WEB_SEARCH, FETCH_URL, UPDATE_REPORT = "web_search", "fetch_url", "update_report"
READING_TOOLS = frozenset({WEB_SEARCH, FETCH_URL, "parse_content"})
ARGS: dict[str, type[Contract]] = {
    WEB_SEARCH: WebSearchArgs,
    FETCH_URL: FetchUrlArgs,
    "parse_content": ParseContentArgs,
    UPDATE_REPORT: UpdateReportArgs,
    "calculate": CalculateArgs,
    "table": TableArgs,
    "chart": TableChartArgs,
}

DESCRIPTIONS = {
    WEB_SEARCH: (
        "Search the web or the news, or the documents that stand in for them: the nearest hits, of the user's documents "
        "their best passages. What an earlier search showed is left out and counted."
    ),
    FETCH_URL: "Read one page or document as a numbered source to quote from; of a long one, its outline and parts.",
    "parse_content": "Show another part of a long source, by one of four ways.",
    UPDATE_REPORT: (
        "Change one section of the report; its sentences are checked at once. Numbers mean those of when the turn began."
    ),
    "calculate": "Compute a number, so that no figure of the answer is guessed.",
    "table": "Keep a table that the report shows. Returns its id.",
    "chart": "Draw columns of a table that was made before as a chart that the report shows. Returns its id.",
}

TOOLSETS: dict[str, tuple[str, ...]] = {
    "researcher": ("web_search", "fetch_url", "parse_content"),
    "engineer": ("calculate", "table", "chart"),
}
"""Tools by role; other roles have none."""


def tools_named(names: tuple[str, ...] | list[str], max_results: int = 0) -> list[Tool]:
    """Return tools as a model sees them; a search returns at most `max_results` hits, or fewer on request."""
    tools = [
        Tool(name=name, description=DESCRIPTIONS[name], input_schema=get_tool_schema(ARGS[name]))
        for name in names
    ]
    if not max_results:
        return tools
    limits: Json = {"minimum": 1, "maximum": max_results, "default": max_results}
    hits: Json = {"type": "integer", **limits}
    return [_narrow(t, max_results=hits) if t.name == WEB_SEARCH else t for t in tools]


@cache
def get_tool_schema(model: type[Contract]) -> Json:
    """Return the schema of a tool's arguments: an optional one is left out, never null. It must not be changed."""
    schema = {k: v for k, v in get_answer_schema(model).items() if k != "title"}
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return {**schema, "properties": {name: _require_value(p) for name, p in properties.items()}}


def _require_value(part: Any) -> Any:
    """Return the schema of an argument without null."""
    given = [kind for kind in part.get("anyOf", ()) if kind != {"type": "null"}]
    if len(given) != 1:
        return part
    return {**given[0], **{k: v for k, v in part.items() if k != "anyOf"}}


def _narrow(tool: Tool, **parts: Json) -> Tool:
    """Return a tool with narrower schemas of some of its arguments."""
    properties = tool.input_schema["properties"]
    assert isinstance(properties, dict)
    narrowed: Json = {**tool.input_schema, "properties": {**properties, **parts}}
    return tool.model_copy(update={"input_schema": narrowed})


def update_report(
    outline: list[str], *, may_end: bool = False, table: str = TABLE, measures: Sequence[str] = ()
) -> Tool:
    """Return the tool that changes a living report; it only accepts the headings of `outline`.

    An agent that `may_end` the work also writes the table, by its name in the report's language, and can mark
    a change as the last. An agent that writes while reading states what was not found instead, and says of a
    finding which of the `measures` it gives.
    """
    [tool] = tools_named([UPDATE_REPORT])
    places = [*outline, table] if may_end else outline
    narrowed = _narrow(tool, section={"type": "string", "enum": [*places]})
    left = (
        {"gaps"} if may_end else {"makes_whole", "is_list", "figures", "drop_rows", "replaces"}
    )  # what only the other agent may set
    schema = dict(narrowed.input_schema)
    properties, defined = schema["properties"], schema["$defs"]
    assert isinstance(properties, dict)
    assert isinstance(defined, dict)
    schema["properties"] = {name: part for name, part in properties.items() if name not in left}
    schema["$defs"] = (
        _widen_claims(defined) if may_end else _leave_out_conclusions(defined, measures)
    )
    return narrowed.model_copy(update={"input_schema": schema})


def _widen_claims(defined: Json) -> Json:
    """Return a tool's definitions in which a claim may cite nothing, as most of a text rest on findings, or advise."""
    claim: Any = defined["Claim"]
    required = [each for each in claim["required"] if each != "citations"]
    advises = {"type": "boolean", "description": Claim.model_fields["advises"].description}
    text = {"type": "string", "description": "its words, or a number of the draft, as in `#12`"}
    numbers = {"type": "array", "items": {"type": "integer"}}
    gaps = {**numbers, "description": Claim.model_fields["gaps"].description}
    properties = {**claim["properties"], "text": text, "gaps": gaps, "advises": advises}
    return {**defined, "Claim": {**claim, "properties": properties, "required": required}}


def _leave_out_conclusions(defined: Json, measures: Sequence[str]) -> Json:
    """Return a tool's definitions without what no researcher writes: cells, conclusions, assumptions, what was not found, a text's paragraphs."""
    claim: Any = defined["Claim"]
    left = ("rests_on", "repeats", "assumed", "not_found", "opens")
    own = {name: part for name, part in claim["properties"].items() if name not in left}
    if measures:
        told = Claim.model_fields["measure"].description
        own["measure"] = {"type": "string", "enum": [*measures], "description": told}
    parts = {name: part for name, part in defined.items() if name != "TableFigure"}
    return {**parts, "Claim": {**claim, "properties": own}}
