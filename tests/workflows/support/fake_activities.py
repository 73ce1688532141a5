"""Activities that answer at once and remember what they were asked."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.calls.request_body import hash_request
from activities.claims.draft import read_draft
from activities.runs.seal_verification import (
    ApprovalActivities,
    SealVerification,
    VerifyRequest,
)
from activities.startup_companies import RecallRequest, SaveRequest
from contracts.agents.calculations_and_charts import (
    Artifact,
    Calculated,
    TableChartRequest,
    WorkbenchRequest,
)
from contracts.agents.crews import CrewTaskRequest, CrewTaskResult
from contracts.agents.market_crew import TASKS
from contracts.agents.server_tools import CallToolRequest, ListToolsRequest, ToolAnswer, ToolsListed
from contracts.agents.tool_definitions import CalculateArgs, ChartArgs, TableArgs
from contracts.base import Json
from contracts.company.figures import CompanyFacts, FactsRequest
from contracts.company.news import Repeats, RepeatsRequest
from contracts.company.valuation import PastPrice, PastPrices, SharePrice
from contracts.definitions import Definition
from contracts.documents import UnreadPart
from contracts.evidence.checks import (
    Check,
    CheckedAnswer,
    CheckRequest,
    JudgeRequest,
    JudgeResult,
    MendRequest,
    MendResult,
    PlacedCheck,
)
from contracts.evidence.claims import Claim, Judgement, Verdict
from contracts.evidence.reasons import Reason
from contracts.evidence.sources import (
    TOOL_RESULT,
    FetchRequest,
    OpenedPart,
    OpenedParts,
    PartsRequest,
    ProbeRequest,
    ProbeResult,
    SearchHit,
    SearchRequest,
    SearchResult,
    Source,
)
from contracts.models.call import Block, ModelRequest, ModelResult, Tool
from contracts.models.prices import Price
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.phases.recall import (
    EarlierQuestion,
    FinishedReport,
    RecallOutput,
    ReportRequest,
    SimilarRequest,
    SimilarResult,
)
from contracts.planning.startup_company import Startup
from contracts.preset_definitions import PRESETS
from contracts.report.checks import PagePassage, PassageRequest, PassagesFound
from contracts.report.draft import DraftRequest, TextDraft
from contracts.report.edits import EditedReport, EditRequest
from contracts.report.report import Search
from contracts.runs.events import PAYLOADS
from contracts.runs.records import Batch, Event, Recorded
from contracts.runs.run_terms import Terms
from contracts.runs.start import Opened, OpenRequest, ParentRun
from domain.agents.tool_servers import offer_tools
from domain.company.exhibits import build_exhibits
from domain.decision_seals import Sealer
from domain.evidence.claims import digest_claims, find_claims
from tests.support.sources import page
from tests.workflows.support import listed_company as listed
from tests.workflows.support.memory_keys import Keys
from tests.workflows.support.model_answers import ANSWERS, OUTPUTS, QUOTED
from workflows.start.resolution import open_run

TERMS = Terms(
    model="test-model",
    prices=dict.fromkeys(("test-model", "another-model", "own"), Price(input_usd=1, output_usd=5)),
    offline=False,
    cap_usd=5,
)
USAGE = Usage(calls=1, input_tokens=1_000, output_tokens=200, usd=0.002)


class Fakes:
    """One set for a test; `before` may raise, sleep or count at any call."""

    crew_searches: tuple[Search, ...] = (Search(query="pumps", hits=1),)
    making_next: list[Block] = []
    """What an agent without the web asks its tools for in its second turn."""
    page_chars = 100
    unsearched: Sequence[int] = ()
    """Pages that are not searched to their end for what was not found."""
    """How long each page says it is."""
    retrieved = "2026-01-01T00:00:00+00:00"
    """When each page says that it was read."""
    notice = ""
    """What each page says of its own words."""
    hits = [SearchHit(url="https://example.org/0")]
    """What each search of the web finds."""
    unread: tuple[UnreadPart, ...] = ()
    """What of each page was not read."""
    lacking = ""
    """What a living report's researcher says is missing in its first section."""
    passage_at = 0
    """Where on a page the passage begins that may tell what was not found."""

    server_tools: list[Json] = []
    """What each server of tools says that it has."""
    tool_error: str | None = None
    """What each tool of a server reports in place of a result."""
    restates = False
    """Whether the judge is shown claims in another form than the report's, as cells that say a sentence again."""

    def __init__(self, *definitions: Definition) -> None:
        self.definitions = {**PRESETS, **{d.id: d for d in definitions}}
        self.parents: dict[str, ParentRun] = {}
        self.terms = TERMS
        self.startups: list[Startup] = []
        self.saved: list[Startup] = []
        self.finished: FinishedReport | None = None
        self.candidates: list[EarlierQuestion] = []
        self.batches, self.recorded = list[Batch](), asyncio.Event()  # set by each batch
        # `hashes`: of the requests to models, by their scope, which names one call in an attempt of a phase.
        self.requests, self.hashes = list[ModelRequest](), defaultdict[str, set[str]](set)
        self.tasks: list[CrewTaskRequest] = []
        self.outputs = dict(OUTPUTS)
        self.searches, self.fetches, self.probes = list[str](), list[str](), list[str]()
        self.opened, self.tool_calls = list[PartsRequest](), list[CallToolRequest]()
        self.statuses: dict[str, int] = {}
        self.changed: set[str] = set()
        self.notes: list[Notice] = []
        self.published: str | None = None
        self.repeated: list[bool] = []
        """Which articles repeat a filing, newest first."""
        self.before: Callable[[str, Any], Any] = lambda name, request: None
        self.turn_size = 1
        self.rejected = ""
        self.filed, self.news = listed.FACTS, listed.HITS
        self.unfounded, self.contradicted, self.unjudged = list[str](), list[str](), list[str]()
        self.seals, self.keys, self.partly = Sealer("secret"), Keys(), dict[str, str]()
        """`partly`: the sentences that hold in part, and why."""
        self.making: list[Block] = []
        """What an agent asks its tools for in its first turn; with the web, once it has read."""
        self.answers: dict[str, Any] = ANSWERS | listed.ANSWERS
        """Title of the answer's schema -> a model's answer, or a function of its request."""

    def hold(self, turn: str) -> asyncio.Event:
        """Keep the call of that name waiting until the event that is returned is set."""
        held = asyncio.Event()

        def before(kind: str, request: Any) -> Any:
            return held.wait() if kind == "model" and request.scope.name == turn else None

        self.before = before
        return held

    @property
    def calls(self) -> list[str]:
        """Phase and name of each model call, in order."""
        return [f"{r.scope.phase_id}/{r.scope.name}" for r in self.requests]

    def tasks_by_id(self) -> dict[str, CrewTaskRequest]:
        """The tasks of the shipped crew in its order, whichever was asked for first."""
        asked = {request.task.id: request for request in self.tasks}
        return {task.id: asked[task.id] for task in TASKS}

    def has_asked(self, run_id: str, phase: str) -> bool:
        """Tell whether a run has recorded a checkpoint of a phase."""
        return any(
            event.type == "InputRequiredEvent" and event.payload["phase_id"] == phase
            for batch in self.batches
            if batch.run_id == run_id
            for event in batch.events
        )

    def told(self, role: str, name: str) -> list[str]:
        """What each call of a role was given under a name; empty where it had no such input."""
        asked = [request.messages[0].content[0].inputs for request in self.of(role)]
        return ["".join(i.text for i in inputs if i.name == name) for inputs in asked]

    def of(self, role: str) -> list[ModelRequest]:
        """The calls of a role, in order; of an agent's turns the first alone."""
        return [r for r in self.requests if r.role == role and len(r.messages) == 1]

    @property
    def events(self) -> list[Any]:
        """Everything recorded, in order, each once."""
        return list({e.key: e for batch in self.batches for e in batch.events}.values())

    def all(self) -> list[Callable[..., Any]]:
        own: list[Callable[..., Any]] = [
            *(self.open, self.record, self.edit, self.model),
            *(self.check_claims, self.read_draft, self.judge_claims, self.mend_claims),
        ]
        made: list[Callable[..., Any]] = [
            *(self.calculate, self.table, self.chart, self.chart_table, self.passages)
        ]
        web: list[Callable[..., Any]] = [
            self.search,
            self.fetch,
            self.probe,
            self.open_parts,
            self.list_tools,
            self.call_tool,
            self.facts,
            self.past_prices,
            self.repeats,
        ]
        known: list[Callable[..., Any]] = [self.recall, self.save, self.similar, self.load_report]
        return [*own, *web, *made, *known, self.verify]

    async def _before(self, name: str, request: Any) -> None:
        outcome = self.before(name, request)
        if asyncio.iscoroutine(outcome):
            await outcome

    @activity.defn(name="runs.open")
    async def open(self, request: OpenRequest) -> Opened:
        await self._before("open", request)
        given = request.input
        if given.definition_id not in self.definitions:
            raise ApplicationError("unknown", type="not-found", non_retryable=True)
        parent = self.parents[given.from_run] if given.from_run else None
        return open_run(given, self.definitions[given.definition_id], parent, self.terms)

    @activity.defn(name="runs.record")
    async def record(self, batch: Batch) -> Recorded:
        await self._before("record", batch)
        self.batches.append(batch)
        self.recorded.set()
        for event in batch.events:
            _require_its_type(event)
        usage = sum((phase.usage for phase in batch.phases), Usage())
        return Recorded(usage=usage, rejected=self.rejected)

    @activity.defn(name="runs.edit")
    async def edit(self, request: EditRequest) -> EditedReport:
        await self._before("edit", request)
        return EditedReport(phases=["synthesis"])

    @activity.defn(name="approvals.verify")
    async def verify(self, request: VerifyRequest) -> SealVerification:
        await self._before("verify", request)
        return await ApprovalActivities(self.seals, self.keys).verify(request)  # type: ignore[arg-type]

    @activity.defn(name="startups.recall")
    async def recall(self, request: RecallRequest) -> RecallOutput:
        known = [s for s in self.startups if s.user_id == request.user_id]
        if request.startup_id is None:
            return RecallOutput(startups=known)
        return RecallOutput(startup=next((s for s in known if s.id == request.startup_id), None))

    @activity.defn(name="recall.similar")
    async def similar(self, request: SimilarRequest) -> SimilarResult:
        await self._before("similar", request)
        if self.candidates:
            return SimilarResult(candidates=self.candidates)
        return SimilarResult(finished=self.finished)

    @activity.defn(name="recall.report")
    async def load_report(self, request: ReportRequest) -> SimilarResult:
        await self._before("report", request)
        return SimilarResult(finished=self.finished)

    @activity.defn(name="startups.save")
    async def save(self, request: SaveRequest) -> Startup:
        await self._before("save", request)
        self.saved.append(request.startup)
        others = [s for s in self.startups if s.id != request.startup.id]
        self.startups = [request.startup, *others]
        return request.startup

    @activity.defn(name="models.call")
    async def model(self, request: ModelRequest) -> ModelResult:
        place = request.scope.model_dump_json(exclude={"starts", "told", "told_from"})
        self.hashes[place].add(hash_request(request))
        await self._before("model", request)
        self.requests.append(request)
        if request.may_call and request.tools and (calls := self._tool_calls(request)):
            return ModelResult(content=calls, usage=USAGE)
        if request.output_schema is None:
            return ModelResult(content=[Block(type="text", text="done")], usage=USAGE)
        title = str(request.output_schema["title"])
        output = self.answers.get(request.role) or self.answers[title]
        if callable(output):
            output = output(request)
        text = Block(type="text", text="…")
        return ModelResult(content=[text], output=output, usage=USAGE)

    @activity.defn(name="claims.verify")
    async def check_claims(self, request: CheckRequest) -> CheckedAnswer:
        """Leave every claim without an earlier verdict to the judge; without a judge, judge all claims."""
        await self._before("check", request)
        said: Any = {"output": request.output, "inputs": request.inputs}
        pages, terms = len(request.call.pages or ()), request.call.judge
        judged = [self.judge_claim(claim, pages) for claim in find_claims(said)]
        digests = digest_claims(said, judged, {})
        known = (terms.judged if terms else {}) | request.judged
        left = {
            n: PlacedCheck(check=Check(outcome="open", claim=claim.rule(None)))
            for n, claim in enumerate(judged)
            if terms and terms.model and digests[n] not in known
        }
        shown = [claim.rule(None) if self.restates else None for claim in judged]
        claims = [shown[n] if n in left else claim for n, claim in enumerate(judged)]
        return CheckedAnswer(claims=claims, digests=digests, open=left)

    @activity.defn(name="claims.read_draft")
    async def read_draft(self, request: DraftRequest) -> TextDraft:
        await self._before("draft", request)
        return read_draft(request.text)

    @activity.defn(name="claims.judge")
    async def judge_claims(self, request: JudgeRequest) -> JudgeResult:
        await self._before("judge", request)
        pages = len(request.call.pages or ())
        judged = [self.judge_claim(placed.check.claim, pages) for placed in request.claims]
        given = [
            Judgement(claim=n, verdict=claim.verdict, reason=claim.reason)
            for n, claim in enumerate(judged, start=1)
            if claim.verdict
        ]
        return JudgeResult(verdicts=given)

    @activity.defn(name="claims.mend")
    async def mend_claims(self, request: MendRequest) -> MendResult:
        """Change nothing."""
        await self._before("mend", request)
        return MendResult()

    def _tool_calls(self, request: ModelRequest) -> list[Block]:
        turn = len(request.messages) // 2
        tools = {tool.name: tool for tool in request.tools}
        if "web_search" not in tools:
            said = written(tools.get("update_report"), "And more.")
            return [[*self.making, *said], self.making_next][turn] if turn < 2 else []
        if turn == 0:
            return [Block(type="tool_use", id="s", name="web_search", input={"query": "pumps"})]
        if turn == 1:
            urls = [f"https://example.org/{n}" for n in range(self.turn_size)]
            return [
                Block(type="tool_use", id=url, name="fetch_url", input={"url": url}) for url in urls
            ]
        if turn == 2:
            return [*self.making, *written(tools.get("update_report"), "Pumps sell.", self.lacking)]
        return []

    @activity.defn(name="workbench.calculate")
    async def calculate(self, request: WorkbenchRequest[CalculateArgs]) -> Calculated:
        await self._before("calculate", request)
        return Calculated(expression=request.args.expression, value=42)

    @activity.defn(name="workbench.table")
    async def table(self, request: WorkbenchRequest[TableArgs]) -> Artifact:
        shown = [request.args.columns, *(list(map(str, row)) for row in request.args.rows)]
        return artifact(request.args.title, "table", preview=shown, rows=len(request.args.rows))

    @activity.defn(name="workbench.chart")
    async def chart(self, request: WorkbenchRequest[ChartArgs]) -> Artifact:
        await self._before("chart", request)
        return artifact(request.args.title, "chart", note="What it shows")

    @activity.defn(name="workbench.chart_table")
    async def chart_table(self, request: TableChartRequest) -> Artifact:
        note = f"{', '.join(request.args.columns)} by {request.args.x}"
        return artifact(request.args.title, "chart", note=note, table=request.table.id)

    @activity.defn(name="gaps.passages")
    async def passages(self, request: PassageRequest) -> PassagesFound:
        """Return what every page of the fakes says."""
        await self._before("passages", request)
        told = [
            PagePassage(
                source=p.number,
                start=self.passage_at,
                end=self.passage_at + 11,
                text="Pumps sell.",
                notice=self.notice,
            )
            for p in request.pages
        ]
        by_line = [[*range(len(told))] for _ in request.lines]
        return PassagesFound(passages=told, by_line=by_line, unsearched=[*self.unsearched])

    @activity.defn(name="mcp.list")
    async def list_tools(self, request: ListToolsRequest) -> ToolsListed:
        await self._before("tools", request)
        address = "https://tools.example/mcp"
        listed = [offer_tools(server, address, self.server_tools) for server in request.servers]
        return ToolsListed(servers=listed)

    @activity.defn(name="mcp.call")
    async def call_tool(self, request: CallToolRequest) -> ToolAnswer:
        await self._before("tool", request)
        self.tool_calls.append(request)
        url = f"{TOOL_RESULT}{request.server.name}/{request.tool.name}/{len(self.tool_calls)}"
        origin = {"server": request.server.name, "tool": request.tool.name, "arguments": {}}
        if self.tool_error is not None:
            return ToolAnswer(error=self.tool_error)
        return ToolAnswer(source=page(url, tool=origin, chars=self.page_chars))

    @activity.defn(name="web.search")
    async def search(self, request: SearchRequest) -> SearchResult:
        await self._before("search", request)
        self.searches.append(request.query)
        hits = self.news[: request.max_results] if request.kind == "news" else self.hits
        # A service that a phase chooses lists something else than the usual one.
        return SearchResult(query=request.query, hits=hits[1:] if request.services else hits)

    @activity.defn(name="company.facts")
    async def facts(self, request: FactsRequest) -> CompanyFacts:
        await self._before("facts", request)
        companies = [each.fundamentals for each in (self.filed, *self.filed.others)]
        made = [
            artifact(each.title, "chart" if isinstance(each, ChartArgs) else "table")
            for each in build_exhibits(companies, [], request.today, request.language)
        ]
        return self.filed.model_copy(update={"artifacts": made})

    @activity.defn(name="company.past_prices")
    async def past_prices(self, request: FactsRequest) -> PastPrices:
        await self._before("past_prices", request)
        close = {"currency": "USD", "day": request.as_of, "origin": "close"}
        price = SharePrice.model_validate(close | {"value": 7.5})
        return PastPrices(
            prices=[PastPrice(ticker=each.ticker, price=price) for each in request.each]
        )

    @activity.defn(name="company.repeats")
    async def repeats(self, request: RepeatsRequest) -> Repeats:
        await self._before("repeats", request)
        return Repeats(repeated=self.repeated or [False] * len(request.articles))

    @activity.defn(name="web.fetch")
    async def fetch(self, request: FetchRequest) -> Source:
        await self._before("fetch", request)
        self.fetches.append(request.url)
        return page(
            request.url,
            title=f"Page {request.url[-1]}",
            publisher=f"Publisher {request.url[-1]}",
            published=self.published,
            retrieved_at=self.retrieved,
            notes=self.notes,
            unread=list(self.unread),
            chars=self.page_chars,
        )

    @activity.defn(name="web.parts")
    async def open_parts(self, request: PartsRequest) -> OpenedParts:
        await self._before("parts", request)
        self.opened.append(request)
        start = request.start
        return OpenedParts(parts=[OpenedPart(start=start, end=start + 18_000)])

    @activity.defn(name="web.probe")
    async def probe(self, request: ProbeRequest) -> ProbeResult:
        await self._before("probe", request)
        self.probes.append(request.url)
        status, changed = self.statuses.get(request.url, 200), request.url in self.changed
        return ProbeResult(url=request.url, status=status, changed=changed)

    @activity.defn(name="crews.work")
    async def work(self, request: CrewTaskRequest) -> CrewTaskResult:
        """Read one page and answer with a quote from it, as the task's schema asks."""
        await self._before("work", request)
        self.tasks.append(request)
        found = page(f"https://example.org/{request.task.id}")
        read = [*request.sources, found] if request.agent.toolset else request.sources
        return CrewTaskResult(
            output=self.outputs.get(request.task.id),
            sources=read,
            searches=list(self.crew_searches) if request.agent.toolset else [],
            turns=2,
            usage=USAGE,
        )

    def judge_claim(self, claim: Claim, pages: int) -> Claim:
        """Mark a claim: supported, if it cites these pages and is not unfounded."""
        cited = [c for c in claim.citations if 0 < c.source <= pages]
        holds = bool(cited) and claim.text not in self.unfounded
        verdict: Verdict = "supported" if holds else "not_shown"
        verdict = "contradicted" if claim.text in self.contradicted else verdict
        marked = claim.model_copy(update={"citations": cited})
        if why := self.partly.get(claim.text):
            return marked.rule("partly", Reason(code="judged", params={"text": why}))
        return marked.rule(None if claim.text in self.unjudged else verdict)


def _require_its_type(event: Event) -> None:
    """Fail the run for good where a payload is not what the event's type promises."""
    try:
        PAYLOADS[event.type].validate_python(event.payload)
    except ValidationError as error:
        raise ApplicationError(f"{event.type}: {error}", non_retryable=True) from error


def artifact(name: str, kind: str, **more: Any) -> Artifact:
    """Return what a tool made, under an id that is its name's."""
    slug = re.sub(r"\W+", "-", name).strip("-")
    given = {"id": f"id-{slug}", "name": name, "kind": kind, "media_type": "x/y", "bytes": 1}
    return Artifact.model_validate(given | {"blob_key": "x/0"} | more)


def written(tool: Tool | None, text: str, missing: str = "") -> list[Block]:
    """Return a call that writes a sentence, and the gap, into the first section of a report if the tool exists."""
    if tool is None:
        return []
    section = tool.input_schema["properties"]["section"]["enum"][0]  # type: ignore[index, call-overload]
    given: Json = {"section": section, "add": [{**QUOTED, "text": text}]}
    given |= {"missing": missing} if missing else {}
    return [Block(type="tool_use", id=f"write {text}", name=tool.name, input=given)]
