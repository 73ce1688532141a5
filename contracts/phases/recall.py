"""`recall`: what the user has told us, and asked us, before."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.agents.workbench import Artifact
from contracts.base import Contract
from contracts.evidence.sources import Source
from contracts.phase import Config, PhaseBase
from contracts.report.research import Report, Startup


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
    reuse: Literal["never", "offer", "at_once"] = Field(
        default="never",
        description="a validated report on the same question: let the human choose it at "
        "clarification, or answer with it at once; a start with `fresh` does neither",
    )
    reuse_hours: PositiveInt = Field(
        default=24, le=24 * 366, description="how old such a report may be"
    )


class RecallPhase(PhaseBase):
    """A node of kind `recall`."""

    kind: Literal["recall"] = "recall"
    config: RecallConfig = RecallConfig()


class Finished(Contract):
    """A report that another run of the user's wrote on the same question, and what it rests on."""

    run_id: str
    ended_at: str = Field(description="ISO 8601, UTC")
    report: Report
    sources: list[Source] = []
    artifacts: list[Artifact] = []


class RecallOutput(Contract):
    """`recall` provides `startup`, and a `finished` report to choose; one used at once ends the run."""

    startup: Startup | None = None
    startups: list[Startup] = Field(default=[], description="all to choose from, newest use first")
    finished: Finished | None = Field(
        default=None, description="a report that clarification offers"
    )
