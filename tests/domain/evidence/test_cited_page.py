"""What a reader sees of a page around a quote."""

import pytest

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


@pytest.mark.parametrize(
    ("quote", "period"),
    [
        ("Revenue, twelve months (TTM) to 2025-12-27: 9", "twelve months to 2025-12-27"),
        ("Revenue, first quarter of fiscal 2026 (to 2025-12-27): 9", "a quarter to 2025-12-27"),
        ("Sales of the six months rose.", "part of a year"),
        ("Full-year sales rose.", "a fiscal year"),
        ("| Revenue | 416 | 391 |", "a fiscal year"),
        ("| Cash | 35 | 29 |", ""),
        ("Sales rose.", ""),
    ],
)
def test_quote_or_its_tables_head_names_its_period(quote: str, period: str) -> None:
    head = "| | FY2025 to 2025-09-27 | FY2024 to 2024-09-28 |\n| --- | --- | --- |"
    balance = "| | 2025-12-27 | 2025-09-27 |\n| --- | --- | --- |"
    rows = f"{head}\n| Revenue | 416 | 391 |\n\n{balance}\n| Cash | 35 | 29 |\n\n"
    text = rows if quote in rows else f"{rows}{quote}\n"
    page = CitedPage("Figures", Snapshot(text))
    assert page.name_period(quote, text.index(quote)) == period
