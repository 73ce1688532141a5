"""The wire form of chat completions that this gateway answers: requests, chunks, whole completions, models and errors."""

import json
import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Literal

from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sse_starlette import ServerSentEvent
from starlette.datastructures import Headers

from api.errors import HEADERS, MAX_DETAIL_CHARS, choose_language, find_status
from contracts.base import Json
from contracts.errors import GreenlightError
from contracts.models.usage import Usage

DONE = ServerSentEvent("[DONE]", sep="\n")
_KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error"}
_KINDS |= {429: "rate_limit_error"}


class AskedPart(BaseModel):
    """A part of a message; only text can be read."""

    type: str
    text: str = ""


class AskedMessage(BaseModel):
    """A message of a conversation; fields of other kinds of messages are left alone."""

    role: str
    content: str | list[AskedPart] | None = None

    @property
    def text(self) -> str:
        """The text of the message."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type == "text")

    @property
    def is_text(self) -> bool:
        """Whether the message only contains text."""
        return not isinstance(self.content, list) or all(p.type == "text" for p in self.content)


class StreamOptions(BaseModel):
    """Further options of a stream."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A request; sampling parameters and the client's tools are ignored."""

    model: str = Field(min_length=1, max_length=200)
    messages: list[AskedMessage] = Field(min_length=1, max_length=10_000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None


class Writer:
    """Writes one completion in the wire form, as chunks or whole."""

    def __init__(self, answer_id: str, model: str) -> None:
        self._fields: Json = {
            "id": f"chatcmpl-{answer_id}",
            "created": int(time.time()),
            "model": model,
        }

    def write_delta(self, **delta: Any) -> ServerSentEvent:
        """Return the chunk of a piece of the message."""
        return self._write_chunk([{"index": 0, "delta": delta, "finish_reason": None}])

    def write_end(self) -> ServerSentEvent:
        """Return the chunk that says that the message is whole."""
        return self._write_chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}])

    def write_usage(self, usage: Usage) -> ServerSentEvent:
        """Return the chunk with the run's tokens."""
        return self._write_chunk([], usage=_count(usage))

    def dump_whole(
        self, content: str, annotations: Sequence[Json] = (), usage: Usage | None = None
    ) -> bytes:
        """Return a completion that is not streamed."""
        message: Any = {"role": "assistant", "content": content}
        if annotations:
            message["annotations"] = [*annotations]
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        fields = {**self._fields, "object": "chat.completion", "choices": [choice]}
        whole = {**fields, "usage": _count(usage or Usage())}
        return json.dumps(whole, ensure_ascii=False).encode(errors="replace")

    def _write_chunk(self, choices: list[Any], **more: Any) -> ServerSentEvent:
        chunk = {**self._fields, "object": "chat.completion.chunk", "choices": choices, **more}
        return ServerSentEvent(json.dumps(chunk, ensure_ascii=False), sep="\n")


def _count(usage: Usage) -> Json:
    """Return a run's tokens so far."""
    total = usage.input_tokens + usage.output_tokens
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": total,
    }


def to_openai_error(error: GreenlightError, headers: Headers) -> JSONResponse:
    """Return an error in OpenAI's form; its code is the error's type, its `param` the first wrong field."""
    status = find_status(error)
    # OpenAI's clients do not know 422.
    status = HTTPStatus.BAD_REQUEST if status == HTTPStatus.UNPROCESSABLE_ENTITY else status
    usual = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
    told = {
        "message": error.words.say(choose_language(headers.get("accept-language", "")))[
            :MAX_DETAIL_CHARS
        ],
        "type": _KINDS.get(status, usual),
        "param": error.problems[0].path if error.problems else None,
        "code": error.type(),
    }
    return JSONResponse({"error": told}, status, HEADERS.get(status))
