"""Answers and decisions: pure checks of human input, and its effect on the state.

The checks also serve as update validators, so that refused input leaves no history.
"""

from collections.abc import Sequence

from contracts.errors import Conflict, InvalidInput, StalePlan
from contracts.human.checkpoint_subjects import RAISE, BudgetSubject
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import ACTIONS, Action, AnswerQuestions
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.state import RunState
from contracts.runs.statuses import ENDED
from workflows.checkpoints.approval_gate import is_approval

PLAN_CHECKPOINT = "hitl_checkpoint"
"""The kind of phase whose checkpoint is about the plan."""


def require_live(state: RunState) -> None:
    """Refuse a message to a run that has ended."""
    if state.status in ENDED:
        raise Conflict(Notice.of("run-has-ended", status=Notice.of(f"status-{state.status}")))


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
            Notice.of("no-questions-open" if kind == "questions" else "no-decision-open")
        )
    names: dict[str, list[str]] = _name_open([c.checkpoint_id for c in state.pending])
    if waiting:
        raise Conflict(Problem.at("checkpoint_id", "checkpoints-several", **names))
    asked = str(checkpoint_id)
    raise Conflict(Problem.at("checkpoint_id", "checkpoint-closed", checkpoint=asked, **names))


def _name_open(ids: list[str], name: str = "open") -> dict[str, list[str]]:
    """Return checkpoint ids as a notice's parameter; empty without ids."""
    return {name: ids} if ids else {}


def find_plan_checkpoint(state: RunState, plan_hash: str | None) -> Checkpoint:
    """Return the one open checkpoint that shows a plan, never the gate of a step.

    Raises:
        StalePlan: The hash is not that of a plan shown now.
        Conflict: No plan waits for a decision, or several do.
    """
    require_live(state)
    shown = [
        c for c in state.pending if c.plan_hash and state.phase(c.phase_id).kind == PLAN_CHECKPOINT
    ]
    if not shown:
        gates = [c.checkpoint_id for c in state.pending if c.kind == "decision"]
        raise Conflict(Notice.of("no-plan-open", **_name_open(gates, "gates")))
    named = [c for c in shown if plan_hash in (None, c.plan_hash)]
    if not named:
        raise build_stale_plan([*dict.fromkeys(str(c.plan_hash) for c in shown)], plan_hash)
    if len(named) > 1:
        raise Conflict(Notice.of("plans-several", open=[c.checkpoint_id for c in named]))
    return named[0]


def require_shown_plan(checkpoint: Checkpoint, plan_hash: str | None) -> None:
    """Refuse a decision on another plan than its checkpoint shows."""
    if plan_hash != checkpoint.plan_hash:
        raise build_stale_plan([str(checkpoint.plan_hash)], plan_hash)


def build_stale_plan(shown: list[str], named: str | None) -> StalePlan:
    """Return the error for a decision that names another plan than those shown, or none."""
    if named is None:
        return StalePlan(Problem.at("plan_hash", "plan-stale-unnamed", shown=shown))
    return StalePlan(Problem.at("plan_hash", "plan-stale", shown=shown, named=named))


def require_first_approval(
    state: RunState, checkpoint_id: str | None, plan_hash: str | None, *, of_plan: bool = False
) -> None:
    """Refuse an approval without checkpoint id if it may be a copy of an earlier one.

    A signal may be delivered late or twice, and would then approve whichever checkpoint is next. Without a
    hash, any earlier approval counts; `of_plan` only counts approvals of plans.
    """
    if checkpoint_id is not None:
        return
    for decision in state.decisions:
        is_own = is_approval(decision) and not (decision.reused_from or decision.scope)
        if (
            is_own
            and (plan_hash in (None, decision.plan_hash))
            and (decision.plan_hash or not of_plan)
        ):
            gates = [c.checkpoint_id for c in state.pending if c.kind == "decision"]
            before = decision.checkpoint_id
            told = Notice.of("approved-already", checkpoint=before, **_name_open(gates))
            raise Conflict(told)


def check_answers(state: RunState, body: AnswerQuestions) -> Checkpoint:
    """Return the checkpoint these answers are for, or say why it cannot take them."""
    checkpoint = find_checkpoint(state, "questions", body.checkpoint_id)
    questions = {q.id: q for q in [*checkpoint.questions, *checkpoint.answered]}
    for name in body.answers:
        if name not in questions:
            raise InvalidInput(
                Problem.at(f"answers.{name}", "question-unknown", known=list(questions))
            )
    given = _resolve_answers(checkpoint, body)
    if not body.answers and not given:
        raise InvalidInput(Problem.at("answers", "answers-missing", known=list(questions)))
    for name, answer in given.items():
        question = questions[name]
        if answer is None:
            if question.required and not _is_closed(checkpoint, body):
                raise InvalidInput(Problem.at(f"answers.{name}", "answer-required"))
        elif answer and question.strict and answer not in question.choices:
            raise _refuse_value(f"answers.{name}", question.choices)
    return checkpoint


