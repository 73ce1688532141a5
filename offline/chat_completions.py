"""Chat completions: translates a request to the Messages API, and the answer to OpenAI's wire format."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from offline import wire
from offline.control import Control
from offline.messages import Answering

ANSWER_TOOL = "give_answer"
"""The tool by which the product has an answer given that it may also look things up for."""
FINISH = {"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls"}
FINISH |= {"refusal": "content_filter"}
Body = dict[str, Any]


class ChatTurn(BaseModel):
    """A message of the conversation; each tool result is a message of its own."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: list[dict[str, Any]] = []
    tool_call_id: str = ""


class ChatBody(BaseModel):
    """The fields of a chat completions request that the stand-in reads."""

    model: str = Field(min_length=1)
    messages: list[ChatTurn] = Field(min_length=1)
    max_tokens: int = Field(gt=0)
    tools: list[dict[str, Any]] = []
    tool_choice: Literal["none", "auto", "required"] = "auto"
    response_format: dict[str, Any] | None = None
    stream: bool = False
    stream_options: dict[str, bool] = {}


def routes(control: Control, answering: Answering) -> list[Route]:
    """Return the endpoint of chat completions."""

    async def create(request: Request) -> Response:
        if not request.headers.get("authorization"):
            return build_error(401, "a bearer key is required")
        try:
            asked = ChatBody.model_validate_json(await request.body())
        except ValidationError as error:
            return build_error(400, str(error.errors()[0]["msg"]))
        whole = await answering.answer(request, to_messages(asked))
        if "error" in whole:
            return build_error(400, whole["error"]["message"])
        if _find_answer_schema(asked):
            whole = give_by_tool(whole)
        if not asked.stream:
            return JSONResponse(to_completion(whole))
        failure = request.state.fault
        break_off = bool(failure and failure.mode == "stream_error")
        counts = asked.stream_options.get("include_usage", False)
        stream = stream_chunks(list_chunks(whole, counts), control.pace, break_off)
        return StreamingResponse(stream, media_type="text/event-stream")

    return [Route("/v1/chat/completions", create, methods=["POST"])]


def build_error(status: int, message: str) -> JSONResponse:
    """Return an error as OpenAI shapes it."""
    error = {"message": message, "type": wire.ERROR_TYPES.get(status, "server_error")}
    return JSONResponse({"error": {**error, "param": None, "code": None}}, status)


def to_messages(asked: ChatBody) -> Body:
    """Return a request of the Messages API."""
    system = "\n\n".join(turn.content for turn in asked.messages if turn.role == "system")
    body: Body = {"model": asked.model, "max_tokens": asked.max_tokens, "messages": []}
    body["system"] = [{"type": "text", "text": system}]
    for turn in asked.messages:
        if turn.role != "system":
            role = "assistant" if turn.role == "assistant" else "user"
            if not body["messages"] or body["messages"][-1]["role"] != role:
                body["messages"].append({"role": role, "content": []})
            body["messages"][-1]["content"] += _list_blocks(turn)
    if asked.tools:
        functions = [tool["function"] for tool in asked.tools]
        body["tools"] = [
            {"name": f["name"], "description": "", "input_schema": f.get("parameters", {})}
            for f in functions
        ]
        if asked.tool_choice == "none":
            body["tool_choice"] = {"type": "none"}
        elif asked.tool_choice == "required" and len(functions) == 1:
            body["tool_choice"] = {"type": "tool", "name": functions[0]["name"]}
        elif schema := _find_answer_schema(asked):
            body["tools"] = [tool for tool in body["tools"] if tool["name"] != ANSWER_TOOL]
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if asked.response_format and asked.response_format["type"] == "json_schema":
        schema = asked.response_format["json_schema"]["schema"]
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return body


def _find_answer_schema(asked: ChatBody) -> Body | None:
    """Return the schema of the tool that gives an answer, where one of several tools must be called."""
    functions = [tool["function"] for tool in asked.tools]
    schemas = [f["parameters"] for f in functions if f["name"] == ANSWER_TOOL]
    is_asked = asked.tool_choice == "required" and len(functions) > 1
    return schemas[0] if is_asked and schemas else None


