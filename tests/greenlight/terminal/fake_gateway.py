"""A gateway that plays one scripted run over real HTTP, and can cut its streams."""

import asyncio
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from api.runs.comparison import Change, ComparedRun, RunComparison, SourceOverlap
from contracts.base import Json
from contracts.human.messages import AnswerQuestions, Decide
from contracts.models.usage import Usage
from contracts.preset_definitions import PRESETS
from contracts.problems import Problem
from tests.greenlight.terminal.samples import ARTIFACT, AT, PLAN, REPORT, RUN, SOURCE
from tests.greenlight.terminal.scripted_run import ScriptedRun
from workflows.phases import PHASES

KINDS = [{"kind": name, "title": kind.title} for name, kind in PHASES.items()]


class FakeGateway(ScriptedRun):
    """The run, and what a client asked of it."""

    def __init__(self) -> None:
        self.samples: list[Json] = []
        super().__init__()
        self.archive = b""
        self.heard: list[Json] = []
        self.keys: list[str | None] = []
        self.started: list[Json] = []
        self.estimated: list[Json] = []
        self.definitions: list[str] = []
        self.resumed_from: list[int] = []
        self.cuts: list[int] = []
        """After how many events each next stream breaks."""
        self.has_report = True
        self.away = 0
        """Number of next requests for the state that get a 503."""
        self.pause = 0.0
        self.others = ["another"]
        """Ids of older runs."""
        self.startups: list[Json] = []
        self.outputs: Json = {}
        self.spent: list[Json] = []
        self.library: Json = {"documents": 0, "waiting": 0, "reading": 0}
        self.unreadable: list[Json] = []
        self.unread: list[Json] = []
        """The `unread` parts of files uploaded later."""

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/workflows/{id}/run", self._start, methods=["POST"]),
                Route("/v1/collections", self._list_mirrors),
                Route(
                    "/v1/collections/{name}/documents",
                    lambda _: JSONResponse({"items": self.unreadable}),
                ),
                Route("/v1/files", self._upload, methods=["POST"]),
                Route("/v1/runs", self._runs),
                Route("/v1/runs/{run}", self._delete, methods=["DELETE"]),
                Route("/v1/runs/{run}", self._run),
                Route("/v1/runs/{run}/state", self._state),
                Route("/v1/runs/{run}/sources", self._sources),
                Route("/v1/runs/{run}/compare/{other}", self._compare),
                Route("/v1/runs/{run}/report", self._report),
                Route("/v1/runs/{run}/archive", lambda _: Response(self.archive)),
                Route("/v1/runs/{run}/undo", self._undo, methods=["POST"]),
                Route("/v1/runs/{run}/events", self._events),
                Route("/v1/runs/{run}/artifacts", self._artifacts),
                Route("/v1/runs/{run}/artifacts/{aid}", lambda _: Response(b"<svg/>")),
                Route("/v1/runs/{run}/answers", self._answers, methods=["POST"]),
                Route("/v1/runs/{run}/decision", self._decision, methods=["POST"]),
                Route("/v1/runs/{run}/stream", self._stream),
                Route("/v1/runs/{run}/{message}", self._hear, methods=["POST"]),
                Route("/v1/workflows/{id}/estimate", self._estimate, methods=["POST"]),
                Route("/v1/workflows", self._definitions),
                Route("/v1/workflows/{id}", self._definitions),
                Route("/v1/phases", lambda _: JSONResponse({"items": KINDS})),
                Route("/v1/metadata", lambda _: JSONResponse({"samples": self.samples})),
                Route("/v1/spend", lambda _: JSONResponse({"items": self.spent})),
                Route("/v1/budgets", lambda _: JSONResponse({"items": []})),
                Route("/v1/startups", lambda _: JSONResponse({"items": self.startups})),
            ]
        )

    async def _definitions(self, request: Request) -> Response:
        found = PRESETS["deep_research"].model_dump(mode="json")
        return JSONResponse(found if "id" in request.path_params else {"items": [found]})

    async def _start(self, request: Request) -> Response:
        if request.path_params["id"] not in ("default", "deep_research"):
            return problem(404, "not-found", f"no definition {request.path_params['id']!r}")
        self.started.append(await request.json())
        self.definitions.append(request.path_params["id"])
        self.begin()
        return JSONResponse({"run_id": RUN, "status": "running", "links": {}}, 202)

    async def _estimate(self, request: Request) -> Response:
        self.estimated.append(await request.json())
        return JSONResponse({"offline": False, "price": self.plan.estimated_cost.model_dump()})

    async def _upload(self, request: Request) -> Response:
        name = request.query_params["name"]
        if not name.endswith(".md"):
            return problem(422, "invalid-input", f"name: {name!r} is of a kind that cannot be read")
        size, name = len(await request.body()), request.query_params["name"]
        file = {"id": f"file-of-{size}-bytes", "name": name, "title": name, "bytes": size}
        return JSONResponse({**file, "chars": size, "unread": self.unread}, 201)

    async def _list_mirrors(self, request: Request) -> Response:
        mirrors = [{"failed": len(self.unreadable), **self.library, "name": "docs"}]
        return JSONResponse({"items": mirrors if request.query_params["folder"] == "/docs" else []})

    async def _runs(self, request: Request) -> Response:
        shown = {"run_id", "status", "query", "usage", "offline"}
        row = self.state().model_dump(mode="json", include=shown) | {"started_at": AT}
        named = request.query_params.get("id_prefix", "")
        if named == "" and "id_prefix" in request.query_params:
            return problem(422, "invalid-input", "id_prefix: must begin with a letter or digit")
        ids = [each for each in (RUN, *self.others) if each.startswith((named, f"run-{named}"))]
        items = [row | {"run_id": each} for each in ids]
        return JSONResponse({"items": items, "next_cursor": None})

    async def _run(self, request: Request) -> Response:
        about = {"definition_id", "query", "inputs"}
        row = self.state().model_dump(mode="json", include=about)
        return JSONResponse(row | {"run_id": RUN, "outputs": self.outputs})

    async def _hear(self, request: Request) -> Response:
        body = await request.json()
        for field in ("text", "query"):
            if body.get(field) == "":
                return problem(422, "invalid-input", f"{field}: must not be empty")
        message = request.path_params["message"]
        self.heard.append({message: body})
        self.paused = message == "pause" or (self.paused and message != "resume")
        return JSONResponse(self.state().model_dump(mode="json"), 202)

    async def _delete(self, request: Request) -> Response:
        if self.status not in ("completed", "partial"):
            return problem(409, "conflict", f"run {RUN!r} is live: end it first")
        self.heard.append({"deleted": request.path_params["run"]})
        return Response(status_code=204)

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
        if self.status not in ("completed", "partial") or not self.has_report:
            return problem(404, "not-found", f"run {RUN!r} has no report: it is {self.status}")
        format = request.query_params["format"]
        texts = {"md": REPORT.markdown, "json": REPORT.model_dump_json()}
        return Response(texts.get(format, f"the {format}"))

    async def _events(self, request: Request) -> Response:
        after = int(request.query_params["after"])
        items = [event.model_dump(mode="json") for event in self.events[after:]]
        return JSONResponse({"items": items, "next_cursor": None})

    async def _undo(self, request: Request) -> Response:
        body = await request.json()
        if self.status != "running":
            return problem(409, "conflict", "the run has ended")
        if body["seq"] not in {
            event.seq for event in self.events if "tool_output" in event.payload
        }:
            said = f"seq: event {body['seq']} is no patch of the report"
            return problem(422, "invalid-input", said)
        self.heard.append(body)
        return JSONResponse(self.state().model_dump(mode="json"), 202)

    async def _compare(self, request: Request) -> Response:
        """Answer that the other run was given another budget, read less, and wrote more."""
        a, b = (
            ComparedRun(
                run_id=request.path_params[name],
                definition_id="deep_research",
                definition_version=1,
                parent=None,
                status=status,
                user_id="local",
                query="Which?",
                inputs={},
                offline=True,
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
            sources=SourceOverlap(only_a=["http://127.0.0.1:1/kenya"], only_b=[], both=[]),
            report=["+A new line."],
            cut={"request": 3, "report": 1_200},
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
    path, _, text = detail.rpartition(": ") if status == 422 else ("", "", detail)
    problems = [Problem.at(path, "text", text=text).model_dump()] if path else []
    body = {"type": type, "title": type, "status": status, "detail": detail, "problems": problems}
    body |= {"code": "text", "params": {"text": detail}}
    return JSONResponse(body, status, media_type="application/problem+json")
