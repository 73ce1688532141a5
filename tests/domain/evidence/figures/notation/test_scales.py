"""Which of a page's stated scales governs a figure: its row's, its table's, its section's."""

import time

import pytest

from contracts.evidence.claims import QuotedFigure
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.figures.notation.scales import list_scales
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from tests.domain.evidence.annual_results import check_on

POSITION = """| December 31, | 2022 | 2021 |
|---|---|---|
| Accounts payable | 10,200 | 9,261 |
| Short-term debt and current portion of long-term debt that is due | 5,190 | 1,296 |
| Earnings per share | $12.40 | $11.06 |
| Dividends declared ($2.58 per share) | 1,480 | 1,350 |
| Effective tax rate (%) | 21 | 19 |
"""
PROSE = (
    "In September 2022, the company settled an investigation by the Securities and Exchange Commission,"
    " which resulted in an earnings charge of $200 that was paid in October 2022."
)
UNSETTLED = "The other matters named above are discussed with counsel and remain open at this time."
FILING = f"""## Units Delivered

(Units in thousands)

| | 2022 | 2021 |
|---|---|---|
| Deliveries | 480 | 340 |

## Notes to the Consolidated Financial Statements

Years ended December 31, 2022, 2021 and 2020
(Dollars in millions, except otherwise stated)

## Note 1 – Debt

{UNSETTLED} {UNSETTLED}

{POSITION}
## Note 2 – Awards

Awards that were granted to employees during the year are shown in the table below.

(In thousands)

| | 2022 | 2021 |
|---|---|---|
| Grants | $46,841 | $65,835 |

## Note 3 – Legal Proceedings

{PROSE} {UNSETTLED}

| | 2022 | 2021 |
|---|---|---|
| Reserves | $3,250 | $2,110 |
"""


def check(page: str, text: str, *quotes: str) -> str:
    """Return what code finds of a sentence that says its figures are quoted."""
    figures = [QuotedFigure(value=figure.shown, quote=1) for figure in parse_figures(text)]
    return check_on(page, text, *quotes, figures=figures).outcome


def find_row(name: str, page: str = FILING) -> str:
    return next(line for line in page.splitlines() if line.startswith(f"| {name}"))


@pytest.mark.parametrize(
    ("row", "right", "wrong"),
    [
        ("Accounts", "Payables were $10.2 billion.", "Payables were $10.2 trillion."),
        ("Short-term", "A year earlier it was $1,296 million.", "It was $1,296 billion."),
        ("Grants", "Grants were worth $46.8 million.", "Grants were worth $46.8 billion."),
        ("Reserves", "Reserves were $3.25 billion.", "Reserves were $3.25 million."),
        ("Dividends", "Dividends came to $1.48 billion.", "Dividends came to $1.48 trillion."),
    ],
)
def test_a_table_counts_in_its_own_header_and_else_in_the_head_of_its_section(
    row: str, right: str, wrong: str
) -> None:
    assert check(FILING, right, find_row(row)) == "open"
    assert check(FILING, wrong, find_row(row)) == "fails"


@pytest.mark.parametrize(
    ("row", "right", "wrong"),
    [
        ("Earnings", "It earned $12.40 a share.", "It earned $12.40 million a share."),
        ("Effective", "The tax rate was 21%.", "The tax rate was 21 million."),
    ],
)
def test_a_row_per_share_or_in_percent_is_in_no_header_s_scale(
    row: str, right: str, wrong: str
) -> None:
    assert check(FILING, right, find_row(row)) == "open"
    assert check(FILING, wrong, find_row(row)) == "fails"


def test_an_amount_in_a_sentence_may_be_in_the_scale_of_its_section() -> None:
    assert check(FILING, "The charge was $200 million.", PROSE) == "open"
    assert check(FILING, "The charge was $200.", PROSE) == "open"
    assert check(FILING, "The charge was $200 billion.", PROSE) == "fails"
    tables = FILING.replace(
        "(Dollars in millions, except", "Tabular dollars are in millions, if not"
    )
    assert check(tables, "The charge was $200 million.", PROSE) == "fails"
    assert check(tables, "Reserves were $3.25 billion.", find_row("Reserves")) == "open"


def test_a_header_that_is_cited_above_a_figure_counts_for_it() -> None:
    page = f"(Dollars in millions)\n\n| | 2022 |\n|---|---|\n| Cash | 48 |\n\n{PROSE}\n"
    assert check(page, "The charge was $200 million.", PROSE) == "fails"
    assert check(page, "The charge was $200 million.", PROSE, "(Dollars in millions)") == "open"
    below = f"{PROSE}\n\n(Dollars in millions)\n\n| | 2022 |\n|---|---|\n| Cash | 48 |\n"
    assert check(below, "The charge was $200 million.", PROSE, "(Dollars in millions)") == "fails"


@pytest.mark.parametrize(
    "note", ["(a) In thousands.", "| (a) In thousands. | | |", "* In thousands."]
)
def test_a_footnote_s_scale_is_of_the_table_above_it_alone(note: str) -> None:
    awards = "| | 2022 | 2021 |\n|---|---|---|\n| Value of options (a) | $190,040 | $120,010 |\n"
    rest = "| | 2022 | 2021 |\n|---|---|---|\n| Inventories | $5,222 | $4,347 |\n"
    head = "## Notes\n\nUnless otherwise noted, tabular dollars are in millions.\n\n"
    page = f"{head}{awards}{note}\n\n## Note 10\n\n{rest}"
    value, inventories = find_row("Value", page), find_row("Inventories", page)
    assert check(page, "Options were worth $190 million.", value) == "open"
    assert check(page, "Inventories were $5.2 billion.", inventories) == "open"
    assert check(page, "Inventories were $5.2 million.", inventories) == "fails"


