"""The fate of a report's claims: claims contradicted by their sources are removed."""

from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.report.claims.report_claims import (
    leave_out_told,
    list_claims,
    withdraw_contradicted,
)


def claim(text: str, verdict: Verdict | None = "supported", quote: str = "It rose.") -> Claim:
    citation = Citation(source=1, quote=quote)
    return Claim(text=text, citations=[citation], verdict=verdict, reason="it rose")


def make_report(*claims: Claim) -> Report:
    [cell, *said] = claims
    table = Comparison(columns=["Kenya"], rows=[ComparisonRow(label="Sales", cells=[cell])])
    section = Section(heading="Sales", claims=said)
    return Report(title="Pumps", comparison=table, sections=[section])


def test_what_its_sources_contradict_leaves_a_report_and_is_returned_with_its_place() -> None:
    cell, false = claim("It fell.", "contradicted"), claim("Sales fell.", "contradicted")
    kept = [claim("Sales rose."), claim("By half.", "partly"), claim("Why?", "not_shown")]
    report, gone = withdraw_contradicted(make_report(cell, false, *kept))
    assert list_claims(report) == kept
    assert report.comparison
    assert report.comparison.rows[0].cells == [None]
    assert [(one.place, one.claim) for one in gone] == [("Sales, Kenya", cell), ("Sales", false)]


def test_sentences_that_were_said_leave_the_end_of_a_paragraph_and_no_other_place() -> None:
    pays, grows, owes = (
        Claim(text=f"It {word}.", citations=[]) for word in ("pays", "grows", "owes")
    )
    opens, lone = (
        Claim(text=text, citations=[], opens=True) for text in ("All is well.", "That is all.")
    )
    section = Section(heading="A", claims=[pays, grows, opens, pays, owes, opens, pays, lone])
    [left] = leave_out_told([section], [pays, owes], "en")
    assert left.claims == [pays, grows, lone], "an opener goes with its paragraph"
    assert leave_out_told([section], [], "en") == [section]
