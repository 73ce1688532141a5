"""A conversation as CrewAI leads it, as the gateway makes it."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from pydantic import ValidationError

from activities.crew.thread_bridge import Bridge
from contracts.agents.tools import ARGS
from contracts.base import Json
from contracts.models.call import Block, Message, ModelResult
from domain.source_registry import Desk, Outcome

Answer = Callable[[str, list[Message], bool], Coroutine[Any, Any, ModelResult]]
Use = Callable[[Block], Coroutine[Any, Any, Outcome]]
Said = dict[str, Any]
"""A message of CrewAI: role, content, of an assistant its tool calls, of a tool its call's id."""

ANSWERED = "Final Answer: given"
"""What CrewAI is told of an answer: in one's own words it would look for tool calls, and ask again."""


class Talk:
    """Keeps what CrewAI drops: the assistant's whole turns, and what the tools gave.

    Its methods are called in CrewAI's threads and block.
    """

    def __init__(self, answer: Answer, use: Use, desk: Desk, bridge: Bridge) -> None:
        self._answer = answer
        self._use = use
        self._desk = desk
        self._bridge = bridge
        self._turns: dict[str, list[Block]] = {}
        self._calls: dict[str, Block] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._results: dict[str, Block] = {}

    def answer(self, said: list[Said], *, may_call: bool) -> str | list[Said]:
        """Return the tool calls that the model asks for, or that it has answered."""
        system = "\n\n".join(_text(m) for m in said if m["role"] == "system")
        messages = self._messages([m for m in said if m["role"] != "system"])
        result = self._bridge.do(lambda: self._answer(system, messages, may_call))
        calls = [block for block in result.content if block.type == "tool_use"]
        for call in calls:
            self._turns[call.id] = result.content
            self._calls[call.id] = call
        if calls and may_call:
            return [{"id": c.id, "name": c.name, "input": c.input} for c in calls]
        return ANSWERED

    def use(self, name: str, arguments: Json) -> str:
        """Carry out a tool call and return what CrewAI is told of it; the model is told it whole."""
        key = _key(name, arguments)
        call = next((c for c in self._calls.values() if _key(c.name, c.input) == key), None)
        made = call or Block(type="tool_use", id=key, name=name, input=arguments)
        self._outcomes[key] = self._bridge.do(lambda: self._use(made))
        return key

    def _messages(self, said: list[Said]) -> list[Message]:
        """Return the conversation; what one side says in a row is one message."""
        messages: list[Message] = []
        for message in said:
            role, blocks = self._turn(message)
            if messages and messages[-1].role == role:
                blocks = [*messages.pop().content, *blocks]
            messages.append(Message(role=role, content=blocks))
        return messages

    def _turn(self, message: Said) -> tuple[Any, list[Block]]:
        if message["role"] == "tool":
            return "user", [self._result(message)]
        if calls := message.get("tool_calls"):
            return "assistant", self._turns[calls[0]["id"]]
        return message["role"], [Block(type="text", text=_text(message))]

    def _result(self, message: Said) -> Block:
        """Return a tool's result as the model sees it; sources are numbered in this order."""
        call = self._calls[message["tool_call_id"]]
        if call.id not in self._results:
            outcome = self._outcomes.get(_key(call.name, call.input))
            self._results[call.id] = (
                Block(type="tool_result", id=call.id, text=_text(message), is_error=True)
                if outcome is None  # CrewAI itself refused the call
                else self._desk.result(call, outcome)
            )
        return self._results[call.id]


def _text(message: Said) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def _key(name: str, arguments: Json) -> str:
    """Return the same for a call as the model makes it and as CrewAI, with its defaults, passes it on."""
    try:
        whole = ARGS[name].model_validate(arguments).model_dump(mode="json")
    except (KeyError, ValidationError):
        whole = arguments
    return json.dumps([name, whole], sort_keys=True)
