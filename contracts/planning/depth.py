"""Depth of a run: how much is searched, read and reviewed, as one choice in place of single settings."""

from collections.abc import Mapping
from typing import get_args

from pydantic import Field

from contracts.base import Contract
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.plan import Depth

DEPTHS: tuple[Depth, ...] = get_args(Depth)
FACTORS: Mapping[Depth, Mapping[str, float]] = {
    "quick": {
        "max_searches": 0.5,
        "max_plan_steps": 0.67,
        "n_plan_reviews": 0,
        "max_sources": 0.4,
        "max_turns": 0.5,
        "max_agents": 0.4,
        "n_ideas": 0.67,
        "draft_thinking_tokens": 0,
    },
    "thorough": {
        "max_searches": 2,
        "max_plan_steps": 1.67,
        "n_plan_reviews": 2,
        "max_sources": 2,
        "max_turns": 2,
        "max_agents": 1.6,
        "n_ideas": 1.67,
        "n_reviews": 2,
        "timeout_seconds": 2,
    },
}
"""Factors of a phase's settings by depth; standard is as defined."""

Settings = dict[str, dict[str, int]]
"""Values of settings by the ids of the phases that have them."""


class Minutes(Contract):
    """A run's expected working time, without waiting for humans."""

    low: int = Field(ge=1)
    high: int = Field(ge=1)
    runs: int = Field(
        default=0,
        description="finished runs of the tenant that took so long, four of five of them; "
        "0: expected from the shipped figures",
    )
    agents: int = Field(
        default=1, description="agents that read at the same time, and so share the minutes"
    )

    @property
    def span(self) -> tuple[int, int]:
        """The minutes alone."""
        return self.low, self.high

    def __str__(self) -> str:
        """Return it as in `1–4 min`."""
        return f"{self.low} min" if self.low == self.high else f"{self.low}–{self.high} min"


class DepthPrice(Contract):
    """A run's expected price and time at a depth."""

    depth: Depth
    price: CostEstimate
    minutes: Minutes
