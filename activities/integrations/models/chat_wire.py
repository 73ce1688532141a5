"""The wire form of chat completions: a body of the Messages API as a request of theirs, and their chunks as a reply.

Servers differ in what they take, so a request holds only what most do: text as strings, `tool_choice` as one word,
`content` that is never null.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from pydantic import BaseModel, BeforeValidator, NonNegativeInt

from activities.calls.request_body import build_answer_tool
from activities.integrations.models.answer_schema import is_strict, to_enforceable
from activities.integrations.models.model_client import OnText, OnTokens
from activities.integrations.models.streamed_sentences import StreamedSentences
from contracts.models.call import Block, Reply
from contracts.models.prices import TokenCount

STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
}
"""Maps finish reasons to the Messages API's stop reasons."""
BYTES_PER_TOKEN = 3
"""Estimates tokens if a server does not count them; deliberately high, for reservations."""


@dataclass(frozen=True)
class Dialect:
    """A server's deviations from the API, learned from the first refusal of a parameter."""

    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    asks_usage: bool = True

    def adapt(self, message: str) -> Self | None:
        """Return the dialect to try after a refusal; None if the message names none of its parameters.

        Many servers only name the parameter in the message, so its identifier is searched for, not their
        wording.
        """
        if self.limit == "max_tokens" and "max_completion_tokens" in message:
            return replace(self, limit="max_completion_tokens")
        if self.asks_usage and "stream_options" in message:
            return replace(self, asks_usage=False)
        return None


