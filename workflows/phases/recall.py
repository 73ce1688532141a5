"""`recall`: what this user told us about, and asked us, before."""

from activities.startups import RecallRequest, StartupActivities
from contracts.phases.recall import RecallOutput, RecallPhase
from workflows.phases.cached_report import look, settle
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind


async def recall(phase: RecallPhase, run: PhaseContext) -> RecallOutput:
    """Return the startup the run is about when it is named or the only one, and all to choose from.

    A report that answers the question already ends the run, or is left for clarification to offer.
    """
    request = RecallRequest(
        scope=run.scope("startups"),
        user_id=run.state.request.user_id,
        startup_id=run.state.request.startup_id,
        limit=phase.config.max_startups,
    )
    known = await run.execute_activity("startups", StartupActivities.recall, request)
    if phase.config.reuse == "never":
        return known
    finished = await look(phase.config, run, known)
    if finished and phase.config.reuse == "at_once":
        raise settle(run, known, finished)
    return known.model_copy(update={"finished": finished})


KIND = Kind(
    phase=RecallPhase,
    handler=recall,
    output=RecallOutput,
    title="Recall",
    description="Looks up the startups this user told us about, and reports on the same question.",
    category="clarify",
    icon="history",
    clarifies=True,
)
