"""Notices on mergers paid in shares, shares and businesses that were sold, and what is held for sale."""

from collections.abc import Iterator

from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.numbers import round_up, say_amount

RECENT_YEARS = 3
"""Number of fiscal years for which deals are noted."""
MATERIAL_DEAL = 0.1
"""Minimum share of equity or assets for shares issued or sold, and things held for sale, to be noted."""
SOLD_SHARE = 0.05
"""Minimum share of revenue for proceeds of sold businesses, and cash of acquired ones, to be noted."""


def note_deals(accounts: Accounts) -> Iterator[Notice]:
    """Yield mergers paid in shares, common shares that were sold, preferred ones bought back, and things held for sale."""
    for year in accounts.calendar.years[:RECENT_YEARS]:
        equity = accounts.get("instant", "equity", year.end)
        for name in (
            "acquired_for_shares",
            "shares_issued_for_cash",
            "preferred_repaid",
            "spun_off",
        ):
            found = accounts.get("year", name, year.end)
            if found and equity and abs(found.value) > MATERIAL_DEAL * equity.value > 0:
                yield Notice.of(
                    f"company-{name.replace('_', '-')}",
                    year=f"FY{year.name}",
                    amount=say_amount(abs(found.value), accounts.currency),
                    share=round_up(100 * abs(found.value) / equity.value),
                )
        bought, revenue = (accounts.get("year", n, year.end) for n in ("acquisitions", "revenue"))
        if bought and revenue and -bought.value > SOLD_SHARE * abs(revenue.value):
            yield Notice.of(
                "company-acquired-cash",
                year=f"FY{year.name}",
                amount=say_amount(-bought.value, accounts.currency),
            )
    newest_year = next((year.end for year in accounts.calendar.years), "")
    revenue, sold = (accounts.get("year", n, newest_year) for n in ("revenue", "businesses_sold"))
    if revenue and sold and sold.value > SOLD_SHARE * abs(revenue.value):
        amount = say_amount(sold.value, accounts.currency)
        yield Notice.of("company-businesses-sold", end=newest_year, amount=amount)
    yield from _note_held_for_sale(accounts)


def _note_held_for_sale(accounts: Accounts) -> Iterator[Notice]:
    end = accounts.newest_end
    held, whole = (accounts.get("instant", n, end) for n in ("held_for_sale", "assets"))
    if held and whole and held.value > MATERIAL_DEAL * whole.value > 0:
        owed = accounts.get("instant", "held_for_sale_owed", end)
        yield Notice.of(
            "company-held-for-sale",
            end=end,
            amount=say_amount(held.value, accounts.currency),
            share=round_up(100 * held.value / whole.value),
            owed=say_amount(owed.value, accounts.currency) if owed else None,
        )