def to_chat(body: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return a request of chat completions for a body of the Messages API."""
    asked: dict[str, Any] = {
        "model": body["model"],
        "messages": _list_messages(body),
        dialect.limit: body["max_tokens"],
        "stream": True,
    }
    if dialect.asks_usage:
        asked["stream_options"] = {"include_usage": True}
    tools, choice = body.get("tools") or [], body.get("tool_choice") or {}
    output = body.get("output_config", {}).get("format")
    if output and tools and choice.get("type") != "none":
        # Servers that enforce a schema enforce it from the first token on: no tool would ever be called.
        tools, choice = [*tools, build_answer_tool(output["schema"])], {"type": "any"}
        output = None
    if (
        choice.get("type") == "tool"
    ):  # one that is offered alone and required is the same without an object
        tools = [tool for tool in tools if tool["name"] == choice["name"]]
    if tools:
        asked["tools"] = [_describe_tool(tool) for tool in tools]
    if choice:
        asked["tool_choice"] = "none" if choice["type"] == "none" else "required"
    if output:
        schema = to_enforceable(output["schema"])
        named = {"name": "answer", "schema": schema, "strict": is_strict(schema)}
        asked["response_format"] = {"type": "json_schema", "json_schema": named}
    return asked


def _describe_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    described = {"name": tool["name"], "description": tool["description"]}
    return {"type": "function", "function": {**described, "parameters": tool["input_schema"]}}


def _list_messages(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    system = _join(body.get("system") or "")
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for turn in body["messages"]:
        blocks = _list_blocks(turn["content"])
        if turn["role"] == "assistant":
            messages.append(_build_assistant_turn(blocks))
            continue
        results = [block for block in blocks if block["type"] == "tool_result"]
        messages += [
            {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _tell_result(block)}
            for block in results
        ]
        if text := _join([block for block in blocks if block["type"] == "text"]):
            messages.append({"role": "user", "content": text})
    return messages


def _list_blocks(content: str | list[Any]) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _join(content: str | list[Any]) -> str:
    return "\n\n".join(block["text"] for block in _list_blocks(content))


def _tell_result(block: Mapping[str, Any]) -> str:
    """Return a tool's result as text, which says of an error that it is one."""
    text = _join(block.get("content") or "")
    return f"Error:\n{text}" if block.get("is_error") else text


def _build_assistant_turn(blocks: list[Any]) -> dict[str, Any]:
    said = _join([block for block in blocks if block["type"] == "text"])
    turn: dict[str, Any] = {"role": "assistant", "content": said}
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {
                "name": block["name"],
                "arguments": json.dumps(block["input"], ensure_ascii=False),
            },
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    if calls:
        turn["tool_calls"] = calls
    return turn


def _read_arguments(said: object) -> object:
    """Return a tool's arguments as text; some servers send them as an object."""
    return json.dumps(said) if isinstance(said, dict) else said


class FunctionPart(BaseModel):
    """A piece of a call of a tool."""

    name: str | None = None
    arguments: Annotated[str | None, BeforeValidator(_read_arguments)] = None


class CallPart(BaseModel):
    """A piece of one of the calls of a turn."""

    index: NonNegativeInt | None = None
    id: str | None = None
    function: FunctionPart = FunctionPart()


class MessagePart(BaseModel):
    """A piece of an answer, or the whole of one that is not streamed; a model's thinking is left out."""

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[CallPart] | None = None


class ChoicePart(BaseModel):
    """A piece of one of the answers; only the first answer is read."""

    index: int = 0
    delta: MessagePart | None = None
    message: MessagePart | None = None
    finish_reason: str | None = None


class PromptDetails(BaseModel):
    """Which prompt tokens were cheaper."""

    cached_tokens: NonNegativeInt | None = None


class ChatUsage(BaseModel):
    """Tokens as the server counts them."""

    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt = 0
    prompt_tokens_details: PromptDetails | None = None
    prompt_cache_hit_tokens: NonNegativeInt | None = None

    def count(self) -> TokenCount:
        """Return the tokens; the cached ones are a part of the prompt."""
        details = self.prompt_tokens_details or PromptDetails()
        cached = details.cached_tokens or self.prompt_cache_hit_tokens or 0
        return TokenCount(
            input_tokens=self.prompt_tokens,
            cache_read_tokens=min(cached, self.prompt_tokens),
            output_tokens=self.completion_tokens,
        )


class Chunk(BaseModel):
    """One event of a stream, or a whole completion; other fields are left alone."""

    choices: list[ChoicePart] = []
    usage: ChatUsage | None = None
    error: Any = None


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    words: StreamedSentences = field(default_factory=StreamedSentences)


class Answer:
    """An answer as it arrives; complete once the server sends a finish reason."""

    def __init__(self, size: int, on_text: OnText, on_tokens: OnTokens) -> None:
        """Begin the answer to a request of `size` bytes."""
        self._size = size
        self._on_text = on_text
        self._on_tokens = on_tokens
        self._parts: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._written = 0
        self._finish = ""
        self._is_refused = False
        self._used: TokenCount | None = None

    def take(self, chunk: Chunk) -> None:
        """Add a chunk; of several answers, the first."""
        for choice in chunk.choices:
            if choice.index == 0:
                self._take_choice(choice)
        if chunk.usage:
            self._used = chunk.usage.count()
        self._on_tokens(self._count())

    def _take_choice(self, choice: ChoicePart) -> None:
        part = choice.delta or choice.message or MessagePart()
        if part.content:
            self._parts.append(part.content)
            self._written += len(part.content.encode(errors="replace"))
            self._on_text(part.content)
        for place, piece in enumerate(part.tool_calls or []):
            self._take_call(place if piece.index is None else piece.index, piece)
        self._finish = choice.finish_reason or self._finish
        self._is_refused = self._is_refused or bool(part.refusal)

    def _take_call(self, index: int, piece: CallPart) -> None:
        call = self._calls.setdefault(index, _Call())
        call.id = call.id or piece.id or ""
        call.name = call.name or piece.function.name or ""
        if said := piece.function.arguments:
            call.arguments.append(said)
            self._written += len(said.encode(errors="replace"))
            self._on_text(call.words.read(said))

    def _count(self) -> TokenCount:
        """Return the tokens so far: as the server counts them, else estimated."""
        return self._used or TokenCount(
            input_tokens=math.ceil(self._size / BYTES_PER_TOKEN),
            output_tokens=math.ceil(self._written / BYTES_PER_TOKEN),
        )

    def build_reply(self) -> Reply:
        """Return the whole answer; raise ValueError if it is incomplete, or a tool's input is not a JSON object."""
        if not self._finish:
            raise ValueError("it never ended")
        reason = "refusal" if self._is_refused else STOP_REASONS.get(self._finish, self._finish)
        calls = [call for _, call in sorted(self._calls.items())]
        if calls and reason == "max_tokens":
            calls.pop()  # truncated: its input is incomplete
        elif calls and reason == "end_turn":
            reason = "tool_use"
        text = "".join(self._parts)
        said = [Block(type="text", text=text)] if text else []
        return Reply(
            content=[*said, *map(_build_call, calls)],
            stop_reason=reason,
            is_estimated=self._used is None,
            **dict(self._count()),
        )


def _build_call(call: _Call) -> Block:
    given = json.loads("".join(call.arguments) or "{}")
    if not (call.name and isinstance(given, dict)):
        raise ValueError("no call of a tool")
    return Block(type="tool_use", id=call.id or f"call_{uuid4().hex}", name=call.name, input=given)
