"""Brave's wire format, its refusals and its bad days."""

import json

import pytest
from starlette.responses import JSONResponse, Response

from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.search.brave import BraveSearch
from contracts.errors import SearchFailed, SearchRefused
from contracts.evidence.searches import ServiceHit
from tests.activities.web.site import Site
from tests.support.refusals import refused

PATH = "/res/v1/web/search"


def results(*found: object) -> Response:
    return JSONResponse({"type": "search", "web": {"type": "search", "results": list(found)}})


def hit(rank: int, url: str, **told: str) -> ServiceHit:
    return ServiceHit(service="brave", rank=rank, url=url, **told)


@pytest.fixture
def search(site: Site) -> BraveSearch:
    return BraveSearch(site.url("").rstrip("/"), "the-key", timeout_seconds=2)


async def test_a_query_is_sent_as_brave_wants_it(site: Site, search: BraveSearch) -> None:
    site.does(PATH, lambda _: results())
    assert (await search.search("solar pumps & Kenya", 7)).hits == []
    request = site.requests[0]
    assert request.query_params["q"] == "solar pumps & Kenya"
    assert request.query_params["count"] == "7"
    assert request.headers["x-subscription-token"] == "the-key"


async def test_a_long_query_is_cut_to_what_brave_takes(site: Site, search: BraveSearch) -> None:
    site.does(PATH, lambda _: results())
    await search.search("word " * 80, 5)
    assert len(site.requests[0].query_params["q"].split()) == 50


async def test_hits_come_in_order_and_as_plain_text(site: Site, search: BraveSearch) -> None:
    first = {
        "url": "https://a.test/",
        "title": "Pumps &amp; pipes",
        "description": "Costs <strong>fell</strong>\n by half &lt;1 %",
    }
    site.does(PATH, lambda _: results(first, {"title": "no url"}, {"url": "https://b.test/"}))
    assert (await search.search("pumps", 5)).hits == [
        hit(1, "https://a.test/", title="Pumps & pipes", snippet="Costs fell by half <1 %"),
        hit(3, "https://b.test/"),
    ]


async def test_what_no_page_can_be_behind_is_shown_to_nobody(
    site: Site, search: BraveSearch
) -> None:
    urls: list[object] = [
        *("javascript:alert(1)", "data:text/html,<p>hello", "file:///etc/passwd", "//a.test/"),
        *("http://me:word@a.test/", "https://a.test/" + "a" * 3_000, "nothing"),
        *("http://xn--evil.com/", "http://[::1", "http://a.test:port/"),
        *("https://a.test/\x00", "https://a.test/\ud800", 7, None, ["https://a.test/"]),
    ]
    found = [{"url": url} for url in [*urls, "http://b.test/"]]
    site.does(PATH, lambda _: Response(json.dumps({"web": {"results": found}})))
    assert [hit.url for hit in (await search.search("pumps", 20)).hits] == ["http://b.test/"]


async def test_a_hit_says_nothing_that_a_reader_cannot_see(site: Site, search: BraveSearch) -> None:
    """Half characters cannot be sent on, zeros not be kept, and escapes speak to the terminal."""
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore")
    told = {
        "url": "http://a.test/",
        "title": f"Pu\ud800m\x00p\x1b[2Js{tags}",
        "description": "x" * 9_000,
    }
    site.does(PATH, lambda _: Response(json.dumps({"web": {"results": [told]}})))
    [hit] = (await search.search("pumps", 3)).hits
    assert (hit.title, len(hit.snippet)) == ("Pump[2Js", 1_000)


async def test_bytes_that_are_no_text_are_trouble(site: Site, search: BraveSearch) -> None:
    site.does(
        PATH, lambda _: Response(b'{"web": {"results": [{"url": "http://a.test/\xff\xfe"}]}}')
    )
    with refused(SearchFailed, "search-odd"):
        await search.search("pumps", 3)


async def test_news_are_asked_of_their_own_endpoint_and_dated(
    site: Site, search: BraveSearch
) -> None:
    """Brave returns news without a wrapper; an age like "2 hours ago" is not used as a date."""
    found = [
        {"url": "https://a.test/", "age": "2 hours ago", "page_age": "2026-03-01T08:30:00"},
        {"url": "https://b.test/", "age": "1 week ago"},
        {"url": "https://c.test/", "page_age": "lately"},
    ]
    site.does("/res/v1/news/search", lambda _: JSONResponse({"type": "news", "results": found}))
    assert (await search.search("pumps", 5, "news")).hits == [
        hit(1, "https://a.test/", published="2026-03-01"),
        hit(2, "https://b.test/"),
        hit(3, "https://c.test/"),
    ]
    assert set(site.requests[0].query_params) == {"q", "count"}


async def test_hits_of_denied_sites_are_left_out(site: Site) -> None:
    """More are asked for, so that enough of the others are left."""
    names = ("a.denied.test", "b.test", "denied.test", "c.test", "d.test")
    site.does(PATH, lambda _: results(*({"url": f"https://{name}/"} for name in names)))
    search = BraveSearch(
        site.url("").rstrip("/"), "the-key", sites=SitePolicy.of("", "denied.test")
    )
    hits = (await search.search("pumps", 2)).hits
    assert [hit.url for hit in hits] == ["https://b.test/", "https://c.test/"]
    assert site.requests[0].query_params["count"] == "20"


async def test_no_more_hits_than_asked_for(site: Site, search: BraveSearch) -> None:
    site.does(PATH, lambda _: results(*({"url": f"https://{n}.test/"} for n in range(20))))
    assert len((await search.search("pumps", 3)).hits) == 3


@pytest.mark.parametrize("body", [{}, {"web": None}, {"web": {}}, {"web": {"results": []}}])
async def test_nothing_found_is_an_empty_list(
    site: Site, search: BraveSearch, body: object
) -> None:
    site.does(PATH, lambda _: JSONResponse(body))
    assert (await search.search("pumps", 3)).hits == []


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
async def test_a_refusal_is_final_and_says_why(
    site: Site, search: BraveSearch, status: int
) -> None:
    error = {"type": "ErrorResponse", "error": {"code": "X", "detail": "The token is invalid."}}
    site.does(PATH, lambda _: JSONResponse(error, status))
    with pytest.raises(SearchRefused, match=f"{status}: The token is invalid"):
        await search.search("pumps", 3)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "3"}, 3),
        ({"X-RateLimit-Reset": "2, 1419704"}, 2),
        ({"Retry-After": "in a while"}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_trouble_that_may_pass_says_when_to_come_back(
    site: Site, search: BraveSearch, status: int, headers: dict[str, str], wait: float | None
) -> None:
    site.does(PATH, lambda _: Response("<html>busy</html>", status, headers))
    with refused(SearchFailed, "search-status", status=status) as raised:
        await search.search("pumps", 3)
    assert raised.value.retry_after == wait


@pytest.mark.parametrize(
    "body", ["<html>", "[]", '"text"', json.dumps({"web": {"results": ["a", 1]}}), '{"web": [1]}']
)
async def test_something_else_than_results_is_trouble(
    site: Site, search: BraveSearch, body: str
) -> None:
    site.does(PATH, lambda _: Response(body))
    with refused(SearchFailed, "search-odd"):
        await search.search("pumps", 3)


async def test_missing_answer_is_a_failure() -> None:
    with refused(SearchFailed, "search-no-answer"):
        await BraveSearch("http://127.0.0.1:1", "k").search("pumps", 3)
