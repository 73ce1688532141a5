"""`recall`: the user's startups, and an earlier report on the same question."""

from activities.startups import RecallRequest, StartupActivities
from contracts.phases.recall import RecallOutput, RecallPhase
from workflows.phases.cached_report import find_report, short_circuit
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind


async def recall(phase: RecallPhase, run: PhaseContext) -> RecallOutput:
    """Return the run's startup if it is named or the user's only one, and all to choose from.

    An earlier report on the question ends the run, or is left for clarification to offer.
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
    finished = await find_report(phase.config, run, known)
    if finished and phase.config.reuse == "at_once":
        raise short_circuit(run, known, finished)
    return known.model_copy(update={"finished": finished})


KIND = Kind(
    phase=RecallPhase,
    handler=recall,
    output=RecallOutput,
    title="Recall",
    description="Looks up the user's startups, and earlier reports on the same question.",
    category="clarify",
    icon="history",
    clarifies=True,
)
