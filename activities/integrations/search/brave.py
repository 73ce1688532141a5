"""Brave's web and news search."""

from typing import Any

import httpx

from activities.integrations.search.http_service import HttpService
from contracts.evidence.searches import Found
from contracts.evidence.sources import SearchKind

MAX_WORDS = 50
"""Brave answers 422 to a longer query."""


class BraveSearch(HttpService):
    """Searches the web through Brave's API, or anything that speaks its wire format."""

    name = "brave"

    def build_headers(self, key: str) -> dict[str, str]:
        """Return the header of a key."""
        return {"X-Subscription-Token": key}

    def build_request(self, query: str, count: int, kind: SearchKind) -> httpx.Request:
        """Return the request of a query, cut to the words that Brave takes."""
        params = {"q": " ".join(query.split()[:MAX_WORDS]), "count": str(count)}
        if kind == "web":
            params["text_decorations"] = "false"
        return self.get(f"/res/v1/{kind}/search", params)

    def read(self, body: Any, kind: SearchKind) -> Found:
        """Return the hits: news are the answer itself, the web is a part of it; `age` ages by itself."""
        found = body if kind == "news" else body.get("web") or {}
        results = found.get("results") or []
        return Found(hits=self.list_hits(results, "url", "title", "description", "page_age"))
