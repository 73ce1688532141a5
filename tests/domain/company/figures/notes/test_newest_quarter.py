"""Ratios of the newest quarter beside those of twelve months."""

import pytest

from domain.company.figures.notes.newest_quarter import list_beside
from tests.domain.company.figures.companies import find_notices, listed, of, year


@pytest.mark.parametrize(("last", "values"), [(100, []), (160, [(1.2, 1.6)])])
def test_cover_of_the_newest_quarter_that_differs_is_set_beside(
    last: float, values: list[tuple[float, float]]
) -> None:
    earned = (100, 100, 100, last)
    facts = listed(
        {
            "Revenues": [*year(2023, (500,) * 4), *year(2024, (500,) * 4)],
            "OperatingIncomeLoss": [*year(2023, (100,) * 4), *year(2024, earned)],
            "InterestExpense": [*year(2023, (100,) * 4), *year(2024, (100,) * 4)],
            "NetIncomeLoss": [*year(2023, (10,) * 4), *year(2024, (10,) * 4)],
        }
    )
    found = [*list_beside(of(facts))]
    assert [(each.twelve, each.now) for each in found] == values
    assert {each.unit for each in found} <= {""}, "a multiple"
    note, *_ = find_notices(of(facts), "company-quarter-beside") or [{"parts": []}]
    assert [part.params["then"] for part in note["parts"]] == [1] * len(values)
