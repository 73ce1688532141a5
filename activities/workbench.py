"""The engineer's workbench: numbers, tables and charts out of what is given; no code is run."""

import asyncio
import csv
import hashlib
import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.agents.tools import Cell, ChartArgs, TableArgs
from contracts.agents.workbench import (
    Artifact,
    Calculated,
    CalculateRequest,
    ChartRequest,
    Kind,
    TableRequest,
)
from contracts.errors import GreenlightError, Permanent
from contracts.models.call import Scope

if TYPE_CHECKING:
    from activities.calls.tool_calls import ToolCalls
    from store.blobs import BlobStore

Calculate = Callable[[str, Mapping[str, float]], float]
Draw = Callable[[ChartArgs], bytes]

PREVIEW_ROWS, PREVIEW_CHARS = 20, 80
FORMULA = ("=", "+", "-", "@")
"""How a text begins that a spreadsheet would carry out."""


class WorkbenchActivities:
    """Computes, tabulates and draws; journaled, so that a retry says the same."""

    def __init__(
        self, calculate: Calculate, draw: Draw, blobs: "BlobStore", tool_calls: "ToolCalls"
    ) -> None:
        self._calculate = calculate
        self._draw = draw
        self._blobs = blobs
        self._tool_calls = tool_calls

    @activity.defn(name="workbench.calculate")
    async def calculate(self, request: CalculateRequest) -> Calculated:
        """Return the value of an expression."""
        args = request.args
        asked = args.model_dump(mode="json")

        async def compute() -> Calculated:
            return Calculated(**asked, value=self._calculate(args.expression, args.variables))

        return await self._tool_calls.run(
            request.scope, "calculate", asked, compute, Calculated, settles
        )

    @activity.defn(name="workbench.table")
    async def table(self, request: TableRequest) -> Artifact:
        """Keep a table as CSV."""
        args = request.args

        async def tabulate() -> Artifact:
            kept = await self._keep(request.scope, args.title, "table", as_csv(args))
            return kept.model_copy(update={"preview": preview(args), "rows": len(args.rows)})

        return await self._tool_calls.run(
            request.scope, "table", args.model_dump(mode="json"), tabulate, Artifact, settles
        )

    @activity.defn(name="workbench.chart")
    async def chart(self, request: ChartRequest) -> Artifact:
        """Draw a chart and keep it as SVG."""
        args = request.args

        async def draw() -> Artifact:
            svg = await asyncio.to_thread(self._draw, args)
            kept = await self._keep(request.scope, args.title, "chart", svg)
            return kept.model_copy(update={"note": described(args)})

        return await self._tool_calls.run(
            request.scope, "chart", args.model_dump(mode="json"), draw, Artifact, settles
        )

    async def _keep(self, scope: Scope, name: str, kind: Kind, held: bytes) -> Artifact:
        key = await self._blobs.put(scope.tenant_id, scope.run_id, held)
        digest = hashlib.sha256(b"\n".join([kind.encode(), name.encode(), held])).hexdigest()
        media_type = {"table": "text/csv", "chart": "image/svg+xml"}[kind]
        return Artifact(
            id=digest[:16], name=name, kind=kind, media_type=media_type, key=key, bytes=len(held)
        )


def settles(error: GreenlightError) -> bool:
    """Whether a failure is the call's result: arithmetic does not come out otherwise next time."""
    return isinstance(error, Permanent)


def as_csv(table: TableArgs) -> bytes:
    """Return a table as CSV in which a spreadsheet finds nothing to carry out."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(map(_harmless, table.columns))
    writer.writerows([_harmless(told(cell)) for cell in row] for row in table.rows)
    return written.getvalue().encode()


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def preview(table: TableArgs) -> list[list[str]]:
    """Return the columns and the first rows, as a report shows them."""
    rows = [[told(cell) for cell in row] for row in table.rows[:PREVIEW_ROWS]]
    return [[text[:PREVIEW_CHARS] for text in row] for row in [table.columns, *rows]]


def told(cell: Cell) -> str:
    """Return a cell as text: a whole number without a point."""
    if cell is None:
        return ""
    return f"{cell:.15g}" if isinstance(cell, float) else cell


def described(chart: ChartArgs) -> str:
    """Return in a line what a chart shows."""
    y = f"{chart.y_label} ({chart.unit})" if chart.unit else chart.y_label
    return f"{y} by {chart.x_label}: {', '.join(series.name for series in chart.series)}"[:300]
