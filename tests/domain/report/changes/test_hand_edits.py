"""A sentence in its reader's words: what it rests on stays, and every format says so."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.base import Json
from contracts.errors import Conflict, GreenlightError, InvalidInput, NotFound
from contracts.evidence.claims import Citation, Claim, QuotedFigure, Verdict
from contracts.evidence.reasons import Reason
from contracts.phases.edit import SentenceEdit
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.evidence.claim_check import check_claims
from domain.evidence.claims import find_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from domain.report.changes.hand_edits import (
    describe_change,
    edit_outputs,
    find_edited,
    find_restored,
    list_edits,
    put_lead,
    replace_claim,
    reword,
)
from domain.report.changes.patches import apply_patch
from domain.report.claims.report_claims import list_claims, withdraw_contradicted
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import render
from tests.support.sources import page

QUOTE = Citation(source=1, quote="Sales rose by 4 %.", start=0, end=18)
LATER = Citation(source=1, quote="Costs fell by 2 %.", start=19, end=37)
SALES = Claim(text="Sales rose by 4 %", citations=[QUOTE], id="a", verdict="supported")
SO = Claim(text="So sell pumps.", citations=[], rests_on=["a"], id="b", verdict="supported")
CELL = Claim(text="4 %", citations=[QUOTE], verdict="supported")
TABLE = Comparison(columns=["Kenya"], rows=[ComparisonRow(label="Growth", cells=[CELL])])
REPORT = Report(
    title="Pumps",
    comparison=TABLE,
    answer=Section(heading="Answer", claims=[SO]),
    sections=[Section(heading="Market", claims=[SALES, SO])],
    searches=[],
    claims_unjudged=0,
)
CONTEXT = ReportContext([page("https://example.org/")])


def edit(text: str | None, **given: Any) -> SentenceEdit:
    plain = {"sentence": 2, "former": "Sales rose by 4 %.", "text": text}
    return SentenceEdit.model_validate(plain | given)


def edited(text: str, verdict: Verdict | None, report: Report = REPORT) -> Report:
    """Return a report with an edited sentence on sales, after this verdict."""
    before = find_edited(report, edit(text, former=list_claims(report)[1].text))
    checked = before.model_copy(update={"text": text}).rule(verdict)
    return replace_claim(report, before, reword(before, checked, "ann", "2026-11-26T10:00:00Z"))


def marks(report: Report) -> dict[str, list[str]]:
    blocks = build_document(report, CONTEXT).blocks
    told = [s for block in blocks if block.type == "paragraph" for s in block.sentences]
    return {sentence.text: [mark.code for mark in sentence.marks] for sentence in told}


def test_edited_sentence_keeps_its_quotes_and_its_first_wording() -> None:
    once = edited("Sales grew by 4 %.", "supported")
    twice = edited("Sales went up by 4 %.", None, once)
    _, claim, *_ = list_claims(twice)
    assert (claim.text, claim.citations, claim.id) == ("Sales went up by 4 %.", [QUOTE], "a")
    assert claim.edit
    assert (claim.edit.by, claim.edit.former.text) == ("ann", SALES.text)
    assert find_restored(claim, None) == SALES
    assert find_restored(claim, SALES.text) == SALES, "its first words typed again are no edit"
    assert (once.claims_unjudged, twice.claims_unjudged) == (0, 1)


@pytest.mark.parametrize(
    ("text", "outcome"), [("Sales rose by 4 % then.", "open"), ("Sales rose by 9 %.", "fails")]
)
def test_new_words_are_held_against_the_old_quotes_alone(text: str, outcome: str) -> None:
    figure = QuotedFigure(value="4", unit="%", quote=1)
    told = SALES.model_copy(update={"figures": [figure]})
    change: Any = describe_change(replace_claim(REPORT, SALES, told), told, text)
    assert (change["section"], change["after"]) == ("Market", 0)
    pages = {1: CitedPage("Sales", Snapshot(QUOTE.quote))}
    [check] = check_claims([*find_claims(change)], pages)
    assert (check.outcome, check.claim.citations) == (outcome, [QUOTE])
    cell: Any = describe_change(REPORT, CELL, "5 %")
    assert [cell["figures"][0][name] for name in ("row", "column")] == ["Growth", "Kenya"]


def test_sentence_that_stands_twice_is_edited_twice() -> None:
    [sentence] = [n for n, claim in enumerate(list_claims(REPORT), start=1) if claim == SO]
    before = find_edited(REPORT, edit("Sell.", sentence=sentence, former=SO.text))
    after = reword(before, before.model_copy(update={"text": "Sell."}), "ann", "2026")
    report = replace_claim(REPORT, before, after)
    assert report.answer
    assert report.answer.claims == report.sections[0].claims[1:] == [after]


@pytest.mark.parametrize(
    ("wanted", "error", "code"),
    [
        (edit("New.", former="Sales fell."), Conflict, "sentence-changed"),
        (edit("New.", sentence=9), NotFound, "sentence-unknown"),
        (edit(None), Conflict, "sentence-unedited"),
        (edit("Sales rose  by 4 %"), InvalidInput, "sentence-same"),
    ],
)
def test_edit_that_does_not_fit_the_report_is_refused_by_name(
    wanted: SentenceEdit, error: type[GreenlightError], code: str
) -> None:
    with pytest.raises(error) as refused:
        find_edited(REPORT, wanted)
    assert [problem.code for problem in refused.value.problems] == [code]


@pytest.mark.parametrize("text", ["", "  \n", "…", "\u200b", "x" * 2_001, "a\x00b"])
def test_text_that_is_no_sentence_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        edit(text)


def test_markup_and_any_script_are_kept_as_text() -> None:
    told = "<b>販売</b> | *4 %*\n\n# المبيعات"
    report = edited(edit(told).text or "", None)
    assert list_claims(report)[1].text == " ".join(told.split())
    assert r"\<b\>販売\</b\> \| \*4 %\*" in render(report, CONTEXT)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("supported", ["edited"]),
        ("not_shown", ["edited", "not_shown"]),
        ("contradicted", ["edited", "contradicted"]),
        (None, ["edited_unchecked"]),
    ],
)
def test_document_marks_an_edit_and_what_rests_on_it(
    verdict: Verdict | None, said: list[str]
) -> None:
    report = edited("Sales rose by 9 %.", verdict)
    report, gone = withdraw_contradicted(report)  # as a follow-up of it does
    assert gone == []
    told = marks(report)
    assert told["Sales rose by 9 %."] == said
    assert told[SO.text] == ["judged", "basis_edited"]
    document = build_document(report, CONTEXT)
    assert any(SALES.text in getattr(note, "text", "") for note in document.notes)
    assert all("edited" not in code for codes in marks(REPORT).values() for code in codes)


def number_notes(report: Report) -> dict[str, int]:
    """Return the numbers of a report's notes by their texts, in every format the same."""
    notes = build_document(report, CONTEXT).notes
    listed = re.findall(r"^(\d+)\. ", render(report, CONTEXT), re.MULTILINE)
    assert listed[-len(notes) :] == [str(n) for n in range(1, len(notes) + 1)]
    told = {str(note.model_dump(exclude={"label"})): n for n, note in enumerate(notes, start=1)}
    return {note: n for note, n in told.items() if "note_gone" not in note}


