"""A run's state: the whole truth, from which `Research.run` can start again at any moment."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from contracts.agents.steps import StepCursor
from contracts.agents.workbench import Artifact
from contracts.base import Contract, Json, Mutable
from contracts.collections import CollectionState
from contracts.company.news import Sentiment
from contracts.documents import PartlyRead
from contracts.evidence.claims import Claim, RefusedClaim, Ruling
from contracts.evidence.sources import FoundPage, GivenFile, ShownStretches, Source
from contracts.human.approvers import Poll, Vote
from contracts.human.messages import Action, Choice, Steer
from contracts.lost_inputs import LossCause
from contracts.models.call import Message
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.phases.typed_answers import Analysis, Recommendation, Review, Summary
from contracts.planning.brief import Idea
from contracts.planning.depth import DepthPrice
from contracts.planning.plan import CostEstimate, Plan
from contracts.planning.plan_changes import PlanChange
from contracts.planning.startup import Startup
from contracts.report.patches import Patch
from contracts.report.report import Search
from contracts.runs.records import Event, PhaseFields, PhaseView
from contracts.runs.request import RunOpening, RunRequest, SeedOrigin
from contracts.runs.statuses import RunStatus, Stage
from contracts.runs.subjects import PlanSubject, ShownOutput, StepSubject, Subject
from contracts.samples import Sample


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
    votes: list[Vote] = Field(default=[], description="of a checkpoint with approvers")
    at: str
    default: bool = Field(default=False, description="taken by the deadline, not by a human")
    scope: str = Field(default="", description="of a consent given by starting the run")
    consent: Notice | None = Field(default=None, description="the scope as a notice")
    reused_from: str | None = Field(default=None, description="the run in which it was taken")


class AgentCursor(Mutable):
    """An agent's place in its conversation, consistent after each turn and once it has ended."""

    messages: list[Message] = Field(default=[], description="empty: it has not begun")
    turn: int = 0
    steers_heard: int = Field(default=0, description="how much of the run's steering it was told")
    listed: list[str] = Field(default=[], description="hits and passages that its searches listed")
    opened: dict[str, list[int]] = Field(
        default={}, description="pages that it opened, by the numbers of their sources"
    )
    pages_read: int = 0
    lacked_pages: bool = Field(default=False, description="it asked for a page and had none left")
    unjudged: int = Field(default=0, description="the turn whose changes the judge is at; 0: none")
    fallen: list[Claim] = Field(
        default=[], description="sentences that the judge doubts, and that it was not told of yet"
    )
    ending: str = Field(
        default="", description="why it ends once the judge has ruled on its last changes"
    )
    mended_after: int = Field(
        default=0,
        description="the turn by which it was done, and after which it has one to mend what the judge doubts",
    )
    reviewed_after: int = Field(
        default=0, description="the turn after which it was asked to read its report again"
    )
    end_reason: str = Field(default="", description="empty: it is at work")
    lost: LossCause | None = Field(default=None, description="the failure that ended it")
    output: Json | None = Field(default=None, description="its answer, once it ends")


class PhaseProgress(Mutable):
    """An attempt's place in a long phase, from which it goes on after continue-as-new."""

    agents: dict[str, AgentCursor] = Field(
        default={}, description="by the prefix of each agent's calls"
    )
    steps: StepCursor = Field(default_factory=StepCursor)
    gaps: list[str] = Field(
        default=[],
        description="lines on what was not found, as who finishes the report counts them",
    )
    searches: list[Search] = []
    pages_read: int = Field(default=0, description="in this attempt")
    unread: dict[str, LossCause] = Field(default={}, description="pages that failed, by URL")
    long_documents: dict[str, int] = Field(
        default={}, description="characters of the long documents read, by URL"
    )
    documents_asked: float = Field(
        default=0, description="weight of the documents about whose price a human was asked"
    )

    def open_cursor(self, agent: str) -> AgentCursor:
        """Return the cursor of an agent, a new one at its start."""
        return self.agents.setdefault(agent, AgentCursor())


class PhaseState(PhaseFields, Mutable):
    """One phase of a run."""

    stage: Stage = Field(default="execute", description="of the run at this phase")
    retries: int = Field(default=0, description="attempts that a failure, not a human, called for")
    degraded: bool = Field(default=False, description="did less than it was to; ends `partial`")
    output: Json | None = None
    feedback: list[str] = Field(default=[], description="changes a human asked for, oldest first")
    earlier: Json | None = Field(default=None, description="the output that a human sent back")
    active_seconds: float = Field(default=0, description="time used so far, waits left out")
    progress: PhaseProgress = Field(default_factory=PhaseProgress)
    memo: dict[str, JsonValue] = Field(default={}, description="finished calls, by name")
    origin: SeedOrigin | None = Field(default=None, description="of its output; None: this run")
    cache_key: str = Field(default="", description="hash of all it reads; empty: not reusable")

    @property
    def warnings(self) -> list[str]:
        """Its notices in English."""
        return [notice.text for notice in self.notices]

    @property
    def has_output(self) -> bool:
        """Tell whether other phases may use its output; a draft of an unfinished phase is for people alone."""
        return self.output is not None and self.status in ("completed", "partial")


MAX_JUDGED = 500
"""Verdicts of which a judge is not asked again, the newest."""
MAX_REFUSED = 100
"""Sentences that did not hold of which a run keeps account, the newest."""


