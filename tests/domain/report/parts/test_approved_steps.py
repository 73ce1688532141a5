"""A report says which findings that a human approved step by step it rewords or leaves out."""

import pytest

from contracts.evidence.claims import Citation, Claim
from contracts.report.document import Callout, Document, DocumentHeading, ItemList, Remark, Sentence
from contracts.report.report import ApprovedFindings, Report, Section
from domain.report.claims.approved_findings import follow_approved
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.support.sources import page
from tests.support.words import en

QUOTE = "Norway exports 31 billion kWh, Sweden 36 billion kWh, a year."


def claim(text: str, start: int = -1, end: int = -1, quote: str = "", **more: object) -> Claim:
    cited = Citation(source=1, quote=quote or QUOTE[start:end], start=start, end=end)
    has_quote = quote or start >= 0
    return Claim(text=text, citations=[cited] if has_quote else [], verdict="supported", **more)  # type: ignore[arg-type]


KEPT = claim("Norway exports 31 billion kWh", 0, 29)
REWORDED = claim("Sweden exports 36 billion kWh.", 31, 53)
LEFT_OUT = claim("A year has passed.", 54, 60)
CARRIED = claim("It is more.", id="more", quote="more")


def write(*text: Claim, approved: list[list[Claim]]) -> Report:
    steps = [
        ApprovedFindings(number=n, name=f"Part {n}", summary=f"Account {n}.", findings=found)
        for n, found in enumerate(approved, start=1)
    ]
    section = Section(heading="Trade", claims=[*text])
    return Report(title="Trade", sections=[section], approved=steps, searches=[])


def build(report: Report) -> Document:
    return build_document(report, ReportContext([page("https://a.example")]))


TEXT = (
    KEPT.model_copy(update={"text": "Norway exports 31 billion kWh."}),
    claim("Of these, 36 billion kWh are Sweden's.", 38, 60 - 7),
    claim("So Sweden leads.", rests_on=["more"]),
)


def test_each_approved_finding_is_kept_reworded_or_left_out() -> None:
    approved = [[KEPT, REWORDED], [KEPT, CARRIED, claim("Nobody says so.")]]
    first, second = follow_approved(write(*TEXT, approved=approved))
    assert [(each.outcome, each.sentence) for each in first.findings] == [
        ("kept", KEPT.text),
        ("reworded", TEXT[1].text),
    ]
    assert [each.outcome for each in second.findings] == ["used", "left_out"]
    assert second.findings[0].sentence == TEXT[2].text


@pytest.mark.parametrize(
    ("approved", "written", "outcome"),
    [
        ("Sweden exports 36 billion kWh.", "Of these, 36 billion kWh are Sweden's.", "reworded"),
        ("Sweden exports 36 billion kWh.", "Sweden exports 3.6 billion kWh.", "used"),
        ("Sweden exported 36 billion kWh in 2023.", "Sweden exports 36 billion kWh.", "used"),
        ("Sweden exports electricity.", "Electricity is exported by Sweden.", "reworded"),
        ("Sweden exports electricity.", "Prices are low there.", "used"),
    ],
)
def test_sentence_on_the_same_passage_rewords_a_finding_only_with_its_figures_or_words(
    approved: str, written: str, outcome: str
) -> None:
    others = [claim(f"This says nothing, for the {n}th time.", 31, 53) for n in range(200, 220)]
    report = write(*others, claim(written, 30, 54), approved=[[claim(approved, 31, 53)]])
    [[found]] = [step.findings for step in follow_approved(report)]
    assert found.outcome == outcome
    assert (found.sentence == written) or outcome == "used"


def test_passages_that_only_touch_are_different_ones() -> None:
    report = write(claim("It does.", 0, 29), approved=[[claim("They do.", 29, 53)]])
    assert [each.outcome for step in follow_approved(report) for each in step.findings] == [
        "left_out"
    ]


def test_report_names_what_differs_above_its_text_and_shows_what_was_approved() -> None:
    made = build(write(*TEXT, approved=[[KEPT, REWORDED, LEFT_OUT]]))
    [notice] = [block for block in made.blocks if isinstance(block, Callout)]
    assert notice.title == en("approved-differs", n=3, kept=1, reworded=1, left_out=1)
    assert notice.lines[0] == en("approved-left-out", number=1, text=LEFT_OUT.text)
    at = made.appendix.index(DocumentHeading(text=en("approved-steps")))
    compared, step, account, kept, others = made.appendix[at + 1 : at + 6]
    assert compared == Remark(text=en("approved-compared"))
    assert step == DocumentHeading(level=3, text="1. Part 1")
    assert account == Callout(lines=["Account 1."])
    assert kept == Remark(text=en("approved-kept", n=1))
    assert isinstance(others, ItemList)
    reworded, left_out = others.items
    told = en("approved-reworded", before=REWORDED.text, now=TEXT[1].text)
    assert reworded == Sentence(text=told)
    assert (left_out.lead, left_out.text) == (en("approved-out"), LEFT_OUT.text)
    assert left_out.notes  # its quote can be opened


def test_report_shows_what_it_says_on_the_passage_of_a_finding_that_it_does_not_repeat() -> None:
    made = build(write(claim("Prices fell by 3 %.", 31, 53), approved=[[REWORDED]]))
    [notice] = [block for block in made.blocks if isinstance(block, Callout)]
    assert notice.title == en("approved-differs", n=1, kept=0, used=1)
    [others] = [block for block in made.appendix if isinstance(block, ItemList)]
    told = en("approved-used", before=REWORDED.text, now="Prices fell by 3 %.")
    assert others.items == [Sentence(text=told)]


def test_report_that_keeps_all_that_was_approved_has_no_notice() -> None:
    made = build(write(*TEXT, approved=[[KEPT]]))
    assert not [block for block in made.blocks if isinstance(block, Callout)]
    assert DocumentHeading(text=en("approved-steps")) in made.appendix
    nothing = build(write(*TEXT, approved=[]))
    assert DocumentHeading(text=en("approved-steps")) not in nothing.appendix
