"""A run's status and stage, derived from its phases' statuses."""

from contracts.runs.state import RunState
from contracts.runs.statuses import ENDED, SETTLED, RunStatus, Stage


def derive_stage(state: RunState) -> Stage:
    """Return one of the five stages; a failed run has that of its last failed phase."""
    if state.status in ("rejected", "cancelled"):
        return "cancelled"
    if state.status == "failed":
        return next(p.stage for p in reversed(state.phases) if p.status == "failed")
    if state.status in ENDED:
        return "completed"
    return next((p.stage for p in state.phases if p.status not in SETTLED), "execute")


def derive_live_status(state: RunState) -> RunStatus:
    """Return the status of a live run; it is `waiting` only if nothing else can proceed."""
    if state.status in ENDED:
        return state.status
    if state.paused:
        return "paused"
    active = [phase.status for phase in state.phases if phase.status not in SETTLED]
    waiting = bool(state.pending) and "running" not in active
    return "waiting" if waiting else "running"


def derive_final_status(state: RunState) -> RunStatus:
    """Return the final status of a run, given that all of its phases have settled."""
    statuses = [phase.status for phase in state.phases]
    if "failed" in statuses:
        return "failed"
    return "completed" if set(statuses) <= {"completed"} else "partial"
