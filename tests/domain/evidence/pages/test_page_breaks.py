"""A quote names the page of its document, which code counts in the text."""

import pytest

from activities.calls.untrusted_text import fence
from contracts.evidence.claims import Citation, Claim
from contracts.models.call import BlobRef, Input
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.pages.page_breaks import find_page, mark_pages, trim_pages
from domain.evidence.pages.table_heads import show_excerpt
from domain.evidence.quotes import Snapshot

PAGES = [
    "ACME ANNUAL REPORT",
    "Revenue was 12,000 million USD in fiscal 2024, and rose.",
    "Costs were 9,000 million USD in fiscal 2024, and the board expects",
    "that they fall by a third in fiscal 2025.",
]
TEXT = "\n\f\n".join(PAGES)


def cite(text: str, quote: str, told: int | None = None) -> Citation:
    """Return a citation after the check; `told` is a page number invented by a model."""
    claim = Claim(text=quote, citations=[Citation(source=1, quote=quote, page=told)])
    [check] = check_claims([claim], {1: CitedPage("Acme", Snapshot(text))})
    return check.claim.citations[0]


@pytest.mark.parametrize(("at", "page"), [(0, 1), (len(PAGES[0]), 1), (len(PAGES[0]) + 2, 2)])
def test_page_of_an_offset_is_one_more_than_the_breaks_before_it(at: int, page: int) -> None:
    assert find_page(TEXT, at) == page


@pytest.mark.parametrize(("quote", "page"), [(PAGES[0], 1), (PAGES[1], 2), (PAGES[3], 4)])
@pytest.mark.parametrize("told", [None, 60])
def test_quote_has_the_page_that_its_text_stands_on(
    quote: str, page: int, told: int | None
) -> None:
    assert cite(TEXT, quote, told).page == page


def test_quote_over_two_pages_has_the_first() -> None:
    found = cite(TEXT, f"{PAGES[2]} {PAGES[3]}")
    assert (found.page, found.quote) == (3, f"{PAGES[2]}\n\f\n{PAGES[3]}")


@pytest.mark.parametrize("told", [None, 60])
def test_document_without_pages_has_none(told: int | None) -> None:
    assert cite("\n\n".join(PAGES), PAGES[1], told).page is None


def test_models_see_where_each_page_begins() -> None:
    start, end = TEXT.index("Revenue"), TEXT.index("expects")
    shown = mark_pages(TEXT, start, end)
    assert shown.startswith(f"[p. 2]\n{PAGES[1]}\n[p. 3]\nCosts")
    assert mark_pages("\n\n".join(PAGES), 0, 10) == PAGES[0][:10]


def test_quote_that_was_copied_with_a_page_number_is_found() -> None:
    shown = mark_pages(TEXT, 0, len(TEXT))
    found = cite(TEXT, shown[shown.index("Costs") : shown.index(" in fiscal 2025")])
    assert found.page == 3
    assert "[p." not in found.quote


def test_bracket_of_the_page_itself_is_part_of_its_quote() -> None:
    told = "As Smith shows [p. 12], pumps sell well."
    assert cite(f"{told}\n\f\nMore.", told).quote == told


def test_judge_sees_the_page_of_each_excerpt() -> None:
    page = CitedPage("Acme", Snapshot(TEXT))
    spans = [Snapshot(TEXT).find(PAGES[n]) for n in (1, 3)]
    shown = page.describe([span for span in spans if span])
    assert "[p. 2]\nRevenue" in shown
    assert "[p. 4]\nthat they fall" in shown or "[p. 4]" in shown


def test_writer_is_told_the_page_of_an_earlier_quote() -> None:
    claim = Claim(text="A", citations=[Citation(source=1, quote="a", start=3, end=4, page=60)])
    assert claim.as_written["citations"] == [{"source": 1, "quote": "a", "page": 60}]


def test_input_with_a_page_of_the_store_shows_its_page_numbers() -> None:
    blob = BlobRef(blob_key="a/b/c", start=TEXT.index("Revenue"), chars=200)
    assert "[p. 2]\nRevenue" in fence(Input(name="source-1", text="", blob=blob), {"a/b/c": TEXT})


@pytest.mark.parametrize("page", ["\n\f\n", "\n\n"], ids=["pages", "no pages"])
def test_an_excerpt_of_a_source_is_whole_and_shows_the_head_of_its_table(page: str) -> None:
    rows = "".join(f"| Item {n} | {n},100 | {n},050 |\n" for n in range(1, 90))
    text = (
        f"Cover{page}## Debt\n\n(in millions)\n\n| | 2022 | 2021 |\n|---|---|---|\n{rows}\nThe end."
    )
    at = text.index("| Item 70 |")
    for start in range(at - 60, at, 7):
        shown = show_excerpt(text, start, at + 5).removeprefix("above: Debt\n").splitlines()
        assert shown[:2] == ["above: (in millions)", "above: | | 2022 | 2021 |"], start
        rows_shown = [line for line in shown[2:] if not line.startswith("[p. ")]
        assert all(row.startswith("| Item") and row.endswith("|") for row in rows_shown)


def test_a_part_has_no_scrap_of_the_page_before_or_behind() -> None:
    page = f"Table of Contents\n\n{'Boeing owes much. ' * 9}"
    text = f"The end of it all.\n\n57\n\f\n{page}\n\f\nTable of Contents\n\nAnd more."
    start, end = text.index("57"), text.index("And more")
    assert text[slice(*trim_pages(text, start, end))].strip() == page.strip()
