"""The Messages API's wire format: errors, messages, and the events of a stream."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from starlette.responses import JSONResponse

ERROR_TYPES = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error"}
ERROR_TYPES |= {403: "permission_error", 404: "not_found_error", 413: "request_too_large"}
ERROR_TYPES |= {429: "rate_limit_error", 504: "timeout_error", 529: "overloaded_error"}
REQUEST_ID = "req_offline"
PIECE_CHARS = 96
CHARS_PER_TOKEN = 4

Content = dict[str, Any]


def build_error(
    status: int, message: str, headers: dict[str, str] | None = None, code: str | None = None
) -> JSONResponse:
    """Return an error as the Messages API shapes it."""
    headers = {"request-id": REQUEST_ID} | (headers or {})
    return JSONResponse(
        build_error_body(ERROR_TYPES.get(status, "api_error"), message, code), status, headers
    )


def build_error_body(kind: str, message: str, code: str | None = None) -> dict[str, Any]:
    """Return the body of an error."""
    details = {"details": {"error_code": code}} if code else {}
    inner = {"type": kind, "message": message} | details
    return {"type": "error", "error": inner, "request_id": REQUEST_ID}


def count_tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return -(-len(text) // CHARS_PER_TOKEN)


def get_output(block: Content) -> str:
    """Return a block's output; the input of a call that was cut off is what there is of its JSON."""
    output = block["text"] if block["type"] == "text" else block.get("input", "")
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def join_output(content: list[Content]) -> str:
    """Return the text of all content that is billed as output."""
    return "".join(map(get_output, content))


def truncate(content: list[Content], most_tokens: int) -> list[Content]:
    """Truncate content to `most_tokens`, even within a tool call."""
    left = most_tokens * CHARS_PER_TOKEN
    kept: list[Content] = []
    for block in content:
        text = get_output(block)
        if len(text) >= left:
            return [*kept, block | {"text" if block["type"] == "text" else "input": text[:left]}]
        kept.append(block)
        left -= len(text)
    return kept


def build_message(
    model: str, content: list[Content], stop_reason: str, size: int, cached: Any = (0, 0)
) -> dict[str, Any]:
    """Return a whole message, with the numbers of its input tokens that are read from the cache and written to it."""
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    usage = {
        "input_tokens": max(size - sum(cached), 0),
        "output_tokens": count_tokens(join_output(content)),
        "cache_read_input_tokens": cached[0],
        "cache_creation_input_tokens": cached[1],
        "service_tier": "standard",
    }
    return {
        "id": f"msg_{digest[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


def list_events(whole: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events that stream a message."""
    started = whole | {"content": [], "stop_reason": None}
    started["usage"] = {**whole["usage"], "output_tokens": 1}
    yield "message_start", {"message": started}
    yield "ping", {}
    for index, block in enumerate(whole["content"]):
        yield from list_block_events(index, block)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": delta, "usage": whole["usage"]}
    yield "message_stop", {}


def list_block_events(index: int, block: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events that stream one content block."""
    text = get_output(block)
    if block["type"].endswith("_tool_result"):  # results of server tools are sent whole
        empty, kind, key, text = block, "", "", ""
    elif block["type"] == "text":
        empty, kind, key = {"type": "text", "text": ""}, "text_delta", "text"
    else:
        empty, kind, key = block | {"input": {}}, "input_json_delta", "partial_json"
    yield "content_block_start", {"index": index, "content_block": empty}
    for piece in (text[i : i + PIECE_CHARS] for i in range(0, len(text), PIECE_CHARS)):
        yield "content_block_delta", {"index": index, "delta": {"type": kind, key: piece}}
    yield "content_block_stop", {"index": index}


def count_piece(delta_event: dict[str, Any]) -> int:
    """Return how many characters of output a `content_block_delta` carries, without its type."""
    return sum(len(part) for name, part in delta_event["delta"].items() if name != "type")


async def stream_events(whole: dict[str, Any], pace: float, break_off: bool) -> AsyncIterator[str]:
    """Stream a message over `pace` seconds; `break_off` ends it with an error event half-way."""
    sequence = list(list_events(whole))
    pause = pace / max(1, sum(name == "content_block_delta" for name, _ in sequence))
    for n, (name, data) in enumerate(sequence):
        if break_off and n >= len(sequence) / 2:
            yield format_event("error", build_error_body("overloaded_error", "told to fail"))
            return
        yield format_event(name, data)
        if pause and name == "content_block_delta":
            await asyncio.sleep(pause)


def format_event(name: str, data: dict[str, Any]) -> str:
    """Return one server-sent event."""
    return f"event: {name}\ndata: {json.dumps({'type': name} | data)}\n\n"
