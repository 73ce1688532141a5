"""The Messages API: checks a request, has the offline model reply, sends it whole or as a stream."""

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from greenlight.offline import wire
from greenlight.offline.control import Control
from greenlight.offline.model.conversation import Conversation
from greenlight.offline.model.reply import reply

SAMPLING = {"temperature", "top_p", "top_k"}
REFUSAL = [{"type": "text", "text": "I can't help with that."}]


def routes(control: Control) -> list[Route]:
    """Return the endpoints of the Messages API."""

    async def create(request: Request) -> Response:
        body, problem = await checked(request)
        if problem:
            return problem
        failure = request.state.failure
        mode = failure.mode if failure else ""
        whole = await run_in_threadpool(answer, body, mode)
        if not body.get("stream"):
            return JSONResponse(whole, headers={"request-id": wire.REQUEST_ID})
        stream = wire.sse(whole, control.pace, break_off=mode == "stream_error")
        return StreamingResponse(
            stream, media_type="text/event-stream", headers={"request-id": wire.REQUEST_ID}
        )

    async def count(request: Request) -> Response:
        body, problem = await checked(request, counting=True)
        return problem or JSONResponse({"input_tokens": input_tokens(body)})

    return [
        Route("/v1/messages", create, methods=["POST"]),
        Route("/v1/messages/count_tokens", count, methods=["POST"]),
    ]


async def checked(
    request: Request, counting: bool = False
) -> tuple[dict[str, Any], JSONResponse | None]:
    """Return a request's body, and the error it earns if it is out of form."""
    if not (request.headers.get("x-api-key") or request.headers.get("authorization")):
        return {}, wire.error(401, "x-api-key header is required")
    try:
        body = json.loads(await request.body())
    except ValueError:
        return {}, wire.error(400, "The request body is not valid JSON")
    problem = problem_with(body, counting)
    return body, wire.error(400, problem) if problem else None


def problem_with(body: Any, counting: bool) -> str:
    """Say what is wrong with a request's form, or nothing."""
    if not isinstance(body, dict):
        return "The request body must be a JSON object"
    needed = {"model": str, "messages": list} | ({} if counting else {"max_tokens": int})
    for name, kind in needed.items():
        if not isinstance(body.get(name), kind) or not body[name]:
            return f"{name}: Field required"
    for name in SAMPLING & body.keys():
        return f"{name}: Extra inputs are not permitted"
    for n, turn in enumerate(body["messages"]):
        if not isinstance(turn, dict) or turn.get("role") not in {"user", "assistant"}:
            return f"messages.{n}.role: must be user or assistant"
    return ""


def input_tokens(body: dict[str, Any]) -> int:
    """Return about how many tokens a request has."""
    counted = {key: body.get(key) for key in ("system", "messages", "tools", "output_config")}
    return wire.tokens(json.dumps(counted, ensure_ascii=False))


def answer(body: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the model's whole message, spoiled in the way a failure asks for."""
    size = input_tokens(body)
    if mode == "refuse":
        return wire.message(body["model"], REFUSAL, "refusal", size)
    content, stop_reason = reply(Conversation.of(body))
    if mode == "bad_json":
        content = [{"type": "text", "text": wire.output_text(content)[:-2] + "\n…"}]
    limit = 8 if mode == "truncate" else body["max_tokens"]
    text = wire.output_text(content)
    if wire.tokens(text) > limit and content[-1]["type"] == "text":
        content = [{"type": "text", "text": text[: limit * wire.CHARS_PER_TOKEN]}]
        stop_reason = "max_tokens"
    return wire.message(body["model"], content, stop_reason, size)
