"""The contract of all search services that answer one request with JSON, each in its documented form."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.search.brave import BraveSearch
from activities.integrations.search.exa import ExaSearch
from activities.integrations.search.http_service import MAX_BYTES, HttpService
from activities.integrations.search.own_endpoint import EndpointSearch
from activities.integrations.search.searxng import SearxngSearch
from activities.integrations.search.tavily import TavilySearch
from contracts.errors import SearchFailed, SearchRefused
from contracts.notices import Notice
from contracts.search import KEYS
from tests.activities.web.site import Site
from tests.support.refusals import refused

Hit = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """A service, and how it words a request and an answer."""

    service: type[HttpService]
    path: str
    url: str
    snippet: str
    published: str
    wrap: Callable[[list[Hit]], Any]
    rest: Hit = field(default_factory=dict)
    """Fields of an answer's hits that we do not read."""

    def write(self, *hits: tuple[str, str, str, str]) -> Any:
        """Return an answer with hits of address, title, snippet and date."""
        names = (self.url, "title", self.snippet, self.published)
        return self.wrap([self.rest | dict(zip(names, hit, strict=True)) for hit in hits])

    def open(self, site: Site, **more: Any) -> HttpService:
        """Return the service at a site, with a key."""
        url = site.url(self.path if self.service is EndpointSearch else "").rstrip("/")
        return self.service(url, "the-key", timeout_seconds=2, **more)


FORMS = {
    "brave": Form(
        BraveSearch,
        "/res/v1/web/search",
        "url",
        "description",
        "page_age",
        lambda hits: {"type": "search", "web": {"type": "search", "results": hits}},
        {"language": "en", "age": "2 hours ago"},
    ),
    "tavily": Form(
        TavilySearch,
        "/search",
        "url",
        "content",
        "published_date",
        lambda hits: {
            "query": "pumps",
            "results": hits,
            "response_time": 1.1,
            "request_id": "r",
            "images": [],
        },
        {"score": 0.7, "raw_content": None},
    ),
    "exa": Form(
        ExaSearch,
        "/search",
        "url",
        "text",
        "publishedDate",
        lambda hits: {"requestId": "r", "results": hits, "resolvedSearchType": "neural"},
        {"id": "https://id.test/", "author": None},
    ),
    "searxng": Form(
        SearxngSearch,
        "/search",
        "url",
        "content",
        "publishedDate",
        lambda hits: {
            "query": "pumps",
            "results": hits,
            "answers": [],
            "infoboxes": [],
            "unresponsive_engines": [],
        },
        {"engine": "one", "engines": ["one"], "positions": [1], "score": 1.0},
    ),
    "open_webui": Form(EndpointSearch, "/mine", "link", "snippet", "published", lambda hits: hits),
    "endpoint": Form(
        EndpointSearch, "/mine", "url", "snippet", "published", lambda hits: {"results": hits}
    ),
}
FIRST = (
    "https://a.test/",
    "Pumps &amp; pipes",
    "Costs <b>fell</b>\n by half",
    "2026-03-01T08:30:00Z",
)
SECOND = ("https://b.test/", "Wells", "Dug by hand", "lately")
pytestmark = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


async def test_hits_come_in_order_as_plain_text_with_rank_and_day(site: Site, form: Form) -> None:
    site.does(form.path, lambda _: JSONResponse(form.write(FIRST, ("nowhere", "", "", ""), SECOND)))
    found = await form.open(site, usd=0.25).search("solar pumps & wells", 5)
    told = [(h.rank, h.url, h.title, h.snippet, h.published) for h in found.hits]
    assert told == [
        (1, "https://a.test/", "Pumps & pipes", "Costs fell by half", "2026-03-01"),
        (3, "https://b.test/", "Wells", "Dug by hand", None),
    ]
    assert {hit.service for hit in found.hits} == {form.service.name}
    assert found.usage.usd == 0.25
    assert found.lacks is None


async def test_query_count_and_key_are_sent_as_documented(site: Site, form: Form) -> None:
    seen: dict[str, Any] = {}

    async def answer(request: Request) -> Response:
        body = await request.body()
        seen.update(json.loads(body) if body else dict(request.query_params))
        return JSONResponse(form.write())

    site.does(form.path, answer)
    await form.open(site).search("solar pumps & wells", 7)
    assert "solar pumps & wells" in {seen.get("query"), seen.get("q")}
    counts = {"brave": "count", "tavily": "max_results", "exa": "numResults", "endpoint": "count"}
    if name := counts.get(form.service.name):
        assert int(seen[name]) == 7
    headers = site.requests[0].headers
    own = {"brave": "x-subscription-token", "exa": "x-api-key"}.get(form.service.name)
    assert headers[own] == "the-key" if own else headers["authorization"] == "Bearer the-key"


async def test_nothing_found_is_an_empty_list(site: Site, form: Form) -> None:
    site.does(form.path, lambda _: JSONResponse(form.write()))
    assert (await form.open(site).search("pumps", 5)).hits == []


async def test_denied_domains_are_left_out_whatever_the_service_does(
    site: Site, form: Form
) -> None:
    hits = [(f"https://{n}/", "t", "s", "") for n in ("a.bad.test", "b.test", "bad.test", "c.test")]
    site.does(form.path, lambda _: JSONResponse(form.write(*hits)))
    found = await form.open(site, sites=SitePolicy.of("", "bad.test")).search("pumps", 2)
    assert [hit.url for hit in found.hits] == ["https://b.test/", "https://c.test/"]
    only = await form.open(site, sites=SitePolicy.of("c.test", "")).search("pumps", 2)
    assert [hit.url for hit in only.hits] == ["https://c.test/"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Are you a robot?</body></html>",
        b'{"results": [{"url": "htt',
        b"\xff",
        b"7",
    ],
    ids=["nothing", "html", "half", "bytes", "number"],
)
async def test_something_else_than_results_may_pass(site: Site, form: Form, body: bytes) -> None:
    site.does(form.path, lambda _: Response(body, media_type="text/html"))
    with refused(
        SearchFailed, "search-odd", service=Notice.of(f"service-{form.service.name}", "info")
    ):
        await form.open(site).search("pumps", 5)


@pytest.mark.parametrize("status", [401, 402, 422])
async def test_refused_key_is_final_and_names_its_setting(
    site: Site, form: Form, status: int
) -> None:
    error = {"detail": {"error": "The key is unknown."}}
    site.does(form.path, lambda _: JSONResponse(error, status))
    told = {"status": status, "detail": "The key is unknown", "setting": KEYS[form.service.name]}
    with refused(SearchRefused, "search-key", **told):
        await form.open(site).search("pumps", 5)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_retry_after_is_kept(site: Site, form: Form, status: int) -> None:
    site.does(form.path, lambda _: Response("busy", status, {"Retry-After": "7"}))
    with refused(SearchFailed, "search-status", status=status) as raised:
        await form.open(site).search("pumps", 5)
    assert raised.value.retry_after == 7


async def test_redirect_is_not_followed(site: Site, form: Form, private_site: Site) -> None:
    site.does(form.path, lambda _: RedirectResponse(private_site.url("/")))
    with refused(SearchRefused, "search-status", status=307):
        await form.open(site).search("pumps", 5)
    assert private_site.requests == []


async def test_answer_is_read_up_to_a_bound(site: Site, form: Form) -> None:
    site.does(form.path, lambda _: Response(b" " * (MAX_BYTES + 1)))
    with refused(SearchFailed, "search-large"):
        await form.open(site).search("pumps", 5)
