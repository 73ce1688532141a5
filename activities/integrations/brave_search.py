"""Brave's web and news search, on the wire."""

import html
import re
from datetime import date

import httpx

from activities.integrations.fetch import parse_url
from activities.integrations.http_status import may_pass, parse_retry_after
from activities.integrations.site_policy import SitePolicy
from activities.parsing.document import line
from contracts.errors import FetchRefused, SearchFailed, SearchRefused
from contracts.evidence.sources import SearchHit, SearchKind
from contracts.notices import Notice

MAX_WORDS = 50
"""Brave answers 422 to a longer query."""

MAX_COUNT = 20
"""What Brave lists at most; asked for where some of it may not be read."""

MAX_CHARS = 1_000
"""Of a hit's title or snippet; no page's text is as long."""

_REFUSALS = {401, 402, 403, 422}
_TAG = re.compile(r"<[^<>]{0,100}>")


class BraveSearch:
    """Searches the web through Brave's API, or anything that speaks its wire format."""

    def __init__(
        self, base_url: str, key: str, timeout_seconds: float = 15, sites: SitePolicy | None = None
    ) -> None:
        self._client = httpx.AsyncClient(
            base_url=base_url,
            headers={"Accept": "application/json", "X-Subscription-Token": key},
            timeout=timeout_seconds,
        )
        self._sites = sites or SitePolicy()
        self.url = base_url

    async def search(self, query: str, count: int, kind: SearchKind = "web") -> list[SearchHit]:
        """Return at most `count` hits of sites that may be read, best first."""
        wanted = count if self._sites == SitePolicy() else MAX_COUNT
        params = {"q": " ".join(query.split()[:MAX_WORDS]), "count": str(wanted)}
        if kind == "web":
            params["text_decorations"] = "false"
        try:
            response = await self._client.get(f"/res/v1/{kind}/search", params=params)
        except httpx.HTTPError as error:
            is_late = isinstance(error, httpx.TimeoutException)
            code = "search-late" if is_late else "search-no-answer"
            raise SearchFailed(Notice.of(code, error=type(error).__name__)) from error
        _check(response)
        hits = _read_hits(response, kind)
        return [hit for hit in hits if not self._sites.refusal(hit.url)][:count]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _check(response: httpx.Response) -> None:
    status = response.status_code
    if status == httpx.codes.OK:
        return
    code = "search-key" if status in _REFUSALS else "search-status"
    told = Notice.of(code, status=status, detail=_detail(response))
    if status in _REFUSALS or not may_pass(status):
        raise SearchRefused(told, status)
    headers = response.headers  # without Retry-After, Brave's nearest window is the first one
    wait = headers.get("Retry-After") or headers.get("X-RateLimit-Reset", "").partition(",")[0]
    raise SearchFailed(told, parse_retry_after(wait), status)


def _detail(response: httpx.Response) -> str | None:
    try:
        error = response.json()["error"]
        text = error.get("detail") or error.get("code") or ""
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return str(text)[:200].rstrip(".") or None


def _read_hits(response: httpx.Response, kind: SearchKind) -> list[SearchHit]:
    """Return the hits that may be asked for: news are the answer itself, the web is a part of it."""
    try:
        body = response.json()
        found = body if kind == "news" else body.get("web") or {}
        return [
            SearchHit(
                url=str(result["url"]),
                title=_to_plain(result.get("title")),
                snippet=_to_plain(result.get("description")),
                published=_read_day(result.get("page_age")),
            )
            for result in found.get("results") or []
            if _is_page(result.get("url"))
        ]
    except (ValueError, AttributeError, TypeError) as error:
        raise SearchFailed(Notice.of("search-odd")) from error


def _is_page(url: object) -> bool:
    try:
        parse_url(str(url or ""))
    except FetchRefused:
        return False
    return True


def _read_day(moment: object) -> str | None:
    """Return the day of Brave's `page_age`; its `age` is a phrase that ages itself."""
    try:
        return date.fromisoformat(str(moment)[:10]).isoformat()
    except ValueError:
        return None


def _to_plain(text: object) -> str:
    return line(html.unescape(_TAG.sub("", str(text or ""))), MAX_CHARS)
