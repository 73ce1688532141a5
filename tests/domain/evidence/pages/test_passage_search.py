"""What pages say in words near those of a line that cites none of them."""

import pytest

from contracts.report.checks import MAX_WHOLE_CHARS
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.pages.passage_search import (
    MAX_NEAR_CHARS,
    MAX_PAGE_CHARS,
    MIN_FOUND_CHARS,
    SHORTEST_CHARS,
    find_near,
    find_passages,
)
from domain.evidence.quotes import Snapshot

RATE = "A dollar cost 328 rupees in 2023."


def _page(text: str, *shown: tuple[int, int]) -> CitedPage:
    return CitedPage("Sri Lanka: Economy", Snapshot(text, shown))


def test_nearest_passages_come_first_with_their_places() -> None:
    pages = {1: _page("| Ships | 9 |\n"), 2: _page(f"| Rain | 7 |\n\n{RATE}\n")}
    [found] = find_near(pages, ["The rupee has held its rate to the dollar."], 1)
    assert [(each.source, each.text) for each in found] == [(2, RATE)]
    assert pages[2].snapshot.text[found[0].start : found[0].end].strip() == RATE


def test_of_a_long_page_only_what_was_shown_is_searched() -> None:
    text = f"{RATE}\n\n| Rain | 7 |\n\n{RATE}\n"
    last = text.rindex(RATE)
    [found] = find_near({1: _page(text, (last, len(text)))}, ["The rupee held to the dollar."], 3)
    assert [each.start for each in found] == [last]


def test_pages_beyond_the_limit_are_left_out_the_longest_first() -> None:
    long = f"{RATE} " * (MAX_NEAR_CHARS // len(RATE))
    pages = {1: _page(long), 2: _page(RATE)}
    [found] = find_near(pages, ["The rupee held to the dollar."], 3)
    assert {each.source for each in found} == {2}
    assert find_near({}, [], 3) == []


def test_page_that_is_longer_than_what_is_searched_of_it_is_named() -> None:
    long = f"{'x' * MAX_PAGE_CHARS}\n\n{RATE}\n"
    pages = {1: _page(RATE), 2: _page(long), 3: _page("x" * MAX_PAGE_CHARS)}
    found = find_passages(pages, [["The rupee's rate to the dollar was not found."]], [])
    assert {each.source for each in found.passages} == {1}
    assert found.unsearched == [2]


@pytest.mark.parametrize(("pages", "is_whole"), [(4, True), (9, False)])
def test_short_pages_are_shown_whole_only_if_all_pages_together_are_short(
    pages: int, is_whole: bool
) -> None:
    rows = [f"| Rain of day {n} | {n} |" for n in range(360)]
    read = {n: _page("\n\n".join([*rows, f"{RATE[:-1]}, {n}."])) for n in range(1, pages + 1)}
    size = sum(len(page.snapshot.text) for page in read.values())
    assert (size < MAX_WHOLE_CHARS) == is_whole
    found = find_passages(read, [["How many rupees a dollar cost."]], ())
    chars = sum(len(passage.text) for passage in found.passages)
    assert (chars > 0.8 * size) == is_whole
    assert chars < max(MAX_WHOLE_CHARS * is_whole, SHORTEST_CHARS + MIN_FOUND_CHARS)
    assert any(RATE[:-1] in found.passages[n].text for n in found.by_line[0])
