"""The Messages API: checks a request, has the offline model reply, sends it whole or as a stream."""

import json
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError, model_validator
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from offline import wire
from offline.control import Control
from offline.library.index import Library
from offline.model.conversation import Conversation
from offline.model.reply import reply
from offline.recordings.answers import CALL_HEADER, RecordedRuns
from offline.recordings.prompt_cache import PromptCache
from offline.server_tools import find_server_tool, use_server_tool

REFUSAL = [{"type": "text", "text": "I can't help with that."}]
TRUNCATED_TOKENS = 6  # length of an answer or tool call truncated on request


class Turn(BaseModel):
    """A turn of the conversation."""

    role: Literal["user", "assistant"]
    content: str | list[dict[str, Any]]


class ToolBody(BaseModel):
    """A tool of a request: a custom tool with a schema, or one of the server's tools with a type."""

    name: str
    type: str = "custom"
    input_schema: dict[str, Any] = {}

    @model_validator(mode="after")
    def _require_schema(self) -> "ToolBody":
        if self.type == "custom" and "input_schema" not in self.model_fields_set:
            raise ValueError("input_schema: Field required")
        return self


class Creation(BaseModel):
    """The part of a request that is checked; the reply reads the rest as it came."""

    model: str = Field(min_length=1)
    messages: list[Turn] = Field(min_length=1)
    tools: list[ToolBody] = []
    temperature: None = Field(default=None, description="no longer taken, nor the next two")
    top_p: None = None
    top_k: None = None
    max_tokens: int = Field(gt=0)
    stream: bool = False


class Answering:
    """Answers a request to the Messages API, by rule or from a recorded run."""

    def __init__(self) -> None:
        self._recorded, self._cache = RecordedRuns(), PromptCache()

    async def answer(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Return the whole message, spoiled where a failure asks for it, or an error's body."""
        failure = request.state.fault
        mode = failure.mode if failure else ""
        call = request.headers.get(CALL_HEADER)
        if not call or mode:
            return await run_in_threadpool(answer, body, mode)
        found = await self._recorded.reply(call, body)
        return found if "error" in found else build_recorded(body, found, self._cache.count(body))


def routes(control: Control, answering: Answering, library: Library) -> list[Route]:
    """Return the endpoint of the Messages API."""

    async def create(request: Request) -> Response:
        body, problem = await check_request(request)
        if problem:
            return problem
        failure = request.state.fault
        if find_server_tool(body) and not failure:
            size, base = count_input_tokens(body), str(request.base_url)
            whole = await run_in_threadpool(use_server_tool, body, library, base, size)
        else:
            whole = await answering.answer(request, body)
        if "error" in whole:
            return JSONResponse(whole, 400)
        break_off = bool(failure and failure.mode == "stream_error")
        if not body.get("stream"):
            return JSONResponse(whole, headers={"request-id": wire.REQUEST_ID})
        stream = wire.stream_events(whole, control.pace, break_off=break_off)
        return StreamingResponse(
            stream, media_type="text/event-stream", headers={"request-id": wire.REQUEST_ID}
        )

    async def describe(request: Request) -> Response:
        name = request.path_params["model"]  # any name: the stand-in answers for every model
        told = {"id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
        return JSONResponse({"type": "model", **told})

    return [
        Route("/v1/messages", create, methods=["POST"]),
        Route("/v1/models/{model:path}", describe),
    ]


async def check_request(request: Request) -> tuple[dict[str, Any], JSONResponse | None]:
    """Return a request's body, and the error it earns if it is out of form."""
    if not (request.headers.get("x-api-key") or request.headers.get("authorization")):
        return {}, wire.build_error(401, "x-api-key header is required")
    try:
        body = json.loads(await request.body())
        Creation.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return {}, wire.build_error(400, f"{place}: {first['msg']}")
    except ValueError:
        return {}, wire.build_error(400, "The request body is not valid JSON")
    return body, None


def count_input_tokens(body: dict[str, Any]) -> int:
    """Return about how many tokens a request has."""
    counted = {key: body.get(key) for key in ("system", "messages", "tools", "output_config")}
    return wire.count_tokens(json.dumps(counted, ensure_ascii=False))


def build_recorded(
    body: dict[str, Any], reply: dict[str, Any], cached: tuple[int, int]
) -> dict[str, Any]:
    """Return the message of a recorded reply, with tokens counted as the provider counts them."""
    content = reply["content"]
    calls = any(block["type"] == "tool_use" for block in content)
    stop = reply.get("stop_reason") or ("tool_use" if calls else "end_turn")
    return wire.build_message(body["model"], content, stop, count_input_tokens(body), cached)


def answer(body: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the model's whole message, spoiled in the way a failure asks for."""
    size = count_input_tokens(body)
    if mode == "refuse":
        return wire.build_message(body["model"], REFUSAL, "refusal", size)
    content, stop_reason = reply(Conversation.of(body))
    if mode == "bad_json":
        content = [{"type": "text", "text": wire.join_output(content)[:-2] + "\n…"}]
    limit = TRUNCATED_TOKENS if mode == "truncate" else body["max_tokens"]
    if mode == "truncate" or wire.count_tokens(wire.join_output(content)) > limit:
        content, stop_reason = wire.truncate(content, limit), "max_tokens"
    return wire.build_message(body["model"], content, stop_reason, size)
