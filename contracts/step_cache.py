"""The step cache: what a phase gave, for a later run's phase whose every input is the same."""

from collections.abc import Awaitable, Callable

from contracts.base import Contract, Json


class Reused(Contract):
    """Where a phase's output was taken over from, and what that phase warned of."""

    run_id: str
    warnings: list[str] = []


class KeptOutput(Reused):
    """What a phase of an earlier run gave."""

    output: Json


Find = Callable[[str], Awaitable[KeptOutput | None]]
"""Returns what an earlier run of the same user gave under a key, if it still counts."""


class FindRequest(Contract):
    """Asks for what an earlier run of a user gave under a key."""

    tenant_id: str
    user_id: str
    run_id: str
    """Who asks; it takes nothing over from itself."""
    cache_key: str


class FindResult(Contract):
    """What was found, if anything is still there."""

    kept: KeptOutput | None = None
