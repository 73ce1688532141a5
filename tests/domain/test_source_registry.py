"""What an agent is shown of a page, and how it reads on."""

import json
from typing import Any

import pytest

from contracts.agents.tools import ParseContentArgs
from contracts.documents import PageSection
from contracts.evidence.claims import Citation
from contracts.evidence.sources import SearchHit, SearchResult, Source
from contracts.models.call import Block
from domain.source_registry import (
    SourcePart,
    SourceRegistry,
    ToolError,
    build_page_inputs,
    list_citable_pages,
)
from tests.sources import page

CALL = Block(type="tool_use", id="1", name="parse_content")


def page_of(chars: int) -> Source:
    section = PageSection(heading="Prices", start=12_000, end=12_400)
    return page("http://a.test/", title="Pumps", chars=chars, sections=[section])


def registry(chars: int = 30_000) -> SourceRegistry:
    return SourceRegistry([page_of(chars)], [], 1)


def asked(**args: Any) -> SourcePart | ToolError:
    return registry().read_part(ParseContentArgs.model_validate({"source": 1} | args))


def test_a_page_longer_than_is_shown_says_so() -> None:
    [told] = registry().answer(CALL, page_of(30_000)).inputs
    assert told.blob
    assert (told.name, told.blob.start, told.blob.chars) == ("source-1", 0, 12_000)
    assert "part: 0-12000 of 30000 characters\nsections: Prices\n" in told.text
    [whole] = registry(22_000).answer(CALL, page_of(22_000)).inputs
    assert "part: " not in whole.text


@pytest.mark.parametrize(
    ("args", "place"),
    [
        ({}, (0, 12_000)),
        ({"start": 12_000}, (12_000, 30_000)),
        ({"start": 19_000}, (19_000, 30_000)),
        ({"section": "Prices"}, (12_000, 12_400)),
    ],
)
def test_a_part_is_named_by_its_section_or_its_place(args: Any, place: tuple[int, int]) -> None:
    part = asked(**args)
    assert isinstance(part, SourcePart)
    assert (part.start, part.end) == place
    [told] = registry().answer(CALL, part).inputs
    assert told.blob
    assert (told.blob.start, told.blob.chars) == (part.start, part.end - part.start)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"source": 2}, "source: 1 were read so far, not 2"),
        ({"start": 30_000}, "start: the text has 30000 characters"),
        ({"section": "Sales"}, "section: the sections of source 1 are 'Prices'"),
    ],
)
def test_a_part_that_is_not_there_is_refused(args: Any, reason: str) -> None:
    refused = asked(**args)
    assert isinstance(refused, ToolError)
    assert refused == reason


def test_a_page_reaches_models_with_those_behind_it_and_its_day() -> None:
    own = "http://127.0.0.1:9/pages/a.md"
    told = [
        page_of(9).model_copy(update={"publisher": "The Daily", "published": "2025-08-01"}),
        page_of(9),
        page(own, title="Notes", publisher="127.0.0.1", chars=9),
        page(own, title="Notes", publisher="127.0.0.1", author="Ann Poe", chars=9),
        page("file:///a%20b.pdf", title="Offer", publisher="a b.pdf", chars=9),
        page("http://b.test/", title="Pipes", publisher="b.test", author="Bo", chars=9),
    ]
    written = [shown.text for shown in build_page_inputs(dict(enumerate(told)), 1_000)]
    assert [text.strip() for text in written] == [
        *("Pumps, The Daily, 2025-08-01", "Pumps", "Notes, the user's own document"),
        *("Notes, Ann Poe", "Offer, the user's own document", "Pipes, Bo, b.test"),
    ]
    origins = ["The Daily", "", "the user's own document", "Ann Poe"]
    assert [citable.by for citable in list_citable_pages(told)][:4] == origins


def test_what_short_pages_leave_goes_to_the_longer() -> None:
    pages = {1: page_of(900), 2: page_of(30_000), 3: page_of(100), 4: page_of(5_000)}
    shown = {told.name: told.blob.chars for told in build_page_inputs(pages, 8_000) if told.blob}
    assert shown == {"source-1": 900, "source-2": 3_500, "source-3": 100, "source-4": 3_500}
    [one, _] = build_page_inputs({1: page_of(90_000), 2: page_of(100)}, 30_000)
    assert one.blob
    assert one.blob.chars == 18_000


def test_a_page_that_is_cited_is_shown_further_than_others() -> None:
    pages = {1: page_of(40_000), 2: page_of(18_000), 3: page_of(5_000)}
    cited = [Citation(source=1, quote="Pumps", start=39_000, end=39_005)]
    shown = [told.blob for told in build_page_inputs(pages, 54_000, cited)]
    assert [blob.chars for blob in shown if blob] == [40_000, 6_000, 5_000]
    both = [*cited, Citation(source=2, quote="Pumps", start=9, end=14)]
    shown = [told.blob for told in build_page_inputs(pages, 54_000, both)]
    assert [blob.chars for blob in shown if blob] == [31_000, 18_000, 5_000]


@pytest.mark.parametrize(
    ("quotes", "start"),
    [
        ([], 0),
        ([100, 9_000], 0),
        ([9_000], 8_875),
        ([100, 9_000, 9_400], 8_875),
        ([29_990], 29_865),
    ],
)
def test_of_a_long_page_that_part_is_shown_which_is_cited(quotes: list[int], start: int) -> None:
    cited = [Citation(source=1, quote="Pumps", start=n, end=n + 5) for n in quotes]
    cited.append(Citation(source=2, quote="Pumps", start=20_000, end=20_005))
    [shown] = build_page_inputs({1: page_of(30_000)}, 1_000, cited)
    assert shown.blob
    assert (shown.blob.start, shown.blob.chars) == (start, 1_000)
    assert ("part: " in shown.text) == (start > 0)


def test_page_is_listed_once_over_all_searches_of_an_agent() -> None:
    """What is left out is counted, and each search says how many pages it found."""
    registry = SourceRegistry([], [], may_read=5)

    def search(query: str, *urls: str) -> list[dict[str, Any]]:
        call = Block(type="tool_use", id=query, name="web_search", input={"query": query})
        found = SearchResult(query=query, hits=[SearchHit(url=url) for url in urls])
        told: list[dict[str, Any]] = json.loads(registry.answer(call, found).inputs[0].text)
        return told

    assert [hit["url"] for hit in search("pumps", "https://a.test/", "https://b.test/")] == [
        *("https://a.test/", "https://b.test/")
    ]
    again = search("wells", "https://b.test/", "https://c.test/")
    assert (again[0]["url"], again[1:]) == ("https://c.test/", [{"repeated": 1}])
    assert search("dams", "https://a.test/") == [{"repeated": 1}]
    assert [made.hits for made in registry.searches] == [2, 2, 1]
