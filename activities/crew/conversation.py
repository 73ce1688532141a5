"""One task's conversation, translated between CrewAI's messages and model requests."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from pydantic import ValidationError

from activities.crew.thread_bridge import ThreadBridge
from contracts.agents.tools import ARGS
from contracts.base import Json
from contracts.models.call import Block, Message, ModelResult
from domain.source_registry import SourceRegistry, ToolOutcome

RequestTurn = Callable[[str, list[Message], bool], Coroutine[Any, Any, ModelResult]]
CallTool = Callable[[Block], Coroutine[Any, Any, ToolOutcome]]
CrewMessage = dict[str, Any]
"""CrewAI's message: role, content, an assistant's tool calls, the call's id of a tool's result."""

ANSWERED = "Final Answer: given"
"""CrewAI's copy of every answer: it would search the answer's own text for tool calls and ask again."""


class CrewConversation:
    """Remembers what CrewAI drops: the assistant's whole turns and the tools' results.

    CrewAI's threads call its methods, which block.
    """

    def __init__(
        self,
        request_turn: RequestTurn,
        call_tool: CallTool,
        registry: SourceRegistry,
        bridge: ThreadBridge,
    ) -> None:
        self._request_turn = request_turn
        self._call_tool = call_tool
        self._registry = registry
        self._bridge = bridge
        self._turns: dict[str, list[Block]] = {}
        self._calls: dict[str, Block] = {}
        self._outcomes: dict[str, ToolOutcome] = {}
        self._results: dict[str, Block] = {}

    def request_turn(
        self, crew_messages: list[CrewMessage], *, may_call: bool
    ) -> str | list[CrewMessage]:
        """Return the tool calls of the model's next turn, or `ANSWERED`."""
        system = "\n\n".join(_text(m) for m in crew_messages if m["role"] == "system")
        messages = self._convert([m for m in crew_messages if m["role"] != "system"])
        result = self._bridge.call(lambda: self._request_turn(system, messages, may_call))
        calls = [block for block in result.content if block.type == "tool_use"]
        for call in calls:
            self._turns[call.id] = result.content
            self._calls[call.id] = call
        if calls and may_call:
            return [{"id": c.id, "name": c.name, "input": c.input} for c in calls]
        return ANSWERED

    def call_tool(self, name: str, arguments: Json) -> str:
        """Execute a tool call and return its key for CrewAI; only the model sees the result."""
        key = _call_key(name, arguments)
        call = next((c for c in self._calls.values() if _call_key(c.name, c.input) == key), None)
        call = call or Block(type="tool_use", id=key, name=name, input=arguments)
        self._outcomes[key] = self._bridge.call(lambda: self._call_tool(call))
        return key

    def _convert(self, crew_messages: list[CrewMessage]) -> list[Message]:
        """Return the messages; consecutive ones of one role are merged."""
        messages: list[Message] = []
        for crew_message in crew_messages:
            role, blocks = self._convert_one(crew_message)
            if messages and messages[-1].role == role:
                blocks = [*messages.pop().content, *blocks]
            messages.append(Message(role=role, content=blocks))
        return messages

    def _convert_one(self, message: CrewMessage) -> tuple[Any, list[Block]]:
        if message["role"] == "tool":
            return "user", [self._to_result(message)]
        if calls := message.get("tool_calls"):
            return "assistant", self._turns[calls[0]["id"]]
        return message["role"], [Block(type="text", text=_text(message))]

    def _to_result(self, message: CrewMessage) -> Block:
        """Return a tool's result as the model sees it; sources are numbered in this order."""
        call = self._calls[message["tool_call_id"]]
        if call.id not in self._results:
            outcome = self._outcomes.get(_call_key(call.name, call.input))
            self._results[call.id] = (
                Block(type="tool_result", id=call.id, text=_text(message), is_error=True)
                if outcome is None  # CrewAI itself refused the call
                else self._registry.answer(call, outcome)
            )
        return self._results[call.id]


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
