"""Findings by the plan's measures, for the writer of a report and in its appendix."""

from typing import Any

from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.report.findings_for_writer import list_findings, list_without_row


def find(id: str, measure: str = "") -> Claim:
    cited = [Citation(source=1, quote="x"), Citation(source=1, quote="y")]
    return Claim(id=id, text=f"{id}.", citations=cited, measure=measure)


def test_findings_of_one_measure_are_listed_together_and_those_of_none_last() -> None:
    kenya = Section(
        heading="Kenya", is_detail=True, claims=[find("k1"), find("k2", "Duty"), find("k3", "Cows")]
    )
    ghana = Section(
        heading="Ghana", is_detail=True, claims=[find("g1", "Cows"), find("g2", "Duty")]
    )
    text = Section(heading="Answer", claims=[find("a")])
    shown: Any = list_findings(Report(title="Cows", sections=[text, kenya, ghana]))
    told = [
        (each.get("measure"), each["subject"], [s["id"] for s in each["sentences"]])
        for each in shown
    ]
    assert told == [
        ("Duty", "Kenya", ["k2"]),
        ("Duty", "Ghana", ["g2"]),
        ("Cows", "Kenya", ["k3"]),
        ("Cows", "Ghana", ["g1"]),
        (None, "Kenya", ["k1"]),
    ]
    assert shown[0]["sentences"] == [{"id": "k2", "text": "k2.", "pages": [1]}]
    assert list_findings(Report(title="Cows", sections=[text])) is None


def test_measure_with_findings_and_no_cell_on_them_lacks_its_row() -> None:
    def make(name: str, *rests_on: str, measure: str = "") -> Claim:
        return Claim(text=name, citations=[], id=name, rests_on=[*rests_on], measure=measure)

    found = [make("f1", measure="need"), make("f2", measure="power"), make("f3", measure="ports")]
    text = Section(heading="Why", claims=[make("sum", "f1")])
    detail = Section(heading="Mali", claims=found, is_detail=True)
    rows = [ComparisonRow(label="Need", cells=[make("cell", "sum")])]
    rows.append(ComparisonRow(label="Ports", cells=[make("other", "f3")]))
    table = Comparison(columns=["Mali"], rows=rows)
    report = Report(title="T", comparison=table, sections=[text, detail])
    measures = ["need", "power", "ports", "law"]
    assert list_without_row(report, measures) == ["power"], "of law nothing was found"
    assert list_without_row(report.model_copy(update={"comparison": None}), measures) == []


def test_cell_that_cites_the_passage_of_a_finding_is_a_row_of_its_measure() -> None:
    quotes = [Citation(source=1, quote=quote) for quote in ("12 cents", "7 cents")]
    found = [
        Claim(text=f"It is {quote.quote}.", citations=[quote], id=f"f{n}", measure=f"price {n}")
        for n, quote in enumerate(quotes)
    ]
    cell = Claim(text="12 cents", citations=quotes[:1])
    table = Comparison(columns=["Mali"], rows=[ComparisonRow(label="Power", cells=[cell])])
    detail = Section(heading="Mali", claims=found, is_detail=True)
    report = Report(title="T", comparison=table, sections=[detail])
    assert list_without_row(report, ["price 0", "price 1"]) == ["price 1"]
