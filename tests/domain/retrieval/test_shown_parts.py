"""The parts of a long document that are opened."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from contracts.documents import PAGE_BREAK, PageSection
from contracts.evidence.sources import OpenedParts, PartsRequest
from contracts.models.call import Scope
from domain.retrieval.shown_parts import (
    ABOUT,
    CUT_CHARS,
    FIND,
    OUTLINE_CHARS,
    PAGE_CHARS,
    open_best,
    open_parts,
    outline_sections,
)

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


def measure(opened: OpenedParts) -> int:
    return sum(part.end - part.start for part in opened.parts)


def test_best_pages_are_opened_whole_and_of_the_next_ones_a_passage_in_their_order() -> None:
    opened = ask(about="Acme inventories in the balance sheet of the board")
    assert opened.pages == 10
    assert [part.start for part in opened.parts] == sorted(part.start for part in opened.parts)
    assert measure(opened) <= ABOUT.total
    shown = {part.page or 0: TEXT[part.start : part.end] for part in opened.parts}
    assert shown[7] == PAGES[6].strip()
    whole = [page for page, text in shown.items() if text == PAGES[page - 1].strip()]
    assert ABOUT.pages // 2 < sum(len(shown[page]) for page in whole) <= ABOUT.pages
    assert len(shown) == ABOUT.rows, "the other pages give a passage"
    assert all(len(shown[page]) <= 500 for page in shown.keys() - {*whole})


def test_parts_are_ranked_within_each_wish() -> None:
    asked = "balance sheet inventories; Acme annual report"
    first = [part.page for part in ask(about=asked).parts if part.rank == 0]
    assert first == [1, 7], "the best of each wish"
    assert len({part.rank for part in ask(about=asked).parts}) > 1


def test_a_section_may_be_cut_at_the_ends_of_its_lines() -> None:
    text = (
        f"## Risks\n{'One risk that we have is rain.' * 9}\n{'x' * 900}\n" + "Short line.\n" * 200
    )
    [part] = ask(text, section="Risks").parts
    assert part.cuts
    assert all(text[at] == "\n" for at in part.cuts)
    steps = [b - a for a, b in pairwise([part.start, *part.cuts])]
    assert min(steps) >= CUT_CHARS
    assert ask("## Risks\nRain.", section="Risks").parts[0].cuts == []


@pytest.mark.parametrize(("paragraphs", "begins"), [(90, True), (400, False)])
def test_a_named_section_is_shown_from_its_beginning_unless_it_is_much_too_long(
    paragraphs: int, begins: bool
) -> None:
    filler = [f"In matter {n} nobody estimates what the yard may lose." for n in range(paragraphs)]
    late = "Litigation on these contingencies ends late, as contingencies of litigation do."
    note = "\n\n".join(["## Note 16 Contingencies", "25 suits on patents.", *filler, late])
    text = f"\n{PAGE_BREAK}\n".join(
        [*PAGES, note, "## Note 17 Litigation on contingencies\n\nNone."]
    )
    about = "; ".join(["Note 16 contingencies, litigation", *(f"wish {n}" for n in range(4))])
    opened = ask(text, about=about)
    shown = [text[part.start : part.end] for part in opened.parts if part.page == 11]
    assert any(late in each for each in shown) != begins
    if begins:
        assert "25 suits on patents." in shown[0]
        assert (len(shown), shown[0][-1]) == (1, "."), "it ends with a sentence"
        assert all(part.cuts for part in opened.parts if part.page == 11), "a turn may cut it"


def test_above_a_part_stands_what_the_figures_of_its_section_are_in() -> None:
    unit = "(Dollars in millions, except otherwise stated)"
    notes = f"## Notes\n\n{unit}\n\n## Note 1\n\nA summary of what we do."
    text = f"\n{PAGE_BREAK}\n".join(
        [*PAGES[:3], notes, f"## Note 2 - Claims\n\nWe paid $219. {FILLER}"]
    )
    for asked in ({"page": 5}, {"section": "Note 2 - Claims"}, {"find": "We paid claims"}):
        opened = [
            part for part in ask(text, **asked).parts if "$219" in text[part.start : part.end]
        ]
        assert [unit in part.heading for part in opened] == [True], asked
    [own] = ask(text, page=4).parts
    assert unit not in own.heading, "it says so itself"
    assert not any(unit in part.heading for part in ask(text, page=2).parts)


def test_find_opens_the_best_page_and_passages_of_others() -> None:
    opened = ask(find="Acme inventories in the balance sheet of the board")
    assert 7 in [part.page for part in opened.parts]
    assert measure(opened) <= FIND.total
    assert 1 < len(opened.parts) <= FIND.rows + 1
    assert measure(ask(find="inventories")) < measure(ask(about="board"))


@pytest.mark.parametrize("asked", ["about", "find"])
def test_long_page_is_cut_to_its_best_passages_each_under_the_head_of_its_table(asked: str) -> None:
    rows = "".join(f"| Item {n} | {n} | {n + 1} |\n" for n in range(3_000, 3_200))
    table = f"## Balance sheet\n\n(in thousands)\n\n| December 31, | 2022 | 2021 |\n|---|---|---|\n{rows}| Inventories | 9,481 | 9,000 |"
    text = f"Cover\n{PAGE_BREAK}\n{table}\n{PAGE_BREAK}\nEnd"
    parts = ask(text, **{asked: "inventories"}).parts
    [found] = [part for part in parts if "| Inventories |" in text[part.start : part.end]]
    assert found.heading == "Balance sheet / (in thousands) / | December 31, | 2022 | 2021 |"
    assert sum(part.end - part.start for part in parts) <= ABOUT.page + 500


def test_outline_names_the_uppermost_headings_with_their_pages() -> None:
    text = f"Item 1\nRisks\n{PAGE_BREAK}\nItem 2"
    sections = [
        PageSection(heading="Item 1", start=0, end=14),
        PageSection(heading="Risks", start=7, end=14),
        PageSection(heading="Item 2", start=16, end=22),
    ]
    assert outline_sections(text, sections) == "Item 1 (p. 1) | Item 2 (p. 2)"
    many = [PageSection(heading="x" * 100, start=n, end=n + 1) for n in range(40)]
    assert len(outline_sections(text, many)) <= OUTLINE_CHARS
    assert outline_sections(text, many).endswith(" | …")


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


def test_heading_without_a_text_goes_on_with_what_follows_it() -> None:
    text = f"# Liquidity\n\n## Cash\n\nTen.\n\n## Costs\n\nFive.\n\n{FILLER * 9}"
    outline = [PageSection(heading="Liquidity", start=0, end=13)]
    for sections in ((), outline):
        [part] = ask(text, sections=[*sections], section="liquidity").parts
        assert text[part.start : part.end] == "# Liquidity\n\n## Cash\n\nTen."


@pytest.mark.parametrize(
    ("first", "next_one"),
    [
        ("Note 21 – Claims", "Note 22 – Segments"),
        ("Item 3. Suits", "ITEM 4. Mines"),
        ("3 Art", "4 Zoll"),
    ],
)
def test_section_ends_at_the_next_number_that_an_outline_lacks(first: str, next_one: str) -> None:
    text = f"## {first}\n\nTwo suits are pending.\n\n## Costs of both\n\nFive.\n\n## {next_one}\n\n{FILLER}"
    outline = [PageSection(heading=first, start=0, end=len(text))]
    [part] = ask(text, sections=outline, section=first).parts
    assert text[part.start : part.end].endswith("## Costs of both\n\nFive.")


def test_each_of_several_wishes_is_looked_for() -> None:
    """A wish of many words, which many pages have, leaves room for one of few."""
    rows = (
        "Cash from operations, capital spending, sales of plants and all other flows of cash. " * 30
    )
    pages = [*[rows] * 12, "Two suits on leaking valves are pending in Ohio.", *[FILLER] * 30]
    text = f"\n{PAGE_BREAK}\n".join(pages)
    wide = "cash from operations, capital spending, sales of plants, other flows of cash"
    opened = ask(text, about=f"{wide}; suits on valves")
    assert {13, 2} <= {part.page for part in opened.parts}
    assert measure(opened) <= ABOUT.total
    assert measure(ask(text, about=f"{'; '.join(['flows of cash'] * 8)}; suits")) <= PAGE_CHARS


def test_section_that_a_wish_names_is_opened() -> None:
    suits = "The company is party to various matters. " * 60
    noise = "Note 9 and legal proceedings are discussed in Note 9, legal proceedings. " * 50
    pages = [*[noise] * 12, f"## Note 9 – Legal Proceedings\n\n{suits}\n\n## Note 10 – Tax", noise]
    text = f"\n{PAGE_BREAK}\n".join(pages)
    parts = ask(text, about="2022 balance sheet, cash; Note 9 Legal Proceedings, Ohio").parts
    shown = "".join(text[part.start : part.end] for part in parts)
    assert suits.strip() in shown
    assert "Tax" not in shown


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
        ({"section": "Submarines"}, "section: no heading is like 'Submarines'; `find` looks"),
    ],
)
def test_part_that_is_not_there_says_why(asked: dict[str, Any], problem: str) -> None:
    opened = ask(**asked)
    assert opened.parts == []
    assert opened.problem.startswith(problem)


def test_headings_that_share_a_word_with_a_missing_section_are_named() -> None:
    text = f"# Revenue by region\n\n{FILLER}\n\n# Legal matters\n\n{FILLER}"
    problem = ask(text, section="Revenue of submarines, ferries and boats").problem
    assert problem.endswith("; the nearest are 'Revenue by region'")


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


@pytest.mark.parametrize(
    ("asked", "shows"), [({"page": 2}, [2]), ({"section": "Debt"}, [2, 3]), ({"find": "crane"}, [])]
)
def test_part_names_the_pages_of_which_it_shows_more_than_a_passage(
    asked: Any, shows: list[int]
) -> None:
    long = f"## Debt\n\n{'The yard owes money to banks. ' * 90}\n\nThe crane is new.\n"
    rest = f"{'It pays that back in time. ' * 90}\n\n## Staff\n\n{'It has a crew. ' * 30}"
    text = f"Cover\n{PAGE_BREAK}\n{long}\n{PAGE_BREAK}\n{rest}\n{PAGE_BREAK}\n{'End. ' * 4_000}"
    extent = replace(FIND, pages=1_000, page=1_000)
    found = (
        open_best(text, (), "acme", asked["find"], extent)
        if "find" in asked
        else ask(text, **asked).parts
    )
    assert not isinstance(found, str)
    assert sorted({page for part in found for page in part.shows}) == shows


def test_passages_of_a_table_are_the_rows_of_what_its_title_does_not_say() -> None:
    rows = "".join(f"| Other assets {n} | {n} | {n + 1} |\n" for n in range(3_000, 3_150))
    debt = "| Long-term debt | 51,811 | 56,806 |"
    table = f"## Balance sheet\n\n| | 2022 | 2021 |\n|---|---|---|\n{rows}{debt}\n{rows}"
    text = f"Cover\n{PAGE_BREAK}\n{table}\n{PAGE_BREAK}\n{'End. ' * 9_000}"
    small = replace(ABOUT, pages=900, page=400, total=900)
    found = open_best(text, (), "acme", "balance sheet 2022, debt", small)
    assert not isinstance(found, str)
    assert any(debt in text[part.start : part.end] for part in found)


def test_a_table_of_contents_is_opened_after_what_it_names() -> None:
    entries = "".join(f"| Item {n}. | Legal matters of Acme | {n * 3} |\n" for n in range(1, 60))
    contents = f"| Item | | Page |\n|---|---|---|\n{entries}"
    pages = [
        f"The legal matters of part {n} are these. {'A suit is pending. ' * 180}" for n in (1, 2, 3)
    ]
    text = f"\n{PAGE_BREAK}\n".join(["Cover", contents, *pages, "End. " * 9_000])
    shown = {page for part in ask(text, about="legal matters").parts for page in part.shows}
    assert shown.isdisjoint({2})
    assert shown & {3, 4, 5}
