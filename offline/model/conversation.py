"""A request to the Messages API, reduced to its structure: fenced texts, tools, schema."""

import re
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
    """JSON Schemas of the offered tools' arguments, by name."""
    schema: Json | None
    forced_tool: str

    @classmethod
    def of(cls, body: Json) -> "Conversation":
        """Read a request's body."""
        turns = [list_blocks(turn.get("content")) for turn in body["messages"]]
        own = [b.get("text", "") for turn in turns for b in turn if b["type"] == "text"]
        texts = {name: text for each in own for name, text in FENCE.findall(each)}
        choice = body.get("tool_choice") or {}
        output = (body.get("output_config") or {}).get("format") or {}
        offered = [] if choice.get("type") == "none" else body.get("tools") or []
        return cls(
            texts or {"": "\n".join(own)},
            list_uses(turns),
            {tool["name"]: tool.get("input_schema", {}) for tool in offered},
            output.get("schema"),
            choice.get("name", "") if choice.get("type") == "tool" else "",
        )


def list_blocks(content: str | list[Json] | None) -> list[Json]:
    """Return the content blocks of a turn."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def list_uses(turns: list[list[Json]]) -> list[list[ToolUse]]:
    """Return the tool calls of each turn that made any, each with its result."""
    given = [block for turn in turns for block in turn if block["type"] == "tool_result"]
    results = {block.get("tool_use_id"): block for block in given}
    calls = ([block for block in turn if block["type"] == "tool_use"] for turn in turns)
    return [[build_use(b, results.get(b.get("id"), {})) for b in made] for made in calls if made]


def build_use(use: Json, result: Json) -> ToolUse:
    """Return one call with its result."""
    text = "\n".join(block.get("text", "") for block in list_blocks(result.get("content")))
    name, given = use.get("name", ""), use.get("input") or {}
    return ToolUse(name, given, dict(FENCE.findall(text)), bool(result.get("is_error")))
