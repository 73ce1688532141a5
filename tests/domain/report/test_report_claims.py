"""What becomes of a report's claims: none that its sources contradict stays."""

from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.report.research import Comparison, ComparisonRow, Report, Section
from domain.report.report_claims import list_claims, withdraw_contradicted


def claim(text: str, verdict: Verdict | None = "supported", quote: str = "It rose.") -> Claim:
    citation = Citation(source=1, quote=quote)
    return Claim(text=text, citations=[citation], verdict=verdict, reason="it rose")


def make_report(*claims: Claim) -> Report:
    [cell, *said] = claims
    table = Comparison(columns=["Kenya"], rows=[ComparisonRow(label="Sales", cells=[cell])])
    section = Section(heading="Sales", claims=said)
    return Report(title="Pumps", comparison=table, sections=[section])


def test_what_its_sources_contradict_leaves_a_report_and_is_listed() -> None:
    cell, false = claim("It fell.", "contradicted"), claim("Sales fell.", "contradicted")
    kept = [claim("Sales rose."), claim("By half.", "partly"), claim("Why?", "not_shown")]
    report = withdraw_contradicted(make_report(cell, false, *kept), [])
    assert list_claims(report) == kept
    assert report.comparison
    assert report.comparison.rows[0].cells == [None]
    assert report.dropped == [cell, false]


def test_what_was_refused_is_listed_unless_its_passage_was_told_right_after_all() -> None:
    mended, gone = claim("It fell.", "contradicted"), claim("It sank.", "contradicted", "It swam.")
    report = withdraw_contradicted(make_report(claim("It rose."), claim("So.")), [mended, gone])
    assert report.dropped == [gone]


def test_what_was_refused_and_mended_under_its_id_is_not_listed() -> None:
    mended = claim("It rose.").model_copy(update={"id": "sales"})
    fell, other = (
        claim("It fell.", "contradicted", f"It {n}.").model_copy(update={"id": n})
        for n in ("sales", "costs")
    )
    [cited] = fell.citations
    elsewhere = fell.model_copy(
        update={"text": "It sank.", "citations": [cited.model_copy(update={"source": 9})]}
    )
    report = withdraw_contradicted(make_report(claim("A lot."), mended), [fell, other, elsewhere])
    assert report.dropped == [other, elsewhere], "an id names a sentence in one answer alone"


def test_a_conclusion_that_was_refused_and_written_after_all_is_not_listed_as_refused() -> None:
    drawn = Claim(text="So it pays.", citations=[], rests_on=["a"])
    fell, stands = (
        drawn.model_copy(update={"verdict": verdict}) for verdict in ("not_shown", "supported")
    )
    other = drawn.model_copy(update={"text": "It ends.", "verdict": "not_shown"})
    report = withdraw_contradicted(make_report(claim("It rose."), stands), [fell, other])
    assert report.dropped == [other]