def edit_in_order(report: Report, *edits: tuple[Claim, str, Verdict | None]) -> Iterator[Report]:
    """Yield a report as it is kept after each edit; one without text takes the sentence's edit back."""
    for n, (first, text, verdict) in enumerate(edits):
        [before, *_] = [
            claim
            for claim in list_claims(report)
            if first.text in {claim.text, claim.edit and claim.edit.former.text}
        ]
        checked = before.model_copy(update={"text": text}).rule(verdict)
        after = (
            reword(before, checked, "ann", f"2026-11-{n + 10}")
            if text
            else find_restored(before, None)
        )
        assert after
        changed = edit_outputs({"x": {"report": report.model_dump()}}, before, after, CONTEXT)
        assert changed
        report = Report.model_validate(changed["x"]["report"])
        yield report


def test_notes_keep_their_numbers_over_any_edits_and_new_ones_follow() -> None:
    cost = SALES.model_copy(update={"text": "Costs fell.", "id": "c"})
    doubted = cost.model_copy(update={"citations": [LATER]}).rule(
        "partly", Reason(code="judge-silent")
    )
    report = REPORT.model_copy(
        update={"sections": [Section(heading="Market", claims=[SALES, doubted, SO])]}
    )
    seen = number_notes(report)
    edits: list[tuple[Claim, str, Verdict | None]] = [
        (SO, "So sell more pumps.", "not_shown"),
        (SALES, "Sales grew by 4 %.", "supported"),
        (doubted, "Costs fell a little.", "supported"),
        (SO, "So sell no pumps.", None),
        (SALES, "", None),
        (doubted, "", None),
    ]
    now = seen
    for edited_report in edit_in_order(report, *edits):
        now = number_notes(edited_report)
        kept = {note: n for note, n in now.items() if note in seen}
        assert kept == {note: seen[note] for note in kept}
        new = [n for note, n in now.items() if note not in seen and "'basis'" not in note]
        assert all(n not in seen.values() for n in new)
        seen = seen | now
    quotes = {note: n for note, n in number_notes(report).items() if "'quote'" in note}
    assert quotes.items() <= now.items()


def test_outputs_of_all_phases_with_the_sentence_are_edited_once() -> None:
    after = list_claims(edited("Sales grew.", None))[1]
    had: Json = {"report": REPORT.model_dump(mode="json"), "n": 1}
    outputs: dict[str, Json] = {"synthesis": had, "plan": {}, "validation": had}
    changed = edit_outputs(outputs, SALES, after, CONTEXT)
    assert changed is not None
    assert list(changed) == ["synthesis", "validation"]
    assert changed["synthesis"]["n"] == 1
    assert "Sales grew." in str(changed["validation"]["report"])
    assert edit_outputs(changed, SALES, after, CONTEXT) == {}, "by an attempt that was not heard of"
    other = after.model_copy(update={"text": "Sales fell."})
    assert edit_outputs(changed, SALES, other, CONTEXT) is None, "it was edited meanwhile"


def test_follow_up_takes_over_what_was_edited_since_the_report_was_drafted() -> None:
    report = edited("Sales grew.", "supported")
    cell = reword(CELL, CELL.model_copy(update={"text": "5 %"}), "ann", "2026")
    draft = REPORT.model_copy(update={"answer": None})
    for patch in list_edits(draft, replace_claim(report, CELL, cell)):
        assert patch.by == "ann"
        draft = apply_patch(draft, patch)
    assert [claim.text for claim in list_claims(draft)] == ["5 %", "Sales grew.", SO.text]


def test_a_reader_edits_a_sentence_without_its_lead() -> None:
    led = Claim(text="Sales. They rose by 4 %", citations=[QUOTE], lead_chars=6)
    report = REPORT.model_copy(update={"sections": [Section(heading="Market", claims=[led])]})
    number = list_claims(report).index(led) + 1
    wanted = edit("They rose a little.", former="They rose by 4 %.", sentence=number)
    assert find_edited(report, wanted) == led
    assert put_lead(led, "They rose a little.") == "Sales. They rose a little."
    assert put_lead(led, "Sales. They fell.") == "Sales. They fell."
