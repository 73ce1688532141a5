"""`analysis`: what follows from what an earlier phase gave."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json
from contracts.phases.base import PhaseBase
from contracts.phases.generate import GenerateConfig, GenerateOutput
from contracts.web import Claim


class AnalysisConfig(GenerateConfig):
    """`analysis`: what follows from what an earlier phase gave."""

    models: dict[Literal["analyst"], str] = Field(default={}, description="role -> model id")
    max_tokens: int = Field(default=4_000, ge=200, le=16_000, description="the answer's length")


class AnalysisPhase(PhaseBase):
    """A node of kind `analysis`."""

    kind: Literal["analysis"] = "analysis"
    config: AnalysisConfig = AnalysisConfig()


class Analysis(Contract):
    """The answer in a few sentences, the points it rests on, and what is not known."""

    text: str
    points: list[Claim]
    gaps: list[str]


class AnalysisOutput(GenerateOutput):
    """`analysis` provides `analysis`, and what of it is quoted as `findings`."""

    analysis: Analysis | Json = Field(description="of the config's `output_schema`, if it has one")
