"""The toolbox of an agent: executes its tool calls, and is its only way to the web."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from temporalio.exceptions import ActivityError

from activities.calculations_and_charts import WorkbenchActivities
from activities.web.web_activities import WebActivities
from contracts.agents.calculations_and_charts import TableChartRequest, WorkbenchRequest
from contracts.agents.tool_definitions import (
    FETCH_URL,
    TOOLSETS,
    CalculateArgs,
    FetchUrlArgs,
    ParseContentArgs,
    TableArgs,
    TableChartArgs,
    WebSearchArgs,
    tools_named,
)
from contracts.evidence.sources import FetchRequest, SearchRequest, Source
from contracts.models.call import Block, Tool
from domain.agents.agent_tools import (
    NO_PAGE_LEFT,
    ToolError,
    ToolOutcome,
    ask_for_parts,
    parse_arguments,
    take_parts,
)
from domain.evidence.quotes import Span
from domain.sources.source_registry import SourceRegistry, is_long
from domain.sources.urls import compute_url_key
from workflows.agents.report_editor import ReportEditor
from workflows.agents.tool_servers import ServerToolset
from workflows.checkpoints.prices.spending_cap import compute_left_usd
from workflows.phase_context.context import PhaseContext
from workflows.runtime.failures import describe_cause, describe_failure

MAX_ABOUT_CHARS = 400


@dataclass
class Toolbox:
    """The tools of one role in one phase; a human's approval of the plan unlocks the web."""

    run: PhaseContext
    role: str
    max_sources: int = 0
    """Pages to read, in the phase."""
    more_sources: int = 0
    """Pages that may be read beyond them, while the money that is left pays for each."""
    page_usd: float = 0.0
    """Expected cost of a page in all unfinished phases."""
    keep_usd: float = 0.0
    """Budget that is left for later phases."""
    max_results: int = 0
    """Hits of a search."""
    plan_step: str = ""
    editor: ReportEditor | None = None
    """The editor of the living report, if the agent writes it."""
    conversation: str = ""
    """Name of its agent, if several work in one attempt of the phase."""
    visible: dict[str, list[Span]] = field(default_factory=dict)
    """The spans of texts that its conversation contains, by the keys of the texts."""
    share: int | None = None
    """Pages of the phase reserved for its agent until it ends; None if it works alone and may read all.

    Its part of `more_sources` is not among them.
    """
    beside: Mapping[str, int] = field(default_factory=dict)
    """The shares of the agents that work at the same time, by their conversations."""
    servers: ServerToolset | None = None
    """The tools of servers that the approved plan lists for its phase."""

    def __post_init__(self) -> None:
        state, progress = self.run.state, self.run.me.progress
        left = self.max_sources + self.more_sources - progress.pages_read
        self._registry = SourceRegistry(
            state.sources, progress.searches, left, state.artifacts, progress.unread
        )
        self._registry.shown, self._registry.found = state.shown, state.found
        self._reading: dict[str, str] = {}

    def branch(self, **changes: Any) -> "Toolbox":
        """Return a toolbox for a concurrent agent: both number pages together, within one limit."""
        made = replace(self, visible={}, **changes)
        made._registry, made._reading = self._registry, self._reading
        return made

    @property
    def pages_left(self) -> int:
        """How many of the `max_sources` pages its agent may still read; pages being read count.

        The unused share of an agent that has ended goes to those still working.
        """
        in_all = self.max_sources - self.run.me.progress.pages_read - len(self._reading)
        return max(min(self._count_left() - self._own_more, in_all), 0)

    @property
    def more_pages(self) -> int:
        """How many pages its agent may read beyond `pages_left`, as the money left to it pays for them."""
        most = self._count_left() - self.pages_left
        if most <= 0 or self.page_usd <= 0:
            return 0
        left_usd = compute_left_usd(self.run.state, self.keep_usd, len(self.beside) or 1)
        return max(min(most, int(left_usd / self.page_usd) - len(self._reading)), 0)

    @property
    def _own_more(self) -> int:
        """The pages of `more_sources` that are its agent's, of several at work as many as another's."""
        return self.more_sources if self.share is None else self.more_sources // len(self.beside)

    def _count_left(self) -> int:
        """Return how many pages its agent may still read in all, those beyond `max_sources` included."""
        left = self._registry.may_read - len(self._reading)
        if self.share is None:
            return left
        left -= self.more_sources % len(self.beside)
        others = {name: share for name, share in self.beside.items() if name != self.conversation}
        return max(left - sum(self._count_kept(*other) for other in others.items()), 0)

    def _count_kept(self, conversation: str, share: int) -> int:
        """Return how many pages are kept for another agent; once it has ended, its part of `more_sources` alone."""
        cursor = self.run.me.progress.open_cursor(conversation)
        read = cursor.pages_read + sum(agent == conversation for agent in self._reading.values())
        if cursor.end_reason:
            read = max(read, share)
        return max(share + self._own_more - read, 0)

    @property
    def reads_pages(self) -> bool:
        """Return whether the agent has a tool that reads pages."""
        return FETCH_URL in TOOLSETS.get(self.role, ())

    def list_tools(self) -> list[Tool]:
        """Return the tools that the agent may call."""
        tools = tools_named(TOOLSETS.get(self.role, ()), self.max_results)
        tools += self.servers.list_tools() if self.servers else []
        return [*tools, self.editor.build_tool()] if self.editor else tools

    async def call(self, name: str, call: Block) -> ToolOutcome:
        """Execute one call; a failure is its result, a missing approval ends the phase."""
        execute, scope = self.run.calls.execute_activity, self.run.calls.scope(name, self.plan_step)
        if self.servers and call.name in self.servers.granted:
            return await self._call_server(self.servers, name, call)
        try:
            match parse_arguments(call, TOOLSETS.get(self.role, ()), self.role):
                case WebSearchArgs() as args:
                    return await self._search(name, args)
                case FetchUrlArgs() as args:
                    return await self._fetch(name, args)
                case ParseContentArgs() as args:
                    return await self._open(name, args)
                case CalculateArgs() as args:
                    request, label = WorkbenchRequest(scope=scope, args=args), args.expression
                    return await execute(
                        name, WorkbenchActivities.calculate, request, summary=label
                    )
                case TableArgs() as args:
                    table, label = WorkbenchRequest(scope=scope, args=args), f"table: {args.title}"
                    return await execute(name, WorkbenchActivities.table, table, summary=label)
                case TableChartArgs() as args:
                    return await self._draw(name, args)
                case ToolError() as refused:
                    return refused
        except ActivityError as error:
            failure = describe_failure(error)
            self.run.log.tell(failure.words)
            return ToolError.of(failure.words, describe_cause(error))

    async def _draw(self, name: str, args: TableChartArgs) -> ToolOutcome:
        found = self._registry.find_table(args.table)
        if isinstance(found, ToolError):
            return found
        scope = self.run.calls.scope(name, self.plan_step)
        request = TableChartRequest(scope=scope, args=args, table=found)
        return await self.run.calls.execute_activity(
            name, WorkbenchActivities.chart_table, request, summary=f"chart: {args.title}"
        )

    async def _search(self, name: str, args: WebSearchArgs) -> ToolOutcome:
        request = SearchRequest(
            scope=self.run.calls.scope(name, self.plan_step),
            query=args.query,
            kind=args.kind,
            max_results=min(args.max_results or self.max_results, self.max_results),
            conversation=self.conversation,
            services=self.run.calls.choose_services(),
            beside_others=self.share is not None,
            approved=self.run.humans.list_approved_words(),
        )
        return await self.run.calls.execute_activity(
            name, WebActivities.search, request, summary=f"search: {args.query}"
        )

    async def _fetch(self, name: str, args: FetchUrlArgs) -> ToolOutcome:
        source = self._registry.find(args.url)
        if source is None:
            key = compute_url_key(args.url)
            if key not in self._reading:
                if self.pages_left <= 0 and self.more_pages <= 0:
                    return NO_PAGE_LEFT
                self._reading[key] = self.conversation
            request = FetchRequest(
                scope=self.run.calls.scope(name, self.plan_step),
                url=args.url,
                named=self.run.humans.find_named_urls(),
            )
            source = await self.run.calls.execute_activity(
                name, WebActivities.fetch, request, summary=f"read: {args.url}"
            )
            if is_long(source):
                await self.run.humans.ask_about_document(source.url, source.chars)
        try:
            return await self._open_parts(f"{name}-parts", source, args)
        except ActivityError as error:
            self.run.log.tell(describe_failure(error).words)
            return source

    async def _call_server(self, servers: ServerToolset, name: str, call: Block) -> ToolOutcome:
        """Return what a server's tool returned; of a long text what bears most on the call's arguments."""
        outcome = await servers.call(name, self.plan_step, call)
        if isinstance(outcome, ToolError):
            return outcome
        about = " ; ".join(str(value) for value in call.input.values())[:MAX_ABOUT_CHARS]
        try:
            args = FetchUrlArgs(url=outcome.url, about=about)
            return await self._open_parts(f"{name}-parts", outcome, args)
        except ActivityError as error:
            self.run.log.tell(describe_failure(error).words)
            return outcome

    async def _open(self, name: str, args: ParseContentArgs) -> ToolOutcome:
        """Return another part of a source that was read."""
        found = self._registry.find_numbered(args.source)
        return found if isinstance(found, ToolError) else await self._open_parts(name, found, args)

    async def _open_parts(
        self, name: str, source: Source, args: FetchUrlArgs | ParseContentArgs
    ) -> ToolOutcome:
        if isinstance(args, FetchUrlArgs) and not is_long(source):
            return source
        scope = self.run.calls.scope(name, self.plan_step)
        opened = await self.run.calls.execute_activity(
            name,
            WebActivities.open_parts,
            ask_for_parts(source, args, scope),
            summary=f"open: {source.title or source.url}",
        )
        return take_parts(source, args, opened)

    def answer(self, call: Block, outcome: ToolOutcome) -> Block:
        """Return the result as the model reads it; sources get their numbers here, in the order asked."""
        progress, registry = self.run.me.progress, self._registry
        cursor = progress.open_cursor(self.conversation)
        registry.listed, registry.opened = cursor.listed, cursor.opened
        registry.visible = self.visible
        if call.name == FETCH_URL:
            self._reading.pop(compute_url_key(str(call.input.get("url", ""))), None)
        left = registry.may_read
        result = registry.answer(call, outcome)
        cursor.pages_read += left - registry.may_read
        cursor.lacked_pages |= outcome is NO_PAGE_LEFT
        progress.pages_read = self.max_sources + self.more_sources - registry.may_read
        return result
