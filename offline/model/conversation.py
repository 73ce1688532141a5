"""A request to the Messages API, reduced to its structure: fenced texts, tools, schema."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FENCE = re.compile(r'<input\s+name="([^"]+)"[^>]*>\n?(.*?)\n?</input>', re.DOTALL)

Json = dict[str, Any]
Texts = dict[str, str]


@dataclass(frozen=True)
class ToolUse:
    """A tool call that was made, and its result, if there is one."""

    name: str
    arguments: Json
    texts: Texts
    failed: bool


@dataclass(frozen=True)
class Conversation:
    """The part of a request that a reply may depend on."""

    texts: Texts
    uses: list[list[ToolUse]]
    """The tool calls of each turn of the assistant."""
    tools: dict[str, Json]
    """The schemas of what the tools on offer take, by name."""
    schema: Json | None
    forced_tool: str | None

    @classmethod
    def of(cls, body: Json) -> "Conversation":
        """Read a request's body."""
        turns = [list_blocks(turn.get("content")) for turn in body["messages"]]
        own = [b.get("text", "") for turn in turns for b in turn if b["type"] == "text"]
        texts = {name: text for each in own for name, text in parse_fences(each).items()}
        choice = body.get("tool_choice") or {}
        output = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        offered = [] if choice.get("type") == "none" else body.get("tools") or []
        return cls(
            texts or {"": "\n".join(own)},
            list(list_uses(turns)),
            {tool["name"]: tool.get("input_schema", {}) for tool in offered},
            output.get("schema"),
            choice.get("name") if choice.get("type") == "tool" else None,
        )


def list_blocks(content: str | list[Json] | None) -> list[Json]:
    """Return the content blocks of a turn."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def list_uses(turns: list[list[Json]]) -> Iterator[list[ToolUse]]:
    """Yield the tool calls of each turn that made any, each with its result."""
    given = [block for turn in turns for block in turn if block["type"] == "tool_result"]
    results = {block.get("tool_use_id"): block for block in given}
    for turn in turns:
        if made := [block for block in turn if block["type"] == "tool_use"]:
            yield [build_use(block, results.get(block.get("id"), {})) for block in made]


def build_use(use: Json, result: Json) -> ToolUse:
    """Return one call with its result."""
    text = "\n".join(block.get("text", "") for block in list_blocks(result.get("content")))
    failed = bool(result.get("is_error"))
    return ToolUse(use.get("name", ""), use.get("input") or {}, parse_fences(text), failed)


def parse_fences(text: str) -> Texts:
    """Return the fenced texts of one message by name; of several with one name, each has its own."""
    found: Texts = {}
    for name, content in FENCE.findall(text):
        found[f"{len(found)}/{name}" if name in found else name] = content
    return found
