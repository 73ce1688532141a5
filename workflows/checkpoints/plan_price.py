"""Prices: of a plan, of a run that has none yet, and what a run may therefore spend."""

import re
from collections.abc import Collection
from math import ceil, floor

from contracts.planning.plan import CostEstimate, Plan, PlanDraft
from contracts.runs.state import SETTLED, PhaseState, RunState
from contracts.terms import PhaseCost, Share, Usage
from domain.graph import PhaseGraph
from workflows.checkpoints.approval import find_output_as, has_consent, is_unlocked

SEARCHES, STEPS = 10, 3
"""Of a plan that is not there yet."""
_DURATION = re.compile(
    r"(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|mins?|minutes?|h|hours?|d|days?)", re.IGNORECASE
)
_MINUTES = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def price_plan(
    state: RunState, draft: PlanDraft, planner: str = "", again: Collection[str] = ()
) -> Plan:
    """Return a plan priced: at the least what is spent already, should nothing be found.

    `planner` is the phase that is making it, and costs nothing more; those `again` are to be redone.
    """
    spent = compute_spent_usd(state)
    ahead = sum(_estimate_ahead(state, planner, draft, again), Share())
    later = sum(_estimate_later(state, draft), Share())  # not within what this start allowed
    top = min(spent + ahead.top_usd, _compute_start_cap_usd(state)) + later.top_usd
    price = CostEstimate(
        low_usd=round(spent, 4),
        expected_usd=round(spent + ahead.usd + later.usd, 4),
        top_usd=round(min(top, state.terms.cap_usd), 4),
    )
    minutes = max(1, round(ahead.minutes + later.minutes), ceil(_sum_minutes(draft)))
    parts = draft.model_dump(include=set(PlanDraft.model_fields))
    return Plan(**parts, estimated_duration=f"{minutes} min", estimated_cost=price)


def _sum_minutes(draft: PlanDraft) -> float:
    """Return the minutes that a human gave the steps; a time in other words counts for nothing."""
    found = [_DURATION.fullmatch(step.estimated_duration.strip()) for step in draft.steps]
    return sum(float(part[1]) * _MINUTES[part[2].lower()[0]] for part in found if part)


def reserve_usd(state: RunState, phase_id: str, plan: Plan, undone: float = 0.0) -> float:
    """Return the most that the phases ahead may cost, and the expected cost of what one has still undone.

    `undone` is a share of that phase's work, from 0 to 1.
    """
    own = _estimate(state, state.phase(phase_id), len(plan.searches), len(plan.steps))
    ahead = _estimate_ahead(state, phase_id, plan)
    return sum(share.top_usd for share in ahead) + undone * own.usd


def estimate_again_usd(state: RunState, again: Collection[str]) -> float:
    """Return the expected cost of redoing phases, and of all that is not done yet."""
    plan = find_output_as(state, "plan", Plan)
    draft = plan or PlanDraft.model_construct(title="", steps=[])
    return sum(share.usd for share in _estimate_ahead(state, "", draft, again))


def compute_spent_usd(state: RunState) -> float:
    """Return what the calls of all phases have cost."""
    return sum((phase.usage for phase in state.phases), Usage()).usd


def compute_left_usd(state: RunState, kept_usd: float, agents: int = 1) -> float:
    """Return what each of so many agents may still spend, `kept_usd` being for later ones; rounded down to cents."""
    left = compute_cap_usd(state) - kept_usd - compute_spent_usd(state)
    return floor(100 * max(left, 0) / agents + 1e-6) / 100


def price_run(state: RunState) -> CostEstimate:
    """Return a run's price: its plan's, or before there is one what its phases are expected to cost."""
    if plan := find_output_as(state, "plan", Plan):
        return plan.estimated_cost
    expected = sum(share.usd for share in _estimate_start(state))
    return CostEstimate(expected_usd=round(expected, 4), top_usd=compute_cap_usd(state))


def compute_cap_usd(state: RunState) -> float:
    """Return what the run may spend: the approved plan's top price, within what it started with."""
    cap, plan = _compute_start_cap_usd(state), find_output_as(state, "plan", Plan)
    top = plan.estimated_cost.top_usd if plan and is_unlocked(state, plan) else 0.0
    return min(cap, top) if top > 0 else cap


def _compute_start_cap_usd(state: RunState) -> float:
    """Return what a run's start allowed; where it is the consent, only the top price that was named."""
    top = sum(share.top_usd for share in _estimate_start(state)) if has_consent(state) else 0.0
    return min(state.terms.cap_usd, round(top, 4) or state.terms.cap_usd)


def _estimate_start(state: RunState) -> list[Share]:
    own = [phase for phase in state.phases if phase.id in state.resolved.selected]
    is_planned = any(phase.kind == "planning" for phase in own)
    return [_estimate(state, phase, SEARCHES * is_planned, STEPS * is_planned) for phase in own]


def _estimate_ahead(
    state: RunState, but: str, plan: PlanDraft, again: Collection[str] = ()
) -> list[Share]:
    searches, steps = len(plan.searches), len(plan.steps)
    return [
        _estimate(state, phase, searches, max(steps - len(phase.progress.steps.done), 0))
        for phase in state.phases
        if phase.id != but
        and (phase.status not in SETTLED or (phase.id in again and phase.status != "skipped"))
    ]


def _estimate_later(state: RunState, plan: PlanDraft) -> list[Share]:
    """Return the costs of what a plan leads to and `only` or `until` leaves to another run."""
    resolved = state.resolved
    graph = PhaseGraph(resolved.definition.phases)
    planners = graph.to_mask(name for name, p in graph.phases.items() if p.kind == "planning")
    searches, steps = len(plan.searches), len(plan.steps)
    return [
        _estimate(state, state.phase(name), searches, steps)
        for name, phase in graph.phases.items()
        if phase.enabled and name not in {*resolved.selected, *resolved.seeds}
        if graph.ancestors[name] & planners
    ]


def _estimate(state: RunState, phase: PhaseState, searches: int, steps: int) -> Share:
    return state.costs.get(phase.id, PhaseCost()).compute(searches, steps)
