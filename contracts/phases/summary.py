"""`summary`: what an earlier phase gave, in short."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json
from contracts.evidence.sources import Claim
from contracts.phase import PhaseBase
from contracts.phases.generate import GenerateConfig, GenerateOutput


class SummaryConfig(GenerateConfig):
    """`summary`: what an earlier phase gave, in short."""

    models: dict[Literal["summarizer"], str] = Field(default={}, description="role -> model id")


class SummaryPhase(PhaseBase):
    """A node of kind `summary`."""

    kind: Literal["summary"] = "summary"
    config: SummaryConfig = SummaryConfig()


class Summary(Contract):
    """The whole in a few sentences, and the points that carry it."""

    text: str
    key_points: list[Claim]


class SummaryOutput(GenerateOutput):
    """`summary` provides `summary`, and what of it is quoted as `findings`."""

    summary: Summary | Json = Field(description="of the config's `output_schema`, if it has one")
