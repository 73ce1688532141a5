"""The document of a report: its order."""

from typing import Any

import pytest

from contracts.notices import Notice
from contracts.report.document import (
    Basis,
    Callout,
    DocumentHeading,
    ItemList,
    Remark,
    ReportHead,
)
from contracts.report.report import Report, Section
from contracts.words import say
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.parts.notes_and_marks import label_mark
from tests.domain.report.built_documents import (
    ADVICE,
    CLAIM,
    COSTS,
    LAND,
    QUOTE,
    build,
    find,
    list_headings,
    list_marks,
    list_sentences,
    list_under,
    said,
)
from tests.support.sources import page


def test_answer_is_first_then_the_comparison_and_sources_last() -> None:
    document = build(Section(heading="Answer", claims=[CLAIM]), Section(heading="Costs"))
    kinds = [(block.type, getattr(block, "text", "")) for block in document.blocks]
    order = [("heading", "Answer"), ("table", "")]
    order += [("heading", say("en", code)) for code in ("not-found", "sources")]
    assert [kind for kind in kinds if kind in order] == order


def test_a_comparison_stands_before_sections_of_which_none_answers() -> None:
    document = build(LAND, COSTS)
    assert document.blocks[0].type == "table"
    assert list_headings(document)[:2] == ["Land", "Costs"]


def test_what_is_looked_up_is_an_appendix_behind_what_is_read() -> None:
    files = [page("http://a.test/", title="A"), page("http://b.test/", title="B")]
    document = build(LAND, caveats=["Old."], sources=files)
    read, looked_up = (
        [block.text for block in blocks if isinstance(block, DocumentHeading)]
        for blocks in (document.blocks, document.appendix)
    )
    assert read == ["Land", say("en", "caveats"), say("en", "sources")]
    assert looked_up == [say("en", "evidence"), say("en", "also-read")]


def test_a_detail_stands_behind_the_text_and_names_what_replaces_it() -> None:
    body = Section(heading="Size", claims=[said("92 wells.", QUOTE, id="new")])
    old = said("147 wells.", QUOTE, superseded_by="new")
    document = build(body, Section(heading="Market size", claims=[old], is_detail=True))
    headings = [say("en", "details"), "Market size", say("en", "evidence")]
    assert list_headings(document)[-3:] == headings
    [detail] = [each for each in list_sentences(document) if each.text == "147 wells."]
    [(code, note)] = list_marks(detail)
    assert (code, note) == ("superseded", 2)
    replacing = document.notes[1]
    assert isinstance(replacing, Basis)
    assert [each.text for each in replacing.sentences] == ["92 wells."]


def test_the_section_that_concludes_opens_a_report_and_stands_nowhere_else() -> None:
    document = build(LAND, COSTS, ADVICE)
    assert list_headings(document)[:3] == ["Advice", "Land", "Costs"]
    assert [s.text for s in list_sentences(document)].count("Pumps pay.") == 1


def test_a_draft_names_what_is_not_written_yet_and_searches_for_nothing() -> None:
    document = build(LAND, Section(heading="Costs"), searches=None)
    remarks = [remark.text for remark in find(document, Remark)]
    assert remarks == [say("en", "not-written"), say("en", "draft")]
    assert say("en", "not-found") not in list_headings(document)


@pytest.mark.parametrize(
    ("missing", "more"), [("No price.", {"searches": None}), ("", {}), ("No price.", {})]
)
def test_only_an_empty_section_of_a_draft_is_named_as_not_written(
    missing: str, more: dict[str, Any]
) -> None:
    document = build(LAND, Section(heading="Costs", missing=missing), **more)
    assert say("en", "not-written") not in [remark.text for remark in find(document, Remark)]


def test_a_report_without_a_model_says_so() -> None:
    report = Report(title="Sums", sections=[], searches=[])
    first = build_document(report, ReportContext([], offline=True)).blocks[0]
    assert isinstance(first, Remark)
    assert first.text == say("en", "offline-rule")


def test_a_decision_opens_its_report_and_what_this_lacks_stands_right_below() -> None:
    lost, told = Notice.of("report-unfinished"), Notice.of("decision-awaited", text="X")
    failed = Notice.of("run-failed-bridged")
    told_of_run = {
        "question": "Buy?",
        "date": "2026-11-28",
        "usd": 0,
        "model": "m",
        "offline": True,
    }
    head = ReportHead.model_validate(told_of_run | {"notices": [failed], "sources_read": 1})
    decision = Section(heading="Decision", claims=[said("Buy.", "3").rule("supported")])
    report = Report(
        title="A",
        sections=[],
        answer=decision,
        losses=[lost],
        notes=[told, "No advice."],
        would_change=["A fall."],
        searches=[],
    )
    decided = report.model_copy(update={"opens_with_decision": True})
    document = build_document(decided, ReportContext([]), head)
    blocks = [*document.opening, *document.blocks]
    shown = [b for b in blocks if isinstance(b, Callout | DocumentHeading)]
    titles = [(b.title if isinstance(b, Callout) else b.text).lower().rstrip(".") for b in shown]
    noted = [note.say("en").lower().rstrip(".") for note in (failed, lost, told)]
    assert titles[:3] == ["decision", *noted[:2]]
    [*_, warned] = [block for block in blocks if isinstance(block, Callout)]
    assert [line.lower().rstrip(".") for line in warned.lines] == noted[2:]
    listed, said_last = [block for block in blocks if isinstance(block, ItemList | Remark)][1:3]
    assert isinstance(listed, ItemList), "what would change it stands above other notes"
    assert said_last == Remark(text="No advice.")
    undecided = build_document(report, ReportContext([]), head)
    assert undecided.opening[0] == Callout(title=failed.say("en"))


def test_caveat_that_stands_above_is_not_repeated() -> None:
    none, other = Notice.of("news-none", company="Acme"), Notice.of("news-none", company="Apex")
    [told] = list_under(build(LAND, caveats=[other]), say("en", "caveats"))
    document = build(LAND, caveats=[none, other, other], notes=[none, "Old."])
    assert list_under(document, say("en", "caveats")) == [told]
    alone = build(LAND, caveats=[none, "Old."], notes=[none, "Old."])
    assert say("en", "caveats") not in list_headings(alone)


def test_decision_names_the_assumptions_that_it_rests_on() -> None:
    rate, other = (said(f"We assume {n}.", id=f"a{n}", assumed=True) for n in (9, 8))
    by_rate = said("9 of 2, 18.", id="sum", rests_on=["a9"], working="9 * 2 = 18", assumed=True)
    decided = said("Avoid it.", id="no", rests_on=["sum", "land"], assumed=True)
    reasons = Section(
        heading="Reasons", claims=[rate, by_rate, other, said("It is dry.", id="land")]
    )
    answer = Section(heading="Decision: avoid", claims=[decided])
    document = build(reasons, comparison=None, answer=answer, opens_with_decision=True)
    lead = f"{label_mark('assumption', 'en').capitalize()}:"
    lists = find(document, ItemList)
    assert [(one.lead, one.text) for one in lists[0].items] == [(lead, "We assume 9.")]
    alone = build(reasons, comparison=None, answer=answer)
    assert lead not in [one.lead for each in find(alone, ItemList) for one in each.items]
