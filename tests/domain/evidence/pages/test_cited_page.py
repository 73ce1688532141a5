"""What a reader sees of a page around a quote."""

import pytest

from contracts.evidence.claims import Citation, Claim
from contracts.evidence.rows import FigureRow, Period, PlacedRow
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.pages.table_heads import HEADER_REACH
from domain.evidence.quotes import Snapshot

COLUMNS = "| Quarter to | 2025-06-28 | 2025-03-29 |"


def read_headers(rows: int) -> list[str]:
    """Return the headers above the last row of a table."""
    body = "".join(f"| Row {n} | {n} | {n} |\n" for n in range(rows))
    text = f"# Figures\n\nIn millions of USD\n\n{COLUMNS}\n| --- | --- | --- |\n{body}\nThe end.\n"
    start = text.index(f"| Row {rows - 1} ")
    return CitedPage("Figures", Snapshot(text)).heads.find_headers(start, start + 10)


def test_a_row_is_shown_with_the_columns_of_its_table() -> None:
    assert COLUMNS in read_headers(60)


def test_columns_are_looked_for_as_far_as_a_header_may_stand() -> None:
    assert not any("Row" in line or "Quarter" in line for line in read_headers(HEADER_REACH))


FIGURES = """Revenue, first quarter of fiscal 2026 (to 2025-12-27): 143.8 billion USD
Total assets, on 2025-12-27: 379.3 billion USD

Fiscal years, in millions of USD:

| | FY2025 | FY2024 |
|---|---|---|
| Revenue | 416,161 | 391,035 |
| Cash | 35,934 | 29,943 |

Quarters, in thousands of USD:

| | Q1 to 2025-12-27 | Q4 to 2025-09-27 | Q3 to 2025-06-28 | Q2 to 2025-03-29 | Q1 to 2024-12-28 | Q4 to 2024-09-28 | Q3 to 2024-06-29 | Q2 to 2024-03-30 | Q1 to 2023-12-30 |
|---|---|---|---|---|---|---|---|---|---|
| Debt | 9 | 8 | 7 | 6 | 5 | 4 | 3 | 2 | 1 |

The debt is told as it was filed.
"""


@pytest.mark.parametrize(
    ("begins", "ends", "above"),
    [
        ("Total assets", "379.3", []),
        ("| Revenue", "416", ["Fiscal years, in millions of USD:", "| | FY2025 | FY2024 |"]),
        ("| Cash", "| Debt |", ["Fiscal years, in millions of USD:", "| | FY2025 | FY2024 |"]),
        ("| Debt", "| 1 |", ["Quarters, in thousands of USD:", "Q1 to 2023-12-30 |"]),
        ("The debt is", "filed.", []),
    ],
)
def test_above_a_passage_stands_what_it_counts_in_and_nothing_of_another_table(
    begins: str, ends: str, above: list[str]
) -> None:
    span = FIGURES.index(begins), FIGURES.index(ends)
    told = CitedPage("Figures", Snapshot(FIGURES)).heads.find_headers(*span)
    assert len(told) == len(above)
    assert all(line.endswith(end) for line, end in zip(told, above, strict=True))


