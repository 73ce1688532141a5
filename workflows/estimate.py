"""What a plan will cost: counted from the price table and the phases still ahead."""

from collections.abc import Callable
from dataclasses import dataclass

from contracts.base import Contract
from contracts.research import CostEstimate, Plan, PlanDraft
from contracts.state import SETTLED, RunState
from contracts.terms import Price, Usage

LIKELY_FACTOR = 2.0
"""How far below and above the expected price of what is ahead the range reaches."""


@dataclass(frozen=True)
class Tokens:
    """How many tokens a phase may read and write: expected, and at the very most."""

    input: int = 0
    output: int = 0
    top_input: int = 0
    top_output: int = 0


class PhaseCost(Contract):
    """What one phase is expected to cost, at most may cost, and takes."""

    expected_usd: float
    top_usd: float
    minutes: float


def cost(tokens: Tokens, price: Price) -> PhaseCost:
    """Return a phase's cost; 60 written tokens a second, half as much again for the web."""
    return PhaseCost(
        expected_usd=price.of(tokens.input, tokens.output),
        top_usd=price.of(tokens.top_input, tokens.top_output),
        minutes=1.5 * tokens.output / 60 / 60,
    )


def estimate(state: RunState, draft: PlanDraft, cost_of: Callable[[str], PhaseCost]) -> Plan:
    """Return the plan with its price and duration; what was spent so far counts."""
    spent = sum((phase.usage for phase in state.phases), Usage()).usd
    ahead = [
        cost_of(p.id) for p in state.phases if p.status not in SETTLED and p.kind != "planning"
    ]
    likely = sum(phase.expected_usd for phase in ahead)
    top = spent + sum(phase.top_usd for phase in ahead)
    price = CostEstimate(
        low_usd=round(spent + likely / LIKELY_FACTOR, 4),
        expected_usd=round(spent + likely, 4),
        top_usd=round(min(top, state.terms.cap_usd), 4),
    )
    minutes = max(1, round(sum(phase.minutes for phase in ahead)))
    return Plan(**draft.model_dump(), estimated_duration=f"{minutes} min", estimated_cost=price)


def ahead_usd(state: RunState, phase_id: str, cost_of: Callable[[str], PhaseCost]) -> float:
    """Return the most that the unsettled phases other than this one may cost."""
    others = [p.id for p in state.phases if p.status not in SETTLED and p.id != phase_id]
    return sum(cost_of(name).top_usd for name in others)
