"""Answers and decisions: pure checks of what a human says, and the change that it makes to the state.

The checks also serve as update validators, so that refused input leaves no history.
"""

from pydantic import ValidationError

from contracts.errors import Conflict, InvalidInput, NotAllowed, StalePlan
from contracts.human.messages import AnswerQuestions, Decide
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.report.research import PlanDraft
from contracts.runs.state import ENDED, Checkpoint, Decision, PhaseState, RunState
from workflows.checkpoints.price import price_plan

ACTIONS = ("approve", "reject", "modify", "revise")


def require_live(state: RunState) -> None:
    """Refuse a message to a run that has ended."""
    if state.status in ENDED:
        raise Conflict(f"the run has already ended: {state.status}")


def find_checkpoint(state: RunState, kind: str, checkpoint_id: str | None) -> Checkpoint:
    """Return the one open checkpoint that is meant."""
    require_live(state)
    waiting = [
        c for c in state.pending if c.kind == kind and checkpoint_id in (None, c.checkpoint_id)
    ]
    if len(waiting) == 1:
        return waiting[0]
    if checkpoint_id is None and not waiting:
        raise Conflict(
            f"no {'questions are' if kind == 'questions' else 'decision is'} awaited now"
        )
    problem = "several are open, name one" if waiting else f"{checkpoint_id!r} is not open"
    ids = ", ".join(c.checkpoint_id for c in state.pending) or "none"
    raise Conflict(f"checkpoint_id: {problem}; open now: {ids}")


def check_answers(state: RunState, body: AnswerQuestions) -> Checkpoint:
    """Return the checkpoint these answers are for, or say why it cannot take them."""
    checkpoint = find_checkpoint(state, "questions", body.checkpoint_id)
    questions = {question.id: question for question in checkpoint.questions}
    for name in body.answers:
        if name not in questions:
            raise InvalidInput(
                f"answers.{name}: no such question; there are {', '.join(questions)}"
            )
    if not body.answers and body.rest == "open":
        raise InvalidInput(
            f'answers: answer any of {", ".join(questions)}; "rest": null leaves the others to us'
        )
    for name, question in questions.items():
        if name not in body.answers and body.rest == "open":
            continue
        answer = body.answers.get(name)
        if answer is None or not answer.strip():
            if question.required:
                raise InvalidInput(f"answers.{name}: an answer is required")
        elif question.strict and answer not in question.choices:
            raise InvalidInput(f"answers.{name}: must be one of {question.choices}")
    return checkpoint


def check_decision(state: RunState, body: Decide) -> Checkpoint:
    """Return the checkpoint this decision is for, with the plan as it changes it, or say why it cannot."""
    checkpoint = find_checkpoint(state, "decision", body.checkpoint_id)
    allowed = list_allowed_actions(checkpoint)
    if body.action not in allowed:
        raise InvalidInput(f"action: must be one of {allowed}")
    offered = list_offered_choices(checkpoint)
    if offered and body.action == "approve" and body.choice not in offered:
        raise InvalidInput(f"choice: must be one of {offered}")
    if body.action == "revise" and not body.feedback.strip():
        raise InvalidInput("feedback: say what to change")
    if (shown := checkpoint.plan_hash) and body.action in ("approve", "modify"):
        if body.plan_hash is None:
            raise InvalidInput(f"plan_hash: required; the plan shown is {shown}")
        if body.plan_hash != shown:
            raise StalePlan(f"plan_hash: the plan shown now is {shown}, not {body.plan_hash}")
    if body.action != "modify":
        return checkpoint
    named = [
        phase.id
        for phase in state.resolved.definition.phases
        if isinstance(phase, HitlCheckpointPhase) and phase.config.approvers
    ]
    if named and checkpoint.poll is None:  # nobody else replaces the plan that they decide on
        raise NotAllowed(f"action: only the approvers of {named[0]!r} may change this run's plan")
    plan = price_plan(state, _modify_plan(checkpoint, body))
    changed = {"subject": plan.model_dump(mode="json"), "plan_hash": plan.hash}
    return checkpoint.model_copy(update=changed)


def list_offered_choices(checkpoint: Checkpoint) -> list[str]:
    """Return the options that are no actions."""
    return [option for option in checkpoint.options if option not in ACTIONS]


def list_allowed_actions(checkpoint: Checkpoint) -> list[str]:
    """Return the actions a checkpoint takes; options that are no actions are choices to approve."""
    named = [o for o in checkpoint.options if o in ACTIONS]
    if len(named) < len(checkpoint.options) and "approve" not in named:
        named.insert(0, "approve")
    return named


def _modify_plan(checkpoint: Checkpoint, body: Decide) -> PlanDraft:
    """Return the shown plan with the human's fields in place of its own."""
    if checkpoint.plan_hash is None or checkpoint.subject is None:
        raise InvalidInput("action: there is no plan to modify here")
    allowed = list(PlanDraft.model_fields)
    shown = {name: checkpoint.subject[name] for name in allowed if name in checkpoint.subject}
    if not body.modifications:
        raise InvalidInput(f"modifications: give plan fields, any of {allowed}")
    for name in body.modifications:
        if name not in allowed:
            raise InvalidInput(f"modifications.{name}: not a plan field that may change: {allowed}")
    try:
        return PlanDraft.model_validate({**shown, **body.modifications})
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(["modifications", *map(str, first["loc"])])
        raise InvalidInput(f"{path}: {first['msg']}") from None


def take_answers(
    state: RunState, checkpoint: Checkpoint, body: AnswerQuestions
) -> dict[str, str | None]:
    """Put the answers into the state and return them; what is not answered stays open.

    An empty answer counts as "you decide".
    """
    names = [q.id for q in checkpoint.questions if q.id in body.answers or body.rest is None]
    taken = {name: (body.answers.get(name) or "").strip() or None for name in names}
    known = state.answers.setdefault(checkpoint.checkpoint_id, {})
    known.update(taken)
    left = [question for question in checkpoint.questions if question.id not in taken]
    place = state.pending.index(checkpoint)
    still = [checkpoint.model_copy(update={"questions": left})] if left else []
    state.pending[place : place + 1] = still
    return taken


def decide(checkpoint: Checkpoint, body: Decide, at: str) -> Decision:
    """Return the decision; a modified plan is approved under its new hash."""
    return Decision(
        checkpoint_id=checkpoint.checkpoint_id,
        phase_id=checkpoint.phase_id,
        at=at,
        plan_hash=checkpoint.plan_hash,
        **body.model_dump(include=set(Decide.model_fields) - {"checkpoint_id", "plan_hash"}),
    )


def close_with_decision(
    state: RunState, decision: Decision, checkpoint: Checkpoint
) -> list[PhaseState]:
    """Put a decision into the state, and a modified plan in place of the one shown; return its planners."""
    state.decisions.append(decision)
    state.pending[:] = [c for c in state.pending if c.checkpoint_id != decision.checkpoint_id]
    if decision.action != "modify":
        return []
    planners = state.providers(decision.phase_id, "plan")
    for planner in planners:
        planner.output = {"plan": checkpoint.subject, "plan_hash": checkpoint.plan_hash}
    return planners
