"""Prices and costs as the terminal says them."""

from contracts.planning.cost_estimate import CostEstimate
from contracts.runs.state_view import StateView
from contracts.words.dollars import format_usd


def format_spent(amount: float, state: StateView) -> str:
    """Format a run's cost so far and its limit."""
    if state.offline:
        return f"$0.00 (about {format_usd(amount)} on {state.model})"
    return f"{format_usd(amount)} of at most {format_usd(state.cap_usd)}"


def format_price(cost: CostEstimate, state: StateView) -> str:
    """Format an expected and a top price."""
    amounts = f"about {format_usd(cost.expected_usd)}, at most {format_usd(cost.top_usd)}"
    return f"$0.00  (with a key {amounts} on {state.model})" if state.offline else amounts
