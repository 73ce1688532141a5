"""Units and scales of computed results: sums of unlike amounts, hundredfold results, per cent against points."""

import ast

import pytest

from contracts.notices import Notice
from domain.evidence.figures.dimensions import Measure, list_measures
from tests.domain.evidence.annual_results import check_on

TOWNS = "The upper town has 2.4 million visitors a year, the lower one 650 thousand."
ROADS = "The ring road is 37 km long, the tunnel 12 miles, the bridge 5 km."
MONEY = "The mill earned 31,400 euros, the bakery 8,150 euros and the forge 6,200 dollars."
RATES = "The rate of the north rose from 4.2% to 6.3%, that of the south from 2.1% to 2.8%."
FREIGHT = "Trains carried 730 tonnes; coal was 16% of it and grain 45%."
TIMES = "The crossing took 3 hours and 45 minutes; the flight took 90 minutes."
CASH = "It has 4.8 million dollars and spends 0.4 million dollars a month."


def check(quote: str, expression: str, text: str) -> str:
    """Return the outcome, or `named` if a figure of the sentence is left to the judge by name."""
    found = check_on(quote, text, expression=expression)
    return "named" if found.unquoted else found.outcome


@pytest.mark.parametrize(
    ("quote", "expression", "text"),
    [
        (TOWNS, "2.4 + 650", "Together they have 652.4 million visitors."),
        (TOWNS, "2.4 + 650", "Together they have 652.4 thousand visitors."),
        (TOWNS, "650 - 2.4", "The gap is 647.6 million visitors."),
        (TOWNS, "650 / 2.4", "The lower town has 271 times as many."),
        (ROADS, "37 + 12", "Road and tunnel are 49 km long."),
        (ROADS, "37 + 5", "Road and bridge are 42 miles long."),
        (ROADS, "37 / 12", "The road is 3.08 times as long as the tunnel."),
        (MONEY, "31400 + 6200", "Mill and forge earned 37,600 euros."),
        (MONEY, "31400 + 8150", "Mill and bakery earned 39,550 dollars."),
        (MONEY, "31400 + 8150", "Mill and bakery earned 3,955,000 euros."),
        (MONEY, "31400 + 8150", "Mill and bakery earned 39,550%."),
        (MONEY, "31400 - 8150", "The mill earned 23.25 million euros more."),
        (FREIGHT, "730 + 16", "Together they were 746 tonnes."),
        (RATES, "(6.3 - 4.2) / 4.2 * 100", "The rate rose by 50 percentage points."),
        (RATES, "(6.3 / 4.2 - 1) * 100", "The rate rose by 50 points."),
        (TIMES, "3 + 45", "The crossing took 48 minutes."),
        (TIMES, "45 + 90", "That is 135 hours."),
    ],
)
def test_result_of_unlike_or_rescaled_figures_is_refused(
    quote: str, expression: str, text: str
) -> None:
    assert check(quote, expression, text) == "fails"


@pytest.mark.parametrize(
    ("quote", "expression", "text"),
    [
        (TOWNS, "2.4 million + 650 thousand", "Together they have 3.05 million visitors."),
        (TOWNS, "2.4 * 1000 + 650", "Together they have 3,050 thousand visitors."),
        (TOWNS, "2.4 / 0.65", "The upper town has 3.7 times as many."),
        (ROADS, "37 + 5", "Road and bridge are 42 kilometres long."),
        (ROADS, "37 + 5", "Road and bridge are 42,000 metres long."),
        (ROADS, "5 / 37", "The bridge is 13.5% of the road's length."),
        (MONEY, "31400 + 8150", "Mill and bakery earned 39,550 euros."),
        (MONEY, "31400 - 8150", "The mill earned €23,250 more."),
        (MONEY, "8150 / 31400 * 100", "The bakery earned 26% of what the mill did."),
        (MONEY, "(31400 + 8150) / 12", "They earned 3,296 euros a month."),
        (FREIGHT, "730 * 16 / 100", "Coal was 117 tonnes."),
        (FREIGHT, "730 * 16%", "Coal was 117 tonnes."),
        (FREIGHT, "730 * 0.16", "Coal was 117 tonnes."),
        (FREIGHT, "16 + 45", "Coal and grain were 61% of it."),
        (FREIGHT, "100 - 16 - 45", "The other goods were 39%."),
        (RATES, "6.3 - 4.2", "The rate rose by 2.1 percentage points."),
        (RATES, "(6.3 - 4.2) * 100", "The rate rose by 210 basis points."),
        (RATES, "(6.3 - 4.2) / 4.2 * 100", "The rate rose by 50%."),
        (RATES, "6.3 / 4.2 - 1", "The rate rose by 50%."),
        (TIMES, "3 * 60 + 45", "The crossing took 225 minutes."),
        (TIMES, "3 * 60 + 45", "The crossing took 3.75 hours."),
        (TIMES, "90 / 60", "The flight took 1.5 hours."),
        (CASH, "4.8 / 0.4", "The money lasts for 12 months."),
        (CASH, "0.4 * 12", "It spends 4.8 million dollars a year."),
    ],
)
def test_result_has_the_unit_and_scale_of_its_inputs(
    quote: str, expression: str, text: str
) -> None:
    assert check(quote, expression, text) == "open"


def test_difference_of_shares_said_in_per_cent_is_named_to_the_judge() -> None:
    """It may be wrong, as for a rise, or right, as for all who do one thing and not the other."""
    assert check(RATES, "6.3 - 2.8", "The gap is 3.5%.") == "named"


def test_unlike_figures_are_named_as_such() -> None:
    found = check_on(ROADS, "Road and tunnel are 49 km long.", expression="37 + 12")
    error = found.problems[0].params["error"]
    assert isinstance(error, Notice)
    assert error.code == "sum-unlike"


def test_long_sum_has_few_measures() -> None:
    tree = ast.parse(" * ".join(["7"] * 300), mode="eval")
    numbers = {7.0: {Measure(unit, scale) for unit in ("", "km", "%") for scale in (1.0, 1e3)}}
    assert 0 < len(list_measures(tree, numbers)) <= 16


def test_power_below_zero_divides() -> None:
    numbers = {12_000.0: {Measure("usd", 1.0)}}
    divided, raised = (ast.parse(text, mode="eval") for text in ("12000/10**3", "12000*10**-3"))
    assert list_measures(divided, numbers) == list_measures(raised, numbers)
