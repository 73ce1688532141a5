"""The Messages API: one streamed call, and every way it can fail as one of our errors.

Nothing is retried here. No text of a request, an answer or a key enters an error.
"""

import asyncio
import email.utils
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import anthropic
import httpx2
from anthropic.types import ContentBlock, MessageDeltaUsage, RawMessageStreamEvent, Usage
from pydantic_core import from_json

from contracts.errors import GreenlightError, ModelBusy, ModelRejected, ModelUnreachable
from contracts.models.call import Block, Reply

LONGEST_RETRY_AFTER_SECONDS = 300.0

_BUSY_STATUSES = {408, 409, 429}
_BUSY_TYPES = {"overloaded_error", "rate_limit_error", "api_error", "timeout_error"}
_ODD = (ValueError, TypeError, AttributeError, LookupError)
"""What reading an event fails with that is none of the API's: the SDK checks no shapes."""
_SPENT = {"enforced_spend_limit_reached", "contract_spend_limit_reached"}

OnText = Callable[[str], None]
OnTokens = Callable[[float, int], None]
"""Told of the billed input and the output so far, as the provider counts them."""

CACHE_WRITE, CACHE_READ = 1.25, 0.1
"""What a cached token costs against a plain one. Source: the provider's pricing page."""

_COUNTED = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


class ClaudeClient:
    """One shared client; a call ends within `limit_seconds`, less than the activity's own limit."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        limit_seconds: float = 110.0,
        silence_seconds: float = 60.0,
    ) -> None:
        self._limit = limit_seconds
        self._client = anthropic.AsyncAnthropic(
            base_url=base_url,
            api_key=api_key or "none",  # an empty one makes a header that cannot be sent
            max_retries=0,
            timeout=httpx2.Timeout(silence_seconds, connect=5.0, pool=5.0),
        )

    async def stream(
        self, body: Mapping[str, Any], on_text: OnText, on_tokens: OnTokens = lambda *_: None
    ) -> Reply:
        """Make one call, handing out its text as it arrives; cancelling closes the connection."""
        failure: GreenlightError
        try:
            async with asyncio.timeout(self._limit):
                incoming = MessageAccumulator(on_text, on_tokens)
                sendable = _to_sendable(body)
                async with await self._client.messages.create(**sendable, stream=True) as stream:
                    async for event in stream:
                        incoming.take(event)
                return incoming.reply()
        except anthropic.APIStatusError as error:
            failure = classify(error)
        except anthropic.APITimeoutError:
            failure = ModelUnreachable("the model's provider did not answer in time")
        except anthropic.APIConnectionError:
            failure = ModelUnreachable("no connection to the model's provider")
        except TimeoutError:
            failure = ModelUnreachable(f"the answer was not complete after {self._limit:g} s")
        except httpx2.TimeoutException:
            failure = ModelUnreachable("the answer stopped arriving")
        except httpx2.HTTPError:
            failure = ModelUnreachable("the connection broke off during the answer")
        except (*_ODD, anthropic.AnthropicError):
            failure = ModelUnreachable("what came back is not an answer of the Messages API")
        # Raised out here: the SDK's exception, which holds the request, is no context of ours.
        raise failure

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class MessageAccumulator:
    """What has come of a message so far; a block's pieces are joined once, when it is read.

    The SDK's accumulator reads the whole input of a tool anew with each piece: of one of 9,000
    tokens, in pieces of five characters, that is half a second of the event loop.
    """

    def __init__(self, on_text: OnText, on_tokens: OnTokens) -> None:
        self._on_text = on_text
        self._on_tokens = on_tokens
        self._blocks: list[tuple[ContentBlock, list[str]]] = []
        self._tokens: dict[str, int] = {}
        self._stop_reason: str | None = None
        self._whole = False

    def take(self, event: RawMessageStreamEvent) -> None:
        """Take in one event; an odd one raises whatever it fails at."""
        match event.type:
            case "message_start":
                self._count(event.message.usage)
            case "content_block_start":
                self._blocks.append((event.content_block, []))
            case "content_block_delta":
                pieces = self._blocks[event.index][1]
                if event.delta.type == "text_delta":
                    pieces.append(event.delta.text)
                    self._on_text(event.delta.text)
                elif event.delta.type == "input_json_delta":
                    pieces.append(event.delta.partial_json)
            case "message_delta":
                self._stop_reason = event.delta.stop_reason
                self._count(event.usage)
            case "message_stop":
                self._whole = True
            case _:
                pass  # the end of a block says nothing new, and the API may send more kinds

    def _count(self, usage: Usage | MessageDeltaUsage) -> None:
        """Keep the newest counts; one that a later event leaves out stands."""
        counted = ((name, getattr(usage, name)) for name in _COUNTED)
        self._tokens |= {name: n for name, n in counted if n is not None}
        self._on_tokens(self._input(CACHE_WRITE, CACHE_READ), self._tokens["output_tokens"])

    def _input(self, write: float, read: float) -> float:
        """Return the input tokens, cached ones weighed."""
        written = self._tokens.get("cache_creation_input_tokens", 0)
        found = self._tokens.get("cache_read_input_tokens", 0)
        return self._tokens["input_tokens"] + write * written + read * found

    def reply(self) -> Reply:
        """Return the whole message.

        Raises:
            ValueError: It did not come to its end, or a tool's input is no JSON object.
        """
        if not (self._tokens and self._whole):
            raise ValueError("no whole message")
        blocks = (_block(part, "".join(pieces)) for part, pieces in self._blocks)
        return Reply(
            content=[block for block in blocks if block],
            stop_reason=self._stop_reason or "",
            input_tokens=int(self._input(1, 1)),
            billed_input_tokens=self._input(CACHE_WRITE, CACHE_READ),
            output_tokens=self._tokens["output_tokens"],
        )


def _block(part: ContentBlock, written: str) -> Block | None:
    """Return a block of ours; None for a kind we do not keep, such as the model's thinking."""
    if part.type == "text":
        return Block(type="text", text=part.text + written)
    if part.type == "tool_use":
        # An answer that was cut off ends in the midst of it; its stop reason says so.
        given: Any = from_json(written, allow_partial=True) if written else part.input
        return Block(type="tool_use", id=part.id, name=part.name, input=given)
    return None


def classify(error: anthropic.APIStatusError) -> GreenlightError:
    """Return our error for the provider's; one that breaks a stream off has status 200."""
    name = error.error_code or error.type or "no error type"
    message = f"the model's provider answered {error.status_code} ({name})"
    if error.request_id:
        message += f", request {error.request_id}"
    if error.status_code < 300:
        is_busy = error.type in _BUSY_TYPES
    else:
        is_busy = error.status_code in _BUSY_STATUSES or error.status_code >= 500
    if error.error_code in _SPENT or not is_busy:
        return ModelRejected(message)
    return ModelBusy(message, retry_after(error.response.headers))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait that the headers ask for, at most five minutes."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            seconds = _seconds(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    if math.isnan(seconds):
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER_SECONDS)


def _seconds(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return email.utils.parsedate_to_datetime(value).timestamp() - time.time()


def _to_sendable(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body with its output schema in the subset that the API takes."""
    if "output_config" not in body:
        return body
    output = body["output_config"]["format"]
    try:
        schema = anthropic.transform_schema(output["schema"])
    except (ValueError, TypeError, AssertionError):
        raise ModelRejected("the output schema is not one the API can enforce") from None
    return {**body, "output_config": {"format": {**output, "schema": schema}}}
