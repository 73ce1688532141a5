"""What a reader sees of a page around a quote."""

from domain.evidence.cited_page import HEADER_REACH, CitedPage
from domain.evidence.quotes import Snapshot

COLUMNS = "| Quarter to | 2025-06-28 | 2025-03-29 |"


def read_headers(rows: int) -> list[str]:
    """Return what stands above the last row of a table."""
    body = "".join(f"| Row {n} | {n} | {n} |\n" for n in range(rows))
    text = f"# Figures\n\nIn millions of USD\n\n{COLUMNS}\n| --- | --- | --- |\n{body}\nThe end.\n"
    start = text.index(f"| Row {rows - 1} ")
    return CitedPage("Figures", Snapshot(text)).find_headers(start, start + 10)


def test_a_row_is_shown_with_the_columns_of_its_table() -> None:
    assert COLUMNS in read_headers(60)


def test_columns_are_looked_for_as_far_as_a_header_may_stand() -> None:
    assert not any("Row" in line or "Quarter" in line for line in read_headers(HEADER_REACH))


def test_a_line_of_text_has_no_columns() -> None:
    page = CitedPage("Figures", Snapshot("| a | b |\n\nSales grew.\n"))
    assert page.find_headers(11, 16) == []
    assert CitedPage("Figures", Snapshot("| a | b |")).find_headers(0, 5) == []
