"""Checkpoints: where a run waits for a human, the questions or decision, and the outcome."""

from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from contracts.base import Contract, Json
from contracts.human.approvers import Poll, Vote
from contracts.human.checkpoint_subjects import PlanSubject, ShownOutput, StepSubject, Subject
from contracts.human.messages import Action, Choice, Steer
from contracts.notices import Notice
from contracts.planning.depth import DepthPrice
from contracts.planning.plan import Plan
from contracts.planning.plan_changes import PlanChange


def join_asks(asks: Iterable[Notice]) -> str:
    """Return what a checkpoint asks in English."""
    return " ".join(notice.text for notice in asks)


class OpenQuestion(Contract):
    """A question put to a human, with the reason it matters."""

    id: str
    question: str
    context: str = ""
    asks: Notice | None = Field(
        default=None, description="the question as a notice; null: a model's"
    )
    reason: Notice | None = Field(default=None, description="the context as a notice")
    kind: Literal["text", "choice"] = "text"
    choices: list[str] = []
    labels: dict[str, Notice] = Field(default={}, description="of choices in other words")
    required: bool = False
    strict: bool = Field(default=False, description="only a choice is taken, no free text")
    closing: list[str] = Field(
        default=[],
        description="choices after which no other question of the round matters",
    )
    is_offer: bool = Field(
        default=False,
        description="says nothing of the question itself; declined once all that are no offers are "
        "answered",
    )


class TextChange(Contract):
    """A sentence that was added, removed or reworded."""

    before: str = Field(default="", description="empty: it was added")
    after: str = Field(default="", description="empty: it was removed")


class SentBack(Contract):
    """Why the work shown at a checkpoint was done again, and what that changed."""

    words: list[str] = Field(description="what humans wrote each time, oldest first")
    by: str = Field(default="", description="who sent it back last")
    changes: list[TextChange] | None = Field(
        default=None,
        description="how its text differs from what was sent back; null: the differences of its plan say it",
    )
    left_out: int = Field(default=0, description="further changes that are not listed")

    @property
    def version(self) -> int:
        """The number of the work that is shown now, the first being 1."""
        return len(self.words) + 1


class Checkpoint(Contract):
    """A place where the run waits for a human."""

    checkpoint_id: str
    phase_id: str
    kind: Literal["questions", "decision"]
    questions: list[OpenQuestion] = Field(default=[], description="not answered yet")
    answered: list[OpenQuestion] = Field(
        default=[], description="may be answered anew while a question is open"
    )
    options: list[str] = Field(default=[], description="what may be answered: actions or labels")
    choices: list[Choice] = Field(default=[], description="options that are no actions' names")
    asks: list[Notice] = Field(default=[], description="what is asked, and what bears on it")
    message: str = Field(default="", description="the same in English")
    subject: Subject | None = Field(
        default=None, description="what is decided on; null: the message alone"
    )
    context: list[ShownOutput] = Field(default=[], description="what else bears on it")
    plan_hash: str | None = None
    done_steps: list[int] = Field(
        default=[],
        description="numbers of the plan's steps that are done, which no change may touch",
    )
    keep_startup: bool | None = Field(
        default=None,
        description="an approval may also keep the plan as a startup; it does so, unless it says "
        "otherwise, if true; None: not offered",
    )
    differences: list[PlanChange] | None = Field(
        default=None,
        description="how its plan differs from the one shown before; null: none was shown before, or "
        "this one is approved already",
    )
    depths: list[DepthPrice] = Field(
        default=[],
        description="what its plan would cost at each depth; empty: the depth changes nothing",
    )
    sent_back: SentBack | None = Field(
        default=None, description="null: what it shows was not sent back before"
    )
    changed: list[PlanChange] = Field(default=[], description="what humans changed here")
    remarks: list[Steer] = Field(
        default=[], description="said with changes and votes; they steer once it is approved"
    )
    deadline: str = Field(description="ISO 8601, UTC")
    poll: Poll | None = Field(default=None, description="where named approvers decide, by key")

    @model_validator(mode="before")
    @classmethod
    def _write_message(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("asks") and not given.get("message"):
            asks = [Notice.model_validate(each) for each in given["asks"]]
            return given | {"message": join_asks(asks)}
        return given

    def ask(self, asks: list[Notice]) -> Self:
        """Return the checkpoint with other questions."""
        return self.model_copy(update={"asks": asks, "message": join_asks(asks)})

    @property
    def plan(self) -> Plan | None:
        """Return the plan that `plan_hash` names and that a modification changes."""
        return self.subject.plan if isinstance(self.subject, PlanSubject | StepSubject) else None

    def replace_plan(self, plan: Plan) -> "Checkpoint":
        """Return the checkpoint with another plan in place of the one that it shows."""
        assert isinstance(self.subject, PlanSubject | StepSubject)
        subject = self.subject.model_copy(update={"plan": plan})
        return self.model_copy(update={"subject": subject, "plan_hash": plan.hash})


class Decision(Contract):
    """A human's decision at a checkpoint, or the default that its deadline took."""

    checkpoint_id: str
    phase_id: str
    action: Action
    plan_hash: str | None = None
    feedback: str = ""
    modifications: Json | None = None
    changed: list[PlanChange] = Field(
        default=[], description="what humans changed in the plan before it"
    )
    choice: str | None = None
    keep_startup: bool | None = Field(
        default=None, description="whether the plan is kept as a startup; None: not offered"
    )
    cap_usd: float | None = Field(
        default=None, description="the run's cap from then on; None: it was not about the budget"
    )
    by: str = ""
    by_link: bool = Field(default=False, description="by a link: whoever had it decided as `by`")
    client: str = Field(
        default="",
        description="the MCP client that asked for the link or decided, as it calls itself",
    )
    votes: list[Vote] = Field(default=[], description="of a checkpoint with approvers")
    at: str
    default: bool = Field(default=False, description="taken by the deadline, not by a human")
    scope: str = Field(default="", description="of a consent given by starting the run")
    consent: Notice | None = Field(default=None, description="the scope as a notice")
    reused_from: str | None = Field(default=None, description="the run in which it was taken")
