"""The shares that amounts per share are divided by, as data that tables and lines say."""

from contracts.agents.tool_definitions import TableCell
from domain.company.figures.figures_page import render_figure
from domain.company.figures.filed.metrics import name_row, say_metric
from domain.company.figures.share_bases import say_shares
from domain.company.figures.tables.grids import show_grid
from domain.company.figures.tables.key_figures import build_key_figures
from domain.company.figures.tables.years import build_years
from tests.domain.company.figures.accounts.test_property import (
    END,
    QUARTER_BEFORE,
    YEAR,
    compute,
)
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    figure,
    listed,
    of,
    of_sample,
    year,
)
from tests.support.words import en

UNIT = {"USD/shares"}
BASIC, DILUTED = (say_shares(name).text for name in ("basic_shares", "diluted_shares"))
DILUTED_SHARES = "WeightedAverageNumberOfDilutedSharesOutstanding"


def _find_row(rows: list[list[TableCell]], metric: str, at: str | None = None) -> list[TableCell]:
    [cells] = [row for row in rows if row[0] == name_row(metric, UNIT, at=at)]
    return cells


def test_row_of_figures_over_one_count_of_shares_has_it_in_its_label() -> None:
    found = of_sample(APPLE)
    grids = (build_key_figures(found, "2026-02-15"), build_years(found))
    for grid in filter(None, grids):
        row = _find_row(show_grid(grid).rows, "fcf_per_share", DILUTED)
        assert not [cell for cell in row[1:] if isinstance(cell, str) and DILUTED in cell]
    assert all(grids)


def test_figures_over_several_counts_of_shares_have_theirs_beside_them() -> None:
    """Equity Residential's diluted shares count partners' units in early 2009, and in a loss of 2010 they are the basic ones."""
    found = compute()
    spans = (("quarter", END), ("quarter", QUARTER_BEFORE), ("year", YEAR))
    each = [figure(found, "ffo_per_share", *span) for span in spans]
    assert [one and one.of for one in each] == ["diluted_shares", "basic_shares", "basic_shares"]
    rows = show_grid(build_key_figures(found, "2010-06-01")).rows
    told = [str(cell) for cell in _find_row(rows, "ffo_per_share")[1:]]
    for shares in (DILUTED, BASIC):
        assert any(en("cell", more=[say_shares(f"{shares.split()[1]}_shares")]) in c for c in told)
    [line] = [render_figure(one) for one in each[:1] if one]
    assert line.endswith(DILUTED)


def test_shares_of_twelve_months_weighted_by_days_are_named_with_what_divides_by_them() -> None:
    """1,000 shares of 2023, then 1,200, so that earnings per share of the quarters do not add up."""
    counts = [*year(2023, (1000,) * 4), *year(2024, (1200,) * 4)[:1]]
    counts[3]["val"] = 1000
    eps = [*year(2023, (0.01, 0.01, 0.01, 0.04)), *year(2024, (0.0083, 0, 0, 0))[:1]]
    flows = [*year(2023, (10, 10, 10, 40)), *year(2024, (10, 0, 0, 0))[:1]]
    facts = listed({REVENUE: flows, INCOME: flows})
    facts["facts"]["us-gaap"] |= listed({DILUTED_SHARES: counts}, "shares")["facts"]["us-gaap"]
    per_share = listed({"EarningsPerShareDiluted": eps}, "USD/shares")
    facts["facts"]["us-gaap"] |= per_share["facts"]["us-gaap"]
    found = of(facts)
    [note] = [each for each in found.notes if each.code == "company-shares-by-days"]
    assert note.includes(say_metric("diluted_eps"))
    one = figure(found, "diluted_eps", "ttm", "2024-03-31")
    assert one
    assert one.of == "diluted_shares"
    filed = figure(found, "diluted_eps", "year", "2023-12-31")
    assert filed
    assert filed.of == ""
