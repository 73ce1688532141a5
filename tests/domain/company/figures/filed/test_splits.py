"""Splits: per-share figures and share counts are adjusted to the newest filing's shares, or marked."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    Row,
    figure,
    find_notices,
    listed,
    of,
    of_sample,
    row,
    value,
    year,
)

SHARES, EPS = "WeightedAverageNumberOfDilutedSharesOutstanding", "EarningsPerShareDiluted"
BASIC = "WeightedAverageNumberOfSharesOutstandingBasic"
NAMED = "StockholdersEquityNoteStockSplitConversionRatio1"


def file(
    per_share: Mapping[str, Sequence[tuple[str, float, str]]], named: Sequence[Row] = ()
) -> Any:
    """Return yearly facts of an income of 1,200, with `(year, value, day of filing)` of tags of shares."""
    told = listed({INCOME: [r for n in range(2018, 2024) for r in year(n, (300, 300, 300, 300))]})
    gaap = told["facts"]["us-gaap"]
    for tag, values in per_share.items():
        unit = "USD/shares" if tag == EPS else "shares"
        rows = [row(f"{y}-01-01", f"{y}-12-31", v, day, "10-K") for y, v, day in values]
        gaap[tag] = {"units": {unit: rows}}
    gaap[NAMED] = {"units": {"pure": [*named]}}
    return told


def test_restated_shares_show_a_split_that_no_filing_names() -> None:
    shares = [
        *[(y, 100, f"{int(y) + 1}-02-05") for y in ("2018", "2019", "2020", "2021")],
        *[(y, 300, "2023-02-05") for y in ("2020", "2021", "2022")],
    ]
    eps = [(y, 1_200 / count, day) for y, count, day in shares]
    found = of(file({SHARES: shares, EPS: eps}))
    series = {
        f.end[:4]: f.value
        for f in found.figures
        if f.metric == "diluted_eps" and f.period == "year"
    }
    assert series == {"2022": 4, "2021": 4, "2020": 4}
    before = of(file({SHARES: shares, EPS: eps}), "2022-06-30")
    assert value(before, "diluted_eps", "year", "2021-12-31") == 12
    assert find_notices(before, "company-split") == []
    assert find_notices(found, "company-split") == [{"new": 3, "old": 1, "filed": "2023-02-05"}]
    assert find_notices(found, "company-restated") == []


def test_reverse_split_converts_older_years() -> None:
    shares = [
        *[(y, 1_000, f"{int(y) + 1}-02-05") for y in ("2020", "2021", "2022")],
        *[(y, 100, "2024-02-05") for y in ("2022", "2023")],
    ]
    eps = [(y, 1_200 / count, day) for y, count, day in shares]
    found = of(file({SHARES: shares, EPS: eps}))
    ends = [f"{n}-12-31" for n in (2023, 2022, 2021, 2020)]
    assert [value(found, "diluted_eps", "year", end) for end in ends] == [12, 12, 12, 12]
    assert [value(found, "diluted_shares", "year", end) for end in ends] == [100] * 4
    assert find_notices(found, "company-split")[0]["old"] == 10


def test_two_splits_multiply() -> None:
    told: list[tuple[str, float, str]] = [("2020", 10, "2021-02-05")]
    told += [(y, 20, "2022-02-05") for y in ("2020", "2021")]
    told += [(y, 60, "2024-02-05") for y in ("2021", "2023")]
    found = of(file({SHARES: told, EPS: [(y, 1_200 / n, day) for y, n, day in told]}))
    assert value(found, "diluted_shares", "year", "2020-12-31") == 60
    assert [split["new"] for split in find_notices(found, "company-split")] == [2, 3]


@pytest.mark.parametrize(
    ("first", "then", "earned"),
    [(100, 100_000, 12), (100, 103, 11.65), (100, 200, 12)],
    ids=["another unit", "a correction", "a misprint beside the same earnings"],
)
def test_shares_restated_otherwise_are_no_split(first: float, then: float, earned: float) -> None:
    shares = [("2021", first, "2022-02-05"), ("2021", then, "2023-02-05")]
    shares += [("2022", then, "2023-02-05")]
    eps = [("2021", 12.0, "2022-02-05"), ("2021", earned, "2023-02-05")]
    found = of(file({SHARES: shares, EPS: eps}))
    assert find_notices(found, "company-split") == []


def test_corrected_diluted_shares_beside_the_same_basic_ones_are_no_split() -> None:
    told = {
        SHARES: [("2021", 100, "2022-02-05"), ("2021", 125, "2023-02-05")],
        BASIC: [("2021", 100, "2022-02-05"), ("2021", 100, "2023-02-05")],
    }
    assert find_notices(of(file(told)), "company-split") == []


def test_earnings_per_share_alone_show_a_split() -> None:
    shown = [("2020", 24.0), ("2021", 30.0)]
    eps = [(y, v, "2022-02-05") for y, v in shown] + [(y, v / 4, "2024-02-05") for y, v in shown]
    eps += [("2019", 20.0, "2022-02-05"), ("2023", 9.0, "2024-02-05")]
    found = of(file({EPS: eps}))
    assert [split["new"] for split in find_notices(found, "company-split")] == [4]


def test_earnings_per_share_that_are_corrected_are_no_split() -> None:
    """Tesla restated two periods of 2024 by about 5 % for its bitcoin: no 21 for 20."""
    eps = [("2021", 0.42, "2022-02-05"), ("2022", 0.64, "2023-02-05")]
    eps += [("2021", 0.4, "2024-02-05"), ("2022", 0.61, "2024-02-05"), ("2023", 0.7, "2024-02-05")]
    assert find_notices(of(file({EPS: eps})), "company-split") == []


def test_split_that_is_named_and_not_shown_yet_is_marked() -> None:
    """A report names a split that is effective after it was filed: its shares are the old ones."""
    shares = [(y, 100, f"{int(y) + 1}-02-05") for y in ("2021", "2022", "2023")]
    named = row("2023-01-01", "2023-12-31", 20, "2024-02-05", "10-K")
    found = of(file({SHARES: shares}, [named]))
    assert value(found, "diluted_shares", "year", "2022-12-31") == 100
    assert find_notices(found, "company-split") == []
    unseen = {"new": 20, "old": 1, "filed": "2024-02-05"}
    assert find_notices(found, "company-split-unseen") == [unseen]


def test_jump_of_shares_without_a_ratio_is_marked() -> None:
    shares = [("2021", 100, "2022-02-05"), ("2022", 100, "2023-02-05"), ("2023", 270, "2024-02-05")]
    found = of(file({SHARES: shares, EPS: [(y, 1_200 / n, d) for y, n, d in shares]}))
    assert figure(found, "diluted_eps_growth", "year", "2023-12-31") is None
    [jump] = find_notices(found, "company-share-jump")
    assert (jump["first"], jump["last"]) == ("2022-12-31", "2023-12-31")


@pytest.mark.parametrize("day", ["2014-08-01", "2020-11-15", "2021-02-01"])
def test_no_series_of_a_real_company_leaps_at_its_splits(day: str) -> None:
    """Apple split 7 for 1 in June 2014 and 4 for 1 in August 2020: its earnings did not."""
    found = of_sample(APPLE, day)
    for metric, period, most in (
        ("diluted_eps", "year", 3.0),
        ("diluted_eps", "quarter", 3.2),
        ("diluted_shares", "year", 1.2),
    ):
        told = [f.value for f in found.figures if (f.metric, f.period) == (metric, period)]
        assert len(told) > 3
        assert max(told) < most * min(told), (metric, told)


def test_exchange_of_shares_at_an_odd_ratio_converts_earlier_years() -> None:
    """Logistic Properties of the Americas merged with a SPAC: 168.1 million shares became 28.6 million."""
    shares = [("2021", 168.1, "2024-01-05"), ("2022", 168.1, "2024-01-05")]
    shares += [(y, 28.6, "2024-02-05") for y in ("2022", "2021")] + [("2023", 31.0, "2024-02-05")]
    eps = [("2021", 0.05, "2024-01-05"), ("2022", 0.02, "2024-01-05")]
    eps += [("2021", 0.28, "2024-02-05"), ("2022", 0.11, "2024-02-05")]
    eps += [("2020", 0.04, "2024-01-05")]
    found = of(file({SHARES: shares, EPS: eps}))
    assert [split["new"] for split in find_notices(found, "company-split")] == [0.1701]
    assert find_notices(found, "company-restated") == []
