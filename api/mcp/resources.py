"""A run's report and sources as resources, in addition to the tools of the same names."""

from api.mcp.caller import ToolContext, identify, refuse_resource
from api.routers.run.reports import get_report
from api.routers.run.sources_and_artifacts import list_sources
from contracts.base import RunId

REPORT = "greenlight://runs/{run_id}/report"
SOURCES = "greenlight://runs/{run_id}/sources"


@refuse_resource
async def read_report(run_id: RunId, ctx: ToolContext) -> str:
    """Return the whole report of a run as Markdown, with its evidence."""
    run = await identify(ctx).find_run(run_id)
    return bytes((await get_report(run, "md", None, None)).body).decode()


@refuse_resource
async def read_sources(run_id: RunId, ctx: ToolContext) -> str:
    """Return the pages that a run read, as JSON."""
    run = await identify(ctx).find_run(run_id)
    return (await list_sources(run)).model_dump_json()
