"""Approver seal: the gateway's signature on the vote of a key's user."""

from datetime import UTC, datetime

from activities.approvals import Sealer
from contracts.base import Contract
from contracts.human.approvers import Delegate, SealedDecide, SealedDelegate
from contracts.human.messages import AnswerQuestions, Decide
from contracts.principal import Principal
from contracts.runs.state import Checkpoint, StateView


def find_checkpoint(
    state: StateView, said: AnswerQuestions | Decide | Delegate
) -> Checkpoint | None:
    """Return the open checkpoint that a message is for; None if none or several could be."""
    kind = "questions" if isinstance(said, AnswerQuestions) else "decision"
    waiting = [c for c in state.pending if c.kind == kind]
    named = [c for c in waiting if said.checkpoint_id in {None, c.checkpoint_id}]
    return named[0] if len(named) == 1 else None


def seal_decision(
    seals: Sealer, holder: Principal, run_id: str, said: Decide | Delegate, asked: Checkpoint
) -> SealedDecide | SealedDelegate:
    """Return a decision with its checkpoint and plan, signed for the holder of a key."""
    place: dict[str, str | None] = {"checkpoint_id": asked.checkpoint_id}
    if said.plan_hash is None and not _must_name_plan(said):
        place |= {"plan_hash": asked.plan_hash}
    said = said.model_copy(update=place)
    assert holder.key_id is not None
    seal = seals.seal(holder.tenant_id, run_id, said, holder.key_id, datetime.now(UTC))
    kind = SealedDelegate if isinstance(said, Delegate) else SealedDecide
    return kind(**dict(said), seal=seal)


def _must_name_plan(said: Contract) -> bool:
    """Tell whether a message approves, so that its caller must name the plan that was seen."""
    return isinstance(said, Decide) and said.action in {"approve", "modify"}
