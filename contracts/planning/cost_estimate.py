"""The price of a plan, from the price table."""

from contracts.base import Contract


class CostEstimate(Contract):
    """US dollars from the price table; `top_usd` is the cap once the plan is approved."""

    low_usd: float = 0.0
    expected_usd: float = 0.0
    top_usd: float = 0.0
