"""Descriptions of a report's changes for agents."""

from contracts.evidence.claims import Claim
from contracts.report.report import Comparison, ComparisonRow, Report
from domain.report.changes.patches import outline_changes


def _tabulate(**cells: str) -> Report:
    claims = [Claim(text=text, citations=[]) for text in cells.values()]
    row = ComparisonRow(label="Norway", cells=[*claims])
    return Report(title="", sections=[], comparison=Comparison(columns=[*cells], rows=[row]))


def test_outline_of_changes_has_new_and_changed_cells_alone() -> None:
    before = _tabulate(price="3", share="5 %")
    changed = [
        {"row": "Norway", "column": "share", "text": "6 %"},
        {"row": "Norway", "column": "year", "text": "2025"},
    ]
    told = outline_changes(before, _tabulate(price="3", share="6 %", year="2025"))
    assert told == {"sections": [], "table": changed}
    assert outline_changes(before, before) is None
