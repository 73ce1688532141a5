"""A whole piece of research, driven by hand: the prompts' inputs, the services' answers."""

import json
from dataclasses import dataclass, field
from typing import Any

import trafilatura

from contracts.agents.tools import tools_of
from contracts.base import get_answer_schema
from contracts.evidence.claims import Claim
from contracts.evidence.sources import SearchHit, SearchResult
from contracts.models.call import Block
from contracts.report.drafts import Findings
from contracts.report.research import PlanDraft, Report
from domain.evidence.quotes import Snapshot
from domain.evidence.verification import Evidence, verify_claim
from domain.report.report_claims import list_claims
from domain.source_registry import PAGE_CHARS, SourceRegistry
from tests.offline.asking import Json, body, fence
from tests.offline.conftest import Services
from tests.offline.test_questions import SCHEMA as QUESTIONS
from workflows.phases.synthesis import ONE_SOURCE_CHARS

TOOLS = [tool.model_dump() for tool in tools_of("researcher")]
MOST_TURNS = 12


@dataclass
class Research:
    """What came of it."""

    questions: list[Json]
    plan: PlanDraft
    urls: list[str]
    titles: list[str]
    texts: list[str]
    findings: Findings
    report: Report
    turns: int
    verdicts: list[Claim] = field(default_factory=list)

    def unsupported(self) -> list[Claim]:
        """Return the report's claims that the application's own check refuses."""
        pairs = zip(self.titles, self.texts, strict=True)
        sources = {n: Evidence(t, Snapshot(text)) for n, (t, text) in enumerate(pairs, 1)}
        checked = [verify_claim(claim, sources) for claim in claims_of(self.report)]
        return [claim for claim in checked if claim.verdict != "supported"]


def claims_of(report: Report) -> list[Claim]:
    return list_claims(report)


class Walker:
    """Walks one question from clarification to report."""

    def __init__(self, services: Services, question: str, answers: list[str | None]) -> None:
        self._services = services
        self._question = question
        self._answers = answers
        self._urls: list[str] = []
        self._titles: list[str] = []
        self._texts: list[str] = []
        self._desk = SourceRegistry([], [], may_read=0)

    async def walk(self) -> Research:
        """Ask, plan, search, read and report."""
        asked = await self._typed(QUESTIONS, question=self._question, max_questions="3")
        questions = asked["questions"]
        replies = [*self._answers, None, None, None]
        answers = [
            {"id": f"q{n}", "question": q["question"], "answer": replies[n]}
            for n, q in enumerate(questions)
        ]
        basis: Json = {"question": self._question, "answers": answers}
        drafted = await self._typed(get_answer_schema(PlanDraft), **basis, max_plan_steps="3")
        plan = PlanDraft.model_validate(drafted)
        findings, turns = await self._research(basis, plan)
        share = min(ONE_SOURCE_CHARS, 60_000 // max(1, len(self._texts)))
        pages: Json = {
            f"source-{n}": f"{title}\n\n{text[:share]}"
            for n, (title, text) in enumerate(zip(self._titles, self._texts, strict=True), 1)
        }
        shown = plan.model_dump(include={"goal", "outline"})
        noted = [finding.model_dump() for finding in findings.findings]
        report = await self._typed(
            get_answer_schema(Report), 6_000, **basis, plan=shown, findings=noted, **pages
        )
        return Research(
            questions,
            plan,
            self._urls,
            self._titles,
            self._texts,
            findings,
            Report.model_validate(report),
            turns,
        )

    async def _post(self, request: Json) -> Json:
        response = await self._services.http.post("/v1/messages", json=request)
        assert response.status_code == 200, response.text
        message: Json = response.json()
        assert message["stop_reason"] in {"end_turn", "tool_use"}
        return message

    async def _typed(self, schema: Json, max_tokens: int = 2_500, **inputs: Any) -> Json:
        request = body(fence(inputs), schema=schema, max_tokens=max_tokens)
        return dict(json.loads((await self._post(request))["content"][0]["text"]))

    async def _research(self, basis: Json, plan: PlanDraft) -> tuple[Findings, int]:
        text = fence({**basis, "plan": plan.model_dump(), "max_sources": "20"})
        messages: list[Json] = [{"role": "user", "content": text}]
        schema = get_answer_schema(Findings)
        for number in range(1, MOST_TURNS + 1):
            request = body("", schema=schema, tools=TOOLS, max_tokens=3_000)
            message = await self._post(request | {"messages": messages})
            uses = [block for block in message["content"] if block["type"] == "tool_use"]
            if not uses:
                return Findings.model_validate_json(message["content"][0]["text"]), number
            results = [await self._use(use) for use in uses]
            messages += [
                {"role": "assistant", "content": message["content"]},
                {"role": "user", "content": results},
            ]
        raise AssertionError("the agent came to no end")

    async def _use(self, use: Json) -> Json:
        given = use["input"]
        told = await (self._search(use) if "query" in given else self._fetch(given["url"]))
        return {"type": "tool_result", "tool_use_id": use["id"], "content": fence(told)}

    async def _search(self, use: Json) -> Json:
        query = use["input"]["query"]
        params: dict[str, str | int] = {"q": query, "count": 5}
        response = await self._services.http.get("/res/v1/web/search", params=params)
        found = response.json().get("web", {}).get("results", [])
        hits = [
            SearchHit(url=h["url"], title=h["title"], snippet=" ".join(h["description"].split()))
            for h in found
        ]
        call = Block(type="tool_use", id=use["id"], name=use["name"], input=use["input"])
        told = self._desk.answer(call, SearchResult(query=query, hits=hits))
        return {one.name: one.text for one in told.inputs}

    async def _fetch(self, url: str) -> Json:
        response = await self._services.http.get(url)
        is_html = response.headers["content-type"].startswith("text/html")
        text = (trafilatura.extract(response.text) if is_html else response.text.strip()) or ""
        title = (
            trafilatura.extract_metadata(response.text).title if is_html else text.split("\n")[0]
        )
        self._urls.append(url)
        self._titles.append(str(title).lstrip("# "))
        self._texts.append(text)
        about = f"url: {url}\ntitle: {self._titles[-1]}\n\n"
        return {f"source-{len(self._texts)}": about + text[:PAGE_CHARS]}
