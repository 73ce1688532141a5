"""The changes of key figures on every basis: what a row has, and what a text that gives one basis alone has to add."""

import pytest

from contracts.company.changes import ChangedFigure
from contracts.company.figures import Fundamentals
from contracts.company.filings import BusinessKind
from contracts.evidence.rows import Period
from domain.company.figures.tables.changes import build_changes, list_bases
from domain.company.figures.tables.grids import show_grid
from tests.domain.company.figures.companies import (
    REVENUE,
    find_notices,
    listed,
    of,
    render_text,
    row,
    year,
)
from tests.support.words import en

QUARTERS_25 = [("2025-01-01", "2025-03-31"), ("2025-04-01", "2025-06-30")]
FILED = ("2025-05-05", "2025-08-05")


def changed(found: Fundamentals, metric: str, period: Period) -> ChangedFigure:
    [one] = [each for each in found.changes if (each.metric, each.period) == (metric, period)]
    return one


def company(income: float = 60, *, litigation: bool = True) -> Fundamentals:
    """Return a company with two quarters after a year: 100 of revenue, 40 of operating income in each quarter before."""
    spans = [(*span, filed) for span, filed in zip(QUARTERS_25, FILED, strict=True)]
    tags = {
        REVENUE: [*year(2024, (100,) * 4), *(row(*s[:2], 110, s[2]) for s in spans)],
        "OperatingIncomeLoss": [
            *year(2024, (40, 40, 50, 60)),
            *(row(*s[:2], v, s[2]) for s, v in zip(spans, (70, income), strict=True)),
        ],
    }
    if litigation:
        tags["LitigationSettlementExpense"] = [
            *year(2024, (0, 20, 0, 0)),
            *(row(*s[:2], 0, s[2]) for s in spans),
        ]
    return of(listed(tags))


def test_a_key_figure_has_its_change_on_every_basis() -> None:
    """60 after 40 is 50 %; beside the 60 on average of the quarters to March it is 0 %, without the settlement 0 % too."""
    one = changed(company(), "operating_income", "quarter")
    assert one.year_before
    assert one.quarters_before
    assert (one.value, one.year_before.value, one.quarters_before.value) == (60, 40, 60)
    assert one.changes == [50, 0, 0]


def test_a_change_that_says_nothing_is_left_out_and_both_amounts_stay() -> None:
    one = changed(company(-5), "operating_income", "quarter")
    assert one.year_before
    assert (one.value, one.year_before.value, one.changes) == (-5, 40, [])


def test_without_items_the_change_is_that_of_the_note_on_them() -> None:
    found = company()
    [moved] = [
        n for n in find_notices(found, "company-moved") if n["period"]["end"] == "2025-06-30"
    ]
    assert changed(found, "operating_income", "quarter").without_items == moved["rest"]
    plain = changed(company(litigation=False), "operating_income", "quarter")
    assert plain.without_items is None


def test_rows_are_a_table_for_people_and_for_models() -> None:
    grid = build_changes(company())
    assert grid
    shown = show_grid(grid)
    [cells] = [r for r in shown.rows if isinstance(r[0], str) and "2025-06-30" in r[0]][1:2]
    assert [str(c) for c in cells[1:]][2::2] == ["50.0", "0"]


def test_a_text_that_gives_one_basis_alone_has_to_add_the_others_that_differ() -> None:
    pairs = {(each.twelve, each.now) for each in list_bases(company())}
    assert (50, 0) in pairs
    assert (0, 0) not in pairs
    assert all(abs(a - b) >= 3 for a, b in pairs)


@pytest.mark.parametrize(
    ("before", "is_shown"),
    [((100, 110, 105, 140), False), ((104, 104, 104, 104), True)],
    ids=["a season", "no season"],
)
def test_fall_from_the_quarters_before_that_the_season_explains_is_not_told(
    before: tuple[float, ...], is_shown: bool
) -> None:
    """Walmart's quarter after Christmas was 2.6 % below those before it, as each year, and 7.3 % above the year before."""
    rows = [*year(2023, before), *year(2024, (104, 114, 109, 146))]
    rows.append(row("2025-01-01", "2025-03-31", 108, FILED[0]))
    found = of(listed({REVENUE: rows}))
    one = changed(found, "revenue", "quarter")
    assert one.year_before
    assert one.quarters_before
    assert one.year_before.change == 3.8
    assert one.quarters_before.value == 123
    assert one.quarters_before.change == (-12.2 if is_shown else None)


@pytest.mark.parametrize(("kind", "is_told"), [("reit", True), ("bank", False)])
def test_other_seasons_are_named_below_changes_on_the_quarters_before(
    kind: BusinessKind, is_told: bool
) -> None:
    found = company().model_copy(update={"kind": kind})
    grid = build_changes(found)
    assert grid
    told = en("grid-changes-seasons")
    assert (told in grid.more) == is_told
    assert (f"Note: {told}" in render_text(found)) == is_told
