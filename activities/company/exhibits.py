"""Charts and tables of companies' figures, made and stored where the figures are computed."""

import re
from typing import TYPE_CHECKING

from activities.calculations_and_charts import Draw, store_chart, store_table
from activities.company.presentation import ODD
from activities.confined.call_pool import CallFailed, Runner
from activities.temporal_failures import settles
from contracts.agents.calculations_and_charts import Artifact
from contracts.agents.tool_definitions import ChartArgs, TableArgs
from contracts.errors import GreenlightError
from contracts.models.call import Scope
from contracts.runs.lost_inputs import LossCause, LostInput
from domain.company.exhibits import Exhibit, PriceTableArgs

if TYPE_CHECKING:
    from store.blobs import BlobStore

_FIGURE = re.compile(r"[-−]?\d")
MOST_ROWS = 90
"""Rows of a table of figures that a report shows: each of a company's metrics."""


async def store_exhibit(
    exhibit: Exhibit, draw: Draw, run: Runner, blobs: "BlobStore", scope: Scope
) -> Artifact | LostInput:
    """Store a chart or table, or return that it could not be made, so that others are kept.

    Raises:
        StoreUnavailable: Waited out, like any failure that a retry may cure.
    """
    try:
        if isinstance(exhibit, ChartArgs):
            return await store_chart(exhibit, draw, run, blobs, scope)
        columns = [n for n in range(1, len(exhibit.columns)) if _has_figures(exhibit, n)]
        stored = await store_table(exhibit, blobs, scope, columns, MOST_ROWS)
        is_beside = isinstance(exhibit, PriceTableArgs)
        return stored.model_copy(update={"is_beside_decision": is_beside})
    except GreenlightError as error:
        if not settles(error):
            raise
        cause = error.loss_cause
    except (CallFailed, *ODD):  # odd figures of one company's exhibit
        cause = LossCause(reason="call-failed")
    return LostInput(kind="exhibit", name=exhibit.title, causes=[cause])


def _has_figures(table: TableArgs, column: int) -> bool:
    """Return whether a column has a cell that begins with a number, so that it is aligned as figures are."""
    return any(_FIGURE.match(str(row[column])) for row in table.rows if row[column] is not None)
