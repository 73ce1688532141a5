"""What the offline model reads of a request: its structure and its fenced inputs, no wording."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

FENCE = re.compile(r'<input\s+name="([^"]+)"[^>]*>\n?(.*?)\n?</input>', re.DOTALL)

QUERY = ("query", "q", "search_query")
LINK = ("url", "link", "address")
"""What a tool that reaches the web takes."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A tool that the request offers."""

    name: str
    schema: Json

    def argument(self, *names: str) -> str | None:
        """Return the first of these names that is a string the tool takes."""
        properties = self.schema.get("properties", {})
        return next((n for n in names if properties.get(n, {}).get("type") == "string"), None)


@dataclass(frozen=True)
class Call:
    """A tool call that was made, and what came back, if anything did."""

    name: str
    arguments: Json
    text: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    failed: bool = False


@dataclass(frozen=True)
class Conversation:
    """A request, reduced to what a reply may depend on."""

    inputs: dict[str, str]
    calls: list[Call]
    tools: list[Tool]
    schema: Json | None
    forced_tool: str | None
    max_tokens: int

    @classmethod
    def of(cls, body: Json) -> "Conversation":
        """Read a request's body."""
        blocks = list(content_blocks(body))
        own = "\n".join(block.get("text", "") for block in blocks if block.get("type") == "text")
        calls = calls_of(blocks)
        inputs = fenced(own)
        for call in calls:
            inputs |= {
                n: joined(inputs.get(n), t) for n, t in call.inputs.items() if not call.failed
            }
        choice = body.get("tool_choice") or {}
        offered = [] if choice.get("type") == "none" else body.get("tools") or []
        tools = [Tool(t["name"], t.get("input_schema", {})) for t in offered]
        forced = choice.get("name") if choice.get("type") == "tool" else None
        return cls(inputs, calls, tools, schema_of(body), forced, int(body["max_tokens"]))

    @cached_property
    def reaches_out(self) -> bool:
        """Whether the agent looks things up, rather than work with what it is given."""
        offered = any(tool.argument(*QUERY, *LINK) for tool in self.tools)
        return offered or any(set(call.arguments) & {*QUERY, *LINK} for call in self.calls)

    def text(self, *names: str) -> str:
        """Return the first of these inputs that is given and not empty."""
        return next((self.inputs[n].strip() for n in names if self.inputs.get(n, "").strip()), "")

    def data(self, *names: str) -> Any:
        """Return the first of these inputs that is given, read as JSON; text that is none as it is."""
        text = self.text(*names)
        try:
            return json.loads(text) if text else None
        except ValueError:
            return text

    @cached_property
    def json(self) -> dict[str, Any]:
        """The inputs that are JSON lists or objects."""
        found = {name: self.data(name) for name, text in self.inputs.items() if text.strip()}
        return {name: data for name, data in found.items() if isinstance(data, dict | list)}

    def number(self, name: str, default: int) -> int:
        """Return an input that is a whole number."""
        text = self.text(name)
        return int(text) if text.isdecimal() else default


def schema_of(body: Json) -> Json | None:
    """Return the schema that the answer must match, in the present form or the legacy one."""
    wanted = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    return wanted.get("schema")


def content_blocks(body: Json) -> Iterator[Json]:
    """Yield every content block: the system prompt's, then the messages'."""
    for content in (body.get("system"), *(turn.get("content") for turn in body["messages"])):
        if isinstance(content, str):
            yield {"type": "text", "text": content}
        else:
            yield from content or []


def calls_of(blocks: list[Json]) -> list[Call]:
    """Return the tool calls in order, each with its result."""
    results = {b.get("tool_use_id"): b for b in blocks if b.get("type") == "tool_result"}
    return [
        call_of(block, results.get(block.get("id"), {}))
        for block in blocks
        if block.get("type") == "tool_use"
    ]


def call_of(use: Json, result: Json) -> Call:
    """Return one call with its result."""
    content = result.get("content", "")
    if not isinstance(content, str):
        content = "\n".join(block.get("text", "") for block in content or [])
    failed = bool(result.get("is_error"))
    return Call(use.get("name", ""), use.get("input") or {}, content, fenced(content), failed)


def joined(known: str | None, text: str) -> str:
    """Return a text, after what is known of the same page where it is a later part of it."""
    head, _, body = text.partition("\n\n")
    is_part = known is not None and "\npart: " in head
    return f"{known}\n\n{body}" if is_part else text


def fenced(text: str) -> dict[str, str]:
    """Return the inputs in a text by name; of two with one name the later counts."""
    return dict(FENCE.findall(text))
