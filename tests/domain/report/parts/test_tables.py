"""Tables of a report: the comparison, and exhibits."""

from typing import Any

import pytest

from contracts.agents.calculations_and_charts import Artifact
from contracts.blobs import BlobKey
from contracts.evidence.claims import Citation, Claim
from contracts.notices import Notice
from contracts.report.document import DocumentHeading, Exhibit, Remark, Table
from contracts.report.price_table import UNCHOSEN
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from contracts.words import say
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.domain.report.built_documents import CLAIM, build, find, said


@pytest.mark.parametrize(
    ("doubted", "marks"),
    [
        ("supported", [["judged_assumed"], [""], [""], [""]]),
        ("partly", [[], ["judged_assumed"], ["judged_assumed", "partly"], [""]]),
    ],
)
def test_quiet_mark_of_all_cells_of_a_row_stands_once_at_its_label(
    doubted: str, marks: list[list[str]]
) -> None:
    ground = said("It grew.", "3", id="ground")
    rated = [said(text, rests_on=["ground"], assumed=True) for text in ("Good", "Fair")]
    cells = [rated[0], rated[1].rule(doubted), said("None.", not_found=True)]  # type: ignore[arg-type]
    rows = [ComparisonRow(label="Outlook", cells=[*cells])]
    table = Comparison(columns=["Mali", "Chad", "Togo"], rows=rows)
    document = build(Section(heading="Land", claims=[ground]), comparison=table)
    [drawn] = find(document, Table)
    told = [[mark.code if mark.label else "" for mark in c.marks] for c in drawn.rows[0] if c]
    assert told == marks


def make_artifact(name: str, **about: Any) -> Artifact:
    given = {"id": name, "name": name, "kind": "table", "media_type": "text/csv", "bytes": 1}
    return Artifact.model_validate(given | {"blob_key": BlobKey("k")} | about)


def test_exhibits_are_those_that_the_report_shows() -> None:
    preview = [["Country", "Growth", "Price", "Note"], ["Kenya", "3.5 %", "$1,200", "high"]]
    preview.append(["Mali", "-2 %", "$900", ""])
    made = [
        make_artifact("t", preview=preview, rows=9),
        make_artifact("c", kind="chart", note="Since 2020."),
        make_artifact("other", preview=preview, rows=2),
    ]
    report = Report(title="T", sections=[], searches=[], exhibits=["t", "c"])
    document = build_document(report, ReportContext([], made))
    [table] = find(document, Table)
    assert [(c.label, c.unit, c.is_figure) for c in table.columns] == [
        ("Country", "", False),
        ("Growth", "%", True),
        ("Price", "$", True),
        ("Note", "", False),
    ]
    assert [[cell and cell.text for cell in row] for row in table.rows] == [
        ["Kenya", "3.5", "1,200", "high"],
        ["Mali", "-2", "900", None],
    ]
    assert table.artifact == "t"
    assert table.remark == say("en", "rows-shown", n=2, of=9)
    [chart] = find(document, Exhibit)
    assert (chart.artifact, chart.remark) == ("c", "Since 2020.")


def test_columns_known_to_hold_figures_do_so_beside_ranks_and_words() -> None:
    preview = [["", "ACME", "B"], ["Margin, %", "10.00 (2)", "20.00 (1)"], ["P/E", "none", "9.5"]]
    known = make_artifact("t", preview=preview, rows=2, figure_columns=[1, 2])
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    [shown] = find(build_document(report, ReportContext([], [known])), Table)
    assert [column.is_figure for column in shown.columns] == [False, True, True]
    assert [cell and cell.text for cell in shown.rows[0]] == preview[1]


def test_a_german_report_writes_the_numbers_of_our_tables_and_leaves_an_agents_as_they_are() -> (
    None
):
    preview = [["", "ACME", "Note"], ["EPS, 2.5", "7.90", "v. 2.5"], ["Umsatz", "1,234.5", "a"]]
    shown = {}
    for is_account in (False, True):
        table = make_artifact(
            "t", preview=preview, rows=2, figure_columns=[1], is_account=is_account
        )
        report = Report(title="T", sections=[], searches=[], exhibits=["t"])
        context = ReportContext([], [table], language="de")
        [drawn] = find(build_document(report, context), Table)
        shown[is_account] = [[cell and cell.text for cell in row] for row in drawn.rows]
    assert shown == {
        False: [["EPS, 2.5", "7,90", "v. 2.5"], ["Umsatz", "1.234,5", "a"]],
        True: preview[1:],
    }


def test_signed_numbers_of_a_german_table_are_german_too() -> None:
    preview = [["", "Growth"], *([f"Row {sign}", f"{sign}20.7 %"] for sign in "+-−")]
    table = make_artifact("t", preview=preview, rows=3)
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    [shown] = find(build_document(report, ReportContext([], [table], language="de")), Table)
    assert [row[1] and row[1].text for row in shown.rows] == ["+20,7", "-20,7", "−20,7"]


