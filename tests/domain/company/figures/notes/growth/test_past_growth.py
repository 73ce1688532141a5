"""What a company did on every base: the bases are fixed, and one that would mislead is left out."""

import pytest

from contracts.company.figures import Fundamentals
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    listed,
    of,
    of_sample,
    row,
)
from tests.domain.company.figures.test_figures_page import file_years

CONTINUING = "IncomeLossFromContinuingOperations"


def list_past(found: Fundamentals) -> dict[str, dict[str, float]]:
    return {row.metric: {each.base: each.value for each in row.values} for row in found.past}


def test_growth_is_of_every_base_whatever_flatters() -> None:
    """Apple's revenue: 416,161 over 394,328 million three years before is 1.055, its third root 1.018.

    Over 274,515 five years before it is 1.516, its fifth root 1.087. Free cash flow: 98,767 over 111,443, and over 73,365.
    """
    past = list_past(of_sample(APPLE))
    assert past["revenue"] == {
        "quarter": 15.7,
        "ttm": 10.1,
        "year": 6.4,
        "year-2": 2.0,
        "year-3": -2.8,
        "years-3": 1.8,
        "years-5": 8.7,
    }
    cash = past["free_cash_flow"]
    assert (cash["years-3"], cash["years-5"]) == (-3.9, 6.1)
    year = list_past(of_sample(APPLE, "2025-11-15"))["revenue"]
    plain = {base: value for base, value in past["revenue"].items() if base != "ttm"}
    assert year == {**plain, "quarter": 7.9}


@pytest.mark.parametrize(
    ("incomes", "average"), [((1, 10, 50, 500), None), ((100, 50, -10, 133.1), 10.0)]
)
def test_average_growth_from_a_small_base_is_left_out_and_over_a_loss_shown(
    incomes: tuple[float, ...], average: float | None
) -> None:
    """0.1 % of revenue is next to nothing; 133.1 over 100 is 1.1 to the third, whatever lay between."""
    filed = {REVENUE: (1_000, 1_100, 1_200, 1_300), INCOME: incomes}
    past = list_past(of(file_years(filed)))
    assert past.get("net_income", {}).get("years-3") == average
    assert past["revenue"]["years-3"] == 9.1
    assert "years-5" not in past["revenue"], "five years before is not filed"


def test_average_does_not_reach_past_a_year_with_discontinued_operations() -> None:
    """A tenth of 2022's income was given up later: older years may hold what was given up."""
    years = (100.0, 100.0, 110.0, 121.0)
    whole = {REVENUE: (1_000.0,) * 4, INCOME: years, CONTINUING: years}
    assert "years-3" in list_past(of(file_years(whole)))["revenue"]
    given_up = {**whole, CONTINUING: (90.0, 90.0, 110.0, 121.0)}
    assert "years-3" not in list_past(of(file_years(given_up)))["revenue"]


def test_average_needs_each_of_its_years() -> None:
    """2022 is not filed at all."""
    days = [(2020, 100.0), (2021, 110.0), (2023, 120.0), (2024, 130.0)]
    rows = [row(f"{n}-01-01", f"{n}-12-31", v, f"{n + 1}-02-05", "10-K") for n, v in days]
    past = list_past(of(listed({REVENUE: rows, INCOME: rows})))
    assert "years-3" not in past["revenue"]


def test_each_of_the_three_newest_fiscal_years_is_a_base_up_to_a_gap() -> None:
    """Returns on equity too, as a bank's one year alone says little; 2022 is not filed of the second company."""
    past = list_past(of(file_years({REVENUE: (100, 110, 132, 198), INCOME: (10, 11, 12, 6)})))
    shown = {base: past["revenue"][base] for base in ("year", "year-2", "year-3")}
    assert shown == {"year": 50, "year-2": 20, "year-3": 10}
    days = [(2020, 100.0), (2021, 110.0), (2023, 120.0), (2024, 130.0)]
    rows = [row(f"{n}-01-01", f"{n}-12-31", v, f"{n + 1}-02-05", "10-K") for n, v in days]
    assert [*list_past(of(listed({REVENUE: rows, INCOME: rows})))["revenue"]] == ["year"]
