"""Changes by a follow-up to the previous report, and the remarks that still apply."""

from contracts.evidence.claims import Claim
from contracts.report.patches import TABLE, ReaderRemark, ReportChanges, SectionChange
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.report.changes.follow_up_changes import list_changes
from domain.report.context import ReportContext
from domain.report.formats.markdown import render
from tests.support.words import en


def told(text: str) -> Claim:
    return Claim(text=text, citations=[])


def written(*texts: str, figure: str = "4", **sections: list[str]) -> Report:
    table = Comparison(columns=["Kenya"], rows=[ComparisonRow(label="Land", cells=[told(figure)])])
    parts = {"Market": list(texts)} | sections
    made = [Section(heading=name, claims=[*map(told, lines)]) for name, lines in parts.items()]
    return Report(title="T", comparison=table, sections=made, searches=[])


BEFORE = written("Pumps sell.", "It grew 4 %.")


def test_changes_are_named_by_section_and_unheeded_remarks_stay() -> None:
    remarks = [
        ReaderRemark(kind="wrong", sentence="It grew 4 %."),
        ReaderRemark(kind="outdated", sentence="pumps  sell"),
        ReaderRemark(kind="more", sentence="Pumps sell."),
    ]
    after = written("Pumps sell.", "It grew 5 %.", figure="5", Risks=["A tax."])
    assert list_changes(BEFORE, after, remarks) == ReportChanges(
        sections=[
            SectionChange(section=TABLE, added=1, removed=["Land, Kenya: 4"]),
            SectionChange(section="Market", added=1, removed=["It grew 4 %."]),
            SectionChange(section="Risks", added=1),
        ],
        unheeded=[remarks[1]],
    )


def test_order_case_and_final_stops_are_no_change() -> None:
    after = written("It grew 4 %", "pumps sell")
    assert list_changes(BEFORE, after, []) == ReportChanges()


def test_changes_stand_at_the_top_of_the_report() -> None:
    remark = ReaderRemark(kind="wrong", sentence="Pumps sell.")
    changes = list_changes(BEFORE, written("Pumps sell.", "<b>New</b>."), [remark])
    after = written("Pumps sell.", "<b>New</b>.").model_copy(update={"changes": changes})
    text = render(after, ReportContext([], language="en"))
    top, _, _ = text.partition("## ")
    assert en("changed") in top
    assert en("changed-new", section="Market", n=1) in top
    assert "It grew 4 %." in top
    assert en("changed-not-wrong", text="Pumps sell.") in top
    assert "New" not in top, "what is new is told once, with its quotes"
    unchanged = BEFORE.model_copy(update={"changes": ReportChanges()})
    assert en("changed-nothing") in render(unchanged, ReportContext([], language="en"))
