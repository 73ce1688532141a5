"""Chat completions, the API of OpenAI and many other servers: one streamed call, and its failures.

Nothing that was answered is asked again here. No text of a request, an answer or a key enters an error.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

import httpx

from activities.integrations.http.response_bodies import ResponseTooLarge, open_body, read_body
from activities.integrations.http.traced_http import TracedClient
from activities.integrations.models.chat_wire import Answer, Chunk, Dialect, to_chat
from activities.integrations.models.model_client import (
    SOON,
    OnText,
    OnTokens,
    ignore_tokens,
    lists_others,
    read_limits,
)
from activities.integrations.models.provider_refusals import (
    KEY_REFUSED,
    Refusal,
    classify_refusal,
)
from contracts.base import Json
from contracts.errors import GreenlightError, ModelRejected, ModelUnreachable
from contracts.models.call import Reply
from contracts.models.prices import Limits
from contracts.notices import Notice

MAX_STREAM_BYTES, MAX_WHOLE_BYTES, MAX_REFUSAL_BYTES = 20_000_000, 4_000_000, 20_000
"""Limits of a streamed answer, of one that is sent whole, and of a refusal; all of them are foreign."""
_ODD = (ValueError, TypeError, AttributeError, LookupError)
_FINAL_TYPES = {"invalid_request_error": 400, "authentication_error": 401, "permission_error": 403}
"""Status for error types within a stream; others are transient."""
_VALIDATION = "validation error"
"""Prefix of llama-cpp-python's message for an unknown field or value, sent with status 500 and without a code."""


