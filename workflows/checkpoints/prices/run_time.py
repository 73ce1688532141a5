"""A run's expected duration: from the tenant's earlier runs, else from the expected output tokens. Pure."""

from collections.abc import Iterable
from math import ceil, floor

from contracts.phases.phase_cost import PhaseCost, Share, Work
from contracts.planning.depth import Minutes

SLOW_FACTOR = 2.5
"""Upper bound as a multiple of the shipped figures, for a provider of 40 tokens per second."""


def expect_minutes(
    ahead: Share,
    whole: Share,
    measured: Minutes | None = None,
    least: float = 0,
    agents: int = 1,
) -> Minutes:
    """Return the expected minutes of the work ahead, out of `whole`, and at least `least`.

    `measured` is the duration of complete runs at this depth, and `agents` share the work.
    """
    if measured:
        part = min(ahead.minutes / whole.minutes, 1) if whole.minutes else 1
        low, high, runs = part * measured.low, part * measured.high, measured.runs
    else:
        low, high, runs = ahead.minutes, SLOW_FACTOR * ahead.minutes, 0
    fewest = max(1, floor(low), ceil(least))
    return Minutes(low=fewest, high=max(fewest, ceil(high)), runs=runs, agents=agents)


def count_agents(costs: Iterable[PhaseCost], work: Work) -> int:
    """Return the most agents that read at the same time in one of the phases."""
    return max((cost.count_agents(work) for cost in costs if cost.agents), default=1)
