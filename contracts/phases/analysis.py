"""`analysis`: what follows from what an earlier phase gave."""

from typing import Literal

from pydantic import Field, model_validator

from contracts.agents.workbench import Artifact
from contracts.base import Contract, Json
from contracts.evidence.company import Sentiment
from contracts.evidence.sources import Claim, Source
from contracts.phase import PhaseBase
from contracts.phases.generate import GenerateConfig, GenerateOutput


class AnalysisConfig(GenerateConfig):
    """`analysis`: what follows from what an earlier phase gave."""

    lens: Literal["general", "fundamentals", "news"] = Field(
        default="general",
        description="what it looks at: its `inputs`, or a company's figures or news; those it "
        "gathers itself where no earlier phase gave them",
    )
    news_limit: int = Field(
        default=8, ge=0, le=20, description="articles to read, where it gathers the news itself"
    )
    models: dict[Literal["analyst"], str] = Field(default={}, description="role -> model id")
    max_tokens: int = Field(default=4_000, ge=200, le=16_000, description="the answer's length")

    @model_validator(mode="after")
    def _has_one_view(self) -> "AnalysisConfig":
        if self.lens != "general" and (self.inputs or self.output_schema):
            raise ValueError(f"lens {self.lens!r} has inputs and an output of its own")
        return self


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

    analysis: Analysis | Sentiment | Json = Field(
        description="of the config's `output_schema`, if it has one"
    )
    sources: list[Source] = Field(default=[], description="the run's, up to here")
    artifacts: list[Artifact] = Field(default=[], description="what the run made, up to here")
