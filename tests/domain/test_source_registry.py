"""What an agent is shown of a page, and how it reads on."""

from typing import Any

import pytest

from contracts.agents.tools import ParseContentArgs
from contracts.documents import PageSection
from contracts.evidence.claims import Citation
from contracts.evidence.sources import Source
from contracts.models.call import Block
from domain.source_registry import SourcePart, SourceRegistry, ToolError, build_page_inputs
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


def test_a_page_reaches_a_model_with_its_publisher_and_day() -> None:
    pages = {
        2: page_of(9).model_copy(update={"publisher": "The Daily", "published": "2025-08-01"}),
        3: page_of(9),
    }
    told = [(shown.name, shown.text) for shown in build_page_inputs(pages, 1_000)]
    assert told == [
        ("source-2", "Pumps, The Daily, 2025-08-01\n\n"),
        ("source-3", "Pumps\n\n"),
    ]


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
