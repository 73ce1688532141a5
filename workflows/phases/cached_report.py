"""Answering with a report that another run wrote: looked for, labelled, and the run ended with it."""

from pydantic import BaseModel
from temporalio.exceptions import ActivityError

from activities.recall import RecallActivities, SimilarRequest
from contracts.phases.recall import FinishedReport, RecallConfig, RecallOutput
from contracts.report.research import Report
from domain.report.escapes import escaped
from workflows.runtime.context import PhaseContext
from workflows.runtime.control_flow import RunShortCircuited


async def look(
    config: RecallConfig, run: PhaseContext, known: RecallOutput
) -> FinishedReport | None:
    """Return a report on the run's question.

    Where it is open which startup the run is about, none is looked for. Without an embedder the
    run goes on.
    """
    if run.state.request.fresh or (known.startups and not known.startup):
        return None
    request = SimilarRequest(
        scope=run.scope("similar"),
        query=run.state.request.query,
        startup=known.startup,
        within_hours=config.reuse_hours,
    )
    try:
        return (await run.execute_activity("similar", RecallActivities.similar, request)).finished
    except ActivityError as error:
        message = f"not looked for earlier reports: {run.fail_info(error).message}"
        run.emit("Status", {"level": "warning", "message": message})
        return None


def settle(run: PhaseContext, output: BaseModel, finished: FinishedReport) -> RunShortCircuited:
    """Return what ends the run with a finished report, which says so first."""
    note = (
        f"Answered from run {finished.run_id} of {day(finished)}; "
        "start again with “fresh” to have it researched anew."
    )
    run.state.sources[:] = finished.sources
    run.state.artifacts[:] = finished.artifacts
    run.emit("Status", {"level": "info", "message": note})
    report = _labelled(finished.report, note)
    return RunShortCircuited(output, finished.model_copy(update={"report": report}))


def day(finished: FinishedReport) -> str:
    """Return the day on which a report was finished."""
    return finished.ended_at[:10]


def _labelled(report: Report, note: str) -> Report:
    """Return a report with one more note, ahead of all others; the rest stands as it was."""
    title, _, rest = report.markdown.partition("\n\n")
    markdown = f"{title}\n\n> **{escaped(note)}**\n\n{rest}"
    return report.model_copy(update={"notes": [note, *report.notes], "markdown": markdown})
