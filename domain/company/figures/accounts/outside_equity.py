"""Claims that a balance sheet shows outside both equity and liabilities, under no tag that is read."""

import re

from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.accounts.sums import AGREEMENT
from domain.company.figures.filed.series import Amount, combine

_REDEEMABLE = re.compile(r"^.*?(Redeemable|TemporaryEquity)")
"""Matches tags of redeemable (temporary) equity, which other metrics already include."""
_LEAST_PART, _MOST_PART = 0.005, 0.5
"""Parts of total equity between which the rest is such a claim: above them, the liabilities are not complete."""
_KNOWN = ("noncontrolling_interest", "preferred_claims", "entity_interest", "partners_units")
"""Claims that the rest may be: it is not counted twice."""


def find_outside_equity(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return assets less liabilities less total equity, if one report files all three and no redeemable equity."""
    assets, liabilities, equity = (
        accounts.get("instant", name, end) for name in ("assets", "liabilities_filed", "all_equity")
    )
    if not (assets and liabilities and equity):
        return None
    if not {*assets.accessions} & {*liabilities.accessions} & {*equity.accessions}:
        return None
    rest = assets.value - liabilities.value - equity.value
    if not _LEAST_PART * equity.value < rest < _MOST_PART * equity.value:
        return None
    if any(accounts.facts.list_within(end, end, accounts.currency, _REDEEMABLE)):
        return None
    known = [each.value for name in _KNOWN if (each := accounts.get("instant", name, end))]
    if any(abs(rest - value) <= AGREEMENT * rest for value in (*known, sum(known))):
        return None
    words = "total assets − liabilities − total equity"
    return combine(rest, words, assets, liabilities, equity, start="", end=end)
