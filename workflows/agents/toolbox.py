"""Carrying out an agent's tool calls: the one place where an agent meets the web."""

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
    tools_of,
)
from contracts.agents.workbench import Artifact, CalculateRequest, ChartRequest, TableRequest
from contracts.base import Json
from contracts.evidence.sources import FetchRequest, SearchRequest
from contracts.models.call import Block, Tool
from contracts.report.patches import UpdateReportArgs
from contracts.report.research import Search
from domain.source_registry import Desk, Failed, Outcome, asked
from workflows.agents.report_editor import Reviser, Revision
from workflows.report.tool_events import tell
from workflows.runtime.context import PhaseContext

Made = CalculateArgs | TableArgs | ChartArgs


def searches_of(run: PhaseContext) -> list[Search]:
    """Return what this attempt of a phase has searched for so far."""
    stored = run.me.progress.get("searches")
    return [Search.model_validate(s) for s in stored] if isinstance(stored, list) else []


@dataclass(frozen=True)
class Reach:
    """How much of the web an agent may see: pages in all, hits a search."""

    sources: int
    results: int


NO_REACH = Reach(0, 0)


class Toolbox:
    """The tools of one role in one phase; a human's approval of the plan unlocks the web."""

    def __init__(
        self,
        run: PhaseContext,
        role: str,
        *,
        reach: Reach = NO_REACH,
        plan_step: str = "",
        reviser: Reviser | None = None,
    ) -> None:
        self._run = run
        self._role = role
        self._plan_step = plan_step
        self._reviser = reviser
        self._reach = reach
        self._names = (*TOOLSETS.get(role, ()), *((UPDATE_REPORT,) if reviser else ()))
        self.searches = searches_of(run)
        read = int(str(run.me.progress.get("read", 0)))
        self._desk = Desk(
            run.state.sources, self.searches, reach.sources - read, run.state.artifacts
        )

    @property
    def artifacts(self) -> list[Artifact]:
        """What the run's agents made so far, each once."""
        return self._run.state.artifacts

    @property
    def writes(self) -> bool:
        """Whether the agent writes down as it goes what it finds."""
        return self._reviser is not None

    def tools(self) -> list[Tool]:
        """Return what the agent may call."""
        return tools_of(self._role) + ([self._reviser.tool()] if self._reviser else [])

    async def refuse(self, _: Block, reason: str) -> Outcome:
        """Give a call no more than a reason."""
        return Failed(reason)

    async def call(self, name: str, call: Block) -> Outcome | Revision:
        """Carry out one call; its failure is an answer, a missing approval ends the phase."""
        args = asked(call, self._names, self._role)
        try:
            match args:
                case UpdateReportArgs():
                    assert self._reviser is not None
                    return await self._reviser.check(name, args)
                case WebSearchArgs():
                    return await self._search(name, args, self._run.approved_plan().hash)
                case FetchUrlArgs():
                    return await self._fetch(name, args, self._run.approved_plan().hash)
                case ParseContentArgs():
                    return self._part(call, args)
                case CalculateArgs() | TableArgs() | ChartArgs():
                    return await self._make(name, args)
                case Failed():
                    return args
        except ActivityError as error:
            info = self._run.fail_info(error)
            self._run.emit("Status", {"level": "warning", "message": info.message})
            return Failed(info.message)

    async def _search(self, name: str, args: WebSearchArgs, plan_hash: str) -> Outcome:
        request = SearchRequest(
            scope=self._run.scope(name, self._plan_step),
            query=args.query,
            kind=args.kind,
            max_results=min(args.max_results, self._reach.results),
            plan_hash=plan_hash,
        )
        return await self._run.execute_activity(
            name, WebActivities.search, request, summary=f"search: {args.query}"
        )

    async def _fetch(self, name: str, args: FetchUrlArgs, plan_hash: str) -> Outcome:
        if found := self._desk.known(args.url) or self._desk.full():
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

    def _part(self, call: Block, args: ParseContentArgs) -> Outcome:
        """Read on in a page that was fetched: nothing is reached for it."""
        found = self._desk.part(args)
        said: Json = {"tool_id": call.id, "tool_name": call.name, "tool_kwargs": call.input}
        if isinstance(found, Failed):
            tell(self._run.emit, said, str(found), str(found), is_error=True)
        else:
            tell(self._run.emit, said, {"start": found.start, "end": found.end}, found.place)
        return found

    async def _make(self, name: str, args: Made) -> Outcome:
        """Compute, tabulate or draw: it reaches nothing, so nobody has to approve it."""
        run, scope = self._run, self._run.scope(name, self._plan_step)
        match args:
            case CalculateArgs():
                sum_, told = CalculateRequest(scope=scope, args=args), args.expression
                return await run.execute_activity(
                    name, WorkbenchActivities.calculate, sum_, summary=told
                )
            case TableArgs():
                table, told = TableRequest(scope=scope, args=args), f"table: {args.title}"
                return await run.execute_activity(
                    name, WorkbenchActivities.table, table, summary=told
                )
            case ChartArgs():
                chart, told = ChartRequest(scope=scope, args=args), f"chart: {args.title}"
                return await run.execute_activity(
                    name, WorkbenchActivities.chart, chart, summary=told
                )

    def result(self, call: Block, outcome: Outcome | Revision) -> Block:
        """Return what the model is told; sources get their numbers here, in the order asked."""
        if self._reviser and call.name == UPDATE_REPORT:
            assert isinstance(outcome, Revision | Failed)
            return self._reviser.write(call, outcome)
        assert not isinstance(outcome, Revision)
        progress = self._run.me.progress
        listed = progress.get("listed")  # anew with each conversation, as its other messages
        self._desk.listed = set(map(str, listed)) if isinstance(listed, list) else set()
        told = self._desk.result(call, outcome)
        progress["listed"] = [*sorted(self._desk.listed)]
        progress["searches"] = [s.model_dump() for s in self.searches]
        progress["read"] = self._reach.sources - self._desk.may_read
        return told
