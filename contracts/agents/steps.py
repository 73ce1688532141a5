"""A plan step: its agent's answer, its reviews, its result and its cursor."""

from pydantic import Field

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Contract, Json, Mutable
from contracts.evidence.claims import Claim


def join_reasons(reasons: list[str]) -> str:
    """Return why an attempt failed, as one line without a full stop."""
    return "; ".join(reason.rstrip(" .") for reason in reasons)


class StepDraft(Contract):
    """The typed answer of an agent that has done a step."""

    summary: str = Field(description="what the step found or made, in a few sentences")
    findings: list[Claim] = []
    gaps: list[str] = Field(default=[], description="what the step asks for and was not found")


class StepResult(StepDraft):
    """A finished step, as later steps and people read it."""

    number: int = Field(ge=1, description="its place in the plan")
    name: str
    agent_role: str
    attempts: int = Field(default=1, description="all of them, also before a human sent it back")
    failures: list[list[str]] = Field(default=[], description="why each earlier attempt failed")
    artifacts: list[str] = Field(default=[], description="ids of the tables and charts it made")
    objections: list[str] = Field(
        default=[], description="its reviewer's, despite which a human accepted it"
    )
    unreviewed: list[str] = Field(
        default=[], description="roles of reviewers that gave no answer on it: it stands unreviewed"
    )


class StepCursor(Mutable):
    """The progress of a phase that executes a plan's steps, whole between its calls."""

    done: list[StepResult] = []
    passed: list[str] = Field(default=[], description="places between steps that a human let pass")
    tries: int = Field(default=0, description="attempts at the present step that lie behind")
    failures: list[list[str]] = Field(default=[], description="what each of them lacked")
    earlier: list[list[str]] = Field(
        default=[], description="objections to the attempts before a human had it done again"
    )
    rejected: Json | None = Field(default=None, description="what the last of them gave")
    is_answered: bool = Field(default=True, description="whether the last of them gave anything")
    draft: StepDraft | None = Field(default=None, description="the same, as a human may accept it")
    taken_back: list[Artifact] = Field(default=[], description="the artifacts of that draft")
    searches: list[Json] = Field(default=[], description="what they searched for, and found")
    calculations: list[Json] = Field(default=[], description="what they calculated, with results")
    unreviewed: list[str] = Field(
        default=[], description="reviewers that gave no answer on the last attempt"
    )
    plot_evals: int = Field(default=0, description="how often the critic was asked at this step")
    feedback: str = Field(default="", description="what a human said for the present step")
    sent_back: StepResult | None = Field(
        default=None, description="the result that a human sent back last"
    )

    def note_failure(self, reasons: list[str], *, is_answered: bool) -> None:
        """Count an attempt that failed, with the reviewer's objections or the reason for no answer."""
        self.tries += 1
        self.failures.append(reasons)
        self.is_answered = is_answered

    def list_objections(self) -> list[list[str]]:
        """Return the objections to each rejected attempt, also before a human had the step done again."""
        return [*self.earlier, *self.failures]
