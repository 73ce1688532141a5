"""Findings by the plan's measures, for the writer of a report and in its appendix."""

from typing import Any

from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Report, Section
from domain.report.findings_for_writer import list_findings


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
