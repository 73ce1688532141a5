"""The price of a plan: what was spent, and the costs of the phases still ahead."""

from contracts.report.research import CostEstimate, Plan, PlanDraft
from contracts.runs.state import SETTLED, RunState
from contracts.terms import PhaseCost, Share, Usage


def price_plan(state: RunState, planner: str, draft: PlanDraft) -> Plan:
    """Return the plan of a phase, priced: at the least what is spent already, should nothing be found."""
    spent = sum((phase.usage for phase in state.phases), Usage()).usd
    ahead = _estimate_ahead(state, planner, draft)
    top = spent + sum(share.top_usd for share in ahead)
    price = CostEstimate(
        low_usd=round(spent, 4),
        expected_usd=round(spent + sum(share.usd for share in ahead), 4),
        top_usd=round(min(top, state.terms.cap_usd), 4),
    )
    minutes = max(1, round(sum(share.minutes for share in ahead)))
    return Plan(**draft.model_dump(), estimated_duration=f"{minutes} min", estimated_cost=price)


def reserve_usd(state: RunState, phase_id: str, plan: Plan) -> float:
    """Return the most that the phases ahead may cost, one of them left out."""
    return sum(share.top_usd for share in _estimate_ahead(state, phase_id, plan))


def _estimate_ahead(state: RunState, but: str, plan: PlanDraft) -> list[Share]:
    searches = len({*plan.search_terms, *plan.expanded_queries})
    unsettled = [p for p in state.phases if p.status not in SETTLED and p.id != but]
    return [
        state.costs.get(phase.id, PhaseCost()).compute(searches, len(plan.steps))
        for phase in unsettled
    ]
