"""An operator's search endpoint, with Open WebUI's `external` API or configured field names."""

from typing import Any

import httpx

from activities.integrations.search.http_service import HttpService
from contracts.evidence.searches import Found
from contracts.evidence.sources import SearchKind


class EndpointSearch(HttpService):
    """Asks `POST {url}` for `{"query", "count", "kind"}`.

    The answer is a list of `link`, `title` and `snippet`, or `{"results": [...]}` of `url`, `title`,
    `snippet` and `published`.
    """

    name = "endpoint"

    def build_request(self, query: str, count: int, kind: SearchKind) -> httpx.Request:
        """Return the request of a query."""
        return self.post("", {"query": query, "count": count, "kind": kind})

    def read(self, body: Any, kind: SearchKind) -> Found:
        """Return the hits of either form."""
        if isinstance(body, list):
            return Found(hits=self.list_hits(body, "link", "title", "snippet", "published"))
        return Found(hits=self.list_hits(body["results"], "url", "title", "snippet", "published"))
