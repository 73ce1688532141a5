"""Anthropic's server-side web search: a small model call; only its search results are used."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from activities.integrations.http.page_fetcher import is_fetchable
from activities.integrations.search.anthropic_tool import MAX_TOKENS, AnthropicTool, OnPaid
from activities.integrations.search.http_service import MAX_READ, to_plain
from contracts.errors import GreenlightError, SearchFailed, SearchRefused
from contracts.evidence.searches import Found, ServiceHit
from contracts.evidence.sources import SearchKind

TOOL = "web_search_20250305"
"""The form without code execution: results come whole, and every model takes it."""
MOST_IDLE_CALLS = 3
"""Calls in a row without a search after which the server is taken to lack the tool: the search is refused, not retried."""
MOST_INPUT_TOKENS = 40_000
"""Results are billed as input, including their encrypted text."""
PROMPT = "Search the web once for exactly this, then reply with the one word: done.\n\n{query}"
_PASSING = {"unavailable", "too_many_requests"}
"""Codes of errors that come as a block of a good answer and may pass."""
_AGES = ("%B %d, %Y", "%b %d, %Y", "%Y-%m-%d")


class AnthropicSearch(AnthropicTool):
    """Searches through the Messages API's tool `web_search`, once a call."""

    _idle_calls = 0
    """Calls in a row after which the model had not searched."""

    @property
    def most_usd(self) -> float:
        """The most that one search costs: its fee, and the results read as input."""
        return self._fee_usd + self._price.compute_most_usd(MOST_INPUT_TOKENS, MAX_TOKENS)

    async def search(
        self, query: str, count: int, kind: SearchKind = "web", on_paid: OnPaid = lambda _: None
    ) -> Found:
        """Return at most `count` hits on readable sites, best first, without snippets.

        Raises:
            SearchFailed: The service did not answer, or the model did not search; a retry may help.
            SearchRefused: The service rejects the key, the query or the tool.
        """
        asked = f"News: {query}" if kind == "news" else query
        blocks, usage = await self.use(self._build_tool(), PROMPT.format(query=asked), on_paid)
        hits, failed = self._read(blocks)
        if failed and not hits:
            raise failed
        if not any(part.type == "web_search_tool_result" for part in blocks):
            self._idle_calls += 1
            told = self._tell("search-not-run", model=self._model)
            raise SearchRefused(told) if self._idle_calls >= MOST_IDLE_CALLS else SearchFailed(told)
        self._idle_calls = 0
        hits = [hit for hit in hits if not self._sites.refusal(hit.url)]
        return Found(hits=hits[:count], query=_find_query(blocks), usage=usage)

    def _build_tool(self) -> dict[str, Any]:
        tool: dict[str, Any] = {"type": TOOL, "name": "web_search", "max_uses": 1}
        if self._sites.allow:  # the API takes one of the two lists
            tool["allowed_domains"] = sorted(self._sites.allow)
        elif self._sites.deny:
            tool["blocked_domains"] = sorted(self._sites.deny)
        return tool

    def _read(self, blocks: Sequence[Any]) -> tuple[list[ServiceHit], GreenlightError | None]:
        """Return the hits of all result blocks, and the failure that a block reports in their place."""
        hits: list[ServiceHit] = []
        failed: GreenlightError | None = None
        for part in blocks:
            if part.type != "web_search_tool_result":
                continue
            if isinstance(part.content, list):
                for result in part.content[:MAX_READ]:
                    if is_fetchable(result.url):
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


def _find_query(blocks: Sequence[Any]) -> str:
    """Return what the model searched for, which may be worded otherwise."""
    inputs = (part.input for part in blocks if part.type == "server_tool_use")
    return next((str(i.get("query", ""))[:400] for i in inputs if isinstance(i, Mapping)), "")


def _read_age(age: object) -> str | None:
    """Return the date in a page's age, e.g. "April 30, 2025"; None for relative ages."""
    for form in _AGES:
        try:
            return datetime.strptime(str(age), form).date().isoformat()  # noqa: DTZ007 - a day alone
        except ValueError:
            continue
    return None
