"""The Messages API: one streamed call, with each failure as one of our errors.

Nothing is retried here. No text of a request, an answer or a key enters an error.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

import anthropic
import httpx2
from anthropic.types import Message, Usage

from activities.integrations.http.response_bodies import exhausting
from activities.integrations.models.answer_schema import to_enforceable
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
from activities.integrations.models.streamed_sentences import StreamedSentences
from contracts.errors import (
    GreenlightError,
    ModelRejected,
    ModelUnreachable,
)
from contracts.models.call import Block, Reply
from contracts.models.prices import Limits, TokenCount
from contracts.notices import Notice

_ODD = (ValueError, TypeError, AttributeError, LookupError, AssertionError)
"""Exceptions of the SDK on malformed events, whose shapes it does not check."""
_NO_SUCH_PATH = {404, 405, 501}
_BUSY_TYPES = {"overloaded_error", "rate_limit_error", "api_error", "timeout_error"}

T = TypeVar("T")


class ClaudeClient:
    """One shared client; a call lives while it speaks, and ends by silence or within a limit."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        silence_seconds: float = 60.0,
        limit_seconds: float = 900.0,
        servers: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """Open clients of a server, and of the `servers` of single models: model -> address and key."""
        self._limit = limit_seconds
        self._client, *others = (
            anthropic.AsyncAnthropic(
                base_url=url,
                api_key=key or "none",  # an empty one makes a header that cannot be sent
                max_retries=0,
                open_telemetry=False,  # our own spans cover all clients
                timeout=httpx2.Timeout(silence_seconds, connect=5.0, pool=5.0),
            )
            for url, key in [(base_url, api_key), *(servers or {}).values()]
        )
        self._others = dict(zip(servers or {}, others, strict=True))
        self.limits: dict[str, Limits] = {}
        """Models' limits; if a model is missing here, ask its server."""

    async def stream(
        self, body: Mapping[str, Any], on_text: OnText, on_tokens: OnTokens = ignore_tokens
    ) -> Reply:
        """Make one call, handing out its text and the sentences in its tools' inputs as they arrive; cancelling closes the connection."""
        return await self._call(lambda: self._receive(_to_sendable(body), on_text, on_tokens))

    async def open_batch(self, body: Mapping[str, Any]) -> str | None:
        """Submit one call as a batch and return the batch's id; None if the server has no batches."""
        asked: Any = {"custom_id": "call", "params": _to_sendable(body)}
        batches = self._get_client(body["model"]).messages.batches

        async def create() -> str | None:
            try:
                return (await batches.create(requests=[asked])).id
            except anthropic.APIStatusError as error:
                if error.status_code in _NO_SUCH_PATH:
                    return None
                raise

        return await self._call(create)

    async def read_batch(self, model: str, batch_id: str) -> Reply | str:
        """Return the reply to a batch's only call, or its state: `in_progress`, `expired` and so on."""
        batches = self._get_client(model).messages.batches

        async def read() -> Reply | str:
            status = (await batches.retrieve(batch_id)).processing_status
            if status != "ended":
                return status
            [result] = [one.result async for one in await batches.results(batch_id)]
            return _to_reply(result.message) if result.type == "succeeded" else result.type

        return await self._call(read)

    async def cancel_batch(self, model: str, batch_id: str) -> None:
        """Ask for a batch to be cancelled; a finished batch is not affected."""
        batches = self._get_client(model).messages.batches
        await self._call(lambda: batches.cancel(batch_id))

    async def _call(self, make: Callable[[], Awaitable[T]]) -> T:
        """Return what a call of the client returns, or raise its failure as one of our errors."""
        failure: GreenlightError
        try:
            async with asyncio.timeout(self._limit):
                return await make()
        except anthropic.APIStatusError as error:
            failure = classify(error)
        except anthropic.APITimeoutError:
            failure = ModelUnreachable(Notice.of("model-late"))
        except anthropic.APIConnectionError:
            failure = ModelUnreachable(Notice.of("model-no-connection"))
        except TimeoutError:
            failure = ModelUnreachable(Notice.of("model-incomplete", seconds=self._limit))
        except httpx2.TimeoutException:
            failure = ModelUnreachable(Notice.of("model-stalled"))
        except httpx2.HTTPError:
            failure = ModelUnreachable(Notice.of("model-broke-off"))
        except (*_ODD, anthropic.AnthropicError):
            failure = ModelUnreachable(Notice.of("model-odd"))
        # Raised here, so that the SDK's exception, which contains the request, is not chained.
        raise failure

    async def _receive(
        self, body: Mapping[str, Any], on_text: OnText, on_tokens: OnTokens
    ) -> Reply:
        async with self._get_client(body["model"]).messages.stream(**body) as stream:
            if "json" in stream.response.headers.get(
                "content-type", ""
            ):  # the server does not stream
                # Parse as leniently as a stream, so that unknown fields do not lose the answer.
                whole = Message.construct(**json.loads(await stream.response.aread()))
                on_text("".join(part.text for part in whole.content if part.type == "text"))
                return _to_reply(whole)
            words = StreamedSentences()
            async with exhausting(aiter(stream), stream.close) as events:
                async for event in events:
                    if event.type == "text":
                        on_text(event.text)
                    elif event.type == "content_block_start":
                        words = StreamedSentences()
                    elif event.type == "input_json":
                        on_text(words.read(event.partial_json))
                    elif event.type in {"message_start", "message_delta"}:
                        on_tokens(_count_tokens(stream.current_message_snapshot.usage))
                    elif event.type == "message_stop":
                        return _to_reply(event.message)
        raise ValueError("no whole message")

    async def find_limits(self, model: str) -> Limits:
        """Return a model's limits: as configured, else as its server reports them (asked once)."""
        if model not in self.limits:
            try:
                page = await self._get_client(model).models.list(limit=1000, timeout=SOON)
                self.limits[model] = read_limits([info.to_dict() for info in page.data], model)
            except (anthropic.APIConnectionError, anthropic.InternalServerError):
                return Limits()  # not cached, so that it is asked again later
            except (*_ODD, anthropic.AnthropicError):
                self.limits[model] = Limits()
        return self.limits[model]

    async def check(self, model: str) -> None:
        """Check a model with its server, for free; outages pass.

        Raises:
            ModelRejected: The key is refused (401, 403), or the model is unknown.
        """
        client, refusal = self._get_client(model), None
        try:
            await client.models.retrieve(model, timeout=SOON)
        except anthropic.APIStatusError as error:
            if error.status_code in KEY_REFUSED:
                refusal = classify(error)
            elif error.status_code == HTTPStatus.NOT_FOUND and await _lists_others(client, model):
                refusal = ModelRejected(Notice.of("model-unknown", model=model))
        except (*_ODD, anthropic.AnthropicError):
            return
        if (
            refusal
        ):  # raised here, so that the SDK's exception, which contains the request, is not chained
            raise refusal

    async def count_tokens(self, body: Mapping[str, Any]) -> int | None:
        """Return a request's tokens as counted by its server; None if it does not count."""
        told = {name: value for name, value in _to_sendable(body).items() if name != "max_tokens"}
        try:
            client = self._get_client(body["model"])
            counted = await client.messages.count_tokens(**told, timeout=SOON)
            return max(counted.input_tokens, 0) or None
        except (*_ODD, anthropic.AnthropicError):
            return None

    def find_url(self, model: str) -> str:
        """Return the address of a model's server."""
        return str(self._get_client(model).base_url)

    def _get_client(self, model: str) -> anthropic.AsyncAnthropic:
        return self._others.get(model, self._client)

    async def close(self) -> None:
        """Close the connections."""
        for client in (self._client, *self._others.values()):
            await client.close()


