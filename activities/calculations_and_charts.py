"""Activities of an engineer: calculations, tables and charts; no code is executed."""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from temporalio import activity

from activities.confined.call_pool import Runner, run_in_thread
from activities.table_csv import format_cell, read_csv, to_csv
from contracts.agents.calculations_and_charts import (
    Artifact,
    Calculated,
    Kind,
    TableChartRequest,
    WorkbenchRequest,
)
from contracts.agents.tool_definitions import (
    CalculateArgs,
    ChartArgs,
    TableArgs,
    TableCell,
    TableChartArgs,
)
from contracts.errors import ToolFailed
from contracts.models.call import Scope
from contracts.problems import Problem, list_problems

if TYPE_CHECKING:
    from activities.calls.tool_calls import ToolCalls
    from store.blobs import BlobStore

Calculate = Callable[[str, Mapping[str, float]], float]
Draw = Callable[[ChartArgs], bytes]

PREVIEW_ROWS = 24
NAMED_CELL_CHARS = 80
"""Characters of a cell that an error names; the tables themselves have theirs whole."""
MANY = 10_000
"""Numbers from here on are shown with thousands separators."""


@dataclass(frozen=True)
class WorkbenchActivities:
    """Computes, tabulates and draws; journaled, so that a retry returns the same."""

    _calculate: Calculate
    _draw: Draw
    _blobs: "BlobStore"
    _tool_calls: "ToolCalls"
    _run: Runner = run_in_thread

    @activity.defn(name="workbench.calculate")
    async def calculate(self, request: WorkbenchRequest[CalculateArgs]) -> Calculated:
        """Return the value of an expression."""
        args = request.args

        async def compute() -> Calculated:
            return Calculated(**dict(args), value=self._calculate(args.expression, args.variables))

        return await self._tool_calls.run(request.scope, "calculate", args, compute, Calculated)

    @activity.defn(name="workbench.table")
    async def table(self, request: WorkbenchRequest[TableArgs]) -> Artifact:
        """Store a table as CSV."""
        args = request.args

        async def tabulate() -> Artifact:
            return await store_table(args, self._blobs, request.scope)

        return await self._tool_calls.run(request.scope, "table", args, tabulate, Artifact)

    @activity.defn(name="workbench.chart")
    async def chart(self, request: WorkbenchRequest[ChartArgs]) -> Artifact:
        """Draw a chart and store it as SVG."""
        args = request.args

        async def draw() -> Artifact:
            return await store_chart(args, self._draw, self._run, self._blobs, request.scope)

        return await self._tool_calls.run(request.scope, "chart", args, draw, Artifact)

    @activity.defn(name="workbench.chart_table")
    async def chart_table(self, request: TableChartRequest) -> Artifact:
        """Draw columns of a stored table; ToolFailed names what the table has instead."""
        args, tenant = request.args, request.scope.tenant_id

        async def draw() -> Artifact:
            rows = read_csv(await self._blobs.get(tenant, request.table.blob_key))
            chart = build_chart(args, request.table, rows)
            drawn = await store_chart(chart, self._draw, self._run, self._blobs, request.scope)
            return drawn.model_copy(update={"table": request.table.id})

        return await self._tool_calls.run(request.scope, "chart", args, draw, Artifact)


async def store_table(
    args: TableArgs,
    blobs: "BlobStore",
    scope: Scope,
    figure_columns: Sequence[int] = (),
    most_rows: int = PREVIEW_ROWS,
) -> Artifact:
    """Store a table as CSV, with the first rows as a report shows them; some columns may be known to hold figures."""
    rows = [
        [_group_digits(cell, is_figure=n in figure_columns) for n, cell in enumerate(row)]
        for row in args.rows[:most_rows]
    ]
    shown: dict[str, Any] = {
        "preview": [args.columns, *rows],
        "rows": len(args.rows) + args.rows_left_out,
        "figure_columns": list(figure_columns),
    }
    return await _store(blobs, scope, args.title, "table", to_csv(args), note=args.note, **shown)


async def store_chart(
    args: ChartArgs, draw: Draw, run: Runner, blobs: "BlobStore", scope: Scope
) -> Artifact:
    """Draw a chart and store it as SVG."""
    svg = await run(draw, args, task="drawing the chart", tenant=scope.tenant_id)
    return await _store(blobs, scope, args.title, "chart", svg, note=describe_chart(args))


async def _store(
    blobs: "BlobStore", scope: Scope, name: str, kind: Kind, body: bytes, **shown: Any
) -> Artifact:
    key = await blobs.put(scope.tenant_id, scope.run_id, body)
    digest = hashlib.sha256(b"\n".join([kind.encode(), name.encode(), body])).hexdigest()
    return Artifact(
        id=digest[:16],
        name=name,
        kind=kind,
        media_type={"table": "text/csv", "chart": "image/svg+xml"}[kind],
        blob_key=key,
        bytes=len(body),
        **shown,
    )


def build_chart(args: TableChartArgs, table: Artifact, rows: list[list[str]]) -> ChartArgs:
    """Build a chart from a table's columns.

    Raises:
        ToolFailed: The table has no such column, or a column contains text.
    """
    [columns, *cells] = rows

    def find(place: str, name: str) -> list[str]:
        if name not in columns:
            told = {"table": table.name, "column": name, "columns": columns}
            raise ToolFailed(Problem.at(place, "chart-no-column", **told))
        at = columns.index(name)
        return [row[at] for row in cells]

    def read_numbers(n: int, name: str) -> list[float | None]:
        place, values = f"columns[{n}]", []
        for number, cell in enumerate(find(place, name), start=1):
            value = _read_number(cell)
            if cell and value is None:
                told = {"row": str(number), "column": name, "cell": _shorten(cell)}
                raise ToolFailed(Problem.at(place, "chart-no-number", **told))
            values.append(value)
        return values

    names = find("x", args.x)
    measures = [_read_number(name) for name in names]
    is_measured = all(value is not None for value in measures)
    try:
        return ChartArgs.model_validate(
            {
                "title": args.title,
                "kind": args.kind,
                "x_label": args.x,
                "y_label": args.y_label,
                "unit": args.unit,
                "x": measures if is_measured else [name or "–" for name in names],
                "series": [
                    {"name": name, "values": read_numbers(n, name)}
                    for n, name in enumerate(args.columns)
                ],
            }
        )
    except ValidationError as error:
        raise ToolFailed(list_problems(error.errors()[:1])[0]) from None


def _read_number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _shorten(text: str) -> str:
    """Return a cell's text as an error names it; one that is cut ends with an ellipsis, not within a word."""
    if len(text) <= NAMED_CELL_CHARS:
        return text
    begin = text[: NAMED_CELL_CHARS - 1]
    return f"{begin.rpartition(' ')[0] or begin}…"


def _group_digits(cell: TableCell, *, is_figure: bool) -> str:
    """Format a cell for people: with thousands separators, unless it may be a year."""
    told = format_cell(cell)
    is_long = isinstance(cell, float) and (is_figure or abs(cell) >= MANY)
    return f"{float(told):,}".removesuffix(".0") if is_long else told


def describe_chart(chart: ChartArgs) -> str:
    """Return one line that says what a chart shows."""
    names = ", ".join(series.name for series in chart.series)
    return f"{names}: {chart.y_title} · {chart.x_label}"[:300]