@pytest.mark.parametrize(("columns", "tables"), [(0, [0]), (1, [1]), (12, [12]), (17, [9, 9])])
def test_a_table_wider_than_a_page_goes_on_in_a_further_one(
    columns: int, tables: list[int]
) -> None:
    head = [f"c{n}" for n in range(columns)]
    table = make_artifact("t", preview=[head, head], rows=2)
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    shown = find(build_document(report, ReportContext([], [table])), Table)
    assert [len(each.columns) for each in shown] == tables
    assert [column.label for each in shown for column in each.columns[1:]] == head[1:]
    assert {row[0].text for each in shown for row in each.rows if row and row[0]} == {*head[:1]}
    assert [each.caption for each in shown if each.caption] == ["t"]
    assert [each.artifact for each in shown if each.remark] == ["t"]


def test_a_wide_comparison_numbers_its_notes_table_by_table() -> None:
    def cite(row: int, n: int) -> Claim:
        return Claim(text=f"{n}", citations=[Citation(source=1, quote=f"{row} {n}")])

    rows = [ComparisonRow(label=f"{r}", cells=[cite(r, n) for n in range(16)]) for r in range(2)]
    wide = Comparison(columns=[f"c{n}" for n in range(16)], rows=rows)
    shown = find(build(comparison=wide.model_dump()), Table)
    cells = [cell for each in shown for row in each.rows for cell in row if cell]
    assert [n for cell in cells for n in cell.notes] == [*range(1, 33)]


@pytest.mark.parametrize("cells", [0, 1, 3])
def test_a_row_of_a_comparison_has_a_cell_for_each_column(cells: int) -> None:
    row: dict[str, Any] = {"label": "Area", "cells": [CLAIM.model_dump()] * cells}
    table = Comparison.model_validate({"columns": ["Kenya", "Mali"], "rows": [row]})
    [shown] = find(build(comparison=table.model_dump()), Table)
    assert [cell is not None for cell in shown.rows[0]] == [True, cells > 0, cells > 1]


def test_columns_of_a_comparison_have_one_side() -> None:
    def compare(*texts: str) -> list[bool]:
        cells = [Claim(text=text, citations=[]) for text in texts]
        row = ComparisonRow(label="Area", cells=[*cells])
        table = Comparison(columns=[*texts], rows=[row])
        [shown] = find(build(comparison=table.model_dump()), Table)
        return [column.is_figure for column in shown.columns]

    assert compare("3 km", "4 km") == [False, True, True]
    assert compare("3 km", "about a quarter of it") == [False, False, False]


def test_figures_of_different_units_keep_them() -> None:
    rows = [["Kenya", "3 %"], ["Mali", "3 USD"]]
    table = make_artifact("t", preview=[["", "Value"], *rows], rows=2)
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    [shown] = find(build_document(report, ReportContext([], [table])), Table)
    assert (shown.columns[1].unit, shown.columns[1].is_figure) == ("", True)
    assert [row[1] and row[1].text for row in shown.rows] == ["3 %", "3 USD"]


def test_table_by_which_a_decision_is_read_stands_beside_it_and_else_among_the_others() -> None:
    preview = [["", "at 9%"], ["Price", "88"]]
    beside = make_artifact("b", preview=preview, rows=1, is_beside_decision=True, note="How.")
    other = make_artifact("o", preview=preview, rows=1)
    report = Report(
        title="A",
        sections=[
            Section(heading="Reasons", claims=[said("It grew.")]),
            Section(heading="Why 9%", claims=[said("It varies.")], is_beside_decision=True),
        ],
        answer=Section(heading="Decision", claims=[]),
        searches=[],
        exhibits=["o", "b"],
    )
    order: dict[bool | None, list[str]] = {}
    cases: list[tuple[bool | None, list[Notice]]] = [
        (True, []),
        (False, []),
        (None, [Notice.of(UNCHOSEN)]),
    ]
    for opens, notes in cases:
        shown = {"opens_with_decision": opens is not False, "notes": notes}
        decided = report.model_copy(update=shown)
        blocks = build_document(decided, ReportContext([], [other, beside])).blocks
        names = [
            block.text if isinstance(block, DocumentHeading) else block.artifact
            for block in blocks
            if isinstance(block, DocumentHeading | Table)
        ]
        order[opens] = [n for n in names if n in {"Decision", "Reasons", "Why 9%", "b", "o"}]
        assert Remark(text="How.") in blocks
    assert order == {
        True: ["Decision", "Why 9%", "b", "Reasons", "o"],
        False: ["Decision", "Reasons", "Why 9%", "o", "b"],
        None: ["Decision", "Why 9%", "Reasons", "o", "b"],
    }
