"""Rights to send messages to a run: its user may send any, an approver a sealed vote."""

from datetime import UTC, datetime

from contracts.access.principal import Principal
from contracts.errors import Conflict, NotAllowed
from contracts.human.approvers import Delegate, SealedDecide, SealedDelegate
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Decide, HumanMessage
from contracts.notices import Notice
from contracts.problems import Problem
from domain.decision_seals import Sealer
from store.run_records.runs import RunRow


def authorize(
    seals: Sealer, caller: Principal, run: RunRow, body: HumanMessage, asked: Checkpoint | None
) -> HumanMessage:
    """Return the message if the caller may send it: any message to their own run, else a sealed vote."""
    is_owner = caller.user_id == run.user_id
    if isinstance(body, Decide | Delegate) and caller.key_id:
        if asked and asked.poll:
            return _seal(seals, caller, run.run_id, body, asked)
        if asked is None and not is_owner:
            raise Conflict(Problem.at("checkpoint_id", "no-checkpoint-open"))
    if not is_owner:
        told = Notice.of("run-not-yours-to-send", run=run.run_id, user=run.user_id)
        raise NotAllowed(told)
    return body


def _seal(
    seals: Sealer, holder: Principal, run_id: str, said: Decide | Delegate, asked: Checkpoint
) -> SealedDecide | SealedDelegate:
    """Return a vote with its checkpoint and plan, signed for the holder of the key."""
    place: dict[str, str | None] = {"checkpoint_id": asked.checkpoint_id}
    approves = isinstance(said, Decide) and said.action not in {"reject", "revise"}
    if (
        said.plan_hash is None and not approves
    ):  # an approval must name the plan that its sender saw
        place |= {"plan_hash": asked.plan_hash}
    said = said.model_copy(update=place)
    assert holder.key_id is not None
    seal = seals.seal(holder.tenant_id, run_id, said, holder.key_id, datetime.now(UTC))
    kind = SealedDelegate if isinstance(said, Delegate) else SealedDecide
    return kind(**dict(said), seal=seal)
