"""`synthesis`: the report, every claim with its quote."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Note
from contracts.phases.base import Config, PhaseBase
from contracts.research import Report


class SynthesisConfig(Config):
    """`synthesis`: the report, every claim with its quote."""

    form: Literal["report", "text"] = Field(
        default="report", description="sections by the agreed outline, or one short answer"
    )
    instructions: Note = Field(default="", description="standing wishes for every report")
    max_report_tokens: int = Field(
        default=6_000, ge=500, le=16_000, description="the report's length"
    )
    judge: bool = Field(
        default=False, description="have a second call say whether each quote carries its claim"
    )
    models: dict[Literal["synthesizer", "judge"], str] = Field(
        default={}, description="role -> model id"
    )


class SynthesisPhase(PhaseBase):
    """A node of kind `synthesis`."""

    kind: Literal["synthesis"] = "synthesis"
    config: SynthesisConfig = SynthesisConfig()


class SynthesisOutput(Contract):
    """`synthesis` provides `report`."""

    report: Report
