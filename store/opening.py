"""A run as it looks before it has said anything itself."""

from contracts.phases import Phase
from contracts.run import Opened, OpenRequest
from contracts.state import PhaseView, StateView
from contracts.terms import Usage


def first_view(request: OpenRequest, opened: Opened) -> StateView:
    """Return what is to be seen of a run before it has said anything itself."""
    resolved, given = opened.resolved, request.input
    return StateView(
        run_id=request.run_id,
        definition_id=resolved.definition.id,
        status="running",
        stage="clarify",
        query=given.query,
        inputs=given.inputs,
        startup=None,
        answers={},
        phases=[_first_phase(phase, opened) for phase in resolved.definition.phases],
        pending=[],
        plan=None,
        plan_hash=None,
        decisions=[],
        results={},
        parent=given.from_run,
        usage=Usage(),
        model=opened.terms.model,
        offline=opened.terms.offline,
        cap_usd=opened.terms.cap_usd,
        warnings=[],
        started_at=request.started_at,
        ended_at=None,
    )


def _first_phase(phase: Phase, opened: Opened) -> PhaseView:
    return PhaseView(
        id=phase.id,
        kind=phase.kind,
        title=phase.title or phase.id,
        status="completed" if phase.id in opened.resolved.seeds else "pending",
        attempt=1,
        warnings=[],
        error=None,
        started_at=None,
        ended_at=None,
        usage=Usage(),
    )
