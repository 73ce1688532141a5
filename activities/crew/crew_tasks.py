"""Activity that runs one task of a crew; its calls go through the model gateway and the journal."""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from temporalio import activity

from activities.crew.conversation import CrewConversation
from activities.crew.thread_bridge import ThreadBridge
from contracts.agents.crews import CrewTaskRequest, CrewTaskResult
from contracts.agents.tools import FetchUrlArgs, ParseContentArgs, WebSearchArgs, tools_named
from contracts.base import Json
from contracts.errors import (
    BudgetExceeded,
    GreenlightError,
    ModelRefused,
    ModelTruncated,
    OutputInvalid,
    StoreUnavailable,
    ToolFailed,
    Transient,
    WorkerStopping,
)
from contracts.evidence.sources import FetchRequest, SearchRequest
from contracts.models.call import Block, Message, ModelRequest, ModelResult, Scope
from contracts.terms import Usage
from domain.source_registry import (
    SourceRegistry,
    ToolError,
    ToolOutcome,
    citable_pages,
    parse_arguments,
)

if TYPE_CHECKING:
    from activities.calls.model_gateway import ModelGateway
    from activities.web import WebActivities

Kickoff = Callable[[CrewTaskRequest, CrewConversation], None]
"""Runs the conversation of one task until its agent has answered; blocks."""

ATTEMPTS = 3
"""Attempts that Temporal makes at a task; see `workflows/runtime/activity_options.py`."""

ENDING_ERRORS = (BudgetExceeded, ModelTruncated, ModelRefused, OutputInvalid)
"""Errors that end a task but keep the pages it has read."""


class CrewActivities:
    """Runs tasks of crews; CrewAI leads the conversation and makes no call of its own."""

    def __init__(
        self, kickoff: Kickoff, threads: Executor, gateway: "ModelGateway", web: "WebActivities"
    ) -> None:
        self._kickoff = kickoff
        self._threads = threads
        self._gateway = gateway
        self._web = web

    @activity.defn(name="crews.work")
    async def work(self, request: CrewTaskRequest) -> CrewTaskResult:
        """Have an agent do its task; return its typed output and the sources it has read.

        A retry replays the conversation from the journal: no finished call is made again.
        """
        registry = SourceRegistry(list(request.sources), [], request.may_read)
        session = _TaskSession(request, registry, self._gateway, self._web)
        bridge = ThreadBridge(self._threads)
        conversation = CrewConversation(session.request_turn, session.call_tool, registry, bridge)
        error: GreenlightError | None = None
        try:
            await bridge.run(self._kickoff, request, conversation)
        except ENDING_ERRORS as ending:
            error = ending
        if error is None and session.output is None:
            error = OutputInvalid("the agent gave no answer that matches its schema")
        return CrewTaskResult(
            output=None if error else session.output,
            sources=registry.sources,
            searches=registry.searches,
            turns=session.turns,
            end_reason=error.type() if error else "completed",
            message=str(error or ""),
            usage=session.usage,
        )


class _TaskSession:
    """One task's model and tool calls, with what they have cost."""

    def __init__(
        self,
        request: CrewTaskRequest,
        registry: SourceRegistry,
        gateway: "ModelGateway",
        web: "WebActivities",
    ) -> None:
        self._request = request
        self._registry = registry
        self._gateway = gateway
        self._web = web
        self.turns = 0
        self.usage = Usage()
        self.output: Json | None = None

    async def request_turn(
        self, system: str, messages: list[Message], may_call: bool
    ) -> ModelResult:
        """Return the model's next turn."""
        _check_worker()
        request = self._request
        self.turns += 1
        result = await self._gateway.call(
            ModelRequest(
                scope=self._scope(f"turn-{self.turns}"),
                role=request.agent.id,
                model=request.model,
                system=system,
                messages=messages,
                tools=tools_named(request.agent.toolset),
                may_call=may_call,
                output_schema=request.output_schema,
                max_tokens=request.max_tokens,
                cap_usd=request.cap_usd,
                pages=citable_pages(self._registry.sources),
            ),
            self._add_usage,
        )
        self.output = result.output
        return result

    def _add_usage(self, usage: Usage) -> None:
        self.usage += usage

    async def call_tool(self, call: Block) -> ToolOutcome:
        """Execute a tool call; a failure is its result, unless a retry may help."""
        _check_worker()
        agent = self._request.agent
        args = parse_arguments(call, agent.toolset, agent.works_as)
        try:
            match args:
                case WebSearchArgs():
                    return await self._search(call.id, args)
                case FetchUrlArgs():
                    return await self._fetch(call.id, args)
                case ParseContentArgs():
                    return self._registry.read_part(args)
                case ToolError():
                    return args
                case _:
                    return ToolError(f"a crew has no tool {call.name!r}")
        except ToolFailed as error:
            return ToolError(str(error))

    async def _search(self, name: str, args: WebSearchArgs) -> ToolOutcome:
        request = SearchRequest(
            scope=self._scope(name),
            query=args.query,
            kind=args.kind,
            max_results=min(args.max_results, self._request.max_results),
            plan_hash=self._request.plan_hash,
        )
        return await self._web.find(request, _settles)

    async def _fetch(self, name: str, args: FetchUrlArgs) -> ToolOutcome:
        if found := self._registry.find(args.url) or self._registry.refuse_more():
            return found
        request = FetchRequest(
            scope=self._scope(name),
            url=args.url,
            plan_hash=self._request.plan_hash,
            named=self._request.named,
        )
        return await self._web.read(request, _settles)

    def _scope(self, name: str) -> Scope:
        """Return a call's scope; its name is unique to the task within the phase."""
        task = self._request.task.id
        update = {"plan_step": task, "name": f"{task}-{name}"}
        return self._request.scope.model_copy(update=update)


def _check_worker() -> None:
    """Start no call while the worker stops: those in flight have the whole grace period."""
    if activity.is_worker_shutdown():
        raise WorkerStopping("this worker is stopping; another one continues from the journal")


def _settles(error: GreenlightError) -> bool:
    """Tell whether a failure is the call's result: a retry would not help, or none is left."""
    if isinstance(error, StoreUnavailable):
        return False
    return not isinstance(error, Transient) or activity.info().attempt >= ATTEMPTS
