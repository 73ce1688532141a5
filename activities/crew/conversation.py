"""One task's conversation: CrewAI's messages as model requests, and the calls that it makes."""

import json
from collections import Counter
from math import floor
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from temporalio import activity

from activities.calls.call_events import count_attempts
from activities.crew.thread_bridge import ThreadBridge
from contracts.agents.crews import CrewTaskRequest
from contracts.agents.server_tools import CallToolRequest, GrantedTool
from contracts.agents.tool_definitions import (
    ARGS,
    FetchUrlArgs,
    ParseContentArgs,
    WebSearchArgs,
    tools_named,
)
from contracts.base import Json
from contracts.errors import (
    BudgetExceeded,
    NoPageLeft,
    ToolFailed,
    ToolServerRefused,
    WorkerStopping,
)
from contracts.evidence.sources import FetchRequest, SearchRequest, Source
from contracts.models.call import (
    LAST,
    Block,
    Message,
    ModelRequest,
    ModelResult,
    Scope,
    build_inputs,
)
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause, LostInput
from domain.agents.agent_tools import (
    NO_PAGE_LEFT,
    ToolError,
    ToolOutcome,
    ask_for_parts,
    parse_arguments,
    take_parts,
)
from domain.agents.tool_servers import explain_answer, show_tool
from domain.sources.source_registry import SourceRegistry, is_long

if TYPE_CHECKING:
    from activities.calls.model_gateway import ModelGateway
    from activities.tool_servers import ToolServerActivities
    from activities.web.web_activities import WebActivities

CrewMessage = dict[str, Any]
"""CrewAI's message: role, content, an assistant's tool calls, the call's id of a tool's result."""

ANSWER_NOW = "This is your last turn: answer now, by the rules above, from what you have read."
ANSWERED = "Final Answer: given"
"""Placeholder that CrewAI sees instead of answers, in whose text it would look for tool calls."""