def find_meant(
    checkpoint: Checkpoint, action: Action | None, choice: str | None
) -> tuple[Action, str | None]:
    """Return a decision's action and choice, deriving either from the other; raises InvalidInput."""
    labels: dict[str, Action] = {choice.label: choice.action for choice in checkpoint.choices}
    names: dict[str, Action] = {action: action for action in ACTIONS}
    if choice is not None:
        if choice not in checkpoint.options:
            raise _refuse_value("choice", checkpoint.options)
        meant = {**names, **labels}[choice]
        if action not in (None, meant):
            told = {"choice": choice, "meant": meant, "action": str(action)}
            raise InvalidInput(Problem.at("action", "choice-means", **told))
        action, choice = meant, choice if choice in labels else None
    allowed = list_allowed_actions(checkpoint)
    if action not in allowed:
        raise _refuse_value("action", allowed)
    offered = list_offered_choices(checkpoint)
    if action == "approve" and offered and choice not in offered:
        if len(offered) > 1:
            raise _refuse_value("choice", offered)
        [choice] = offered
    return action, choice


def _refuse_value(path: str, allowed: Sequence[str]) -> InvalidInput:
    return InvalidInput(Problem.at(path, "not-among", allowed=list(allowed)))


def find_keep(checkpoint: Checkpoint, action: Action, keep_startup: bool | None) -> bool | None:
    """Return whether a decision saves the plan as a startup; None if this was not offered."""
    approves = action in ("approve", "modify")
    if keep_startup and not approves:
        raise InvalidInput(Problem.at("keep_startup", "keep-without-approval", action=action))
    if keep_startup and checkpoint.keep_startup is None:
        raise InvalidInput(Problem.at("keep_startup", "keep-not-offered"))
    if not approves or checkpoint.keep_startup is None:
        return None
    if (
        keep_startup is None and checkpoint.poll is None
    ):  # of several votes, the latest that states it counts
        return checkpoint.keep_startup
    return keep_startup


def find_cap(checkpoint: Checkpoint, choice: str | None, named: float | None) -> float | None:
    """Return the run's cap after a choice about the budget; None for other decisions.

    Raises:
        InvalidInput: A cap is named without a raise, or outside the range between the current and the
            installation's cap.
    """
    subject = checkpoint.subject
    is_raise = isinstance(subject, BudgetSubject) and choice == RAISE
    if named is not None and not is_raise:
        raise InvalidInput(Problem.at("cap_usd", "cap-without-raise"))
    if not isinstance(subject, BudgetSubject) or choice is None:
        return None
    if not is_raise:
        return subject.cap_usd
    if named is not None and not subject.cap_usd < named <= subject.most_usd:
        low, most = subject.cap_usd, subject.most_usd
        raise InvalidInput(Problem.at("cap_usd", "cap-out-of-range", low=low, most=most))
    return named or subject.offered_usd


def list_offered_choices(checkpoint: Checkpoint) -> list[str]:
    """Return the labels that approve; an approval names one of them."""
    return [choice.label for choice in checkpoint.choices if choice.action == "approve"]


def list_allowed_actions(checkpoint: Checkpoint) -> list[Action]:
    """Return the actions that a checkpoint takes, by name or by label."""
    meant = {choice.action for choice in checkpoint.choices}
    return [action for action in ACTIONS if action in meant or action in checkpoint.options]


def take_answers(
    state: RunState, checkpoint: Checkpoint, body: AnswerQuestions
) -> dict[str, str | None]:
    """Store the answers and return the changed ones; unanswered questions stay open.

    While a question is open, answers may be corrected: a new answer replaces the old one, and a blank one
    reopens its question.
    """
    known = state.answers.setdefault(checkpoint.checkpoint_id, {})
    given = _resolve_answers(checkpoint, body)
    taken = {name: said for name, said in given.items() if known.get(name, "") != said}
    known.update(taken)
    for name in [name for name, said in taken.items() if said == ""]:
        del known[name]
    every = [*checkpoint.questions, *checkpoint.answered]
    left = [question for question in every if question.id not in known]
    answered = [question for question in every if question.id in known]
    changed = checkpoint.model_copy(update={"questions": left, "answered": answered})
    place = state.pending.index(checkpoint)
    state.pending[place : place + 1] = [changed] if left else []
    return taken


def _resolve_answers(checkpoint: Checkpoint, body: AnswerQuestions) -> dict[str, str | None]:
    """Return the answer to each question in a message: a text, None (left to the run), or "" (open).

    Unanswered questions are None if the message leaves the rest to the run, else omitted.
    """
    given = {name: said and said.strip() for name, said in body.answers.items()}
    if _is_rest_left(checkpoint, body):
        given |= {q.id: None for q in checkpoint.questions if not given.get(q.id)}
    return given


def _is_rest_left(checkpoint: Checkpoint, body: AnswerQuestions) -> bool:
    """Return whether unanswered questions are left to the run: open offers are, once all others are answered."""
    given = {name for name, said in body.answers.items() if said is None or said.strip()}
    opened = [q for q in checkpoint.answered if q.id in body.answers]
    left = [q for q in [*checkpoint.questions, *opened] if q.id not in given]
    is_offer_left = bool(given) and all(q.is_offer for q in left)
    return body.rest is None or is_offer_left or _is_closed(checkpoint, body)


def _is_closed(checkpoint: Checkpoint, body: AnswerQuestions) -> bool:
    """Return whether an answer closes the round, so that nothing else is asked."""
    return any(
        body.answers.get(question.id) in question.closing for question in checkpoint.questions
    )