class _ParameterRefused(Exception):
    """The server uses another name for a parameter, or does not know it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect


class ChatClient:
    """One server of chat completions; a call lives while it speaks, and ends by silence or within a limit.

    Only the configured address is asked: redirects are refusals.
    """

    def __init__(
        self, url: str, key: str, *, silence_seconds: float = 60.0, limit_seconds: float = 900.0
    ) -> None:
        """Open a client; an address without a path is taken to mean `/v1`."""
        bare = url.rstrip("/")
        self.url = bare if urlsplit(bare).path else f"{bare}/v1"
        self._limit = limit_seconds
        self._dialects: dict[str, Dialect] = {}
        self._http = TracedClient(
            headers={
                "Accept-Encoding": "identity",
                **({"Authorization": f"Bearer {key}"} if key else {}),
            },
            timeout=httpx.Timeout(silence_seconds, connect=5.0, pool=5.0),
        )
        self.limits: dict[str, Limits] = {}
        """Models' limits; if a model is missing here, ask its server."""

    async def stream(
        self, body: Mapping[str, Any], on_text: OnText, on_tokens: OnTokens = ignore_tokens
    ) -> Reply:
        """Make one call, handing out its text and the sentences in its tools' inputs as they arrive; cancelling closes the connection."""
        failure: GreenlightError
        try:
            async with asyncio.timeout(self._limit):
                return await self._adapt(body, on_text, on_tokens)
        except GreenlightError as error:
            failure = error
        except TimeoutError:
            failure = ModelUnreachable(Notice.of("model-incomplete", seconds=self._limit))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout):
            failure = ModelUnreachable(Notice.of("model-no-connection"))
        except httpx.TimeoutException:
            failure = ModelUnreachable(Notice.of("model-stalled"))
        except httpx.HTTPError:
            failure = ModelUnreachable(Notice.of("model-broke-off"))
        except (*_ODD, RecursionError):
            failure = ModelUnreachable(Notice.of("model-odd"))
        # Raised here, so that the client's exception, which contains the request, is not chained.
        raise failure

    async def _adapt(self, body: Mapping[str, Any], on_text: OnText, on_tokens: OnTokens) -> Reply:
        """Call the server in its dialect, learned from refused parameters; refused requests cost nothing."""
        while True:
            dialect = self._dialects.get(body["model"], Dialect())
            try:
                return await self._receive(body, dialect, on_text, on_tokens)
            except _ParameterRefused as refused:
                self._dialects[body["model"]] = refused.dialect

    async def _receive(
        self, body: Mapping[str, Any], dialect: Dialect, on_text: OnText, on_tokens: OnTokens
    ) -> Reply:
        asked = json.dumps(to_chat(body, dialect), ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", **body.get("extra_headers", {})}
        request = self._http.stream(
            "POST", f"{self.url}/chat/completions", content=asked, headers=headers
        )
        async with request as response:
            if not response.is_success:
                refusal = await _read_refusal(response)
                other = dialect.adapt(refusal.message) if refusal.status in {400, 422} else None
                raise _ParameterRefused(other) if other else classify_refusal(refusal)
            answer = Answer(len(asked), on_text, on_tokens)
            if "event-stream" in response.headers.get("content-type", ""):
                async with aclosing(_list_events(response)) as events:
                    async for data in events:
                        answer.take(_read_chunk(data))
            else:  # the server does not stream
                answer.take(_read_chunk(await read_body(response, MAX_WHOLE_BYTES)))
            return answer.build_reply()

    async def open_batch(self, body: Mapping[str, Any]) -> str | None:
        """Return None, because batches of this API work differently."""
        return None

    async def read_batch(self, model: str, batch_id: str) -> Reply | str:
        """Report the batch as expired: it was made while another server had the model."""
        return "expired"

    async def cancel_batch(self, model: str, batch_id: str) -> None:
        """Do nothing, because there are no batches."""

    async def find_limits(self, model: str) -> Limits:
        """Return a model's limits: as configured, else as its server reports them (asked once)."""
        if model not in self.limits:
            try:
                self.limits[model] = read_limits(await self._list_models(), model)
            except (httpx.HTTPError, TimeoutError):
                return Limits()  # not cached, so that it is asked again later
            except (*_ODD, GreenlightError):
                self.limits[model] = Limits()
        return self.limits[model]

    async def check(self, model: str) -> None:
        """Check a model with the free list of models; outages and servers without a list pass.

        Raises:
            ModelRejected: The key is refused (401, 403), or the model is not listed.
        """
        refusal: GreenlightError | None = None
        try:
            if lists_others(await self._list_models(), model):
                refusal = ModelRejected(Notice.of("model-unknown", model=model))
        except ModelRejected as error:
            refusal = error if error.words.params["status"] in KEY_REFUSED else None
        except (httpx.HTTPError, TimeoutError, GreenlightError, *_ODD):
            return
        if refusal:  # raised out here, as in `stream`
            raise refusal

    async def _list_models(self) -> list[Json]:
        async with (
            asyncio.timeout(SOON),
            self._http.stream("GET", f"{self.url}/models") as response,
        ):
            if not response.is_success:
                raise classify_refusal(await _read_refusal(response))
            listed: list[Json] = json.loads(await read_body(response, MAX_WHOLE_BYTES))["data"]
            return listed

    async def count_tokens(self, body: Mapping[str, Any]) -> int | None:
        """Return None, because these servers do not count tokens."""
        return None

    def find_url(self, model: str) -> str:
        """Return the address of the server."""
        return self.url

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _read_chunk(data: bytes) -> Chunk:
    """Return an event as a chunk, or raise the error that it reports."""
    said = json.loads(data)
    chunk = Chunk.model_validate(said)
    if chunk.error:
        raise classify_refusal(_build_refusal(said, 0, {}))
    return chunk


async def _list_events(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield the data of each event of a stream, up to its `[DONE]`; comments keep the line open alone."""
    async with aclosing(_list_lines(response)) as lines:
        async for line in lines:
            name, _, data = line.partition(b":")
            if name == b"data":
                if data.strip() == b"[DONE]":
                    return
                yield data


async def _list_lines(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield the lines of an answer; ResponseTooLarge once there are more than `MAX_STREAM_BYTES`."""
    buffer, size = bytearray(), 0
    async with open_body(response) as pieces:
        async for piece in pieces:
            size += len(piece)
            if size > MAX_STREAM_BYTES:
                raise ResponseTooLarge
            start = len(buffer)
            buffer += piece
            while (end := buffer.find(b"\n", start)) >= 0:
                yield bytes(buffer[:end])
                del buffer[: end + 1]
                start = 0
    yield bytes(buffer)


async def _read_refusal(response: httpx.Response) -> Refusal:
    """Return what a server says in place of an answer, which need not be JSON."""
    try:
        said = json.loads(await read_body(response, MAX_REFUSAL_BYTES))
    except (ValueError, RecursionError):
        said = {}
    return _build_refusal(said, response.status_code, response.headers)


def _build_refusal(said: Any, status: int, headers: Mapping[str, str]) -> Refusal:
    """Return an error's JSON as a refusal; servers put its fields at three places, and a status only at an answer's head."""
    error = said.get("error", said) if isinstance(said, dict) else said
    fields = error if isinstance(error, dict) else {"message": error}
    message, kind = (
        str(fields.get("message") or fields.get("detail") or ""),
        str(fields.get("type") or ""),
    )
    code = fields.get("code")
    if not status:
        is_status = isinstance(code, int) and 400 <= code < 600
        status = int(str(code)) if is_status else _FINAL_TYPES.get(kind, 500)
    return Refusal(
        status=status,
        message=message,
        kind=kind,
        code=code if isinstance(code, str) else "",
        request_id=headers.get("x-request-id", ""),
        retry_after=headers.get("retry-after", ""),
        is_form_fault=status == httpx.codes.INTERNAL_SERVER_ERROR and _VALIDATION in message,
    )
