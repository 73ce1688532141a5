"""Calls of the Messages API with one of Anthropic's server tools."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar

import anthropic
import httpx2
from anthropic.types import Message
from anthropic.types import Usage as TokenUsage

from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.models.claude import classify
from contracts.errors import (
    GreenlightError,
    KeyRejected,
    ModelBusy,
    SearchFailed,
    SearchRefused,
)
from contracts.models.catalogue import find_accepted
from contracts.models.prices import Price, TokenCount
from contracts.models.usage import Usage
from contracts.notices import Notice, NoticeParam
from contracts.search import KEYS, ServiceName, name_service

TIMEOUT_SECONDS = 45.0
MAX_TOKENS = 1_024
MAX_TURNS = 3
"""How often a turn paused by the server is continued."""

OnPaid = Callable[[float], None]
"""Called with the dollars that a call has cost so far, even if it fails."""


class AnthropicTool:
    """Lets a small model use a server tool, once per call; the model's own text is ignored."""

    name: ClassVar[ServiceName] = "anthropic"

    def __init__(  # noqa: PLR0913 - whom to ask, as whom, at which price
        self,
        base_url: str,
        key: str,
        model: str,
        price: Price,
        *,
        fee_usd: float = 0.0,
        sites: SitePolicy | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._client = anthropic.AsyncAnthropic(
            base_url=base_url,
            api_key=key or "none",  # an empty one makes a header that cannot be sent
            max_retries=0,
            open_telemetry=False,  # our own spans cover all clients
            timeout=httpx2.Timeout(timeout_seconds, connect=5.0),
        )
        self._timeout_seconds = timeout_seconds
        self._model = model
        self._price = price
        self._fee_usd = fee_usd
        self._sites = sites or SitePolicy()
        self.url = base_url

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def use(
        self, tool: Mapping[str, Any], prompt: str, on_paid: OnPaid
    ) -> tuple[list[Any], Usage]:
        """Return the blocks of the answer's turns and their cost.

        Raises:
            SearchFailed: The server did not answer, or not with a message; a retry may help.
            SearchRefused: It rejects the key, the request or the tool.
        """
        blocks, usage = list[Any](), Usage()
        try:
            async with (
                asyncio.timeout(self._timeout_seconds),
                aclosing(self._take_turns(tool, prompt)) as turns,
            ):
                async for turn in turns:
                    blocks += turn.content
                    usage += self._bill(turn.usage)
                    on_paid(usage.usd)
        except TimeoutError:
            raise SearchFailed(self._tell("search-late")) from None
        return blocks, usage

    async def _take_turns(
        self, tool: Mapping[str, Any], prompt: str
    ) -> AsyncGenerator[Message, None]:
        """Yield the answer's messages: a turn that the server paused is sent back unchanged."""
        messages: list[Any] = [{"role": "user", "content": prompt}]
        for _ in range(MAX_TURNS):
            turn = await self._create(tool, messages)
            yield turn
            if turn.stop_reason != "pause_turn":
                return
            messages = [*messages, {"role": "assistant", "content": turn.content}]

    async def _create(self, tool: Mapping[str, Any], messages: Sequence[Any]) -> Message:
        thinking = find_accepted(self._model).thinking
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": MAX_TOKENS,
            "messages": messages,
            "tools": [tool],
            **({"thinking": dict(thinking)} if thinking else {}),
        }
        failure: GreenlightError
        try:
            made: object = await self._client.messages.create(**body)
        except anthropic.APIStatusError as error:
            failure = self._explain(error)
        except anthropic.APITimeoutError:
            failure = SearchFailed(self._tell("search-late"))
        except anthropic.APIConnectionError as error:
            failure = SearchFailed(self._tell("search-no-answer", error=type(error).__name__))
        except (ValueError, TypeError, AttributeError, anthropic.AnthropicError):
            failure = SearchFailed(self._tell("search-odd"))
        else:
            if isinstance(made, Message) and isinstance(made.usage, TokenUsage):
                return made  # the SDK checks no shapes: a page of HTML comes as a text
            failure = SearchFailed(self._tell("search-odd"))
        raise failure  # raised here, so that the SDK's exception, which contains the request, is not chained

    def _explain(self, error: anthropic.APIStatusError) -> GreenlightError:
        failure, status = classify(error), error.status_code
        if isinstance(failure, ModelBusy):
            told = self._tell("search-status", status=status)
            return SearchFailed(told, failure.retry_after, status)
        if isinstance(failure, KeyRejected):
            told = self._tell("search-key", status=status, setting=KEYS[self.name])
            return SearchRefused(told, status)
        return SearchRefused(self._tell("search-tool-refused", status=status), status)

    def _bill(self, used: TokenUsage) -> Usage:
        """Return what a turn costs: its tokens, and the fee of each search that was made."""
        read, written = used.cache_read_input_tokens or 0, used.cache_creation_input_tokens or 0
        count = TokenCount(
            input_tokens=used.input_tokens + read + written,
            cache_read_tokens=read,
            cache_written_tokens=written,
            output_tokens=used.output_tokens,
        )
        made = used.server_tool_use
        searches = made.web_search_requests if made else 0
        return Usage(
            input_tokens=count.input_tokens,
            output_tokens=count.output_tokens,
            usd=self._price.compute_call_usd(count) + searches * self._fee_usd,
        )

    def _tell(self, code: str, **params: NoticeParam | None) -> Notice:
        return Notice.of(code, service=name_service(self.name), **params)
