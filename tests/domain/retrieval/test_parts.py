"""The parts of a long document that are opened."""

from typing import Any

import pytest

from contracts.documents import PAGE_BREAK, PageSection
from contracts.evidence.sources import OpenedParts, PartsRequest
from contracts.models.call import Scope
from domain.retrieval.parts import PAGE_CHARS, open_parts

SCOPE = Scope(run_id="r", phase_id="p", attempt=1, name="n")
FILLER = "The board met and had nothing to report on this page. " * 60
HEADS = ["Acme annual report", "Contents\nBalance sheets 7", *["Discussion"] * 4]
HEADS += ["Consolidated balance sheets\nInventories 1,204 and payables 310", *["Notes"] * 3]
PAGES = [f"{head}\n{FILLER}" for head in HEADS]
TEXT = f"\n{PAGE_BREAK}\n".join(PAGES)


def ask(text: str = TEXT, sections: Any = (), **asked: Any) -> OpenedParts:
    request = PartsRequest(
        scope=SCOPE, plan_hash="h", text_key="k", name="acme", sections=[*sections], **asked
    )
    return open_parts(text, request)


def test_best_pages_are_opened_whole_in_their_order_within_the_bound() -> None:
    opened = ask(about="Acme inventories in the balance sheet")
    assert opened.pages == 10
    assert 7 in [part.page for part in opened.parts]
    assert sum(part.end - part.start for part in opened.parts) <= PAGE_CHARS
    assert [part.start for part in opened.parts] == sorted(part.start for part in opened.parts)
    for part in opened.parts:
        assert part.page
        assert TEXT[part.start : part.end] == PAGES[part.page - 1].strip()


@pytest.mark.parametrize("asked", ["consolidated balance sheets", "Balance Sheet (consolidated)"])
def test_section_is_opened_by_a_heading_like_it(asked: str) -> None:
    [part] = ask(section=asked).parts
    assert part.page == 7
    assert TEXT[part.start :].startswith("Consolidated balance sheets")
    assert part.end - part.start <= PAGE_CHARS


def test_section_of_an_outline_ends_where_the_outline_says() -> None:
    section = PageSection(heading="Item 7. Discussion", start=20, end=90)
    [part] = ask(sections=[section], section="item 7").parts
    assert (part.start, part.end) == (20, 90)


def test_section_ends_before_the_next_heading() -> None:
    text = f"# Prices\n\nTen.\n\n## Costs\n\nFive.\n\n{FILLER * 9}"
    [part] = ask(text, section="prices").parts
    assert text[part.start : part.end] == "# Prices\n\nTen."


def test_page_is_opened_by_its_number() -> None:
    [part] = ask(page=7).parts
    assert (part.page, TEXT[part.start : part.end]) == (7, PAGES[6].strip())


def test_text_from_a_place_on_ends_behind_a_sentence() -> None:
    [part] = ask(start=100).parts
    assert part.start >= 100
    assert PAGE_CHARS // 2 < part.end - part.start <= PAGE_CHARS
    assert TEXT[part.end - 1] == "."
    [rest] = ask(start=len(TEXT) - 500).parts
    assert rest.end == len(TEXT.rstrip())


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"page": 11}, "page: the document has 10 pages"),
        ({"start": len(TEXT)}, f"start: the text has {len(TEXT)} characters"),
        ({"about": "submarine"}, "find: no part of it has any word of 'submarine'"),
        ({"section": "Submarines"}, "section: no heading is like 'Submarines'; the nearest are"),
    ],
)
def test_part_that_is_not_there_says_why(asked: dict[str, Any], problem: str) -> None:
    opened = ask(**asked)
    assert opened.parts == []
    assert opened.problem.startswith(problem)


def test_document_without_pages_says_so() -> None:
    assert ask("Pumps.", page=1).problem.startswith("page: the document has no pages")


def test_empty_page_says_so() -> None:
    assert (
        ask(f"One\n{PAGE_BREAK}\n \n{PAGE_BREAK}\nThree", page=2).problem
        == "page: page 2 has no text"
    )


def test_part_behind_empty_pages_is_on_the_page_of_its_first_words() -> None:
    [part] = ask(f"\n{PAGE_BREAK}\n \n{PAGE_BREAK}\nThree {FILLER}", start=0).parts
    assert part.page == 3


def test_page_without_a_word_of_what_is_asked_fills_no_room() -> None:
    assert [part.page for part in ask(about="Acme inventories").parts] == [1, 7]
