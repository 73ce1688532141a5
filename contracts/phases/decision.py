"""`decision`: what to do about what earlier phases gave."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json, Name, Note
from contracts.evidence.sources import Claim
from contracts.phase import PhaseBase
from contracts.phases.generate import GenerateConfig, GenerateOutput
from contracts.report.research import Report


class DecisionConfig(GenerateConfig):
    """`decision`: what to do about what earlier phases gave."""

    actions: list[Name] = Field(
        default=[], max_length=20, description="what it chooses from; left out: it says so freely"
    )
    disclaimer: Note = Field(default="", description="what every decision says of itself")
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
    caveats: list[str] = Field(default=[], description="warnings of the phases it builds on")
    disclaimer: str = ""


class DecisionOutput(GenerateOutput):
    """`decision` provides `decision`, the `report` that opens with it, and as `findings` its quotes."""

    decision: Recommendation | Json = Field(
        description="of the config's `output_schema`, if it has one"
    )
    report: Report
