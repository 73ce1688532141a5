"""A workbook is read as displayed: visible sheets become tables of formatted values."""

import io
import re
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from activities.parsing.document import Parsed, Unreadable
from activities.parsing.office import workbook
from activities.parsing.office.number_formats import BUILT_IN, show_number, show_text
from activities.parsing.read_document import read_document
from tests.activities.parsing.office.documents import zipped
from tests.support.words import en


def save(book: Any) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def made(rows: list[list[Any]]) -> Any:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return book


def read(book: Any) -> Parsed:
    return read_document(save(book), "")


def lines(book: Any) -> list[str]:
    return [each for each in read(book).text.splitlines() if each]


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.074, "0.0%", "7.4%"),
        (1250.5, '#,##0.00 "EUR"', "1,250.50 EUR"),
        (12_500_000, '0.0,,"m"', "12.5m"),
        (12_345_678, "#,##0,", "12,346"),
        (-5, "#,##0;(#,##0)", "(5)"),
        (0, BUILT_IN[43], "-"),
        (-1250.5, BUILT_IN[44], "$(1,250.50)"),
        (1250.5, "[$€-407] #,##0.00", "€ 1,250.50"),
        (1250.5, "#,##0.00\\ [$€-1]", "1,250.50 €"),
        (1_234_567.891, "#\\ ##0.00", "1 234 567.89"),
        (0.1 + 0.2, "General", "0.3"),
        (1e15, "General", "1000000000000000"),
        (5_551_234, "000-0000", "555-1234"),
        (2.75, "# ?/?", "2 3/4"),
        (1500, '[>=1000]0.0,"k";0', "1.5k"),
        (5, '[>=1000]0.0,"k";0', "5"),
        (-0.001, "0.0", "0.0"),
        (2.5, "0", "3"),
        (1234, "#,##0.##", "1,234"),
        (7, "000", "007"),
        (3, '"Q"0', "Q3"),
        (5, ";;;", ""),
        (45_415, "dd.mm.yyyy", "2024-05-03"),
        (45_415, "[$-409]mmmm\\ d\\,\\ yyyy;@", "2024-05-03"),
        (45_415, "mmm yyyy", "May 2024"),
        (45_415, "d. mmmm", "3. May"),
        (0.604166667, "h:mm AM/PM", "14:30"),
        (45_416.2604166667, "m/d/yy h:mm", "2024-05-04 06:15"),
        (1.1041666667, "[h]:mm", "26:30"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (-1, "yyyy-mm-dd", "-1"),
    ],
)
def test_number_is_shown_by_its_format(value: float, code: str, shown: str) -> None:
    assert show_number(value, code) == shown


def test_text_is_shown_by_its_format() -> None:
    assert show_text("12", '"Art. "@') == "Art. 12"
    assert show_text("x", "0;0;0;") == ""
    assert show_text("x", "0.00") == "x"


def test_kinds_of_values_are_read() -> None:
    moment = datetime(2024, 5, 4, 6, 15)  # noqa: DTZ001 - a cell has no zone
    book = made(
        [["Ada", date(2024, 5, 3), time(14, 30), moment, True, 0.5, "#N/A", timedelta(hours=26)]]
    )
    assert (
        lines(book)[1]
        == "| Ada | 2024-05-03 | 14:30:00 | 2024-05-04 06:15:00 | TRUE | 0.5 | #N/A | 26:00:00 |"
    )


def test_days_of_a_workbook_since_1904_are_right() -> None:
    book = made([])
    book.epoch = CALENDAR_MAC_1904
    book.active.append(["Day", date(2024, 5, 3)])
    assert lines(book)[1] == "| Day | 2024-05-03 |"


def test_hidden_sheets_rows_and_columns_are_left_out_and_told() -> None:
    book = made([["a", "b", "c", "d"], ["1", "2", "3", "4"], ["5", "6", "7", "8"]])
    book.active.row_dimensions[2].hidden = True
    book.active.column_dimensions.group("B", "C", hidden=True)
    book.create_sheet("Secret").append(["hidden"])
    book["Secret"].sheet_state = "veryHidden"
    page = read(book)
    assert page.text.splitlines() == ["# Sheet", "", "| a | d |", "| 5 | 8 |"]
    told = {each.code: (each.count, each.names) for each in page.unread}
    assert told == {
        "sheets_hidden": (1, ["Secret"]),
        "rows_hidden": (1, ["Sheet"]),
        "columns_hidden": (2, ["Sheet"]),
    }