def test_the_years_of_a_table_without_a_head_of_its_own_are_shown_above_its_rows() -> None:
    rows = "| Year ended | 2023 | 2022 |\n| Revenue | 48.2 | 41.9 |\n| Costs | 19.3 | 17.0 |\n"
    text = f"In millions\n\n| | | |\n|---|---|---|\n{rows}"
    start = text.index("| Costs")
    told = CitedPage("Figures", Snapshot(text)).heads.find_headers(start, len(text))
    assert told == ["In millions", "| Year ended | 2023 | 2022 |"]


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("| | Q1 | Q2 |\n|---|---|---|\n", ["| | Q1 | Q2 |"]),
        ("| | Weeks | |\n|---|---|---|\n| | 2023 | 2022 |\n", ["| | Weeks | |", "| | 2023 | 2022 |"]),
        ("| | Weeks | |\n| | May 2, 2024 | May 4, 2023 |\n", ["| | Weeks | |", "| | May 2, 2024 | May 4, 2023 |"]),
        ("| ASSETS | May 2, 2024 | May 4, 2023 (1) |\n", ["| ASSETS | May 2, 2024 | May 4, 2023 (1) |"]),
        ("| Sales: | | |\n", []),
        ("| Owner | Ann | Bo |\n", []),
        ("| | 1,204 | 1,112 |\n", []),
    ],
)  # fmt: skip
def test_a_row_is_cited_with_the_rows_that_name_its_columns(head: str, columns: list[str]) -> None:
    row = "| Cash | 48.2 | 41.9 |"
    text = f"The year\n\nIn millions of euros\n\n{head}| Stock | 19.3 | 17.0 |\n{row}\n\nThe end of it all.\n"
    quotes = (row, row[2:-2], "The end of it all.")
    claim = Claim(text=row, citations=[Citation(source=1, quote=quote) for quote in quotes])
    [check] = check_claims([claim], {1: CitedPage("Figures", Snapshot(text))})
    assert [c.above for c in check.claim.citations] == [["In millions of euros", *columns]] * 2 + [
        []
    ]


def test_what_a_quote_has_itself_is_not_told_above_it() -> None:
    text = "In millions\n\n| | 2023 | 2022 |\n|---|---|---|\n| Cash | 48.2 | 41.9 |\n"
    assert CitedPage("Figures", Snapshot(text)).list_above(0, len(text)) == []


def test_a_comment_in_code_is_no_heading() -> None:
    text = """# Faster builds

```
# Copy in the rest:

# Install it:
```
It is fast.

FROM python:3.8-slim
# Copy in all:
COPY . .

## Small images

It is small.
"""
    page = CitedPage("Builds", Snapshot(text))
    places = [text.index(said) for said in ("Install", "fast", "COPY", "small")]
    told = [page.find_heading(at) for at in places]
    assert told == [*["Faster builds"] * 3, "Small images"]
    assert CitedPage("", Snapshot(text + "```\n\n# No end\n")).find_heading(10**6) == "Small images"


def test_a_heading_of_a_lower_level_needs_no_empty_line_above_it() -> None:
    text = "Intro\n# One\ntext\n## Two\nmore\n#!/bin/sh\n"
    page = CitedPage("", Snapshot(text))
    assert [page.find_heading(text.index(said)) for said in ("text", "more")] == ["", "Two"]


def test_a_line_of_text_has_no_columns() -> None:
    page = CitedPage("Figures", Snapshot("| a | b |\n\nSales grew.\n"))
    assert page.heads.find_headers(11, 16) == []
    assert CitedPage("Figures", Snapshot("| a | b |")).heads.find_headers(0, 5) == []


@pytest.mark.parametrize(
    ("quote", "periods"),
    [
        ("Sales grew", ["twelve months to 2025-12-27"]),
        ("ales gre", ["twelve months to 2025-12-27"]),
        ("| Sales | 416 |", ["a fiscal year to 2025-09-27"]),
        ("| Sales | 416 | 391 |", ["a fiscal year"]),
        ("| Sales |", []),
        (
            "Sales grew\n| Sales | 416 |",
            ["twelve months to 2025-12-27", "a fiscal year to 2025-09-27"],
        ),
        ("Fiscal 2019 was good.", []),
    ],
)
def test_periods_of_a_quote_are_those_of_the_rows_that_it_states(
    quote: str, periods: list[str]
) -> None:
    text = "Sales grew\n| Sales | 416 | 391 |\nFiscal 2019 was good.\n"
    stated: list[tuple[str, Period, str]] = [
        ("Sales grew", "ttm", "2025-12-27"),
        ("416", "year", "2025-09-27"),
        ("391", "year", "2024-09-28"),
        ("good", "instant", "2024-09-28"),
    ]
    rows = (
        PlacedRow(
            start=text.index(part),
            end=text.index(part) + len(part),
            row=FigureRow(metric="revenue", period=period, end=end, value=1, unit="USD"),
        )
        for part, period, end in stated
    )
    page = CitedPage("Figures", Snapshot(text), rows=tuple(rows))
    start = text.index(quote)
    assert page.name_periods(start, start + len(quote)) == periods
    bare = CitedPage("Figures", Snapshot(text))
    assert bare.name_periods(start, start + len(quote)) == []


