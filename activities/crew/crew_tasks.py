"""One task of a crew: what its agent asks for, done through the gateway and the journal."""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from temporalio import activity

from activities.crew.conversation import Talk
from activities.crew.thread_bridge import Bridge
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
from domain.source_registry import Desk, Failed, Outcome, asked

if TYPE_CHECKING:
    from activities.calls.model_gateway import Gateway
    from activities.web import WebActivities

Kickoff = Callable[[CrewTaskRequest, Talk], None]
"""Leads the conversation of one task until its agent has answered; blocks."""

ATTEMPTS = 3
"""How often Temporal tries a task; see `workflows/runtime/activity_options.py`."""

EXCUSED = (BudgetExceeded, ModelTruncated, ModelRefused, OutputInvalid)
"""What ends one task without throwing away the pages it has read."""


class CrewActivities:
    """Runs tasks of crews; CrewAI leads the conversation, everything it asks for is done here."""

    def __init__(
        self, kickoff: Kickoff, threads: Executor, gateway: "Gateway", web: "WebActivities"
    ) -> None:
        self._kickoff = kickoff
        self._threads = threads
        self._gateway = gateway
        self._web = web

    @activity.defn(name="crews.work")
    async def work(self, request: CrewTaskRequest) -> CrewTaskResult:
        """Have an agent do its task, and return its typed answer and what it has read.

        A retry repeats the conversation out of the journal: no finished call is made again.
        """
        desk = Desk(list(request.sources), [], request.may_read)
        work = _Work(request, desk, self._gateway, self._web)
        bridge = Bridge(self._threads)
        talk = Talk(work.answer, work.use, desk, bridge)
        excuse: GreenlightError | None = None
        try:
            await bridge.run(self._kickoff, request, talk)
        except EXCUSED as error:
            excuse = error
        if excuse is None and work.output is None:
            excuse = OutputInvalid("the agent gave no answer of its schema")
        return CrewTaskResult(
            output=None if excuse else work.output,
            sources=desk.sources,
            searches=desk.searches,
            turns=work.turns,
            end_reason=excuse.type() if excuse else "completed",
            message=str(excuse or ""),
            usage=work.usage,
        )


class _Work:
    """What one task's agent asks for, carried out."""

    def __init__(
        self, request: CrewTaskRequest, desk: Desk, gateway: "Gateway", web: "WebActivities"
    ) -> None:
        self._request = request
        self._desk = desk
        self._gateway = gateway
        self._web = web
        self.turns = 0
        self.usage = Usage()
        self.output: Json | None = None

    async def answer(self, system: str, messages: list[Message], may_call: bool) -> ModelResult:
        """Return the model's next turn."""
        _go_on()
        wanted = self._request
        self.turns += 1
        result = await self._gateway.call(
            ModelRequest(
                scope=self._scope(f"turn-{self.turns}"),
                role=wanted.agent.id,
                model=wanted.model,
                system=system,
                messages=messages,
                tools=tools_named(wanted.agent.toolset),
                may_call=may_call,
                output_schema=wanted.output_schema,
                max_tokens=wanted.max_tokens,
                cap_usd=wanted.cap_usd,
            ),
            self._pay,
        )
        self.output = result.output
        return result

    def _pay(self, usage: Usage) -> None:
        self.usage += usage

    async def use(self, call: Block) -> Outcome:
        """Carry out a tool call; its failure is an answer, unless trying again may help."""
        _go_on()
        agent = self._request.agent
        args = asked(call, agent.toolset, agent.works_as)
        try:
            match args:
                case WebSearchArgs():
                    return await self._search(call.id, args)
                case FetchUrlArgs():
                    return await self._fetch(call.id, args)
                case ParseContentArgs():
                    return self._desk.part(args)
                case Failed():
                    return args
                case _:
                    return Failed(f"a crew has no {call.name!r}")
        except ToolFailed as error:
            return Failed(str(error))

    async def _search(self, name: str, args: WebSearchArgs) -> Outcome:
        request = SearchRequest(
            scope=self._scope(name),
            query=args.query,
            kind=args.kind,
            max_results=min(args.max_results, self._request.max_results),
            plan_hash=self._request.plan_hash,
        )
        return await self._web.find(request, _settles)

    async def _fetch(self, name: str, args: FetchUrlArgs) -> Outcome:
        if found := self._desk.known(args.url) or self._desk.full():
            return found
        plan_hash = self._request.plan_hash
        request = FetchRequest(scope=self._scope(name), url=args.url, plan_hash=plan_hash)
        return await self._web.read(request, _settles)

    def _scope(self, name: str) -> Scope:
        """Return the scope of a call; its name is the task's own within the phase."""
        task = self._request.task.id
        update = {"plan_step": task, "name": f"{task}-{name}"}
        return self._request.scope.model_copy(update=update)


def _go_on() -> None:
    """Begin nothing in a worker that stops: what is in flight has the whole grace to end."""
    if activity.is_worker_shutdown():
        raise WorkerStopping("this worker stops; another one goes on from the journal")


def _settles(error: GreenlightError) -> bool:
    """Whether the agent is told of a failure: no other try would help, or none is left."""
    if isinstance(error, StoreUnavailable):
        return False
    return not isinstance(error, Transient) or activity.info().attempt >= ATTEMPTS
