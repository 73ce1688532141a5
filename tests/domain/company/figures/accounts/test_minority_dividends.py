"""Dividends to owners of subsidiaries that are more than these own."""

import pytest

from tests.domain.company.figures.companies import INCOME, REVENUE, listed, of, row, value

YEAR = ("2009-01-01", "2009-12-31")


@pytest.mark.parametrize(("paid", "is_shown"), [(4_500, False), (1_500, True)])
def test_buying_out_owners_of_subsidiaries_is_no_dividend(paid: float, *, is_shown: bool) -> None:
    """Wells Fargo paid 4,500 million to owners who had 2,573 left and had earned 392."""
    flows = {
        REVENUE: 88_686,
        INCOME: 12_275,
        "ProfitLoss": 12_667,
        "MinorityInterestInNetIncomeLossOfConsolidatedEntities": 392,
        "NetIncomeLossAttributableToNoncontrollingInterest": 392,
        "PaymentsOfDividendsMinorityInterest": paid,
    }
    days = {"MinorityInterest": 2_573, "StockholdersEquity": 111_786, "Assets": 1_243_646}
    facts = {tag: [row(*YEAR, v, "2010-02-26", "10-K")] for tag, v in flows.items()}
    facts |= {tag: [row("", YEAR[1], v, "2010-02-26", "10-K")] for tag, v in days.items()}
    found = of(listed(facts))
    assert (value(found, "minority_dividends", "year", YEAR[1]) is not None) == is_shown
