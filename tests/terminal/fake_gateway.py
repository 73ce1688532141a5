"""A gateway that plays one scripted run over real HTTP, and can cut its streams."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from api.comparison import Change, RunComparison, Side, Sources
from contracts.approvers import Poll
from contracts.base import Json
from contracts.errors import ErrorInfo
from contracts.messages import AnswerQuestions, Decide
from contracts.records import EventType, LoggedEvent
from contracts.research import Startup
from contracts.state import Checkpoint, Decision, PhaseView, StateView
from contracts.terms import Usage
from tests.terminal.script import (
    ARTIFACT,
    AT,
    DEADLINE,
    PHASES,
    PLAN,
    QUESTIONS,
    REPORT,
    RUN,
    SOURCE,
    TITLES,
)


class FakeGateway:
    """One run: two questions, a plan, a search, a page, a report."""

    def __init__(self) -> None:
        self.heard: list[Json] = []
        self.keys: list[str | None] = []
        self.poll: Poll | None = None
        self.started: list[Json] = []
        self.definitions: list[str] = []
        self.resumed_from: list[int] = []
        self.cuts: list[int] = []
        """After how many events each next stream breaks."""
        self.away = 0
        """How many next requests for the state find the store away."""
        self.pause = 0.0
        self.offline = True
        self.library: Json = {"documents": 0, "warnings": {}}
        self.ending = "completed"
        self.events: list[LoggedEvent] = []
        self.pending: list[Checkpoint] = []
        self.answers: dict[str, dict[str, str | None]] = {}
        self.decisions: list[Decision] = []
        self.startup: Startup | None = None
        self.plan = PLAN
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

    # --- the script

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
        self.answers[self.pending[0].checkpoint_id] = body.answers
        self.emit("HumanResponseEvent", "clarification", by=body.by)
        self.emit("step_complete", "clarification", "completed")
        self._draft()

    def decided(self, body: Decide) -> None:
        place = {"checkpoint_id": self.pending[0].checkpoint_id, "phase_id": "approval"}
        self.decisions.append(Decision(**body.model_dump() | place, at=AT))
        self.emit("HumanResponseEvent", "approval", action=body.action, by=body.by)
        if body.action == "revise":
            self.attempt += 1
            self.plan = self.plan.model_copy(update={"focus_areas": [body.feedback]})
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
            subject=self.plan.model_dump(mode="json"),
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
        return StateView(
            run_id=RUN,
            definition_id="deep_research",
            status="waiting" if self.pending else self.status,  # type: ignore[arg-type]
            stage="execute",
            query="Which of Kenya, Ethiopia and Tanzania?",
            inputs={},
            startup=self.startup,
            answers=self.answers,
            phases=list(self.phases.values()),
            pending=self.pending,
            plan=self.plan.model_dump(mode="json"),
            plan_hash=self.plan.hash,
            decisions=self.decisions,
            results={},
            parent=None,
            usage=Usage(calls=4, input_tokens=10, output_tokens=10, usd=0.03),
            model="claude-haiku",
            offline=self.offline,
            cap_usd=0.12,
            warnings=[],
            started_at=AT,
            ended_at=None,
            seq=len(self.events),
        )

    # --- HTTP

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/workflows/{id}/run", self._start, methods=["POST"]),
                Route("/library", lambda _: JSONResponse(self.library)),
                Route("/v1/runs", self._runs),
                Route("/v1/runs/{run}", self._run),
                Route("/v1/runs/{run}/state", self._state),
                Route("/v1/runs/{run}/sources", self._sources),
                Route("/v1/runs/{run}/compare/{other}", self._compare),
                Route("/v1/runs/{run}/report", self._report),
                Route("/v1/runs/{run}/undo", self._undo, methods=["POST"]),
                Route("/v1/runs/{run}/artifacts", self._artifacts),
                Route("/v1/runs/{run}/artifacts/{aid}", lambda _: Response(b"<svg/>")),
                Route("/v1/runs/{run}/answers", self._answers, methods=["POST"]),
                Route("/v1/runs/{run}/decision", self._decision, methods=["POST"]),
                Route("/v1/runs/{run}/stream", self._stream),
            ]
        )

    async def _start(self, request: Request) -> Response:
        if request.path_params["id"] not in ("default", "deep_research"):
            return problem(404, "not-found", f"no definition {request.path_params['id']!r}")
        self.started.append(await request.json())
        self.definitions.append(request.path_params["id"])
        self.begin()
        return JSONResponse({"run_id": RUN, "status": "running", "links": {}}, 202)

    async def _runs(self, request: Request) -> Response:
        shown = {"run_id", "status", "query", "usage", "offline"}
        row = self.state().model_dump(mode="json", include=shown)
        return JSONResponse({"items": [row | {"started_at": AT}], "next_cursor": None})

    async def _run(self, request: Request) -> Response:
        over = self.status in ("completed", "partial")
        report = {"synthesis": {"report": REPORT.model_dump(mode="json")}}
        return JSONResponse({"run_id": RUN, "outputs": report if over else {}})

    async def _state(self, request: Request) -> Response:
        if request.path_params["run"] != RUN:
            return problem(404, "not-found", f"no run {request.path_params['run']!r}")
        if self.away:
            self.away -= 1
            return problem(503, "store-unavailable", "PostgreSQL is away")
        return JSONResponse(self.state().model_dump(mode="json"))

    async def _report(self, request: Request) -> Response:
        if at := request.query_params.get("at"):
            return Response(f"# As of {at}\x1b[2J")
        if self.status not in ("completed", "partial"):
            return problem(404, "not-found", f"run {RUN!r} has no report: it is {self.status}")
        format = request.query_params["format"]
        return Response(REPORT.markdown if format == "md" else f"the {format}")

    async def _undo(self, request: Request) -> Response:
        self.heard.append(await request.json())
        if self.status != "running":
            return problem(409, "conflict", "the run has ended")
        return JSONResponse(self.state().model_dump(mode="json"), 202)

    async def _compare(self, request: Request) -> Response:
        """Answer that the other run was given another budget, read less, and wrote more."""
        a, b = (
            Side(
                run_id=request.path_params[name],
                definition_id="deep_research",
                definition_version=1,
                parent=None,
                status=status,
                query="Which?",
                started_at=AT,
                ended_at=None,
                model="claude-haiku",
                usage=Usage(usd=0.03),
                plan_hash=PLAN.hash,
                decisions=[],
            )
            for name, status in (("run", "completed"), ("other", "failed"))
        )
        found = RunComparison(
            a=a,
            b=b,
            usd=0,
            request=[Change(path="budget", a=None, b=2)],
            config=[],
            phases=[],
            plan=[],
            sources=Sources(only_a=["http://127.0.0.1:1/kenya"], only_b=[], both=[]),
            report=["+A new line."],
        )
        return JSONResponse(found.model_dump(mode="json"))

    async def _sources(self, request: Request) -> Response:
        return JSONResponse({"items": [SOURCE], "next_cursor": None})

    async def _artifacts(self, request: Request) -> Response:
        return JSONResponse({"items": [ARTIFACT], "next_cursor": None})

    async def _answers(self, request: Request) -> Response:
        body = AnswerQuestions.model_validate_json(await request.body())
        self.heard.append(body.model_dump(mode="json"))
        if not self.pending or self.pending[0].kind != "questions":
            return problem(409, "conflict", "no questions are awaited now")
        self.answered(body)
        return JSONResponse(self.state().model_dump(mode="json"), 202)

    async def _decision(self, request: Request) -> Response:
        body = Decide.model_validate_json(await request.body())
        self.keys.append(request.headers.get("authorization"))
        self.heard.append(body.model_dump(mode="json"))
        if not self.pending or self.pending[0].kind != "decision":
            return problem(409, "conflict", "no decision is awaited now")
        if body.action in ("approve", "modify") and body.plan_hash != self.plan.hash:
            return problem(409, "stale-plan", f"the plan shown now is {self.plan.hash}")
        if body.modifications and "title" not in body.modifications:
            return problem(422, "invalid-input", "modifications.colour: not a plan field")
        self.decided(body)
        return JSONResponse(self.state().model_dump(mode="json"), 202)

    async def _stream(self, request: Request) -> Response:
        after = int(request.headers["last-event-id"])
        self.resumed_from.append(after)
        cut = self.cuts.pop(0) if self.cuts else None
        return StreamingResponse(self._sse(after, cut), media_type="text/event-stream")

    async def _sse(self, after: int, cut: int | None) -> AsyncIterator[str]:
        sent = 0
        while True:
            for event in self.events[after:]:
                if cut is not None and sent == cut:
                    yield f"id: {event.seq}\nevent: {event.type}\ndata: {{"
                    raise ConnectionResetError
                yield f"id: {event.seq}\nevent: {event.type}\ndata: {event.model_dump_json()}\n\n"
                after, sent = event.seq, sent + 1
                await asyncio.sleep(self.pause)
                if event.type == "workflow_complete":
                    return
            await asyncio.sleep(0.01)


def problem(status: int, type: str, detail: str) -> JSONResponse:
    body = {"type": type, "title": type, "status": status, "detail": detail, "problems": []}
    return JSONResponse(body, status, media_type="application/problem+json")
