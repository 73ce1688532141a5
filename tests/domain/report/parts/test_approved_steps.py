"""A report says which findings that a human approved step by step it has word for word, uses or leaves out."""

from contracts.evidence.claims import Citation, Claim
from contracts.report.document import Callout, Document, DocumentHeading, ItemList, Remark, Sentence
from contracts.report.report import ApprovedFindings, Report, Section
from domain.report.claims.approved_findings import follow_approved
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.support.sources import page
from tests.support.words import en


def claim(text: str, name: str = "", *named: str) -> Claim:
    cited = [Citation(source=1, quote="Sweden 36 billion kWh", start=31, end=52)]
    return Claim(text=text, citations=cited, verdict="supported", id=name, from_findings=[*named])


KEPT = claim("Norway exports 31 billion kWh", "k1")
USED = claim("Sweden exports 36 billion kWh.", "k2")
LEFT_OUT = claim("A year has passed.", "k3")
TEXT = (claim("Norway exports 31 billion kWh."), claim("Sweden leads.", "", "k2"))


def write(*text: Claim, approved: list[list[Claim]]) -> Report:
    steps = [
        ApprovedFindings(number=n, name=f"Part {n}", summary=f"Account {n}.", findings=found)
        for n, found in enumerate(approved, start=1)
    ]
    section = Section(heading="Trade", claims=[*text])
    return Report(title="Trade", sections=[section], approved=steps, searches=[])


def build(report: Report) -> Document:
    return build_document(report, ReportContext([page("https://a.example")]))


def test_finding_is_kept_by_its_text_used_by_its_id_and_otherwise_left_out() -> None:
    more = claim("Electricity is sold.", "k4")
    first, second = follow_approved(write(*TEXT, approved=[[KEPT, USED], [KEPT, LEFT_OUT, more]]))
    assert [(each.outcome, each.sentence) for each in first.findings] == [
        ("kept", KEPT.text),
        ("used", TEXT[1].text),
    ]
    assert [each.outcome for each in second.findings] == ["left_out", "left_out"], "KEPT is in 1"


def test_sentence_with_the_figures_words_and_passage_of_a_finding_does_not_name_it() -> None:
    report = write(claim("Sweden does export 36 billion kWh."), approved=[[USED]])
    [[found]] = [step.findings for step in follow_approved(report)]
    assert found.outcome == "left_out"


def test_first_sentence_that_names_a_finding_is_shown() -> None:
    report = write(claim("One.", "", "k2"), claim("Two.", "", "k2"), approved=[[USED]])
    [[found]] = [step.findings for step in follow_approved(report)]
    assert (found.outcome, found.sentence) == ("used", "One.")


def test_report_names_what_differs_above_its_text_and_shows_what_was_approved() -> None:
    made = build(write(*TEXT, approved=[[KEPT, USED, LEFT_OUT]]))
    [notice] = [block for block in made.blocks if isinstance(block, Callout)]
    assert notice.title == en("approved-differs", n=3, kept=1, used=1, left_out=1)
    assert notice.lines[0] == en("approved-left-out", number=1, text=LEFT_OUT.text)
    at = made.appendix.index(DocumentHeading(text=en("approved-steps")))
    compared, step, account, kept, others = made.appendix[at + 1 : at + 6]
    assert compared == Remark(text=en("approved-compared"))
    assert step == DocumentHeading(level=3, text="1. Part 1")
    assert account == Callout(lines=["Account 1."])
    assert kept == Remark(text=en("approved-kept", n=1))
    assert isinstance(others, ItemList)
    used, left_out = others.items
    told = en("approved-used", before=USED.text, now=TEXT[1].text)
    assert used == Sentence(text=told)
    assert (left_out.lead, left_out.text) == (en("approved-out"), LEFT_OUT.text)
    assert left_out.notes  # its quote can be opened


def test_report_that_keeps_all_that_was_approved_has_no_notice() -> None:
    made = build(write(*TEXT, approved=[[KEPT]]))
    assert not [block for block in made.blocks if isinstance(block, Callout)]
    assert DocumentHeading(text=en("approved-steps")) in made.appendix
    nothing = build(write(*TEXT, approved=[]))
    assert DocumentHeading(text=en("approved-steps")) not in nothing.appendix
