"""One run as a script: two questions, a plan, a search, a page, a report."""

from datetime import UTC, datetime
from typing import Any

from contracts.base import Json
from contracts.errors import ErrorInfo
from contracts.human.approvers import Poll
from contracts.human.checkpoint_subjects import PlanSubject
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.human.messages import AnswerQuestions, Decide
from contracts.models.usage import Usage
from contracts.planning.plan_changes import PlanChange
from contracts.planning.startup_company import Startup
from contracts.runs.records import EventType, LoggedEvent, PhaseView
from contracts.runs.state_view import Results, StateView
from domain.planning.plan_changes import list_plan_changes
from tests.greenlight.terminal.samples import (
    AT,
    DEADLINE,
    PHASES,
    PLAN,
    QUESTIONS,
    RUN,
    SOURCE,
    TITLES,
)


class ScriptedRun:
    """Events and state of the run."""

    def __init__(self) -> None:
        self.query = "Which of Kenya, Ethiopia and Tanzania?"
        self.poll: Poll | None = None
        self.offline = True
        self.ending = "completed"
        self.events: list[LoggedEvent] = []
        self.pending: list[Checkpoint] = []
        self.answers: dict[str, dict[str, str | None]] = {}
        self.decisions: list[Decision] = []
        self.results: Json = {}
        self.startup: Startup | None = None
        self.plan = PLAN
        self.differences: list[PlanChange] | None = None
        self.attempt = 1
        self.phases = {
            name: PhaseView(
                id=name,
                kind=name,
                title=title,
                status="pending",
                attempt=1,
                warnings=[],
                error=None,
                started_at=None,
                ended_at=None,
                usage=Usage(),
            )
            for name, title in zip(PHASES, TITLES, strict=True)
        }
        self.status = "running"
        self.paused = False

    def emit(
        self, type: EventType, phase: str | None = None, status: str | None = None, **said: Any
    ) -> None:
        seq = len(self.events) + 1
        self.events.append(
            LoggedEvent(
                seq=seq,
                at=datetime.now(UTC).isoformat(),
                run_id=RUN,
                type=type,
                phase_id=phase,
                status=status,
                attempt=self.attempt,
                payload=said,
            )
        )

    def begin(self) -> None:
        self.emit("Status", level="info", message="run opened")
        self._whole("recall")
        self.emit("step_start", "clarification")
        self._wait("clarification", "questions", questions=QUESTIONS)

    def answered(self, body: AnswerQuestions) -> None:
        asked = self.pending[0]
        self.answers.setdefault(asked.checkpoint_id, {}).update(body.answers)
        self.emit("HumanResponseEvent", "clarification", by=body.by)
        left = [q for q in asked.questions if q.id not in body.answers]
        if left and body.answers:
            self.pending = [asked.model_copy(update={"questions": left})]
            return
        self.emit("step_complete", "clarification", "completed")
        self._draft()

    def decided(self, body: Decide) -> None:
        place = {"checkpoint_id": self.pending[0].checkpoint_id, "phase_id": "approval"}
        self.decisions.append(Decision(**body.model_dump(exclude={"key_id"}) | place, at=AT))
        self.emit("HumanResponseEvent", "approval", action=body.action, by=body.by)
        if body.action == "revise":
            self.attempt += 1
            before = self.plan
            self.plan = self.plan.model_copy(update={"focus_areas": [body.feedback]})
            self.differences = list_plan_changes(before, self.plan)
            self._draft()
        elif body.action == "reject":
            self._end("rejected")
        else:
            self.emit("step_complete", "approval", "completed")
            self._work()

    def _draft(self) -> None:
        self._whole("planning")
        self.emit("step_start", "approval")
        self._wait(
            "approval",
            "decision",
            options=["approve", "reject", "modify", "revise"],
            message="Approve this plan?",
            subject=PlanSubject(plan=self.plan),
            differences=self.differences,
            plan_hash=self.plan.hash,
            poll=self.poll,
        )

    def _work(self) -> None:
        self.emit("step_start", "research")
        search: dict[str, Any] = {
            "tool_id": "t1",
            "tool_name": "web_search",
            "tool_kwargs": {"query": "solar"},
        }
        page: dict[str, Any] = {
            "tool_id": "t2",
            "tool_name": "fetch_url",
            "tool_kwargs": {"url": SOURCE["url"]},
        }
        self.emit("AgentOutput", "research", usd=0.01)
        self.emit("ToolCall", "research", **search)
        hits = {"raw_output": {"hits": [{}, {}, {}]}, "is_error": False}
        self.emit("ToolCallResult", "research", **search, tool_output=hits)
        self.emit("ToolCall", "research", **page)
        read = {"raw_output": {"title": "Kenya"}, "is_error": False}
        self.emit("ToolCallResult", "research", **page, tool_output=read)
        self.emit("Status", "research", level="warning", message="odd page: \x1b[2J\x9b2J")
        self.emit("AgentOutput", "research", usd=0.02)
        if self.ending == "failed":
            error = ErrorInfo(type="model-rejected", message="the key is not valid")
            self.emit("step_complete", "research", "failed", error=error.model_dump())
            self.phases["research"] = self.phases["research"].model_copy(
                update={"status": "failed", "error": error}
            )
            return self._end("failed")
        self.emit("step_complete", "research", "completed")
        self._whole("synthesis")
        return self._end(self.ending)

    def _whole(self, phase: str) -> None:
        self.emit("step_start", phase)
        self.emit("step_complete", phase, "completed")

    def _wait(self, phase: str, kind: str, **shown: Any) -> None:
        checkpoint = Checkpoint(
            checkpoint_id=f"{phase}-{self.attempt}",
            phase_id=phase,
            kind=kind,  # type: ignore[arg-type]
            deadline=DEADLINE,
            **shown,
        )
        self.pending = [checkpoint]
        self.emit("InputRequiredEvent", phase, **checkpoint.model_dump(mode="json"))

    def _end(self, status: str) -> None:
        self.pending = []
        self.status = status
        self.emit("workflow_complete", status=status, ended=status)

    def state(self) -> StateView:
        live = "paused" if self.paused else "waiting" if self.pending else self.status
        return StateView(
            run_id=RUN,
            definition_id="deep_research",
            status=live,  # type: ignore[arg-type]
            stage="execute",
            query=self.query,
            inputs={},
            startup=self.startup,
            answers=self.answers,
            phases=list(self.phases.values()),
            pending=self.pending,
            plan=self.plan,
            plan_hash=self.plan.hash,
            decisions=self.decisions,
            results=Results.model_validate(self.results),
            parent=None,
            usage=Usage(calls=4, input_tokens=10, output_tokens=10, usd=0.03),
            model="claude-haiku",
            offline=self.offline,
            price=self.plan.estimated_cost,
            cap_usd=0.12,
            warnings=[],
            started_at=AT,
            ended_at=None,
            seq=len(self.events),
        )
