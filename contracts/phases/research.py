"""`research`: an agent that searches and reads the web."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.base import Contract
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.phases.base import DAY, Config, PhaseBase
from contracts.report.patches import Patch
from contracts.report.research import Search


class ResearchConfig(Config):
    """`research`: an agent that searches and reads the web."""

    max_sources: PositiveInt = Field(
        default=20, le=200, description="pages to read, in the whole run"
    )
    max_search_results_per_query: PositiveInt = Field(
        default=5, le=20, description="results of a search"
    )
    max_turns: PositiveInt = Field(default=12, le=200, description="calls of the agent's model")
    living: bool = Field(
        default=False, description="write the report during the research, section by section"
    )
    max_report_update_size: PositiveInt = Field(
        default=800, le=10_000, description="characters that one update of the report may change"
    )
    models: dict[Literal["researcher"], str] = Field(default={}, description="role -> model id")


class ResearchPhase(PhaseBase):
    """A node of kind `research`."""

    kind: Literal["research"] = "research"
    timeout_seconds: float = Field(
        default=600, gt=0, le=30 * DAY, description="of work, without waits for a human"
    )
    config: ResearchConfig = ResearchConfig()


class ResearchOutput(Contract):
    """`research` provides `sources`, `findings` and `searches`."""

    sources: list[Source]
    findings: list[Claim]
    searches: list[Search]
    gaps: list[str] = []
    end_reason: str = ""
    patches: list[Patch] = Field(default=[], description="of the living report, so far")