class CrewConversation:
    """The conversation of one task; remembers what CrewAI drops: whole turns and tool results.

    CrewAI's thread calls `request_turn` and `call_tool`, which block while the bridge's loop works.
    """

    def __init__(
        self,
        request: CrewTaskRequest,
        gateway: "ModelGateway",
        web: "WebActivities",
        bridge: ThreadBridge,
        servers: "ToolServerActivities | None" = None,
    ) -> None:
        self.registry = SourceRegistry(list(request.sources), [], request.may_read)
        self.registry.shown = dict(request.shown)
        self.number_of_turns = 0
        self.is_last = False
        """Whether no further turn follows because the money is nearly used up."""
        self.usage = Usage()
        self.lost_inputs: list[LostInput] = []
        self.output: Json | None = None
        self._request = request
        self._gateway = gateway
        self._web = web
        self._servers = servers
        self._tools = {tool.called: tool for tool in request.server_tools}
        self.aliases = {f"server_tool_{n}": called for n, called in enumerate(self._tools, 1)}
        """CrewAI's aliases of servers' tools, because it mangles their names."""
        self.server_calls: Counter[str] = Counter()
        self._bridge = bridge
        self._number_of_calls = 0
        self._turns: dict[str, list[Block]] = {}
        self._calls: dict[str, Block] = {}
        self._outcomes: dict[str, ToolOutcome] = {}
        self._failures: Counter[str] = Counter()
        """Failed reads by URL, because equal requests would otherwise be one call."""
        self._results: dict[str, Block] = {}
        self._left: dict[str, Block] = {}
        """The remaining budget shown after a turn, by the id of its last call."""

    def request_turn(
        self, crew_messages: list[CrewMessage], *, may_call: bool
    ) -> str | list[CrewMessage]:
        """Return the tool calls of the model's next turn, or `ANSWERED`."""
        messages = self._convert(crew_messages)
        result = self._bridge.call(lambda: self._call_model(messages, may_call))
        calls = [block for block in result.content if block.type == "tool_use"]
        for call in calls:
            self._turns[call.id] = result.content
            self._calls[call.id] = call
        if calls and may_call:
            names = {called: alias for alias, called in self.aliases.items()}
            return [
                {"id": c.id, "name": names.get(c.name, c.name), "input": c.input} for c in calls
            ]
        return ANSWERED

    def call_tool(self, name: str, arguments: Json) -> str:
        """Execute a tool call; only the model sees the result.

        CrewAI gets a different text for each call: it ends an agent that receives the same text five times.
        """
        name = self.aliases.get(name, name)
        key = _call_key(name, arguments)
        call = next((c for c in self._calls.values() if _call_key(c.name, c.input) == key), None)
        call = call or Block(type="tool_use", id=key, name=name, input=arguments)
        self._outcomes[key] = self._bridge.call(lambda: self._execute(call))
        self._number_of_calls += 1
        return f"result {self._number_of_calls}"

    def _convert(self, crew_messages: list[CrewMessage]) -> list[Message]:
        """Return the task, followed by the turns with tool calls and their results.

        CrewAI's own prompts are dropped, because they tell an agent to ignore its instructions.
        Consecutive messages of one role are merged.
        """
        messages = [self._open()]
        newest = [m["tool_call_id"] for m in crew_messages if m["role"] == "tool"][-1:]
        for crew_message in crew_messages:
            if crew_message["role"] == "tool":
                call, result = crew_message["tool_call_id"], self._to_result(crew_message)
                if call in newest:
                    self._left.setdefault(call, self._count_what_is_left())
                left = [self._left[call]] if call in self._left else []
                said = Message(role="user", content=[result, *left])
            elif calls := crew_message.get("tool_calls"):
                said = Message(role="assistant", content=[*self._turns[calls[0]["id"]]])
            else:
                continue
            if messages[-1].role == said.role:
                messages[-1].content.extend(said.content)
            else:
                messages.append(said)
        return messages

    def _open(self) -> Message:
        """Return the message with the task and the results of earlier tasks."""
        request = self._request
        task = f"{request.task.description}\n\nExpected: {request.task.expected_output}"
        given = [*request.inputs, *request.context]
        return Message(role="user", content=[Block(type="inputs", text=task, inputs=given)])

    def _to_result(self, message: CrewMessage) -> Block:
        """Return a tool's result as the model sees it; sources are numbered in this order."""
        call = self._calls[message["tool_call_id"]]
        if call.id not in self._results:
            outcome = self._outcomes.get(_call_key(call.name, call.input))
            self._results[call.id] = (
                Block(type="tool_result", id=call.id, text=_text(message), is_error=True)
                if outcome is None  # CrewAI itself refused the call
                else self.registry.answer(call, outcome)
            )
        return self._results[call.id]

    async def _call_model(self, messages: list[Message], may_call: bool) -> ModelResult:
        """Return the model's next turn, as the event loop calls it.

        Where the cap does not also pay for a last turn after it, it is the last: the agent answers. A retry
        goes on with the last turn that an earlier attempt paid for, though the money may suffice by now.
        """
        _check_worker()
        request = self._request
        self.number_of_turns += 1
        asked = ModelRequest(
            scope=self._scope(f"turn-{self.number_of_turns}"),
            role=request.agent.id,
            model=request.model,
            system=request.system,
            messages=messages,
            tools=[
                *tools_named(request.agent.toolset, request.max_results),
                *(show_tool(n, t.server.name, t.offered) for n, t in self._tools.items()),
            ],
            output_schema=request.output_schema,
            max_tokens=request.max_tokens,
            cap_usd=request.cap_usd,
            kept_usd=request.kept_usd,
            kept_turns=1,
        )
        last = _end(asked.derive(LAST))
        try:
            is_retry = may_call and count_attempts(asked.scope) > 1
            if is_retry and await self._gateway.has_paid(last.scope):
                self.is_last = True
            now = last if self.is_last else asked if may_call else _end(asked)
            result = await self._gateway.ask(now, self._add_usage)
        except BudgetExceeded as met:
            if self.is_last or not may_call or waits_for_human(request, met):
                raise
            self.is_last = True
            result = await self._gateway.ask(last, self._add_usage)
        self.output = result.output
        self.lost_inputs += [lost for lost in result.lost_inputs if lost not in self.lost_inputs]
        return result

    def _count_what_is_left(self) -> Block:
        """Return the budget shown to an agent before a turn: the turns, pages and dollars that are left."""
        cents = max(floor(100 * (self._request.left_usd - self.usage.usd) + 1e-6), 0)
        left: Json = {"turns_left": self._request.max_turns - self.number_of_turns}
        left["pages_left"] = max(self.registry.may_read, 0)
        return Block(type="inputs", inputs=build_inputs(left=left | {"usd_left": cents / 100}))

    def _add_usage(self, usage: Usage) -> None:
        self.usage += usage

    async def _execute(self, call: Block) -> ToolOutcome:
        """Execute a tool call; a failure is its result, unless a retry may help."""
        _check_worker()
        agent = self._request.agent
        if tool := self._tools.get(call.name):
            return await self._call_server(call, tool)
        args = parse_arguments(call, agent.toolset, agent.works_as)
        try:
            match args:
                case WebSearchArgs():
                    return await self._search(call.id, args)
                case FetchUrlArgs():
                    return await self._fetch(call.id, args)
                case ParseContentArgs():
                    found = self.registry.find_numbered(args.source)
                    if isinstance(found, ToolError):
                        return found
                    return await self._open_parts(call.id, found, args)
                case ToolError():
                    return args
                case _:
                    return ToolError(f"a crew has no tool {call.name!r}")
        except ToolFailed as error:
            if error.loss_cause.reason == NoPageLeft.type():
                return NO_PAGE_LEFT
            return ToolError.of(error.words, error.loss_cause)

    async def _call_server(self, call: Block, tool: GrantedTool) -> ToolOutcome:
        """Return what a server's tool returned, within the calls that the task may make; a failure is recorded."""
        assert self._servers
        server = tool.server.name
        most = self._request.server_calls.get(server, 0)
        if self.server_calls[server] >= most:
            of = tool.server.max_calls
            self._lose(
                server, Notice.of("lost-tool-share", server=server, n=most, of=of), "not-made"
            )
            return ToolError(f"no call of {server} is left: use what was read")
        self.server_calls[server] += 1
        request = CallToolRequest(
            scope=self._scope(call.id),
            server=tool.server,
            address=tool.address,
            tool=tool.planned,
            arguments=call.input,
            cap_usd=self._request.cap_usd,
            approved=self._request.approved,
            plan_hash=self._request.plan_hash,
        )
        try:
            answer = await self._servers.call(request)
        except ToolFailed as error:
            why = [error.words]
            told = Notice.of("lost-tool-call", tool=tool.offered.name, server=server, why=why)
            self._lose(server, told, error.loss_cause.reason)
            return ToolError.of(error.words, error.loss_cause)
        self._add_usage(answer.usage)
        if answer.source:
            return answer.source
        told = explain_answer(tool, answer)
        self._lose(server, told, ToolServerRefused.type())
        return ToolError(answer.error or told.text)

    def _lose(self, server: str, told: Notice, reason: str) -> None:
        causes = [LossCause(reason=reason)]
        lost = LostInput(kind="tool_server", name=server, causes=causes, told=told, optional=True)
        self.lost_inputs += [lost] if lost not in self.lost_inputs else []

    async def _search(self, name: str, args: WebSearchArgs) -> ToolOutcome:
        request = SearchRequest(
            scope=self._scope(name),
            query=args.query,
            kind=args.kind,
            max_results=min(
                args.max_results or self._request.max_results, self._request.max_results
            ),
            conversation="",
            beside_others=True,
            services=self._request.search,
            cap_usd=self._request.cap_usd,
            approved=self._request.approved,
            plan_hash=self._request.plan_hash,
        )
        found = await self._web.search(request)
        self._add_usage(found.usage)
        return found

    async def _fetch(self, name: str, args: FetchUrlArgs) -> ToolOutcome:
        source = self.registry.find(args.url)
        if source is None:
            request = FetchRequest(
                scope=self._scope(name),
                url=args.url,
                plan_hash=self._request.plan_hash,
                named=self._request.named,
                pages_left=self.registry.may_read,
                cap_usd=self._request.cap_usd,
                failures=self._failures[args.url],
            )
            try:
                source = await self._web.fetch(request)
            except ToolFailed:
                self._failures[args.url] += 1
                raise
            self._add_usage(source.usage)
            if self.registry.may_read <= 0 and not source.is_shared:  # it was read with its turn
                return NO_PAGE_LEFT
        try:
            return await self._open_parts(f"{name}-parts", source, args)
        except ToolFailed:  # the page was read: its beginning is shown
            return source

    async def _open_parts(
        self, name: str, source: Source, args: FetchUrlArgs | ParseContentArgs
    ) -> ToolOutcome:
        if isinstance(args, FetchUrlArgs) and not is_long(source):
            return source
        request = ask_for_parts(source, args, self._scope(name))
        return take_parts(source, args, await self._web.open_parts(request))

    def _scope(self, name: str) -> Scope:
        """Return a call's scope; its name is unique to the task within the phase."""
        task = self._request.task.id
        update = {"plan_step": task, "name": f"{task}-{name}"}
        return self._request.scope.model_copy(update=update)


def waits_for_human(request: CrewTaskRequest, refused: BudgetExceeded) -> bool:
    """Return whether a human is asked about the cap or the budget that refused a call of a task."""
    return request.may_wait if refused.budget else request.may_raise


def _end(asked: ModelRequest) -> ModelRequest:
    """Return the request of a turn as the last one of its conversation."""
    messages = list(asked.messages)
    if messages[1:]:
        told = Block(type="text", text=ANSWER_NOW)
        messages[-1] = Message(role="user", content=[*messages[-1].content, told])
    ends = {"may_call": False, "kept_turns": 0, "fits_budget": True}
    return asked.model_copy(update={"messages": messages, **ends})


def _check_worker() -> None:
    """Start no call while the worker is stopping; calls in flight get the whole grace period."""
    if activity.is_worker_shutdown():
        raise WorkerStopping(Notice.of("worker-stopping"))


def _text(message: CrewMessage) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def _call_key(name: str, arguments: Json) -> str:
    """Return one key for a call as the model makes it and as CrewAI passes it on, with defaults."""
    try:
        complete = ARGS[name].model_validate(arguments).model_dump(mode="json")
    except (KeyError, ValidationError):
        complete = arguments
    return json.dumps([name, complete], sort_keys=True)
