"""Several services' hits as one list."""

from contracts.evidence.searches import ServiceHit
from contracts.search import ServiceName
from domain.sources.rank_fusion import fuse_hits


def listed(service: ServiceName, *urls: str, **told: str) -> list[ServiceHit]:
    return [
        ServiceHit(service=service, rank=n, url=url, **told) for n, url in enumerate(urls, start=1)
    ]


def test_page_that_two_services_list_comes_before_the_first_of_one() -> None:
    brave = listed("brave", "https://a.test/", "https://b.test/")
    exa = listed("exa", "https://c.test/", "https://b.test/")
    fused = fuse_hits([brave, exa], 5)
    assert [hit.url[8] for hit in fused] == ["b", "a", "c"]
    assert [hit.services for hit in fused] == [["brave", "exa"], ["brave"], ["exa"]]


def test_spellings_of_an_address_are_one_page() -> None:
    spelt = ["https://A.test/x?utm_source=n", "https://a.test/x#top", "http://www.a.test/x/"]
    one, two, three = spelt
    lists = [listed("brave", one), listed("exa", two), listed("tavily", three)]
    [hit] = fuse_hits(lists, 5)
    assert hit.services == ["brave", "exa", "tavily"]


def test_missing_title_snippet_and_day_are_taken_from_the_next_best_service() -> None:
    bare = listed("anthropic", "https://a.test/", title="A")
    full = listed(
        "tavily", "https://0.test/", "https://a.test/", snippet="s", published="2026-01-02"
    )
    hit = next(h for h in fuse_hits([bare, full], 5) if "a.test" in h.url)
    assert (hit.title, hit.snippet, hit.published) == ("A", "s", "2026-01-02")


def test_one_list_keeps_its_order_and_is_cut() -> None:
    urls = [f"https://{n}.test/" for n in range(9)]
    assert [hit.url for hit in fuse_hits([listed("brave", *urls)], 3)] == urls[:3]
    assert fuse_hits([], 3) == []
