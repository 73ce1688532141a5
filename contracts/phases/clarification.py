"""`clarification`: two or three questions to the human, each with its reason."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.base import DAY, Contract, Text
from contracts.phases.base import ROLE_MODELS, Config, PhaseBase, PhaseInput, WaitSeconds
from contracts.phases.recall import FinishedReport
from contracts.planning.brief import Brief
from contracts.planning.startup_company import Startup


class ClarificationConfig(Config):
    """`clarification`: two or three questions to the human, each with its reason."""

    mode: Literal["always", "when_ambiguous", "when_empty"] = Field(
        default="always",
        description="one round; rounds only while the question is ambiguous; or only while it names no "
        "subject",
    )
    min_questions: int = Field(
        default=2, ge=1, le=5, description="of `always`: how many the model is to ask at least"
    )
    max_questions: int = Field(default=3, ge=1, le=5, description="in a round")
    max_rounds: PositiveInt = Field(
        default=3, le=10, description="of `when_ambiguous` and `when_empty`"
    )
    wait_seconds: WaitSeconds = 7 * DAY
    decompose: bool = Field(default=False, description="also derive queries, outline, assumptions")
    models: dict[Literal["clarifier"], str] = ROLE_MODELS


class Constraints(Contract):
    """Inputs of a start that narrow the question."""

    audience: Text = Field(default="", max_length=1_000)
    region: Text = Field(default="", max_length=1_000)
    timeframe: Text = Field(default="", max_length=1_000)


class ClarificationPhase(PhaseBase):
    """A node of kind `clarification`."""

    kind: Literal["clarification"] = "clarification"
    config: ClarificationConfig = ClarificationConfig()


class ClarificationInput(PhaseInput):
    """`clarification` takes the user's startups, and an earlier report that it may offer."""

    startup: Startup | None = None
    startups: list[Startup] = []
    finished: FinishedReport | None = None


class ClarificationOutput(Contract):
    """`clarification` provides `brief` and the `startup` that the human chose."""

    brief: Brief
    startup: Startup | None = None
