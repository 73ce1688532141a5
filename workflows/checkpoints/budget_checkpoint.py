"""The checkpoint about a cap or a budget that is met: a human raises the cap, has the run finish, or stops it. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import TypeVar

from pydantic import BaseModel

from contracts.access.budgets import MetBudget
from contracts.agents.crews import CrewTaskRequest
from contracts.agents.server_tools import CallToolRequest
from contracts.evidence.checks import AnswerCall
from contracts.evidence.sources import FetchRequest, SearchRequest
from contracts.human.checkpoint_subjects import CONTINUE, FINISH, RAISE, BudgetSubject
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.human.messages import Choice
from contracts.models.call import ModelRequest
from contracts.notices import Notice
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.planning.plan import Plan
from contracts.runs.state import RunState
from domain.run_outputs import find_output_as
from workflows.checkpoints.approval_gate import is_unlocked
from workflows.checkpoints.eligible_approvers import open_poll
from workflows.checkpoints.prices.plan_price import estimate_rest_top_usd, estimate_unpriced_usd
from workflows.checkpoints.prices.spending_cap import compute_cap_usd, compute_spent_usd

Request = TypeVar("Request", bound=BaseModel)


def limit_call(state: RunState, request: Request) -> Request:
    """Return a request that costs money with the current cap set on it; any other request unchanged.

    While a human may still raise the cap, a call that is too dear is refused and not made smaller.
    """
    match request:
        case ModelRequest():
            fits = request.fits_budget and not may_raise(state)
            limits: dict[str, object] = {"cap_usd": compute_cap_usd(state), "fits_budget": fits}
        case CrewTaskRequest():
            limits = {"cap_usd": compute_cap_usd(state), "may_raise": may_raise(state)}
            limits["may_wait"] = may_wait(state)
        case SearchRequest() | FetchRequest() | CallToolRequest():
            limits = {"cap_usd": compute_cap_usd(state)}
        case AnswerCall():
            limits = {"call": limit_call(state, request.call)}
        case _:
            return request
    return request.model_copy(update=limits)


def may_raise(state: RunState) -> bool:
    """Return whether the run may ask a human about its cap, and the cap is below the highest one."""
    return may_wait(state) and compute_cap_usd(state) < _find_most_usd(state)


def may_wait(state: RunState) -> bool:
    """Return whether a run that may spend no more asks a human: one who approved its plan, unless it is finishing."""
    plan = find_output_as(state, "plan", Plan)
    if plan is None or not is_unlocked(state, plan) or _find_gate(state) is None:
        return False
    return not is_finishing(state)


def is_finishing(state: RunState) -> bool:
    """Return whether a human, or the deadline, had the run finish within its cap."""
    return any(one.choice == FINISH for one in _list_caps(state))


def is_dearer_by_documents(state: RunState) -> bool:
    """Return whether the long documents read raise the approved top price by more than the tolerance.

    Return False if no human may raise the cap, or the stand-in answers.
    """
    plan = find_output_as(state, "plan", Plan)
    if plan is None or state.terms.offline or not may_raise(state):
        return False
    tolerated = state.terms.price_tolerance.compute_usd(compute_cap_usd(state))
    return estimate_unpriced_usd(state, plan) > tolerated


def open_budget_checkpoint(
    state: RunState, phase_id: str, now: datetime, documents: Sequence[str] = ()
) -> Checkpoint:
    """Return the run's open checkpoint about its budget, or a new one of this phase, about long documents if some are named.

    It has the time and the approvers of the checkpoint at which the plan is approved.
    """
    for checkpoint in state.pending:
        if isinstance(checkpoint.subject, BudgetSubject) and checkpoint.subject.budget is None:
            return checkpoint
    gate = _find_gate(state)
    assert gate
    subject = _build_subject(state, documents)
    asks = "ask-documents" if documents else "ask-budget"
    told = Notice.of(
        asks,
        "info",
        cap=subject.cap_usd,
        spent=subject.spent_usd,
        offered=subject.offered_usd,
        n=len(documents) or None,
    )
    number, config = len(_list_caps(state)) + 1, gate.config
    requester = state.request.user_id
    return Checkpoint(
        checkpoint_id=f"{phase_id}-{state.phase(phase_id).attempt}-budget-{number}",
        phase_id=phase_id,
        kind="decision",
        options=[FINISH, RAISE, "reject"],
        choices=[Choice(label=label, action="approve") for label in (FINISH, RAISE)],
        asks=[told],
        subject=subject,
        deadline=(now + timedelta(seconds=config.wait_seconds)).isoformat(),
        poll=open_poll(config.approvers, requester, now) if config.approvers else None,
    )


def open_met_budget_checkpoint(
    state: RunState, phase_id: str, now: datetime, met: MetBudget
) -> tuple[Checkpoint, str]:
    """Return the checkpoint about an operator's budget, opened if necessary, and the choice at its deadline.

    If the budget opens within the checkpoint's time, the run then continues by itself; otherwise it finishes.
    """
    asked = next((c for c in state.pending if _find_budget(c)), None)
    if asked is None:
        asked = _build_met_budget_checkpoint(state, phase_id, now, met)
    budget = _find_budget(asked)
    assert budget
    return asked, CONTINUE if budget.opens_at == asked.deadline else FINISH


def _find_budget(checkpoint: Checkpoint) -> MetBudget | None:
    subject = checkpoint.subject
    return subject.budget if isinstance(subject, BudgetSubject) else None


def _build_met_budget_checkpoint(
    state: RunState, phase_id: str, now: datetime, met: MetBudget
) -> Checkpoint:
    gate = _find_gate(state)
    assert gate
    config, ends = gate.config, (now + timedelta(seconds=gate.config.wait_seconds)).isoformat()
    opens = met.opens_at if met.opens_at and met.opens_at <= ends else None
    code = "ask-budget-opens" if opens else "ask-budget-met"
    cap, number = compute_cap_usd(state), len(_list_caps(state)) + 1
    subject = BudgetSubject(
        spent_usd=round(compute_spent_usd(state), 4),
        cap_usd=cap,
        offered_usd=cap,
        most_usd=cap,
        budget=met,
    )
    return Checkpoint(
        checkpoint_id=f"{phase_id}-{state.phase(phase_id).attempt}-met-budget-{number}",
        phase_id=phase_id,
        kind="decision",
        options=[FINISH, CONTINUE, "reject"],
        choices=[Choice(label=label, action="approve") for label in (FINISH, CONTINUE)],
        asks=[Notice.of(code, "info", met=met.notice)],
        subject=subject,
        deadline=opens or ends,
        poll=open_poll(config.approvers, state.request.user_id, now) if config.approvers else None,
    )


def _build_subject(state: RunState, documents: Sequence[str]) -> BudgetSubject:
    """Return the offered cap, which covers the maximum cost of the phases not done yet.

    For long documents, raise the cap by their expected cost.
    """
    plan, cap, most = (
        find_output_as(state, "plan", Plan),
        compute_cap_usd(state),
        _find_most_usd(state),
    )
    assert plan
    spent = compute_spent_usd(state)
    needed = max(spent + estimate_rest_top_usd(state, plan), cap + 0.01)
    needed = cap + estimate_unpriced_usd(state, plan) if documents else needed
    offered = min(ceil(100 * needed - 1e-6) / 100, most)
    return BudgetSubject(
        spent_usd=round(spent, 4),
        cap_usd=cap,
        offered_usd=offered,
        most_usd=most,
        documents=[*documents],
    )


def _list_caps(state: RunState) -> list[Decision]:
    """Return what was decided about the budget of this run."""
    return [d for d in state.decisions if d.cap_usd is not None and not d.reused_from]


def _find_most_usd(state: RunState) -> float:
    return state.terms.most_usd or state.terms.cap_usd


def _find_gate(state: RunState) -> HitlCheckpointPhase | None:
    """Return the checkpoint at which the plan of a run is approved: one with approvers before any other."""
    resolved = state.resolved
    known = {*resolved.selected, *resolved.seeds}
    gates = [p for p in resolved.definition.phases if isinstance(p, HitlCheckpointPhase)]
    gates = [gate for gate in gates if gate.unlocks and gate.enabled and gate.id in known]
    return next((gate for gate in gates if gate.config.approvers), next(iter(gates), None))