async def _lists_others(client: anthropic.AsyncAnthropic, model: str) -> bool:
    """Return whether a server lists several models and not this one; a server without a list does not."""
    try:
        page = await client.models.list(limit=1000, timeout=SOON)
        return lists_others([info.to_dict() for info in page.data], model)
    except (*_ODD, anthropic.AnthropicError):
        return False


def _to_reply(message: Message) -> Reply:
    """Convert a complete message, dropping blocks such as the model's thinking."""
    kept: list[Block] = []
    for part in message.content:
        if part.type == "text":
            kept.append(Block(type="text", text=part.text))
        elif part.type == "tool_use":
            given: Any = part.input
            kept.append(Block(type="tool_use", id=part.id, name=part.name, input=given))
    if kept and kept[-1].type == "tool_use" and message.stop_reason == "max_tokens":
        kept.pop()  # truncated: its input is incomplete
    return Reply(
        content=kept,
        stop_reason=message.stop_reason or "",
        **dict(_count_tokens(message.usage)),
    )


def _count_tokens(usage: Usage) -> TokenCount:
    """Return a message's tokens; the API counts cached input separately."""
    written, found = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
    return TokenCount(
        input_tokens=usage.input_tokens + written + found,
        cache_read_tokens=found,
        cache_written_tokens=written,
        output_tokens=usage.output_tokens,
    )


def classify(error: anthropic.APIStatusError) -> GreenlightError:
    """Return our error for the provider's; one that breaks a stream off has status 200."""
    refusal = Refusal(
        status=error.status_code,
        message=error.message,
        kind=error.type or "",
        code=error.error_code or "",
        request_id=error.request_id or "",
        retry_after=error.response.headers.get("retry-after", ""),
    )
    broke_off = error.status_code < 300
    return classify_refusal(refusal, is_busy=error.type in _BUSY_TYPES if broke_off else None)


def _to_sendable(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body with its output schema in the subset that the API takes."""
    output = body.get("output_config", {}).get("format")
    if output is None:
        return body
    schema = to_enforceable(output["schema"])
    return {
        **body,
        "output_config": {**body["output_config"], "format": {**output, "schema": schema}},
    }
