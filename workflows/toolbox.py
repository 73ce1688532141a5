"""Carrying out an agent's tool calls: the one place where an agent meets the web."""

from dataclasses import dataclass

from pydantic import ValidationError
from temporalio.exceptions import ActivityError

from activities.web import WebActivities
from contracts.models import BlobRef, Block, Input
from contracts.research import Search
from contracts.tools import FetchUrlArgs, WebSearchArgs
from contracts.web import FetchRequest, SearchRequest, SearchResult, Source
from workflows.context import PhaseContext
from workflows.prompts.fences import data
from workflows.tools import ARGS, TOOLSETS

PAGE_CHARS = 8_000
"""How much of a page an agent reads; the whole text stays in its snapshot."""


@dataclass(frozen=True)
class Failed:
    """A call that gave nothing, and why."""

    reason: str


Outcome = SearchResult | Source | Failed


class Toolbox:
    """The tools of one role in one phase, unlocked by a human's approval of the plan."""

    def __init__(self, run: PhaseContext, role: str, *, max_sources: int, max_results: int) -> None:
        self._run = run
        self._role = role
        self._max_sources = max_sources
        self._max_results = max_results
        stored = run.me.progress.get("searches")
        self.searches = [
            Search.model_validate(s) for s in (stored if isinstance(stored, list) else [])
        ]

    async def refuse(self, _: Block, reason: str) -> Outcome:
        """Give a call no more than a reason."""
        return Failed(reason)

    async def call(self, name: str, call: Block) -> Outcome:
        """Carry out one call; its failure is an answer, a missing approval ends the phase."""
        if call.name not in TOOLSETS.get(self._role, ()):
            return Failed(f"there is no tool {call.name!r} for a {self._role}")
        plan_hash = self._run.approved_plan().hash
        try:
            args = ARGS[call.name].model_validate(call.input)
        except ValidationError as error:
            return Failed(str(error.errors()[0]["msg"]))
        try:
            if isinstance(args, WebSearchArgs):
                return await self._search(name, args, plan_hash)
            assert isinstance(args, FetchUrlArgs)
            return await self._fetch(name, args, plan_hash)
        except ActivityError as error:
            info = self._run.fail_info(error)
            self._run.emit("Status", {"level": "warning", "message": info.message})
            return Failed(info.message)

    async def _search(self, name: str, args: WebSearchArgs, plan_hash: str) -> Outcome:
        request = SearchRequest(
            scope=self._run.scope(name),
            query=args.query,
            max_results=min(args.max_results, self._max_results),
            plan_hash=plan_hash,
        )
        return await self._run.call(
            name, WebActivities.search, request, summary=f"search: {args.query}"
        )

    async def _fetch(self, name: str, args: FetchUrlArgs, plan_hash: str) -> Outcome:
        known = [s for s in self._run.state.sources if s.url == args.url]
        if known:
            return known[0]
        if self._is_full():
            return Failed(f"{self._max_sources} sources were read, which is the limit")
        request = FetchRequest(scope=self._run.scope(name), url=args.url, plan_hash=plan_hash)
        return await self._run.call(name, WebActivities.fetch, request, summary=f"read: {args.url}")

    def result(self, call: Block, outcome: Outcome) -> Block:
        """Return what the model is told; sources get their numbers here, in the order asked."""
        failed = isinstance(outcome, Failed)
        return Block(
            type="tool_result", id=call.id, inputs=[self._told(call, outcome)], is_error=failed
        )

    def _told(self, call: Block, outcome: Outcome) -> Input:
        if isinstance(outcome, Source):
            return self._page(outcome)
        if isinstance(outcome, SearchResult):
            self._log(call, len(outcome.hits))
            return data("results", [hit.model_dump() for hit in outcome.hits])
        if call.name == "web_search":
            self._log(call, 0, outcome.reason)
        return data("error", outcome.reason)

    def _log(self, call: Block, hits: int, error: str = "") -> None:
        query = str(call.input.get("query", ""))
        self.searches.append(Search(query=query, hits=hits, error=error))
        self._run.me.progress["searches"] = [s.model_dump() for s in self.searches]

    def _page(self, source: Source) -> Input:
        number = self._number(source)
        if number is None:
            return data("error", f"{self._max_sources} sources were read, which is the limit")
        about = "\n".join(
            f"{name}: {value}"
            for name, value in (
                ("url", source.url),
                ("title", source.title),
                ("publisher", source.publisher),
                ("published", source.published),
            )
            if value
        )
        page = BlobRef(key=source.text_key, chars=PAGE_CHARS)
        return Input(name=f"source-{number}", text=f"{about}\n\n", blob=page)

    def _number(self, source: Source) -> int | None:
        """Return a source's number, given now if it is new and the limit allows."""
        sources = self._run.state.sources
        for number, known in enumerate(sources, start=1):
            if known.url == source.url or known.content_hash == source.content_hash:
                return number
        if self._is_full():
            return None
        sources.append(source)
        self._run.me.progress["read"] = self._read + 1
        return len(sources)

    def _is_full(self) -> bool:
        return self._read >= self._max_sources

    @property
    def _read(self) -> int:
        """How many sources this attempt added; those of earlier ones keep their numbers."""
        return int(str(self._run.me.progress.get("read", 0)))
