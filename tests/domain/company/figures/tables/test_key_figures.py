"""Tables of figures for people: units and days in the heads, numbers in the cells."""

import pytest

from activities.company.exhibits import MOST_ROWS
from contracts.agents.tool_definitions import TableArgs, TableCell
from contracts.company.figures import Figure, Fundamentals
from contracts.evidence.rows import FigureRow
from contracts.report.document import Remark, Table
from contracts.report.report import Report
from contracts.words import say
from domain.company.figures.filed.metrics import LABELS, name_row, say_metric
from domain.company.figures.tables.grids import (
    MAX_ROWS,
    Cell,
    Grid,
    show_grid,
    show_state,
    to_number,
    write_number,
)
from domain.company.figures.tables.key_figures import build_key_figures
from domain.company.figures.tables.years import build_years
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.domain.company.figures.companies import APPLE, SNOWFLAKE, listed, of, of_sample, year
from tests.domain.company.figures.companies import row as fact
from tests.domain.company.figures.valuation.test_valuation import set_price
from tests.support.words import en
from tests.workflows.support.fake_activities import artifact
from tests.workflows.support.listed_company import COMPANY, FACTS, figure

Rows = dict[str, dict[str, TableCell]]

END = "2023-12-31"
OTHER_DAY = say("en", "grid-other-day")


def build_table(found: Fundamentals, today: str) -> TableArgs:
    return show_grid(build_key_figures(found, today))


def read(found: Fundamentals, today: str = "2026-02-15") -> Rows:
    """Return the rows of the key figures: by label, the cells that are filled by their heads."""
    table = build_table(found, today)
    return {
        str(row[0]): {
            head: cell for head, cell in zip(table.columns, row, strict=True) if cell is not None
        }
        for row in table.rows
    }


def test_figures_of_another_day_than_their_column_bear_their_day() -> None:
    rows = read(FACTS.fundamentals)
    assert rows[name_row("revenue", ())] == {
        en("grid-in", unit="USD"): name_row("revenue", ()),
        en("column-quarter", end="2025-06-28"): 94e3,
    }
    [*_, margin] = rows[name_row("gross_margin", ())].values()
    assert margin == en("other-quarter", value="46.50", end="2025-03-29")
    [*_, cash] = rows[name_row("cash", ())].values()
    assert cash == 36_000


def test_key_figures_begin_with_the_price_and_the_market_value_where_a_price_is_known() -> None:
    priced = set_price(of_sample(APPLE), 271.86, "2026-02-15")
    first, second, *_ = read(priced).values()
    worth = en("other-priced", value="3,997,077", day="2026-02-15")
    assert [cells[OTHER_DAY] for cells in (first, second)] == [
        *(en("other-priced", value="271.86", day="2026-02-15"), worth)
    ]
    assert name_row("share_price", {"USD/shares"}) not in read(of_sample(APPLE))


def test_days_stand_in_the_heads_and_growth_beside_what_grows() -> None:
    rows = read(of_sample(APPLE))
    assert rows[name_row("revenue", ())] == {
        en("grid-in", unit="USD"): name_row("revenue", ()),
        en("column-ttm", end="2025-12-27"): 435_617,
        en("column-growth-ttm"): "10.1",
        en("column-quarter", end="2025-12-27"): 143_756,
        en("column-before-quarter", end="2025-09-27"): 124_300,
        en("column-growth-quarter"): "15.7",
        en("column-year", end="2025-09-27"): 416_161,
        en("column-growth-year"): "6.4",
    }
    assert rows[name_row("diluted_eps", {"USD/shares"})][en("column-ttm", end="2025-12-27")] == (
        "7.90"
    )
    assert (
        rows[name_row("shares_outstanding", ())][en("column-quarter", end="2025-12-27")] == 14_703
    )
    last = en("column-before-quarter", end="2025-09-27")
    assert rows[name_row("debt_due_later", ())][last] == 49_303
    snowflake = read(of_sample(SNOWFLAKE))
    assert snowflake[name_row("shares_outstanding", ())][OTHER_DAY] == (
        en("other-instant", value="333.7", end="2025-05-08")
    )
    assert snowflake[name_row("net_income", ())][en("column-ttm", end="2025-04-30")] == -1_398.7


