"""Reports are compared by their sentences."""

from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Report, Section
from domain.report.changes.report_diff import MAX_LINES, compare_documents, diff_reports
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.support.sources import page

CONTEXT = ReportContext([page(), page("https://example.org/2")])


def write(*texts: str) -> Report:
    claims = [
        Claim(text=text, citations=[Citation(source=1, quote=text)], verdict="supported")
        for text in texts
    ]
    return Report(title="T", sections=[Section(heading="Land", claims=claims)], searches=[])


def list_changes(a: Report | None, b: Report | None) -> list[str]:
    before, after = ((each, CONTEXT) if each else None for each in (a, b))
    lines, _ = diff_reports(before, after, "a", "b")
    return [line for line in lines[2:] if line[0] in "+-"]


def test_a_sentence_that_moves_the_numbers_of_notes_is_the_only_change() -> None:
    assert list_changes(write("One.", "Two."), write("New.", "One.", "Two.")) == ["+New."]


def test_equal_reports_have_no_difference() -> None:
    assert list_changes(write("One."), write("One.")) == []


def test_a_sentence_whose_verdict_changed_is_a_change() -> None:
    before = write("One.")
    [claim] = before.sections[0].claims
    doubted = claim.model_copy(update={"verdict": "partly"})
    section = before.sections[0].model_copy(update={"claims": [doubted]})
    after = before.model_copy(update={"sections": [section]})
    removed, added = list_changes(before, after)
    assert (removed, added[:6]) == ("-One.", "+One. ")


def test_lines_beyond_the_most_are_counted() -> None:
    texts = [f"Sentence {n}." for n in range(MAX_LINES)]
    lines, left_out = diff_reports(None, (write(*texts), CONTEXT), "a", "b")
    whole, none = diff_reports(None, (write("One."), CONTEXT), "a", "b")
    assert (len(lines), left_out) == (MAX_LINES, len(whole) - 1)
    assert none == 0


def test_a_run_without_a_report_differs_by_all_of_the_other() -> None:
    assert "+One." in list_changes(None, write("One."))


def test_changed_sentences_are_paired_if_they_share_half_their_words() -> None:
    before, after = (
        build_document(write(*texts), CONTEXT)
        for texts in (
            ("It was June.", "Rain fell.", "Same."),
            ("It was July.", "Pumps sell.", "Same."),
        )
    )
    assert [*compare_documents(before, after)] == [
        ("It was June.", "It was July."),
        ("Rain fell.", ""),
        ("", "Pumps sell."),
    ]
    assert [*compare_documents(before, before)] == []