@pytest.mark.parametrize(
    ("values", "scale"),
    [([884.1e6, 778.9e6], 1e6), ([884.1, 778.9], None), ([884.1e6, 778.9e3], None)],
)
def test_scale_of_indexed_figures_is_known_without_words(
    values: list[float], scale: float | None
) -> None:
    text = "| Cash | 884.1 | (778.9) |\n"
    rows = [
        PlacedRow(
            start=text.index(shown),
            end=text.index(shown) + len(shown),
            row=FigureRow(metric="cash", period="year", end="2025-01-31", value=value, unit="USD"),
        )
        for shown, value in zip(("884.1", "(778.9)"), values, strict=True)
    ]
    page = CitedPage("Figures", Snapshot(text), rows=tuple(rows))
    assert page.find_scales(0, len(text), []).own == scale


def test_notice_of_a_page_is_shown_whole_once_and_then_by_its_beginning() -> None:
    notice = "All figures on this page are invented for a lesson in bookkeeping."
    far = "The harbour was quiet that day. " * 100
    rows = [f"| Revenue of yard {n} | {n}00 |" for n in (1, 2, 3)]
    text = f"\n\n{far}\n\n".join([notice, *rows])
    places = [(text.index(row), text.index(row) + len(row)) for row in rows]
    shown = CitedPage("Yards", Snapshot(text)).describe(places, 50)
    assert shown.count(notice) == 1
    assert shown.count(f"above: {notice[:40]}…") == 2


def test_of_a_row_a_quarter_as_much_is_shown_around_as_of_a_sentence() -> None:
    rows = "".join(f"| Tug {n} | {n},000 |\n" for n in range(100, 200))
    text = f"| | 2022 |\n|---|---|\n{rows}\n{'It builds a tug. ' * 90}It has a dock. {'It builds a tug. ' * 90}"
    page = CitedPage("Yards", Snapshot(text))
    row, sentence = text.index("| Tug 150"), text.index("It has a dock.")
    of_row, of_sentence = (len(page.describe([(at, at + 9)], 400)) for at in (row, sentence))
    assert of_row < 600 < of_sentence


@pytest.mark.parametrize(
    ("quote", "is_told"),
    [
        ("The whole of it was due by then, and 4,705 was paid", True),
        ("It rose by 12%", False),
        ("it was $3 billion at its peak in 2021", False),
        ("All of that was repaid in 2022", False),
    ],
)
def test_an_amount_in_a_sentence_stands_below_what_its_section_counts_in(
    quote: str, is_told: bool
) -> None:
    text = (
        "# Notes\n\n## Note 5. Interest that was paid on notes and bonds\n\n(Dollars in millions)\n\n"
        "The whole of it was due by then, and 4,705 was paid on the notes and on the bonds of the firm. "
        "It rose by 12% and it was $3 billion at its peak in 2021. All of that was repaid in 2022.\n"
    )
    start = text.index(quote)
    above = CitedPage("Report", Snapshot(text)).list_above(start, start + len(quote))
    assert above == (["(Dollars in millions)"] if is_told else [])


