"""Votes at a checkpoint with approvers: cast, delegated, counted to a decision. Pure."""

from datetime import datetime

from contracts.errors import Conflict, InvalidInput, NotAllowed
from contracts.human.approvers import Poll, Sealed, SealedDecide, SealedDelegate, Vote
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.human.messages import Action
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.state import RunState
from workflows.checkpoints.decision_checks import find_checkpoint, require_shown_plan
from workflows.checkpoints.eligible_approvers import require_asked


def check_sealed(state: RunState, message: Sealed) -> Checkpoint:
    """Return the checkpoint of a message's vote, as far as known before it is verified."""
    checkpoint = find_checkpoint(state, "decision", message.checkpoint_id)
    poll, seal = checkpoint.poll, message.seal
    if poll is None:
        raise InvalidInput(Problem.at("checkpoint_id", "no-approvers"))
    if seal is None:
        raise NotAllowed(Notice.of("not-sealed"))
    if message.checkpoint_id is None:
        raise InvalidInput(Problem.at("checkpoint_id", "checkpoint-needed"))
    require_shown_plan(checkpoint, message.plan_hash)
    if seal.at > datetime.fromisoformat(checkpoint.deadline):
        told = Problem.at("checkpoint_id", "closed-before", deadline=checkpoint.deadline)
        raise Conflict(told)
    if message.by in poll.heard and seal.at <= poll.heard[message.by]:
        raise Conflict(Problem.at("by", "said-already", user=message.by))
    if not poll.roles:
        require_asked(poll, message.by, "")
    return checkpoint


def delegate(
    checkpoint: Checkpoint, message: SealedDelegate, role: str, roles: list[str]
) -> Checkpoint:
    """Return the checkpoint after somebody who is asked delegated their vote; their earlier vote lapses."""
    poll = checkpoint.poll
    assert poll is not None
    require_asked(poll, message.by, role)
    if message.to in {message.by, poll.requester, *poll.handed_over}:
        raise NotAllowed(Problem.at("to", "delegate-unable", user=message.to))
    if message.to in poll.asked or set(roles) & set(poll.roles):
        raise NotAllowed(Problem.at("to", "delegate-asked", user=message.to))
    changed = _update_poll(
        _mark_heard(poll, message),
        asked=[*(name for name in poll.asked if name != message.by), message.to],
        handed_over={**poll.handed_over, message.by: message.to},
        votes=[vote for vote in poll.votes if vote.by != message.by],
    )
    return checkpoint.model_copy(update={"poll": changed})


def cast_vote(
    checkpoint: Checkpoint, message: SealedDecide, at: str, *, approves: bool = True
) -> Checkpoint:
    """Add a vote to the checkpoint; a plan change voids all earlier votes.

    A change does not count as its author's approval if the author has not seen the new price.
    """
    poll = checkpoint.poll
    assert poll is not None
    fields, votes = poll.modifications, [vote for vote in poll.votes if vote.by != message.by]
    if message.action == "modify":
        fields = {**fields, **(message.modifications or {})}
        votes = votes if checkpoint.plan_hash == message.plan_hash else []
    if message.action != "revise" and approves:
        action = "reject" if message.action == "reject" else "approve"
        kept = {"choice", "keep_startup", "cap_usd", "feedback", "by_link", "client"}
        more = message.model_dump(include=kept) | {"at": at}
        votes.append(Vote.model_validate({"by": message.by, "action": action, **more}))
    changed = _update_poll(_mark_heard(poll, message), votes=votes, modifications=fields)
    return checkpoint.model_copy(update={"poll": changed})


def count_votes(checkpoint: Checkpoint, message: SealedDecide, at: str) -> Decision | None:
    """Return what was decided, once enough of those asked agree; sent back is sent back at once."""
    poll = checkpoint.poll
    assert poll is not None
    rejects = _list_voters(poll, "reject")
    approvals = _list_voters(poll, "approve", message.choice)
    action: Action
    if message.action == "revise":
        action, by = "revise", [message.by]
    elif len(rejects) >= poll.rejects_needed:
        action, by = "reject", rejects
    elif message.action != "reject" and len(approvals) >= poll.needed:
        action, by = "modify" if poll.modifications else "approve", approvals
    else:
        return None
    return Decision(
        checkpoint_id=checkpoint.checkpoint_id,
        phase_id=checkpoint.phase_id,
        action=action,
        plan_hash=checkpoint.plan_hash,
        feedback=message.feedback,
        modifications=poll.modifications if action == "modify" else None,
        changed=checkpoint.changed,
        choice=message.choice,
        keep_startup=_find_keep(checkpoint, poll) if action in ("approve", "modify") else None,
        cap_usd=_find_least_cap(poll, message.choice) if action == "approve" else None,
        by=", ".join(by),
        votes=poll.votes,
        at=at,
    )


def _find_keep(checkpoint: Checkpoint, poll: Poll) -> bool | None:
    """Return what the latest approval says about saving a startup, else what is offered."""
    said = [vote.keep_startup for vote in poll.votes if vote.action == "approve"]
    return next((keep for keep in reversed(said) if keep is not None), checkpoint.keep_startup)


def _find_least_cap(poll: Poll, choice: str | None) -> float | None:
    """Return the cap that all approvals of a choice agree to: the least of those that they name."""
    caps = [vote.cap_usd for vote in poll.votes if vote.choice == choice and vote.cap_usd]
    return min(caps, default=None)


def _list_voters(poll: Poll, action: str, choice: str | None = None) -> list[str]:
    agree = [vote for vote in poll.votes if vote.action == action]
    return [vote.by for vote in agree if action == "reject" or vote.choice == choice]


def _mark_heard(poll: Poll, message: Sealed) -> Poll:
    assert message.seal is not None
    return _update_poll(poll, heard={**poll.heard, message.by: message.seal.at})


def _update_poll(poll: Poll, **changes: object) -> Poll:
    changed = poll.model_copy(update=changes)
    choices = {vote.choice for vote in changed.votes}
    most = max((len(_list_voters(changed, "approve", choice)) for choice in choices), default=0)
    return changed.model_copy(update={"missing": max(0, poll.needed - most)})
