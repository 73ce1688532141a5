"""Which pages, and which stretches of long ones, a writer is shown within its room."""

import pytest

from contracts.evidence.claims import Citation
from domain.sources.page_inputs import REST_CHARS, build_page_inputs, share_pages
from domain.sources.source_registry import list_citable_pages
from tests.support.sources import page, page_of


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


def test_a_page_alone_has_all_of_the_room() -> None:
    [only] = build_page_inputs({1: page_of(90_000)}, 60_000)
    assert only.blob
    assert only.blob.chars == 60_000


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
    assert f"part: {start}-{min(start + 1_000, 30_000)} of 30000 characters" in shown.text
    assert shown.blob.is_excerpt


def test_parts_that_were_seen_are_shown_to_later_agents() -> None:
    source = page_of(90_000)
    shown = {source.content_hash: [(20_000, 24_000), (50_000, 53_000)]}
    told = [i for i in build_page_inputs({1: source}, 18_000, (), shown) if i.blob]
    assert [(i.blob.start, i.blob.chars) for i in told if i.blob] == [
        (20_000, 4_000),
        (50_000, 3_000),
    ]
    assert all("part: " in i.text for i in told)
    assert ["Pumps" in i.text for i in told] == [True, False]


def test_text_around_quotes_leads_where_the_seen_parts_do_not_fit() -> None:
    source = page_of(90_000)
    seen = [(10_000, 27_000), (40_000, 58_000)]
    quote = Citation(source=1, quote="Pumps", start=57_000, end=57_100)
    told = build_page_inputs({1: source}, 18_000, [quote], {source.content_hash: seen})
    spans = [(i.blob.start, i.blob.start + i.blob.chars) for i in told if i.blob]
    assert spans == [(10_000, 26_000), (56_000, 58_000)]
    assert sum(end - start for start, end in spans) == 18_000


@pytest.mark.parametrize("is_cited", [True, False])
def test_page_that_may_be_whole_is_shown_whole_beside_longer_ones(is_cited: bool) -> None:
    pages = {1: page_of(60_000), 2: page_of(26_000), 3: page_of(60_000), 4: page_of(400)}
    quotes = [Citation(source=n, quote="Pumps", start=9, end=14) for n in pages]
    shown = share_pages(pages, 72_000, quotes if is_cited else ())
    assert [page.source.chars - page.cut_chars for page in shown] == [
        *((22_800, 26_000, 22_800, 400) if is_cited else (18_000, 26_000, 18_000, 400))
    ]
    labels = ["part: " in each.text for page in shown for each in page.build_inputs()]
    assert labels == [page.cut_chars > 0 for page in shown] == [True, False, True, False]


def test_pages_are_not_shown_whole_at_the_cost_of_what_is_left_for_others() -> None:
    pages = {n: page_of(26_000) for n in range(1, 5)}
    cut = [page.cut_chars for page in share_pages(pages, 62_000 + REST_CHARS)]
    assert cut == [0, 10_000, 10_000, 10_000]
    assert [page.cut_chars for page in share_pages(pages, 40_000)] == [16_000] * 4


def test_page_dated_by_its_year_alone_is_shown_with_that() -> None:
    page = page_of(9).model_copy(update={"published": "2025-01-01"})
    [told] = build_page_inputs({1: page}, 100)
    assert "2025" in told.text
    assert "01-01" not in told.text
