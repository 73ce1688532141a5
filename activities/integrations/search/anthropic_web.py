"""Anthropic's server-side web search and fetch: one small model call, of which only the results are used."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

import anthropic
import httpx2
from anthropic.types import Message
from anthropic.types import Usage as TokenUsage

from activities.integrations.claude import classify
from activities.integrations.fetch import parse_url
from activities.integrations.search.http_service import MAX_READ, to_plain
from activities.integrations.site_policy import SitePolicy
from contracts.errors import (
    FetchRefused,
    GreenlightError,
    KeyRejected,
    ModelBusy,
    SearchFailed,
    SearchRefused,
)
from contracts.evidence.searches import Found, ServiceHit
from contracts.evidence.sources import SearchKind
from contracts.models.catalogue import find_accepted
from contracts.models.prices import Price, TokenCount
from contracts.models.usage import Usage
from contracts.notices import Notice, NoticeParam
from contracts.search import KEYS, ServiceName, name_service

TOOL = "web_search_20250305"
"""The form without code execution: results come whole, and every model takes it."""
TIMEOUT_SECONDS = 45.0
MAX_TOKENS = 1_024
MAX_TURNS = 3
"""Times that a turn which the server paused is gone on with."""
MOST_INPUT_TOKENS = 40_000
"""Results are billed as input; their text, which nobody can read, is a part of them."""
PROMPT = "Search the web once for exactly this, then reply with the one word: done.\n\n{query}"
_PASSING = {"unavailable", "too_many_requests"}
"""Codes of errors that come as a block of a good answer and may pass."""
_AGES = ("%B %d, %Y", "%b %d, %Y", "%Y-%m-%d")

OnPaid = Callable[[float], None]
"""Called with the dollars that a search has cost so far, also if it comes to nothing."""


class AnthropicSearch:
    """Searches through the Messages API's tool `web_search`, once a call."""

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
            timeout=httpx2.Timeout(timeout_seconds, connect=5.0),
        )
        self._model = model
        self._price = price
        self._fee_usd = fee_usd
        self._sites = sites or SitePolicy()
        self.url = base_url

    @property
    def most_usd(self) -> float:
        """The most that one search costs: its fee, and the results read as input."""
        return self._fee_usd + self._price.compute_most_usd(MOST_INPUT_TOKENS, MAX_TOKENS)

    async def search(
        self, query: str, count: int, kind: SearchKind = "web", on_paid: OnPaid = lambda _: None
    ) -> Found:
        """Return at most `count` hits of sites that may be read, best first; they have no snippets.

        Raises:
            SearchFailed: The service did not answer, or the model did not search; it may later.
            SearchRefused: The service rejects the key, the query or the tool.
        """
        asked = f"News: {query}" if kind == "news" else query
        turns = [turn async for turn in self._take_turns(asked)]
        usage = self._bill(turns)
        on_paid(usage.usd)
        hits, failed = self._read(turns)
        if failed and not hits:
            raise failed
        if not any(
            part.type == "web_search_tool_result" for turn in turns for part in turn.content
        ):
            raise SearchFailed(self._tell("search-not-run", model=self._model))
        hits = [hit for hit in hits if not self._sites.refusal(hit.url)]
        return Found(hits=hits[:count], query=_find_query(turns), usage=usage)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _take_turns(self, query: str) -> Any:
        """Yield the answer's messages: a turn that the server paused is sent back as it is."""
        messages: list[Any] = [{"role": "user", "content": PROMPT.format(query=query)}]
        for _ in range(MAX_TURNS):
            turn = await self._create(messages)
            yield turn
            if turn.stop_reason != "pause_turn":
                return
            messages = [*messages, {"role": "assistant", "content": turn.content}]

    async def _create(self, messages: Sequence[Any]) -> Message:
        failure: GreenlightError
        try:
            made: object = await self._client.messages.create(**self._build_body(messages))
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
        raise failure  # out here: the SDK's exception, which holds the request, is no context of ours

    def _build_body(self, messages: Sequence[Any]) -> dict[str, Any]:
        tool: dict[str, Any] = {"type": TOOL, "name": "web_search", "max_uses": 1}
        if self._sites.allow:  # the API takes one of the two lists
            tool["allowed_domains"] = sorted(self._sites.allow)
        elif self._sites.deny:
            tool["blocked_domains"] = sorted(self._sites.deny)
        thinking = find_accepted(self._model).thinking
        return {
            "model": self._model,
            "max_tokens": MAX_TOKENS,
            "messages": messages,
            "tools": [tool],
            **({"thinking": dict(thinking)} if thinking else {}),
        }

    def _explain(self, error: anthropic.APIStatusError) -> GreenlightError:
        failure, status = classify(error), error.status_code
        if isinstance(failure, ModelBusy):
            told = self._tell("search-status", status=status)
            return SearchFailed(told, failure.retry_after, status)
        if isinstance(failure, KeyRejected):
            told = self._tell("search-key", status=status, setting=KEYS[self.name])
            return SearchRefused(told, status)
        return SearchRefused(self._tell("search-tool-refused", status=status), status)

    def _bill(self, turns: Sequence[Message]) -> Usage:
        """Return what the turns cost: their tokens, and the fee of each search that was made."""
        usd, total, searches = 0.0, TokenCount(), 0
        for turn in turns:
            used, made = turn.usage, turn.usage.server_tool_use
            read, written = used.cache_read_input_tokens or 0, used.cache_creation_input_tokens or 0
            count = TokenCount(
                input_tokens=used.input_tokens + read + written,
                cache_read_tokens=read,
                cache_written_tokens=written,
                output_tokens=used.output_tokens,
            )
            usd += self._price.compute_call_usd(count)
            searches += made.web_search_requests if made else 0
            total = TokenCount(
                input_tokens=total.input_tokens + count.input_tokens,
                output_tokens=total.output_tokens + count.output_tokens,
            )
        return Usage(
            input_tokens=total.input_tokens,
            output_tokens=total.output_tokens,
            usd=usd + searches * self._fee_usd,
        )

    def _read(self, turns: Sequence[Message]) -> tuple[list[ServiceHit], GreenlightError | None]:
        """Return the hits of all result blocks, and the failure that a block reports in their place."""
        hits: list[ServiceHit] = []
        failed: GreenlightError | None = None
        for part in (part for turn in turns for part in turn.content):
            if part.type != "web_search_tool_result":
                continue
            if isinstance(part.content, list):
                for result in part.content[:MAX_READ]:
                    if _is_page(result.url):
                        hits.append(self._read_hit(result, len(hits) + 1))
                continue
            code = str(getattr(part.content, "error_code", "") or "unknown")
            told = self._tell("search-tool-error", name=code)
            failed = SearchFailed(told) if code in _PASSING else SearchRefused(told)
        return hits, failed

    def _read_hit(self, result: Any, rank: int) -> ServiceHit:
        return ServiceHit(
            service=self.name,
            rank=rank,
            url=str(result.url),
            title=to_plain(result.title),
            published=_read_age(result.page_age),
        )

    def _tell(self, code: str, **params: NoticeParam | None) -> Notice:
        return Notice.of(code, service=name_service(self.name), **params)


def _find_query(turns: Sequence[Message]) -> str:
    """Return what the model searched for, which may be worded otherwise."""
    inputs = (p.input for turn in turns for p in turn.content if p.type == "server_tool_use")
    return next((str(i.get("query", ""))[:400] for i in inputs if isinstance(i, Mapping)), "")


def _is_page(url: object) -> bool:
    try:
        parse_url(str(url or ""))
    except FetchRefused:
        return False
    return True


def _read_age(age: object) -> str | None:
    """Return the day that a page's age names, e.g. "April 30, 2025"; None of a phrase that ages by itself."""
    for form in _AGES:
        try:
            return datetime.strptime(str(age), form).date().isoformat()  # noqa: DTZ007 - a day alone
        except ValueError:
            continue
    return None