def give_by_tool(whole: Body) -> Body:
    """Return a JSON answer as a call of its tool; any other answer unchanged."""
    text = _join(whole)
    try:
        given = json.loads(text)
    except ValueError:
        return whole
    call = {"type": "tool_use", "id": f"call_{whole['id']}", "name": ANSWER_TOOL, "input": given}
    return whole | {"content": [call], "stop_reason": "tool_use"}


def _list_blocks(turn: ChatTurn) -> list[Body]:
    text = [{"type": "text", "text": turn.content}] if turn.content else []
    if turn.role == "tool":
        return [{"type": "tool_result", "tool_use_id": turn.tool_call_id, "content": text}]
    calls = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in turn.tool_calls
    ]
    return text + calls


def to_completion(whole: Body) -> Body:
    """Return a whole message as a completion."""
    message = {"role": "assistant", "content": _join(whole), "tool_calls": _list_calls(whole)}
    choice = {"index": 0, "message": message, "finish_reason": FINISH[whole["stop_reason"]]}
    return _build(whole, "chat.completion", [choice]) | {"usage": _count(whole)}


def list_chunks(whole: Body, counts: bool) -> Iterator[Body]:
    """Yield the chunks that stream a message; the last one has the tokens, where they are asked for."""
    kind = "chat.completion.chunk"
    for delta in _list_deltas(whole):
        yield _build(whole, kind, [{"index": 0, "delta": delta, "finish_reason": None}])
    end = {"index": 0, "delta": {}, "finish_reason": FINISH[whole["stop_reason"]]}
    yield _build(whole, kind, [end])
    if counts:
        yield _build(whole, kind, []) | {"usage": _count(whole)}


def _list_deltas(whole: Body) -> Iterator[Body]:
    yield {"role": "assistant", "content": ""}
    size = wire.PIECE_CHARS
    text = _join(whole)
    for start in range(0, len(text), size):
        yield {"content": text[start : start + size]}
    for call in _list_calls(whole):
        said = call["function"]["arguments"]
        yield {"tool_calls": [call | {"function": call["function"] | {"arguments": ""}}]}
        for start in range(0, len(said), size):
            piece = {"arguments": said[start : start + size]}
            yield {"tool_calls": [{"index": call["index"], "function": piece}]}


def _list_calls(whole: Body) -> list[Body]:
    uses = [block for block in whole["content"] if block["type"] == "tool_use"]
    return [
        {
            "index": n,
            "id": use["id"],
            "type": "function",
            "function": {"name": use["name"], "arguments": wire.get_output(use)},
        }
        for n, use in enumerate(uses)
    ]


def _join(whole: Body) -> str:
    return "".join(block["text"] for block in whole["content"] if block["type"] == "text")


def _count(whole: Body) -> Body:
    used = whole["usage"]
    read, written = used["cache_read_input_tokens"], used["cache_creation_input_tokens"]
    prompt = used["input_tokens"] + read + written
    return {
        "prompt_tokens": prompt,
        "completion_tokens": used["output_tokens"],
        "total_tokens": prompt + used["output_tokens"],
        "prompt_tokens_details": {"cached_tokens": read},
    }


def _build(whole: Body, kind: str, choices: list[Body]) -> Body:
    named = {"id": whole["id"].replace("msg", "chatcmpl"), "object": kind, "created": 0}
    return {**named, "model": whole["model"], "choices": choices}


async def stream_chunks(chunks: Iterator[Body], pace: float, break_off: bool) -> AsyncIterator[str]:
    """Stream chunks over `pace` seconds; `break_off` ends them with an error half-way."""
    sequence = list(chunks)
    pause = pace / len(sequence)
    for n, chunk in enumerate(sequence):
        if break_off and n >= len(sequence) / 2:
            error = {"message": "told to fail", "type": "server_error", "code": None}
            yield f"data: {json.dumps({'error': error})}\n\n"
            return
        yield f"data: {json.dumps(chunk)}\n\n"
        if pause:
            await asyncio.sleep(pause)
    yield "data: [DONE]\n\n"
