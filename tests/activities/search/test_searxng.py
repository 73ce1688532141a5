"""What only SearXNG does: engines without an answer, JSON that is switched off. And Exa's own price."""

import pytest
from starlette.responses import JSONResponse, Response

from activities.integrations.search.exa import ExaSearch
from activities.integrations.search.searxng import SearxngSearch
from contracts.errors import SearchFailed, SearchRefused
from tests.activities.web.site import Site
from tests.support.refusals import refused

SILENT = [["one", "timeout"], ["two", "Suspended: too many requests"]]


@pytest.fixture
def searxng(site: Site) -> SearxngSearch:
    return SearxngSearch(site.url("").rstrip("/"))


async def test_engines_without_an_answer_are_named_beside_the_hits(
    site: Site, searxng: SearxngSearch
) -> None:
    hits = [{"url": "https://a.test/"}, {"url": None, "title": ""}]
    body = {"results": hits, "unresponsive_engines": SILENT}
    site.does("/search", lambda _: JSONResponse(body))
    found = await searxng.search("pumps", 5)
    assert [hit.url for hit in found.hits] == ["https://a.test/"]
    assert found.lacks
    assert found.lacks.has_hits
    assert found.lacks.words.params["names"] == ["one", "two"]


async def test_no_hits_and_no_engines_is_a_failure(site: Site, searxng: SearxngSearch) -> None:
    """It answers 200 with an empty list, which would look like "nothing found"."""
    body = {"results": [], "unresponsive_engines": SILENT}
    site.does("/search", lambda _: JSONResponse(body))
    with refused(SearchFailed, "search-engines", names=["one", "two"]):
        await searxng.search("pumps", 5)


async def test_json_that_is_switched_off_is_said(site: Site, searxng: SearxngSearch) -> None:
    site.does("/search", lambda _: Response("<h1>403 Forbidden</h1>", 403))
    with refused(SearchRefused, "search-no-json"):
        await searxng.search("pumps", 5)


@pytest.mark.parametrize(
    ("told", "usd"), [({"total": 0.012}, 0.012), (None, 0.007), ({"total": "much"}, 0.007)]
)
async def test_exa_is_billed_at_what_it_says_it_cost(site: Site, told: object, usd: float) -> None:
    site.does("/search", lambda _: JSONResponse({"results": [], "costDollars": told}))
    found = await ExaSearch(site.url("").rstrip("/"), "k", usd=0.007).search("pumps", 5)
    assert found.usage.usd == usd
