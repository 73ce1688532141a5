"""What a property company's notes take out of its funds from operations, and what they call its lines."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.notices import Notice
from domain.company.figures.dates import explain_kind
from domain.company.figures.filed.metrics import say_metric
from tests.domain.company.figures.companies import find_notices
from tests.domain.company.figures.notes.lines.test_components import compute, read_changes

REIT = 6798
Pair = tuple[float, float]
FLOWS: dict[str, Pair] = {
    "Revenues": (2_000, 2_000),
    "NetIncomeLoss": (100, 300),
    "DepreciationAndAmortization": (500, 500),
}
"""Funds from operations of 600 after 800."""
IMPAIRED: dict[str, Pair] = {"ImpairmentLossesRelatedToRealEstatePartnerships": (20, 200)}


def _find_left(found: Fundamentals) -> object:
    """Return the growth of funds from operations without items that need not recur; None where none is named."""
    moved = (note for note in found.notes if note.code in ("company-moved", "company-moved-all"))
    ffo = say_metric("funds_from_operations")
    return next((note.params["rest"] for note in moved if note.params["metric"] == ffo), None)


@pytest.mark.parametrize(
    ("flows", "left"),
    [
        (IMPAIRED, 100 * (620 / 1_000 - 1)),
        ({"IncomeTaxExpenseBenefit": (20, -200)}, 100 * (620 / 600 - 1)),
        (IMPAIRED | {"IncomeTaxExpenseBenefit": (20, -200)}, 100 * (640 / 800 - 1)),
        ({"IncomeTaxExpenseBenefit": (60, 80)}, None),
        ({"IncomeTaxExpenseBenefit": (20, 4)}, None),
    ],
    ids=["impairment", "tax benefit", "both", "a tax of each year", "slight taxes"],
)
def test_growth_without_items_leaves_out_impaired_ventures_and_a_tax_of_one_year(
    flows: Mapping[str, Pair], left: float | None
) -> None:
    found = _find_left(compute(FLOWS | dict(flows), sic=REIT))
    assert found == (None if left is None else pytest.approx(left, abs=0.1))


def test_gain_under_the_tag_of_other_property_is_named_as_kept_in_ffo() -> None:
    """The year before has gains on depreciable property under the other tag, and the newest year has none."""
    gains: dict[str, Any] = {
        "GainLossOnSaleOfProperty": (None, 45),
        "GainLossOnSaleOfProperties": (3, 5),
    }
    [told] = find_notices(compute(FLOWS | gains, sic=REIT), "company-property-gains")
    assert [kept.params["amount"].params["value"] for kept in told["kept"]] == [3]


def test_depreciation_of_the_income_statement_explains_its_costs() -> None:
    """The cash flow statement's holds the amortization of financing costs, which interest holds, too."""
    costs: dict[str, Pair] = {
        "CostsAndExpenses": (1_500, 1_400),
        "DepreciationAndAmortization": (560, 500),
        "DepreciationDepletionAndAmortization": (590, 520),
        "GeneralAndAdministrativeExpense": (140, 100),
    }
    found = compute(FLOWS | costs, sic=REIT)
    told = find_notices(found, "company-components-loose")
    changes = [read_changes(note) for note in told]
    assert {
        name: change
        for each in changes
        for name, change in each.items()
        if name.startswith("Depreciation")
    } == {"Depreciation and amortization": 60}


@pytest.mark.parametrize(
    ("costs", "code"),
    [
        (
            {"DirectCostsOfLeasedAndRentedPropertyOrEquipment": 300, "RealEstateTaxExpense": 50},
            "shown",
        ),
        ({}, "not-filed"),
    ],
)
def test_kind_names_only_measures_that_are_shown(costs: dict[str, float], code: str) -> None:
    more = {tag: (amount, amount) for tag, amount in costs.items()}
    earned = {"OperatingIncomeLoss": (900, 800), "InterestExpense": (100, 100)}
    rents = {"OperatingLeasesIncomeStatementLeaseRevenue": (1_900, 1_900)}
    found = compute(FLOWS | earned | rents | more, sic=REIT)
    told = explain_kind(found)
    assert told
    assert told.params["noi"] == Notice.of(f"kind-reit-noi-{code}", "info")
    assert told.params["before"] == [say_metric("interest_coverage_before_depreciation")]
    silent = explain_kind(compute(FLOWS, sic=REIT))
    assert silent
    assert "before" not in silent.params


@pytest.mark.parametrize(("partners", "owners"), [(200, 600 + 200 + 150), (0, None)])
def test_ffo_without_charges_is_also_of_all_owners_where_partners_have_much_of_it(
    partners: float, owners: float | None
) -> None:
    """A price of all owners is set against their FFO: 600 of common shares and 200 of partners, before 150 of charges."""
    flows: dict[str, Any] = {"GainsLossesOnExtinguishmentOfDebt": (-150, 0)}
    shared = {"NetIncomeLossAttributableToNoncontrollingInterest": (partners, partners)}
    found = compute(FLOWS | flows | (shared if partners else {}), sic=REIT)
    told = [each for each in find_notices(found, "company-held") if "rest" in each]
    assert told[0]["rest"]["value"] == 750
    left = told[0].get("owners")
    assert (left["value"] if left else None) == owners
