"""The step cache: what a phase gave, for a later run's phase whose every input is the same."""

from contracts.base import Contract, Json


class KeptOutput(Contract):
    """What a phase of an earlier run gave."""

    run_id: str
    output: Json
    warnings: list[str] = []


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
