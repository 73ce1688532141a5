"""`decision`: what to do about what earlier phases gave."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json
from contracts.phases.base import PhaseBase
from contracts.phases.generate import GenerateConfig, GenerateOutput
from contracts.web import Claim


class DecisionConfig(GenerateConfig):
    """`decision`: what to do about what earlier phases gave."""

    models: dict[Literal["decider"], str] = Field(default={}, description="role -> model id")


class DecisionPhase(PhaseBase):
    """A node of kind `decision`."""

    kind: Literal["decision"] = "decision"
    config: DecisionConfig = DecisionConfig()


class Recommendation(Contract):
    """What to do, how sure that is, and what it rests on."""

    action: str
    confidence: float = Field(ge=0, le=1)
    horizon: str
    rationale: list[Claim]
    risks: list[Claim]
    what_would_change: list[str]


class DecisionOutput(GenerateOutput):
    """`decision` provides `decision`, and what of it is quoted as `findings`."""

    decision: Recommendation | Json = Field(
        description="of the config's `output_schema`, if it has one"
    )
