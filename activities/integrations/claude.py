"""The Messages API: one streamed call, and every way it can fail as one of our errors.

Nothing is retried here. No text of a request, an answer or a key enters an error.
"""

import asyncio
import email.utils
import math
import time
from collections.abc import Mapping
from typing import Any

import anthropic
import httpx2

from activities.integrations.message_accumulator import MessageAccumulator, OnText, OnTokens
from contracts.errors import GreenlightError, ModelBusy, ModelRejected, ModelUnreachable
from contracts.models.call import Reply

LONGEST_RETRY_AFTER_SECONDS = 300.0

_BUSY_STATUSES = {408, 409, 429}
_BUSY_TYPES = {"overloaded_error", "rate_limit_error", "api_error", "timeout_error"}
_ODD = (ValueError, TypeError, AttributeError, LookupError)
"""What reading an event fails with that is none of the API's: the SDK checks no shapes."""
_SPENT = {"enforced_spend_limit_reached", "contract_spend_limit_reached"}


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
                return await self._read(_sendable(body), MessageAccumulator(on_text, on_tokens))
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

    async def _read(self, body: Mapping[str, Any], incoming: MessageAccumulator) -> Reply:
        async with await self._client.messages.create(**body, stream=True) as stream:
            async for event in stream:
                incoming.take(event)
        return incoming.reply()


def classify(error: anthropic.APIStatusError) -> GreenlightError:
    """Return our error for the provider's; one that breaks a stream off has status 200."""
    name = error.error_code or error.type or "no error type"
    message = f"the model's provider answered {error.status_code} ({name})"
    if error.request_id:
        message += f", request {error.request_id}"
    if error.error_code in _SPENT or not _is_busy(error):
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


def _is_busy(error: anthropic.APIStatusError) -> bool:
    if error.status_code < 300:
        return error.type in _BUSY_TYPES
    return error.status_code in _BUSY_STATUSES or error.status_code >= 500


def _sendable(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body with its output schema in the subset that the API takes."""
    if "output_config" not in body:
        return body
    output = body["output_config"]["format"]
    try:
        schema = anthropic.transform_schema(output["schema"])
    except (ValueError, TypeError, AssertionError):
        raise ModelRejected("the output schema is not one the API can enforce") from None
    return {**body, "output_config": {"format": {**output, "schema": schema}}}