@pytest.mark.parametrize(
    ("text", "held", "free"),
    [
        (
            "Claims of Chad: 24 nm\nClaims of Mali: none\nArea of Mali: 5 sq km\n",
            [],
            ["none", "5 sq"],
        ),
        (
            "Gains on investments, FY2010 Q1, quarter to 2010-03-31: -548 million USD\n"
            "Income before tax, without gains and losses on investments, FY2010 Q1, quarter to 2010-03-31:"
            " 1.38 billion USD\nIncome tax, FY2010 Q1, quarter to 2010-03-31: -91 million USD\n",
            [],
            ["-91 million"],
        ),
        (
            "Debt may limit our:\n- ability to borrow\n- capacity\nto pay\n\nSales rose.\n",
            ["ability", "to pay"],
            ["Sales"],
        ),
        ("Critics say:\n\nThe yard is loud.\n\nIt stinks.\n", ["The yard", "It stinks"], []),
        ("Critics say: It is loud\nand stinks.\n\nIt employs 5.\n", ["and stinks"], ["It employs"]),
        ("We cannot promise:\n\n| Sales | 5 |\n| Debt | 3 |\n\nAssets are 9.\n", ["3"], ["Assets"]),
    ],
    ids=["record", "long label", "list", "paragraphs", "same-line", "table"],
)
def test_a_colon_speaks_of_what_it_introduces_alone(
    text: str, held: list[str], free: list[str]
) -> None:
    found = CitedPage("", Snapshot(text))
    assert all(found.find_notices(text.index(part)) for part in held)
    assert not any(found.find_notices(text.index(part)) for part in free)


@pytest.mark.parametrize(
    ("at", "near", "far"), [(0, True, True), (50, True, False), (100, True, True)]
)
def test_what_a_document_says_of_itself_holds_for_all_of_a_file_only_at_its_ends(
    at: int, near: bool, far: bool
) -> None:
    """A file may hold several documents: exhibits of a filing, posts of a page."""
    parts = [f"Part {n} of the file tells what the yard {n} sold.\n\n" * 40 for n in range(100)]
    notice = "The contents of this document have not been reviewed by any authority.\n\n"
    text = "".join([*parts[:at], notice, *parts[at:]])
    found, place = CitedPage("", Snapshot(text)), text.index(notice)

    def is_told(part: int) -> bool:
        start = text.index(parts[part])
        told = found.find_notices(start) if start > place else found.find_notices_below(start)
        return bool(told)

    assert is_told(max(at - 3, 0)) == near
    assert is_told(0 if at else 99) == far


def test_line_of_a_series_is_shown_below_the_one_that_names_its_basis() -> None:
    text = "\n".join(
        [
            "Real wages (at purchasing power), Norland: $40 billion (2024)",
            "Real wages (at purchasing power), Norland: $39 billion (2023)",
            *(f"Real wages per worker, Norland: ${n},100 ({n})" for n in range(2024, 2014, -1)),
            "Rents, currency, Norland: crowns per dollar -",
            *(f"Rents, Norland: {n}.4 ({n})" for n in range(2024, 2014, -1)),
        ]
    )
    page = CitedPage("Norland", Snapshot(text))

    def show(quote: str) -> str:
        at = text.index(quote)
        return page.describe([(at, at + len(quote))])

    assert "above: Real wages (at purchasing power), Norland: $40 billion (2024)" in show(
        "Real wages per worker, Norland: $2016,100"
    )
    assert "above: Rents, currency, Norland: crowns per dollar -" in show("Rents, Norland: 2016.4")
    assert "above" not in show("Real wages (at purchasing power), Norland: $39 billion")


def test_row_below_a_table_s_own_introduction_has_no_head_of_the_table_before() -> None:
    first = "| Millions of USD | 2024 |\n|---|---|\n| Price | 86.00 |\n"
    named = "| Required return | at 7% | at 8% |\n|---|---|---|\n"
    row = "| Growth that the price needs | 7.2 | 9.9 |"
    title = "Acme: what the price needs:"
    for between, heads in (
        (f"\n{title}\n\n", [title]),
        ("\n12\n\n", ["| Millions of USD | 2024 |", "12"]),
    ):
        text = first + between + named + row
        above = CitedPage("A", Snapshot(text)).list_above(text.index(row), len(text))
        assert above[: len(heads)] == heads
        assert above[-1] == "| Required return | at 7% | at 8% |"
