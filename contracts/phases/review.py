"""`review`: whether what an earlier phase gave will do."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json
from contracts.phase import PhaseBase
from contracts.phases.generate import GenerateConfig, GenerateOutput


class ReviewConfig(GenerateConfig):
    """`review`: whether what an earlier phase gave will do."""

    models: dict[Literal["reviewer"], str] = Field(default={}, description="role -> model id")


class ReviewPhase(PhaseBase):
    """A node of kind `review`."""

    kind: Literal["review"] = "review"
    config: ReviewConfig = ReviewConfig()


class Review(Contract):
    """Whether it is accepted, and what to change."""

    accepted: bool
    issues: list[str] = Field(description="what to change, most important first")


class ReviewOutput(GenerateOutput):
    """`review` provides `review`, and what of it is quoted as `findings`."""

    review: Review | Json = Field(description="of the config's `output_schema`, if it has one")
