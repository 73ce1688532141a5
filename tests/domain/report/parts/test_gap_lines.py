"""What a report did not find, and passages that answer it after all."""

from typing import Any

import pytest

from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import FoundPage
from contracts.planning.assumptions import Assumption
from contracts.report.checks import Gap, Unanswered
from contracts.report.document import (
    DocumentHeading,
    Doubt,
    ItemList,
    QuoteList,
    Remark,
)
from contracts.report.report import Comparison, ComparisonRow, Report, Search, Section
from contracts.words import say
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.gaps.listed_gaps import WOULD_CHANGE
from tests.domain.report.built_documents import (
    CLAIM,
    SEARCHES,
    build,
    find,
    list_marks,
    list_sentences,
    list_under,
    said,
)
from tests.support.words import en


def test_what_is_missing_is_one_list_before_what_was_assumed() -> None:
    document = build(
        Section(heading="Land", claims=[CLAIM], missing="No map.\nNo year."),
        Section(heading="Water", missing="No depth."),
        caveats=["Old."],
        would_change=["Rain."],
        unanswered=[Unanswered(kind="section", name="Water")],
    )
    remarks = [remark.text for remark in find(document, Remark)]
    assert {say("en", "not-found-below"), say("en", "gaps-unchecked")} <= {*remarks}
    assert list_under(document, say("en", "caveats")) == ["Old."]
    assert list_under(document, say("en", "would-change")) == ["Rain."]
    missing = list_under(document, say("en", "not-found"))
    assert missing == ["Water", "No map.", "No year.", "No depth."]


def test_lines_on_what_is_missing_are_marked_once_some_were_checked() -> None:
    lines = {"No map.": "not_told", "No year.": None, "No depth.": "partly"}
    gaps = [Gap(place="Land", line=line, verdict=each) for line, each in lines.items()]  # type: ignore[arg-type]
    document = build(Section(heading="Land", claims=[CLAIM], missing="\n".join(lines)), gaps=gaps)
    listed = find(document, ItemList)[-1].items
    assert [[mark.code for mark in item.marks] for item in listed] == [
        [],
        ["gap_unchecked"],
        ["gap_partly"],
    ]


def test_line_on_a_page_that_was_found_and_not_opened_is_no_line_on_what_was_not_found() -> None:
    lines = ["No roads of Mali.", "No roads of Chad.", "No roads of Niger."]
    found = FoundPage(url="http://a.test/niger", title="Niger")
    gaps = [
        *(Gap(place="Land", line=line, verdict="not_told") for line in lines[:2]),
        Gap(place="Land", line=lines[2], verdict="not_opened", not_opened=[found]),
    ]
    document = build(Section(heading="Land", missing="\n".join(lines)), comparison=None, gaps=gaps)
    true, unopened = find(document, ItemList)[-1].items
    assert true.text == "No roads of Mali, Chad."
    assert list_marks(unopened) == [("not_opened", 1)]
    [note] = document.notes
    assert isinstance(note, Doubt)
    assert note.text == "Niger (http://a.test/niger)"


def test_sentence_and_cell_on_what_was_not_found_name_the_pages_that_nobody_opened() -> None:
    lack = said("Roads are not known here.", not_found=True)
    cell = said("not known here", not_found=True)
    table = Comparison(columns=["Mali"], rows=[ComparisonRow(label="Roads", cells=[cell])])
    pages = [FoundPage(url=f"http://a.test/{n}", title=f"Roads {n}") for n in (1, 2)]
    gaps = [
        Gap(place=place, line=claim.text, verdict="not_opened", not_opened=[page])
        for place, claim, page in zip(("Land", "Roads, Mali"), (lack, cell), pages, strict=True)
    ]
    section = Section(heading="Land", claims=[CLAIM, lack])
    document = build(section, comparison=table, gaps=gaps)
    notes = [note.text for note in document.notes if isinstance(note, Doubt)]
    assert {f"Roads {n} (http://a.test/{n})" for n in (1, 2)} <= {*notes}
    [told] = (one for one in list_sentences(document) if one.text == lack.text)
    assert [code for code, _ in list_marks(told)] == ["not_opened"]


@pytest.mark.parametrize(("place", "shown"), [("Land", "Land"), (WOULD_CHANGE, en("would-change"))])
def test_passages_that_answer_a_gap_are_quotes_beside_the_text(place: str, shown: str) -> None:
    found = [Citation(source=1, quote="It is 3 m deep.", start=4, end=19)]
    gap = Gap(place=place, line="No depth.", verdict="told", found=found)
    [quotes] = find(build(Section(heading="Land", claims=[CLAIM]), gaps=[gap]), QuoteList)
    [quote] = quotes.quotes
    assert (quote.source, quote.text, quote.start) == (1, "It is 3 m deep.", 4)
    assert quote.remark == say("en", "bears-on", place=shown)


@pytest.mark.parametrize(
    ("searches", "code", "params"),
    [
        (SEARCHES, "", {}),
        ([], "no-search", {}),
        (
            [*SEARCHES, Search(query="Z", hits=0)],
            "searches-empty",
            {"queries": say("en", "quoted", text="Z")},
        ),
    ],
)
def test_a_section_without_evidence_names_the_searches_that_found_nothing(
    searches: list[Search], code: str, params: dict[str, Any]
) -> None:
    document = build(Section(heading="Costs"), searches=searches)
    told = [say("en", code, **params)] if code else []
    assert list_under(document, say("en", "not-found")) == [say("en", "no-evidence")]
    remarks = [remark.text for remark in find(document, Remark)]
    assert [text for text in remarks if text in told] == told


def test_heading_whose_lines_are_told_elsewhere_is_not_listed_as_without_evidence() -> None:
    told = Gap(place="Lacking", line="No price.", verdict="told")
    left = Gap(place="Costs", line="No costs.", verdict="not_told")
    sections = [Section(heading="Lacking"), Section(heading="Costs", missing="No costs.")]
    document = build(*sections, gaps=[told, left])
    assert [item.text for item in find(document, ItemList)[-1].items] == ["No costs."]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("has_appendix", [True, False])
def test_gaps_that_a_text_does_not_tell_stand_behind_it(*, told: bool, has_appendix: bool) -> None:
    place = {"number": 1, "form": "item"}
    given = {"text": "No page tells the price.", "citations": [], "not_found": told, "part": place}
    claim = Claim.model_validate(given | {"advises": not told, "verdict": "supported"})
    report = Report(
        title="Pumps",
        sections=[Section(heading="Market", claims=[claim], missing="Kenya's roads")],
        assumptions=[Assumption(text="Pumps are sold by dealers.")],
        searches=SEARCHES,
    )
    document = build_document(report, ReportContext([], has_appendix=has_appendix))
    headings = [
        [block.text for block in blocks if isinstance(block, DocumentHeading)]
        for blocks in (document.blocks, document.appendix)
    ]
    terms = [en("not-found"), en("assumed")]
    assert all(term in headings[told and has_appendix] for term in terms)
