"""A run's state: the whole truth, from which `Research.run` can start again at any moment."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field, JsonValue

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Json, Mutable
from contracts.evidence.claims import RefusedClaim, Ruling
from contracts.evidence.sources import FoundPage, GivenFile, ShownStretches, Source
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.human.messages import Steer
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.planning.plan import Plan
from contracts.report.patches import Patch
from contracts.runs.agent_progress import PhaseProgress
from contracts.runs.probes import ProbeVerdict
from contracts.runs.records import Event, PhaseFields
from contracts.runs.request import RunOpening, RunRequest, SeedOrigin
from contracts.runs.statuses import RunStatus, Stage


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
        """Return whether other phases may use its output; a draft of an unfinished phase is for people alone."""
        return self.output is not None and self.status in ("completed", "partial")


MAX_JUDGED = 500
"""Maximum number of newest verdicts that are reused instead of asking the judge again."""
MAX_REFUSED = 100
"""Maximum number of newest refused sentences that a run records."""


class RunState(RunOpening, Mutable):
    """The complete state of the interpreter."""

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
    probe: ProbeVerdict | None = Field(
        default=None, description="of a scheduled run: whether anything is new; null: not known yet"
    )
    steering: list[Steer] = []
    sources: list[Source] = Field(default=[], description="citation [n] is the nth")
    shown: ShownStretches = {}
    found: dict[str, FoundPage] = Field(
        default={},
        description="the first pages that searches found, by the keys of their addresses",
    )
    artifacts: list[Artifact] = Field(default=[], description="what agents made, each once")
    server_calls: dict[str, int] = Field(default={}, description="calls of each server's tools")
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
        """Return the phases to which a phase's need is bound and whose output may be used."""
        bound = self.resolved.bindings[phase_id].get(need, [])
        return [phase for phase in map(self.phase, bound) if phase.has_output]

    def leave_recording(self) -> None:
        """Let the stand-in continue, with a notice, if the replayed recording no longer matches."""
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
