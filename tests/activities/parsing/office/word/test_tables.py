"""The rows of a Word document's tables, with merged cells filled."""

import pytest

from tests.activities.parsing.office.word.bodies import cell, p, read, table

SPAN = '<w:gridSpan w:val="{}"/>'
START, GOES_ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
DELETED_ROW = "<w:trPr><w:del/></w:trPr>"


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (
            [cell("Year") + cell("2024", SPAN.format(2)), cell("a") + cell("1") + cell("2")],
            ["| Year | 2024 | 2024 |", "| a | 1 | 2 |"],
        ),
        (
            [
                cell("h") + cell("i"),
                cell("North", START) + cell("1"),
                cell("", GOES_ON) + cell("2"),
            ],
            ["| h | i |", "| North | 1 |", "| North | 2 |"],
        ),
        ([cell("", GOES_ON) + cell("C1")], ["| | C1 |"]),
        ([cell("own", GOES_ON) + cell("C1")], ["| own | C1 |"]),
        (
            [cell("Wide", SPAN.format(2)) + cell("x", START), cell("a") + cell("C2", GOES_ON)],
            ["| Wide | Wide | x |", "| a | C2 |"],
        ),
        ([cell("a", SPAN.format(999_999)), cell("b")], ["| a |", "| b |"]),
        ([cell("a", SPAN.format(-1)), cell("b", SPAN.format("x"))], ["| a |", "| b |"]),
        ([DELETED_ROW + cell("gone"), cell("stays")], ["| stays |"]),
        ([cell("a", "<w:cellDel/>") + cell("b")], ["| b |"]),
        ([cell(p("one") + p("two")) + cell("b")], ["| one two | b |"]),
        ([cell("a|b")], [r"| a\|b |"]),
        (["<w:trPr><w:gridBefore w:val='1'/></w:trPr>" + cell("a")], ["| | a |"]),
        ([f"<w:sdt><w:sdtContent>{cell('a')}</w:sdtContent></w:sdt>" + cell("b")], ["| a | b |"]),
        (
            [cell(table(cell("in 1") + cell("55"), cell("in 2")) + p("")) + cell("z")],
            ["| in 1 55; in 2 | z |"],
        ),
        (["<w:trPr><w:hidden/></w:trPr>" + cell("hidden"), cell("stays")], ["| stays |"]),
    ],
)
def test_rows_are_read_whatever_their_merges(rows: list[str], lines: list[str]) -> None:
    assert read(table(*rows)).text.splitlines() == lines


def test_long_cell_over_rows_is_repeated_by_its_start() -> None:
    text = read(table(cell("word " * 999, START) + cell("1"), cell("", GOES_ON) + cell("2"))).text
    assert len(text.splitlines()[1]) < 300