def test_annual_figures_have_a_column_of_their_day_without_quarters() -> None:
    figures = [
        figure("revenue", "2024-12-31", 5e6, period="year", unit="EUR"),
        figure("cash", "2024-12-31", 2e6, period="instant", unit="EUR"),
    ]
    told = {"company": COMPANY, "figures": figures, "newest_end": "2024-12-31"}
    found = Fundamentals.model_validate(told)
    assert build_table(found, "2025-03-01").columns == [
        *(
            en("grid-in", unit="EUR"),
            en("column-instant", end="2024-12-31"),
            en("column-year", end="2024-12-31"),
        )
    ]


def test_loss_of_a_yearly_filer_stands_beside_the_year_before() -> None:
    figures = [
        figure("net_income", end, value, period=period, unit="EUR")
        for end, value in (("2024-12-31", -1.5e6), ("2023-12-31", 3.2e6))
        for period in ("ttm", "year")
    ]
    told = {"company": COMPANY, "figures": figures, "newest_end": "2024-12-31"}
    found = Fundamentals.model_validate(told)
    assert read(found)[name_row("net_income", ())] == {
        en("grid-in", unit="EUR"): name_row("net_income", ()),
        en("column-year", end="2024-12-31"): "-1.5",
        en("column-before-year"): "3.2",
    }


@pytest.mark.parametrize("cik", [APPLE, SNOWFLAKE])
def test_what_a_report_shows_of_the_key_figures_is_what_tells_most(cik: int) -> None:
    names = [row[0] for row in build_table(of_sample(cik), "2026-02-15").rows]
    shown = names[:24]
    assert len(names) <= MOST_ROWS, "a report shows each row"
    assert shown[:4] == [
        name_row("revenue", ()),
        name_row("net_income", ()),
        name_row("operating_income", ()),
        name_row("free_cash_flow", ()),
    ]
    assert {
        *(name_row("debt", ()), name_row("equity", ()), name_row("stock_compensation", ())),
        *(name_row("shares_outstanding", ()), name_row("net_cash", ())),
    } <= set(shown)
    assert name_row("diluted_shares", ()) in names[len(shown) :]


def row(value: float, unit: str, rate: float | None = None) -> FigureRow:
    return FigureRow(
        metric="revenue", period="ttm", end="2025-12-27", value=value, unit=unit, rate=rate
    )


@pytest.mark.parametrize(
    ("value", "unit", "cell"),
    [
        (435_617e6, "USD", 435_617),
        (3_839.761e6, "USD", 3_839.8),
        (735.891e6, "USD", "735.9"),
        (-321e6, "USD", "-321.0"),
        (400, "USD", "0.0004"),
        (0.0087, "percent", "0.01"),
        (0, "USD", "0"),
        (14_702_703_000, "shares", 14_703),
        (7.9, "USD/shares", "7.90"),
        (-40.489, "percent", "-40.49"),
        (25.34, "times", "25.3"),
        (2.5e9, "times", 2.5e9),
    ],
)
def test_number_has_the_decimals_of_its_unit_and_size(
    value: float, unit: str, cell: TableCell
) -> None:
    assert to_number(Cell(row(value, unit))) == cell


