"""A message to a checkpoint with approvers: verified by an activity, then counted."""

from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.approvals import ApprovalActivities, Verified, VerifyRequest
from contracts.base import Json
from contracts.errors import Conflict, NotAllowed
from contracts.human.approvers import Sealed, SealedDelegate
from contracts.runs.state import RunState
from workflows.checkpoints.rules import find
from workflows.checkpoints.votes import cast, decided, handed_over, require_asked
from workflows.interpreter.interpreter import Engine
from workflows.runtime.activity_execution import execute_activity
from workflows.runtime.human_wait import replace


async def verified(state: RunState, said: Sealed) -> Verified:
    """Return as whose a message counts; raise NotAllowed where the gateway does not vouch for it."""
    request = VerifyRequest(tenant_id=state.tenant_id, run_id=state.run_id, said=said)
    try:
        proof = await execute_activity(
            ApprovalActivities.verify, request, summary=f"is it {said.by}?"
        )
    except ActivityError as error:  # a failure in a signal's handler would fail the run
        raise Conflict(f"the signature could not be checked: {error.cause}") from None
    if proof.refused:
        raise NotAllowed(proof.refused)
    return proof


def count(engine: Engine, said: Sealed, proof: Verified) -> None:
    """Put a verified message into the state, and the decision that it makes complete."""
    checkpoint = find(engine.state, "decision", said.checkpoint_id)
    assert checkpoint.poll is not None
    require_asked(checkpoint.poll, said.by, proof.role)
    if isinstance(said, SealedDelegate):
        replace(engine, handed_over(checkpoint, said, proof.roles_of_delegate), "delegation")
        engine.recorder.heard(said.by, {"delegate": said.to}, checkpoint.phase_id)
        return
    now = workflow.now().isoformat()
    changed = cast(checkpoint, said, now)
    assert changed.poll is not None
    told: Json = {"vote": said.action, "missing": changed.poll.missing, "feedback": said.feedback}
    told |= {"plan_hash": changed.plan_hash, "checkpoint_id": changed.checkpoint_id}
    engine.recorder.heard(said.by, told, checkpoint.phase_id)
    if decision := decided(changed, said, now):
        engine.state.decisions.append(decision)
        engine.state.pending.remove(checkpoint)
        engine.recorder.heard(decision.by, decision.model_dump(mode="json"), checkpoint.phase_id)
    else:
        replace(engine, changed, "change" if changed.plan_hash != checkpoint.plan_hash else "")
