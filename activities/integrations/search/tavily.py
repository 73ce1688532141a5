"""Tavily's search API, version of tavily-python 0.8."""

from typing import Any

import httpx

from activities.integrations.search.http_service import HttpService
from contracts.evidence.searches import Found
from contracts.evidence.sources import SearchKind

MAX_DOMAINS = 150
"""Tavily takes no more of them; all are filtered again here."""


class TavilySearch(HttpService):
    """Searches through Tavily, one credit a search."""

    name = "tavily"

    def build_request(self, query: str, count: int, kind: SearchKind) -> httpx.Request:
        """Build a basic search's request; Tavily filters domains itself."""
        body: dict[str, Any] = {
            "query": query,
            "search_depth": "basic",
            "topic": "news" if kind == "news" else "general",
            "max_results": count,
        }
        domains = {"include_domains": self._sites.allow, "exclude_domains": self._sites.deny}
        body |= {name: sorted(each)[:MAX_DOMAINS] for name, each in domains.items() if each}
        return self.post("/search", body)

    def read(self, body: Any, kind: SearchKind) -> Found:
        """Return the hits; news are dated."""
        hits = self.list_hits(body["results"], "url", "title", "content", "published_date")
        return Found(hits=hits, query=str(body.get("query") or ""))
