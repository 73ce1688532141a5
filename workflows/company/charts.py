"""Charts and tables that code asks for: kept among the run's artifacts, each once."""

import asyncio
from collections.abc import Iterable

from activities.workbench import WorkbenchActivities
from contracts.agents.tools import ChartArgs
from contracts.agents.workbench import Artifact, ChartRequest, TableRequest
from contracts.evidence.company import Fundamentals
from workflows.company.figures import charts, table
from workflows.runtime.context import PhaseContext


async def draw_figures(run: PhaseContext, found: Fundamentals) -> None:
    """Keep charts of a company's figures, and all of them as a table."""
    drawn = [_drawn(run, f"chart-{n}", chart) for n, chart in enumerate(charts(found), start=1)]
    request = TableRequest(scope=run.scope("table"), args=table(found))
    listed = run.call("table", WorkbenchActivities.table, request, summary=request.args.title)
    _keep(run, await asyncio.gather(*drawn, listed))


async def draw(run: PhaseContext, name: str, chart: ChartArgs) -> None:
    """Keep one chart; `name` is the call's."""
    _keep(run, [await _drawn(run, name, chart)])


async def _drawn(run: PhaseContext, name: str, chart: ChartArgs) -> Artifact:
    request = ChartRequest(scope=run.scope(name), args=chart)
    return await run.call(name, WorkbenchActivities.chart, request, summary=chart.title)


def _keep(run: PhaseContext, made: Iterable[Artifact]) -> None:
    known = {artifact.id for artifact in run.state.artifacts}
    run.state.artifacts.extend(a for a in made if a.id not in known)
