"""`recall`: what the user has told us before."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.base import Contract
from contracts.phases.base import Config, PhaseBase
from contracts.research import Startup


class RecallConfig(Config):
    """`recall`: what the user has told us before."""

    max_startups: PositiveInt = Field(
        default=5, le=50, description="at most so many to choose from"
    )
    save_startup: bool = Field(
        default=False,
        description="once a plan is approved, keep a startup made from it, unless the run has "
        "one; a start may say otherwise",
    )


class RecallPhase(PhaseBase):
    """A node of kind `recall`."""

    kind: Literal["recall"] = "recall"
    config: RecallConfig = RecallConfig()


class RecallOutput(Contract):
    """`recall` provides `startup`."""

    startup: Startup | None = None
    startups: list[Startup] = Field(default=[], description="all to choose from, newest use first")
