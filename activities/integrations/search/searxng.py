"""SearXNG's JSON answers; its `settings.yml` must list the format `json`."""

from collections.abc import Callable
from typing import Any

import httpx

from activities.integrations.search.http_service import HttpService, to_plain
from contracts.errors import SearchFailed, SearchRefused
from contracts.evidence.searches import Found, ServiceFailure
from contracts.evidence.sources import SearchKind
from contracts.runs.lost_inputs import LossCause

MAX_ENGINES = 10
"""Engines without an answer that are named."""
_NO_JSON = 403


class SearxngSearch(HttpService):
    """Searches an operator's SearXNG, which costs nothing and has no result count."""

    name = "searxng"

    def build_request(self, query: str, count: int, kind: SearchKind) -> httpx.Request:
        """Return the request of a query in all languages."""
        category = "news" if kind == "news" else "general"
        return self.get("/search", {"q": query, "format": "json", "categories": category})

    async def search(
        self,
        query: str,
        count: int,
        kind: SearchKind = "web",
        on_paid: Callable[[float], None] = lambda _: None,
    ) -> Found:
        """Return the hits; 403 means that JSON answers are switched off, as they are by default."""
        try:
            return await super().search(query, count, kind, on_paid)
        except SearchRefused as error:
            if error.status == _NO_JSON:
                raise SearchRefused(self.tell("search-no-json"), _NO_JSON) from error
            raise

    def read(self, body: Any, kind: SearchKind) -> Found:
        """Return the hits, and which engines did not answer; with no hits at all, that is a failure."""
        hits = self.list_hits(body["results"], "url", "title", "content", "publishedDate")
        silent = [to_plain(each[0])[:50] for each in body.get("unresponsive_engines") or []]
        if not silent:
            return Found(hits=hits)
        told = self.tell("search-engines", names=silent[:MAX_ENGINES])
        if not hits:
            raise SearchFailed(told)
        cause = LossCause(reason=SearchFailed.type(), passing=True)
        lacks = ServiceFailure(service=self.name, words=told, cause=cause, has_hits=True)
        return Found(hits=hits, lacks=lacks)