def test_merged_cells_are_repeated_and_a_title_is_not() -> None:
    book = made(
        [["Births", None, None], ["Region", "2023", None], ["North", 412, 431], [None, 77, 81]]
    )
    for merged in ("A1:C1", "B2:C2", "A3:A4"):
        book.active.merge_cells(merged)
    rows = ["Births", "| Region | 2023 | 2023 |", "| North | 412 | 431 |", "| North | 77 | 81 |"]
    assert lines(book)[1:] == rows


def test_struck_cells_and_runs_are_left_out_and_raised_marks_kept_apart() -> None:
    book = made([["Plan", "30 euros", "19 euros"]])
    book.active["B1"].font = Font(strike=True)
    struck, raised = InlineFont(strike=True), InlineFont(vertAlign="superscript")
    book.active["D1"] = CellRichText(TextBlock(struck, "48,000 "), "41,500")
    book.active["E1"] = CellRichText("12.5", TextBlock(raised, "1"), " million")
    assert lines(book)[1] == "| Plan | 19 euros | 41,500 | 12.5 [1] million |"


def test_sheets_are_sections_and_what_stands_apart_is_set_apart() -> None:
    book = made([["a", 1], [], ["b", 2]])
    book.create_sheet("Second")["C5"] = "alone"
    page = read(book)
    assert page.text == "# Sheet\n\n| a | 1 |\n\n| b | 2 |\n\n# Second\n\nalone"
    assert [each.heading for each in page.sections] == ["Sheet", "Second"]


SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}<sheetData>{}</sheetData>{}</worksheet>'
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
BOOK = f"""<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{REL}"><sheets>
<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"""
MAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"


def raw(rows: str, before: str = "", after: str = "") -> bytes:
    """Return a workbook of one sheet with these rows as XML, and with XML before and after them."""
    start = f'<Relationship Id="r" Type="{REL}/officeDocument" Target="xl/workbook.xml"/>'
    sheet = f'<Relationship Id="r1" Type="{REL}/worksheet" Target="sheet1.xml"/>'
    return zipped(
        {
            "[Content_Types].xml": f'<Types><Override ContentType="{MAIN}"/></Types>',
            "_rels/.rels": RELATIONS.format(start),
            "xl/workbook.xml": BOOK,
            "xl/_rels/workbook.xml.rels": RELATIONS.format(sheet),
            "xl/sheet1.xml": SHEET.format(before, rows, after),
        }
    )


def test_formula_shows_its_value_and_one_without_is_told() -> None:
    rows = '<row r="1"><c r="A1"><f>SUM(B1)</f><v>7</v></c><c r="B1"><f>1+1</f></c><c r="C1" t="str"><f>""</f><v></v></c></row>'
    page = read_document(raw(rows), "")
    assert page.text == "# S\n\n7"
    [part] = page.unread
    assert (part.code, part.count, part.names) == ("formulas_without_value", 1, ["S!B1"])


def test_cell_at_the_end_of_a_sheet_costs_nothing() -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    assert read_document(raw(rows), "").text == "# S\n\n1\n\n|  | 2 |"


def test_rows_beyond_the_limit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_CELLS", 5)
    rows = "".join(f"<row><c><v>{n}</v></c><c><v>{n}</v></c></row>" for n in range(10))
    page = read_document(raw(rows), "")
    assert page.text.count("| 2 | 2 |") == 1
    assert [(each.code, each.count) for each in page.unread] == [("rows_cut", 7)]


def test_sheet_that_spreads_too_far_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_AREA", 20)
    book = made([["only"]])
    far = book.create_sheet("Far")
    for n in range(1, 9):
        far.cell(n, n, n)
    page = read(book)
    assert "Far" not in page.text
    assert [(each.code, each.names) for each in page.unread] == [("sheets_cut", ["Far"])]


def test_workbook_without_values_says_so() -> None:
    with pytest.raises(Unreadable, match=re.escape(en("failure.no_values"))):
        read(made([]))