@pytest.mark.parametrize(
    ("metric", "value", "formula", "text"),
    [
        ("dividends_per_share", 0.3375, "", "0.3375"),
        ("dividends_per_share", 0.34, "", "0.34"),
        ("dividends_per_share", 0.3, "", "0.30"),
        ("dividends_per_share", 1.6375, "", "1.64"),
        ("diluted_eps", 0.4712, "NetIncomeLoss / diluted shares", "0.47"),
        ("fcf_per_share", 0.4712, "free cash flow / diluted shares", "0.47"),
    ],
)
def test_filed_amount_per_share_below_one_has_the_digits_that_are_filed(
    metric: str, value: float, formula: str, text: str
) -> None:
    filed = row(value, "USD/shares").model_dump() | {"metric": metric, "formula": formula}
    assert write_number(Figure.model_validate(filed)) == text


def test_a_cell_is_a_number_or_a_text_where_it_has_a_note_and_an_empty_column_is_left_out() -> None:
    cells = [Cell(row(9e9, "USD")), Cell(row(9e9, "USD"), " (1)"), Cell(), Cell(note="none")]
    grid = Grid("T", "USD", [*"ABCD"], [("Revenue", cells)])
    assert show_grid(grid).columns == [*("USD", "A", "B", "D")]
    assert show_grid(grid).rows == [["Revenue", 9_000, "9,000 (1)", "none"]]


def test_growth_has_one_decimal_in_tables_as_in_text() -> None:
    growth, margin = (
        FigureRow(metric=metric, period="year", end="2024-12-31", value=12.345, unit="percent")
        for metric in ("revenue_growth", "net_margin")
    )
    assert [write_number(each) for each in (growth, margin)] == ["12.3", "12.35"]


def test_rows_without_room_are_counted_and_named_below_the_table() -> None:
    rows = [(f"Row {n}", [Cell(row(9e9, "USD"))]) for n in range(MAX_ROWS + 30)]
    shown = show_grid(Grid("T", "USD", ["A"], rows))
    assert (len(shown.rows), shown.rows_left_out) == (MAX_ROWS, 30)
    assert shown.note == en("grid-rows-left", n=30, name=f"Row {MAX_ROWS}")
    whole = show_grid(Grid("T", "USD", ["A"], rows[:MAX_ROWS]))
    assert (whole.note, whole.rows_left_out) == ("", 0)


@pytest.mark.parametrize(
    ("metric", "units", "unit"),
    [
        ("revenue", {"EUR"}, None),
        ("gross_margin", {"percent"}, "percent-revenue"),
        ("effective_tax_rate", {"percent"}, "percent-income-before-tax"),
        ("diluted_eps", {"EUR/shares"}, "per-share"),
        ("share_price", {"EUR/shares", "USD/shares"}, "per-share"),
        ("diluted_shares", {"shares"}, "shares"),
        ("price_to_sales", {"times"}, None),
    ],
)
def test_label_has_the_unit_that_is_not_the_tables(
    metric: str, units: set[str], unit: str | None
) -> None:
    currency = {"currency": "EUR"} if units == {"EUR/shares"} else {}
    told = {"unit": en(f"row-{unit}", **currency)} if unit else {}
    assert name_row(metric, units) == en("row", metric=LABELS[metric], **told)


def test_label_of_a_growth_says_so() -> None:
    grown = en("row-growth", metric=LABELS["revenue"])
    assert name_row("revenue_growth", {"percent"}) == grown


def test_figure_that_is_not_shown_has_its_state_in_its_place() -> None:
    flows = {"Revenues": 400, "NetIncomeLoss": 80, "NetCashProvidedByUsedInOperatingActivities": 9}
    rows = {tag: [fact("2023-01-01", END, v, "2024-02-05", "10-K")] for tag, v in flows.items()}
    balance = {"LiabilitiesAndStockholdersEquity": 900, "Assets": 500, "Cash": 9}
    rows |= {tag: [fact("", END, v, "2024-02-05", "10-K")] for tag, v in balance.items()}
    shown = read(of(listed(rows)), "2024-06-01")
    columns = {"year": en("column-year", end=END), "instant": en("column-instant", end=END)}
    cells = shown[say_metric("net_income").say("en")]
    assert cells[columns["year"]] == "0.00008"
    assert not shown.keys() & {say_metric(n).say("en") for n in ("capital_expenditure", "assets")}
    note = build_table(of(listed(rows)), "2024-06-01").note
    for metric, state in (("capital_expenditure", "not-filed"), ("assets", "conflicting")):
        [part] = [p for p in note.split(";") if say_metric(metric).say("en") in p]
        start, _ = en(f"without-{state}", metrics=["|"]).split("|")
        assert start in part, "what no row shows is named once below the table"


