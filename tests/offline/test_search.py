"""Brave's wire format over the sample library."""

from datetime import date

import pytest
import trafilatura

from activities.integrations.search.brave import BraveSearch
from tests.offline.conftest import Services


async def test_a_result_has_braves_fields(services: Services) -> None:
    found = await services.http.get("/res/v1/web/search", params={"q": "Kenya energy", "count": 3})
    body = found.json()
    assert body["type"] == "search"
    assert len(body["web"]["results"]) == 3
    first = body["web"]["results"][0]
    assert first["title"] == "Kenya: Energy"
    assert first["url"] == f"{services.base}/pages/kenya-energy"
    assert first["profile"] == {"name": "CIA World Factbook"}
    assert first["page_age"].startswith(first["age"])
    assert "Kenya" in first["description"]


async def test_news_are_a_list_of_their_own(services: Services) -> None:
    found = await services.http.get("/res/v1/news/search", params={"q": "Peru economy", "count": 2})
    assert (found.json()["type"], len(found.json()["results"])) == ("news", 2)
    assert {result["type"] for result in found.json()["results"]} == {"news_result"}


async def test_our_own_client_reads_both_alike(services: Services) -> None:
    client = BraveSearch(services.base, "offline")
    web, news = [(await client.search("Peru economy", 3, kind)).hits for kind in ("web", "news")]
    await client.aclose()
    assert web == news
    assert len(web) == 3
    assert any(hit.published and date.fromisoformat(hit.published) for hit in news)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("irrigated land in Tanzania", "Tanzania: Geography"),
        ("Brazil wind power electricity generation", "Brazil: Energy"),
        ("population of Norway", "Norway: People and Society"),
        ("internet users Vietnam", "Vietnam: Communications"),
    ],
)
async def test_the_page_that_says_it_comes_first(
    services: Services, query: str, title: str
) -> None:
    assert (await services.titles(query))[0] == title


@pytest.mark.parametrize("query", ['"', "AND OR NOT", "a:b*", "?!", "NEAR(x y)", "ケニア", "the"])
async def test_any_query_is_only_words(services: Services, query: str) -> None:
    found = await services.http.get("/res/v1/web/search", params={"q": query})
    assert found.status_code == 200


@pytest.mark.parametrize(
    "params", [{}, {"q": ""}, {"q": "x" * 401}, {"q": "x", "count": 21}, {"q": "x", "count": "a"}]
)
async def test_a_query_out_of_form_is_refused(services: Services, params: dict[str, str]) -> None:
    found = await services.http.get("/res/v1/web/search", params=params)
    assert (found.status_code, found.json()["type"]) == (422, "ErrorResponse")
    assert found.json()["error"]["code"] == "VALIDATION"


async def test_a_token_is_needed(services: Services) -> None:
    headers = {"X-Subscription-Token": ""}
    found = await services.http.get("/res/v1/web/search", params={"q": "x"}, headers=headers)
    assert found.json()["error"]["code"] == "SUBSCRIPTION_TOKEN_INVALID"


async def test_a_page_can_be_read_and_says_whose_it_is(services: Services) -> None:
    page = await services.http.get("/pages/kenya-geography")
    about = trafilatura.extract_metadata(page.text)
    assert (about.title, about.sitename) == ("Kenya: Geography", "CIA World Factbook")
    assert about.date
    text = trafilatura.extract(page.text)
    assert text is not None
    assert "Irrigated land, Kenya: 1,030 sq km (2012)" in text.splitlines()


async def test_head_tells_what_get_does(services: Services) -> None:
    head = await services.http.head("/pages/kenya-geography")
    page = await services.http.get("/pages/kenya-geography")
    names = ("content-length", "content-type", "last-modified")
    assert [head.headers[n] for n in names] == [page.headers[n] for n in names]
    assert (head.content, head.status_code) == (b"", 200)


async def test_an_unknown_page_is_404(services: Services) -> None:
    assert (await services.http.get("/pages/atlantis-economy")).status_code == 404