@pytest.mark.parametrize(
    ("line", "factors"),
    [
        ("It is used in millions of homes and offices all over the country today.", []),
        ("The company raised money in 5 million units last year, as it had said.", []),
        ("There are 900 shares with a par value of two-thirds cents (2-1/3 cents) per share.", []),
        ("All dollar amounts in the tables of this report are presented in millions today.", [1e6]),
        ("In billions, except per share data and percentages of the third quarter guidance", [1e9]),
        ("Sales of the year by region (in thousands) and by kind of shop were as follows:", [1e3]),
    ],
)
def test_a_number_of_things_in_a_sentence_states_no_scale(line: str, factors: list[float]) -> None:
    assert [scale.factor for scale in list_scales(f"Title\n{line}\nEnd\n")] == factors


CHART = "(Dollars in billions. Percentages in chart are as a percent to total sales)"
DIVIDENDS = "| Dividends | 11,682 | 11,032 |"
EQUITY = f"| | 2022 | 2021 |\n|---|---|---|\n{DIVIDENDS}\n"


@pytest.mark.parametrize(
    ("between", "is_ended"),
    [
        ("## Equity\n\n", True),
        ("(Dollars in millions)\n\n", True),
        ("| (Dollars in millions) | 2022 |\n|---|---|\n| Debt | 39,659 |\n\nEquity:\n\n", True),
        ("### Owners\n\n", False),
        ("", False),
    ],
)
def test_a_caption_ends_with_its_section_and_at_the_next_unit(between: str, is_ended: bool) -> None:
    text = f"## Costs\n\n{CHART}\n\n{PROSE}\n\n{between}{EQUITY}"
    start = text.index(DIVIDENDS)
    heads = CitedPage("Filing", Snapshot(text)).heads
    assert (CHART not in heads.find_headers(start, start + len(DIVIDENDS))) == is_ended
    assert (heads.scales.find_of_section(start) is None) == is_ended
    everything = text.replace(CHART, "(Dollars in millions unless otherwise stated)")
    assert CitedPage("Filing", Snapshot(everything)).heads.scales.find_of_section(start)


def test_the_head_of_the_section_is_shown_above_what_it_governs() -> None:
    page = CitedPage("Filing", Snapshot(FILING.replace(UNSETTLED, f"{UNSETTLED} " * 90)))
    for part in (PROSE, find_row("Reserves")):
        start = page.snapshot.text.index(part)
        above = page.heads.find_headers(start, start + len(part))
        assert "(Dollars in millions, except otherwise stated)" in above
        assert "(In thousands)" not in above


TWO_TABLES = """Years:

| Millions of USD | 2024 | 2023 |
|---|---|---|
| Free cash flow | 19,842 | 18,248 |
| Diluted shares, millions of shares | 2,429.4 | 2,560.4 |

Balance:

| Thousands of USD | 2024-12-29 | 2023-12-31 |
|---|---|---|
| Cash | 24,105 | 21,859 |
"""


def test_a_row_that_names_its_own_scale_is_no_head_of_the_next_table() -> None:
    page = CitedPage("Figures", Snapshot(TWO_TABLES))
    at = TWO_TABLES.index("| Cash |")
    above = page.list_above(at, len(TWO_TABLES))
    assert above == ["Balance:", "| Thousands of USD | 2024-12-29 | 2023-12-31 |"]
    kinds = [(scale.kind, scale.factor) for scale in list_scales(TWO_TABLES)]
    assert kinds == [("table", 1e6), ("row", 1e6), ("table", 1e3)]
    governing = page.heads.scales.find_governing(at)
    assert governing is not None
    assert governing.factor == 1e3


def test_figure_said_to_be_in_a_row_that_has_it_not_is_no_assumption() -> None:
    growth, amounts = "| Free cash flow | 7.5% | 7.9% |", "| Free cash flow | 19,842 | 18,248 |"
    text = (
        f"Growth:\n\n| | to 2024 | to 2025 |\n|---|---|---|\n{growth}\n\n"
        f"Years:\n\n| Millions of USD | 2024 | 2023 |\n|---|---|---|\n{amounts}\n\n"
        "Free cash flow of the twelve months was 18,549 million USD.\n"
    )
    last = text.splitlines()[-1]

    def check_drop(row: str, declared: tuple[str, ...]) -> str:
        said = "It was 18,549 million dollars, 6.5% less than the 19,842 million of 2024."
        figures = [
            QuotedFigure(value=value, unit="million dollars", quote=n)
            for n, value in enumerate(declared, start=1)
        ]
        expression = "(1 - 18,549 / 19,842) * 100"
        return check_on(text, said, last, row, figures=figures, expression=expression).outcome

    assert check_drop(growth, ("18,549", "19,842")) == "fails"
    assert check_drop(growth, ("18,549",)) == "open"  # whether it is called an assumption
    assert check_drop(amounts, ("18,549", "19,842")) != "fails"


@pytest.mark.full
def test_a_line_of_a_table_without_an_end_is_read_in_linear_time() -> None:
    text = "| \N{GRINNING FACE} " + "(in millions) sales " * 160_000
    started = time.process_time()
    list_scales(text)
    assert time.process_time() - started < 10