class RunState(RunOpening, Mutable):
    """Everything the interpreter knows."""

    run_id: str
    tenant_id: str = "default"
    files: list[GivenFile] = Field(default=[], description="the user's own documents")
    request: RunRequest
    status: RunStatus = "running"
    phases: list[PhaseState] = []
    pending: list[Checkpoint] = []
    shown_plan: Plan | None = Field(default=None, description="the one that humans saw last")
    answers: dict[str, dict[str, str | None]] = Field(default={}, description="by checkpoint id")
    decisions: list[Decision] = []
    steering: list[Steer] = []
    sources: list[Source] = Field(default=[], description="citation [n] is the nth")
    shown: ShownStretches = {}
    found: dict[str, FoundPage] = Field(
        default={},
        description="the first pages that searches found, by the keys of their addresses",
    )
    artifacts: list[Artifact] = Field(default=[], description="what agents made, each once")
    patches: list[Patch] = Field(default=[], description="folded, they are the living report")
    refused: list[RefusedClaim] = Field(
        default=[], description="sentences that did not hold, the newest"
    )
    judged: dict[str, Ruling] = Field(default={}, description="what judges said, by digest")
    paused: bool = False
    paused_at: str | None = Field(default=None, description="ISO 8601, UTC")
    cancelling: Literal["", "after_phase", "now"] = ""
    notices: list[Notice] = []
    outbox: list[Event] = Field(default=[], description="not yet recorded")
    emitted: int = Field(default=0, description="events given out so far; the outbox's keys")
    spent: Usage = Field(default=Usage(), description="the ledger, as of the last record")
    started_at: str = ""
    ended_at: str | None = None

    def phase(self, phase_id: str) -> PhaseState:
        """Return the state of a phase of this run."""
        return next(phase for phase in self.phases if phase.id == phase_id)

    def providers(self, phase_id: str, need: str) -> list[PhaseState]:
        """Return the phases that a phase's need is bound to and whose output may be used."""
        bound = self.resolved.bindings[phase_id].get(need, [])
        return [phase for phase in map(self.phase, bound) if phase.has_output]

    def leave_recording(self) -> None:
        """Have the stand-in go on, and say so, where the recorded answers that are replayed no longer fit."""
        if recorded := self.terms.recorded:
            self.terms = self.terms.model_copy(update={"recorded": None})
            self.notices.append(Notice.of("recorded-left", model=recorded.model))

    def keep_rulings(self, judged: Mapping[str, Ruling]) -> None:
        """Add a judge's verdicts to those that are kept, the newest `MAX_JUDGED`; rulings without a verdict are dropped."""
        given = {digest: ruling for digest, ruling in judged.items() if ruling[0]}
        self.judged = dict([*(self.judged | given).items()][-MAX_JUDGED:])

    def keep_refused(self, refused: Iterable[RefusedClaim]) -> list[RefusedClaim]:
        """Keep sentences that did not hold; return those that are new."""
        known = {(one.place, one.claim.text) for one in self.refused}
        new = [one for one in refused if (one.place, one.claim.text) not in known]
        self.refused = [*self.refused, *new][-MAX_REFUSED:]
        return new


class ReportFigures(Contract):
    """The title and the counts of a report, whose text has its own endpoint."""

    title: str
    claims_total: int
    claims_unsupported: int


class Results(Contract):
    """The results of a run so far; those of phases whose definition sets a schema are by it."""

    report: ReportFigures | None = None
    sources: int = Field(default=0, description="pages read, once there is a report")
    analysis: Analysis | Sentiment | Json | None = Field(
        default=None, union_mode="left_to_right", description="of a crew: the fields of its tasks"
    )
    summary: Summary | Json | None = Field(default=None, union_mode="left_to_right")
    decision: Recommendation | Json | None = Field(default=None, union_mode="left_to_right")
    review: Review | Json | None = Field(default=None, union_mode="left_to_right")
    selected_idea: Idea | None = None


class StateView(Contract):
    """The `state` query: a run as people see it."""

    run_id: str
    definition_id: str
    status: RunStatus
    stage: Stage
    query: str
    inputs: Json
    startup: Startup | None
    files: list[str] = Field(default=[], description="names of the user's own documents")
    collections: list[CollectionState] = Field(
        default=[], description="the user's collections, as the run last found them"
    )
    shortfalls: list[Notice] = Field(
        default=[], description="why the validation found the report insufficient"
    )
    unopened: list[str] = Field(
        default=[], description="of an ended run: names of the files that no agent opened"
    )
    partly_read: list[PartlyRead] = Field(
        default=[], description="documents given or read, and what their texts lack of them"
    )
    answers: dict[str, dict[str, str | None]]
    phases: list[PhaseView]
    pending: list[Checkpoint]
    plan: Plan | None
    plan_hash: str | None
    decisions: list[Decision]
    results: Results
    parent: str | None
    usage: Usage
    model: str = Field(default="", description="whose prices count, unless a role has its own")
    offline: bool
    recorded: Sample | None = Field(
        default=None, description="the recorded run whose answers it has; null: none"
    )
    searched: str = Field(default="", description="a library in place of the web; empty: the web")
    place: Notice | None = Field(default=None, description="the same as a notice")
    cap_usd: float
    price: CostEstimate = Field(
        default=CostEstimate(), description="of the plan; before there is one, of the whole run"
    )
    notices: list[Notice] = Field(
        default=[], description="how the run ended and what is missing; empty: it completed"
    )
    warnings: list[str] = Field(default=[], description="the same in English")
    started_at: str
    ended_at: str | None
    seq: int = 0
    live: bool = True
