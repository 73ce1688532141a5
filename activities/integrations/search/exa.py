"""Exa's search API, version of exa-py 2.28."""

from typing import Any

import httpx

from activities.integrations.search.http_service import HttpService
from contracts.evidence.searches import Found
from contracts.evidence.sources import SearchKind
from contracts.models.usage import Usage

SNIPPET_CHARS = 600
"""Characters of a page's text that are requested as its snippet."""


class ExaSearch(HttpService):
    """Searches through Exa; an answer says what it cost."""

    name = "exa"

    def build_headers(self, key: str) -> dict[str, str]:
        """Return the header of a key."""
        return {"x-api-key": key}

    def build_request(self, query: str, count: int, kind: SearchKind) -> httpx.Request:
        """Build a query's request; Exa filters domains itself."""
        body: dict[str, Any] = {
            "query": query,
            "type": "auto",
            "numResults": count,
            "contents": {"text": {"maxCharacters": SNIPPET_CHARS}},
        }
        if kind == "news":
            body["category"] = "news"
        domains = {"includeDomains": self._sites.allow, "excludeDomains": self._sites.deny}
        body |= {name: sorted(each) for name, each in domains.items() if each}
        return self.post("/search", body)

    def read(self, body: Any, kind: SearchKind) -> Found:
        """Return the hits in Exa's order, since it gives no score."""
        hits = self.list_hits(body["results"], "url", "title", "text", "publishedDate")
        total = (body.get("costDollars") or {}).get("total")
        usd = float(total) if isinstance(total, int | float) and 0 < total < 1 else 0.0
        return Found(hits=hits, usage=Usage(usd=usd))
