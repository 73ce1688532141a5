"""The price of a plan: what was spent, and the costs of the phases still ahead."""

from contracts.research import CostEstimate, Plan, PlanDraft
from contracts.state import SETTLED, RunState
from contracts.terms import PhaseCost, Usage


def priced(state: RunState, draft: PlanDraft) -> Plan:
    """Return the plan with its price and duration."""
    spent = sum((phase.usage for phase in state.phases), Usage()).usd
    ahead = _ahead(state, "planning")
    top = spent + sum(cost.top_usd for cost in ahead)
    price = CostEstimate(
        low_usd=round(spent + sum(cost.low_usd for cost in ahead), 4),
        expected_usd=round(spent + sum(cost.expected_usd for cost in ahead), 4),
        top_usd=round(min(top, state.terms.cap_usd), 4),
    )
    minutes = max(1, round(sum(cost.minutes for cost in ahead)))
    return Plan(**draft.model_dump(), estimated_duration=f"{minutes} min", estimated_cost=price)


def kept_for_later(state: RunState, kind: str) -> float:
    """Return the most that the phases ahead may cost, those of one kind left out."""
    return sum(cost.top_usd for cost in _ahead(state, kind))


def _ahead(state: RunState, but: str) -> list[PhaseCost]:
    unsettled = [p for p in state.phases if p.status not in SETTLED and p.kind != but]
    return [state.costs.get(phase.id, PhaseCost()) for phase in unsettled]
