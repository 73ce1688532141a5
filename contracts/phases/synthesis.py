"""`synthesis`: the report, each claim with its quote."""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from contracts.base import Contract, Note
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.models.model_drafts import ShortAnswer
from contracts.phases.base import ROLE_MODELS, Config, Need, PhaseBase, PhaseInput
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan
from contracts.report.patches import Patch
from contracts.report.report import Report, Search


class SynthesisConfig(Config):
    """`synthesis`: the report, each claim with its quote."""

    form: Literal["report", "text", "answer", "from_report"] = Field(
        default="report",
        description="sections by the agreed outline, one short answer, that of a `research`, or one from"
        " a finished report and its stored pages",
    )
    at_least: int = Field(
        default=0,
        ge=0,
        le=20,
        description="phases that must have provided findings, else it is skipped",
    )
    instructions: Note = Field(default="", description="standing instructions for every report")
    max_report_tokens: int = Field(default=8_000, ge=500, le=16_000, description="of the report")
    draft_thinking_tokens: int = Field(
        default=8_000,
        ge=0,
        le=10_000,
        description="for thinking before a living report is drafted, by a model that can; 0: none",
    )
    living: bool = Field(
        default=False,
        description="complete the report written during the research, by small updates",
    )
    max_report_update_size: PositiveInt | None = Field(
        default=None,
        le=10_000,
        description="characters that one update of the text may write; without it as many as a `research`"
        " of the run sets, else 4,000: a section in one call",
    )
    max_turns: PositiveInt = Field(default=5, le=50, description="model calls for a living report")
    models: dict[Literal["synthesizer", "judge"], str] = ROLE_MODELS


class SynthesisPhase(PhaseBase):
    """A node of kind `synthesis`."""

    kind: Literal["synthesis"] = "synthesis"
    config: SynthesisConfig = SynthesisConfig()


class SynthesisInput(PhaseInput):
    """`synthesis` takes what was read and found, the plan, and an answer that a `research` ended with."""

    sources: Annotated[list[Source], Need(many=True, longest=True)] = []
    findings: Annotated[list[Claim], Need(many=True)] = []
    gaps: Annotated[list[str], Need(many=True)] = []
    searches: Annotated[list[Search], Need(many=True)] = []
    answer: ShortAnswer | None = None
    plan: Plan | None = None
    brief: Brief | None = None


class SynthesisOutput(Contract):
    """`synthesis` provides `report`."""

    report: Report
    patches: list[Patch] = Field(default=[], description="of the living report, so far")
