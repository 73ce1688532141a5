"""`recall`: the startups this user told us about before."""

from activities.startups import RecallRequest, StartupActivities
from contracts.phases.recall import RecallOutput, RecallPhase
from workflows.context import PhaseContext
from workflows.kinds import Kind


async def recall(phase: RecallPhase, run: PhaseContext) -> RecallOutput:
    """Return the startup the run is about when it is named or the only one, and all to choose from."""
    request = RecallRequest(
        scope=run.scope("startups"),
        user_id=run.state.request.user_id,
        startup_id=run.state.request.startup_id,
        limit=phase.config.max_startups,
    )
    return await run.call("startups", StartupActivities.recall, request)


KIND = Kind(
    phase=RecallPhase,
    handler=recall,
    output=RecallOutput,
    title="Recall",
    description="Looks up the startups this user told us about before.",
    category="clarify",
    icon="history",
)
