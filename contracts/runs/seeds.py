"""Seeds: outputs that phases have without running, and the request for one from the step cache."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json

SeedOrigin = Literal["parent", "given", "follow_up", "cache"]
"""`parent`, `follow_up`: the run that a start names; `given`: its caller; `cache`: the step cache."""


class Seed(Contract):
    """An output that a phase has without running."""

    output: Json
    origin: SeedOrigin
    run_id: str | None = Field(default=None, description="the run that made it; None: `given`")
    warnings: list[str] = Field(default=[], description="those of the phase that made it")


class FindRequest(Contract):
    """A request for the output that an earlier run of a user has under a key."""

    tenant_id: str
    user_id: str
    run_id: str = Field(description="the run that asks; its own outputs are not found")
    cache_key: str


class FindResult(Contract):
    """The newest output that has not expired; None where there is none."""

    seed: Seed | None = None