def test_twelve_months_that_are_a_fiscal_year_have_one_column() -> None:
    flows = {"Revenues": 400, "NetIncomeLoss": 80}
    rows = {tag: [fact("2023-01-01", END, v, "2024-02-05", "10-K")] for tag, v in flows.items()}
    columns = build_table(of(listed(rows)), "2024-06-01").columns
    assert columns[1:] == [en("column-year", end=END)]


def test_short_words_in_cells_are_explained_below_the_table_alone_where_they_stand() -> None:
    rows = [
        ("Debt", [show_state("not_filed", "en"), Cell(note="1")]),
        ("Cash", [Cell(), Cell(note="1")]),
    ]
    told = show_grid(Grid("Balance", "USD", ["2023", "2022"], rows)).note
    parts = [en("legend-not-filed"), en("legend-empty")]
    assert told == en("legend", parts=parts)
    assert show_grid(Grid("Balance", "USD", ["2023"], [("Cash", [Cell(note="1")])])).note == ""


def test_note_of_a_table_stands_below_it() -> None:
    table = artifact("Balance", "table").model_copy(
        update={"note": "n/a: none", "preview": [["", "2023"], ["Debt", "n/a"]], "rows": 1}
    )
    report = Report(title="A", sections=[], exhibits=[table.id], searches=[])
    blocks = build_document(report, ReportContext([], artifacts=[table])).blocks
    place = next(n for n, block in enumerate(blocks) if isinstance(block, Table))
    assert blocks[place + 1] == Remark(text="n/a: none")


def test_oldest_year_has_every_figure_that_is_filed_of_it() -> None:
    """ASML, in millions of euros: cost of revenue is filed of 2007, though the growth to 2008 needs no more than two years."""
    filed = {
        "Revenues": (1_596.1, 2_953.7, 3_768.2),
        "CostOfGoodsAndServicesSold": (1_137.7, 1_938.2, 2_218.5),
        "NetCashProvidedByUsedInOperatingActivities": (99.2, 283.1, 701.5),
        "PaymentsToAcquirePropertyPlantAndEquipment": (105.0, 259.8, 179.2),
        "ShareBasedCompensation": (13.4, 13.5, 16.9),
    }
    facts = listed(
        {
            tag: [
                fact(f"{n}-01-01", f"{n}-12-31", amount * 1e6, "2010-02-26", "20-F")
                for n, amount in zip((2009, 2008, 2007), amounts, strict=True)
            ]
            for tag, amounts in filed.items()
        }
    )
    grid = build_years(of(facts))
    assert grid
    rows = {label: [to_number(cell) for cell in cells] for label, cells in grid.rows}
    assert rows[name_row("cost_of_revenue", ())] == [1_137.7, 1_938.2, 2_218.5]
    assert rows[name_row("free_cash_flow_less_stock_compensation", ())][2] == "505.4"
    assert all(cells[2] is not None for cells in rows.values())


def test_figure_of_an_older_fiscal_year_is_no_key_figure() -> None:
    """AIG's last dividend was of 2008: among the key figures of 2010 it read as a dividend that is paid."""
    facts = listed(
        {
            "Revenues": [*year(2023, (10,) * 4), *year(2024, (10,) * 4)],
            "PaymentsOfDividends": year(2023, (1,) * 4)[-1:],
        }
    )
    labels = [label for label, _ in build_key_figures(of(facts), "2025-02-10").rows]
    assert name_row("revenue", ()) in labels
    assert name_row("dividends", ()) not in labels
