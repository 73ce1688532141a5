"""The toolbox of an agent: executes its tool calls, and is its only way to the web."""

from dataclasses import dataclass

from temporalio.exceptions import ActivityError

from activities.web import WebActivities
from activities.workbench import WorkbenchActivities
from contracts.agents.tools import (
    TOOLSETS,
    UPDATE_REPORT,
    CalculateArgs,
    ChartArgs,
    FetchUrlArgs,
    ParseContentArgs,
    TableArgs,
    WebSearchArgs,
    tools_named,
)
from contracts.agents.workbench import WorkbenchRequest
from contracts.base import Json
from contracts.evidence.sources import FetchRequest, SearchRequest
from contracts.models.call import Block, Tool
from contracts.report.patches import UpdateReportArgs
from domain.source_registry import SourceRegistry, ToolError, ToolOutcome, parse_arguments
from workflows.agents.report_editor import ReportEditor, Revision
from workflows.runtime.context import PhaseContext
from workflows.runtime.tool_events import log_tool_call


@dataclass(frozen=True)
class WebLimits:
    """Bounds on an agent's use of the web: pages in all, hits a search."""

    sources: int
    results: int


NO_WEB = WebLimits(0, 0)


class Toolbox:
    """The tools of one role in one phase; a human's approval of the plan unlocks the web."""

    def __init__(
        self,
        run: PhaseContext,
        role: str,
        *,
        limits: WebLimits = NO_WEB,
        plan_step: str = "",
        editor: ReportEditor | None = None,
    ) -> None:
        self._run = run
        self._role = role
        self._plan_step = plan_step
        self._editor = editor
        self._limits = limits
        self._names = (*TOOLSETS.get(role, ()), *((UPDATE_REPORT,) if editor else ()))
        progress = run.me.progress
        self.searches = list(progress.searches)
        left = limits.sources - progress.pages_read
        self._registry = SourceRegistry(run.state.sources, self.searches, left, run.state.artifacts)

    @property
    def writes_report(self) -> bool:
        """Tell whether the agent writes the living report."""
        return self._editor is not None

    def list_tools(self) -> list[Tool]:
        """Return the tools that the agent may call."""
        tools = tools_named(TOOLSETS.get(self._role, ()))
        return [*tools, self._editor.build_tool()] if self._editor else tools

    async def refuse(self, reason: str) -> ToolOutcome:
        """Return an error for a call that is not executed."""
        return ToolError(reason)

    async def call(self, name: str, call: Block) -> ToolOutcome | Revision:
        """Execute one call; a failure is its result, a missing approval ends the phase."""
        args = parse_arguments(call, self._names, self._role)
        try:
            match args:
                case UpdateReportArgs():
                    assert self._editor is not None
                    return self._editor.propose(args)
                case WebSearchArgs():
                    return await self._search(name, args, self._run.require_approved_plan().hash)
                case FetchUrlArgs():
                    return await self._fetch(name, args, self._run.require_approved_plan().hash)
                case ParseContentArgs():
                    return self._read_part(call, args)
                case CalculateArgs() | TableArgs() | ChartArgs():
                    return await self._run_workbench(name, args)
                case ToolError():
                    return args
        except ActivityError as error:
            info = self._run.describe_failure(error)
            self._run.emit("Status", {"level": "warning", "message": info.message})
            return ToolError(info.message)

    async def _search(self, name: str, args: WebSearchArgs, plan_hash: str) -> ToolOutcome:
        request = SearchRequest(
            scope=self._run.scope(name, self._plan_step),
            query=args.query,
            kind=args.kind,
            max_results=min(args.max_results, self._limits.results),
            plan_hash=plan_hash,
        )
        return await self._run.execute_activity(
            name, WebActivities.search, request, summary=f"search: {args.query}"
        )

    async def _fetch(self, name: str, args: FetchUrlArgs, plan_hash: str) -> ToolOutcome:
        if found := self._registry.find(args.url) or self._registry.check_limit():
            return found
        request = FetchRequest(
            scope=self._run.scope(name, self._plan_step),
            url=args.url,
            plan_hash=plan_hash,
            named=self._run.find_named_urls(),
        )
        return await self._run.execute_activity(
            name, WebActivities.fetch, request, summary=f"read: {args.url}"
        )

    def _read_part(self, call: Block, args: ParseContentArgs) -> ToolOutcome:
        """Return a part of a fetched page, without a request."""
        found = self._registry.read_part(args)
        said: Json = {"tool_id": call.id, "tool_name": call.name, "tool_kwargs": call.input}
        if isinstance(found, ToolError):
            log_tool_call(self._run.emit, said, str(found), str(found), is_error=True)
        else:
            place: Json = {"start": found.start, "end": found.end}
            log_tool_call(self._run.emit, said, place, found.place)
        return found

    async def _run_workbench(
        self, name: str, args: CalculateArgs | TableArgs | ChartArgs
    ) -> ToolOutcome:
        """Compute, tabulate or draw; without the web, this needs no approval."""
        execute, scope = self._run.execute_activity, self._run.scope(name, self._plan_step)
        match args:
            case CalculateArgs():
                request, label = WorkbenchRequest(scope=scope, args=args), args.expression
                return await execute(name, WorkbenchActivities.calculate, request, summary=label)
            case TableArgs():
                table, label = WorkbenchRequest(scope=scope, args=args), f"table: {args.title}"
                return await execute(name, WorkbenchActivities.table, table, summary=label)
            case ChartArgs():
                chart, label = WorkbenchRequest(scope=scope, args=args), f"chart: {args.title}"
                return await execute(name, WorkbenchActivities.chart, chart, summary=label)

    def answer(self, call: Block, outcome: ToolOutcome | Revision) -> Block:
        """Return the result as the model reads it; sources get their numbers here, in the order asked."""
        if self._editor and call.name == UPDATE_REPORT:
            assert isinstance(outcome, Revision | ToolError)
            return self._editor.write(call, outcome)
        assert not isinstance(outcome, Revision)
        progress = self._run.me.progress
        self._registry.listed = set(progress.agent.listed)
        result = self._registry.answer(call, outcome)
        progress.agent.listed = sorted(self._registry.listed)
        progress.searches = list(self.searches)
        progress.pages_read = self._limits.sources - self._registry.may_read
        return result
