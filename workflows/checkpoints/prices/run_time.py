"""How long a run is expected to work: as its tenant's runs took, else by what its phases write. Pure."""

from math import ceil, floor

from contracts.phases.phase_cost import Share
from contracts.planning.depth import Minutes

SLOW_FACTOR = 2.5
"""How many times longer than the shipped figures a run may take: with a provider of 40 tokens a second."""


def expect_minutes(
    ahead: Share, whole: Share, measured: Minutes | None = None, least: float = 0
) -> Minutes:
    """Return the minutes of what is ahead of a run that does `whole` in all, and no less than `least`.

    `measured` is how long whole runs at this depth took.
    """
    if measured:
        part = min(ahead.minutes / whole.minutes, 1) if whole.minutes else 1
        low, high, runs = part * measured.low, part * measured.high, measured.runs
    else:
        low, high, runs = ahead.minutes, SLOW_FACTOR * ahead.minutes, 0
    fewest = max(1, floor(low), ceil(least))
    return Minutes(low=fewest, high=max(fewest, ceil(high)), runs=runs)
