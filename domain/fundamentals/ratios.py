"""What follows from a company's amounts: free cash flow, debt, margins, growth, per share."""

from collections.abc import Callable
from typing import Literal

from domain.fundamentals.accounts import Accounts
from domain.fundamentals.facts import days
from domain.fundamentals.series import Amount, combined

Length = Literal["year", "quarter", "ttm"]

MARGINS = {
    "gross_margin": "gross_profit",
    "operating_margin": "operating_income",
    "net_margin": "net_income",
    "fcf_margin": "free_cash_flow",
}
_LONGER_DAYS = 10


def flow(of: Accounts, length: Length, name: str, end: str) -> Amount | None:
    """Return the amount of a period, as reported or out of two that are."""
    if name == "free_cash_flow":
        return _difference(of, length, end, "operating_cash_flow", "capital_expenditure")
    if found := _plain(of, length, name, end):
        return found
    if name == "gross_profit":
        return _difference(of, length, end, "revenue", "cost_of_revenue")
    if name == "cost_of_revenue" and _plain(of, length, "gross_profit", end):
        return _difference(of, length, end, "revenue", "gross_profit")
    return None


def margin(of: Accounts, length: Length, name: str, end: str) -> Amount | None:
    """Return a part of the revenue, in percent."""
    part, whole = flow(of, length, MARGINS[name], end), flow(of, length, "revenue", end)
    if not part or not whole or whole.value <= 0:
        return None
    formula = f"{_worded(MARGINS[name])} / revenue"
    return combined(_percent(part.value / whole.value), formula, part, whole, start=whole.start)


def growth(of: Accounts, length: Length, name: str, end: str) -> Amount | None:
    """Return by how many percent a period's amount differs from that of the year before.

    There is no such figure after or before a loss, nor per share across a split.
    """
    before = of.calendar.year_before(end)
    now = flow(of, length, name, end)
    then = flow(of, length, name, before) if before else None
    if not now or not then or then.value <= 0 or now.value < 0:
        return None
    if name == "diluted_eps" and not of.is_comparable(end, before):
        return None
    formula = f"against the period to {before}"
    return combined(_percent(now.value / then.value - 1), formula, then, now, start=now.start)


def is_longer(of: Accounts, length: Length, end: str) -> bool:
    """Tell whether a period has a week more or less than the one it is compared with."""
    before = of.calendar.year_before(end)
    now, then = (flow(of, length, "revenue", each) if each else None for each in (end, before))
    if not now or not then:
        return False
    spans = [days(amount.start, amount.end) for amount in (now, then)]
    return 4 < abs(spans[0] - spans[1]) <= _LONGER_DAYS


def debt(of: Accounts, end: str) -> Amount | None:
    """Return all that was borrowed: long-term with its current part, and what is due soon.

    Without a long-term part there is none: what is due soon alone would pass for all of it.
    """
    long_term, whole = of.at("long_term_debt", end), of.at("debt", end)
    short = of.at("short_term_borrowings", end)
    if long_term is None:
        return _total(whole, short) if whole else None
    due = of.at("debt_current", end)
    if due is None:
        due = _total(of.at("long_term_debt_current", end), short)
    return _total(long_term, due)


def book_value_per_share(of: Accounts, end: str) -> Amount | None:
    """Return the equity that one share stands for."""
    equity, shares = of.at("equity", end), of.shares_at(end)
    if not equity or not shares or shares.value <= 0:
        return None
    value = round(equity.value / shares.value, 2)
    formula = f"equity / {shares.value:,.0f} shares outstanding on {shares.end}"
    return _on(end, combined(value, formula, equity, shares))


def fcf_per_share(of: Accounts, length: Length, end: str) -> Amount | None:
    """Return the free cash flow for each diluted share of the period's last report."""
    cash = flow(of, length, "free_cash_flow", end)
    counts = (of.quarter, of.year)
    shares = next((s for count in counts if (s := count("diluted_shares", end))), None)
    if not cash or not shares or shares.value <= 0:
        return None
    formula = f"free cash flow / {shares.value:,.0f} diluted shares"
    value = round(cash.value / shares.value, 2)
    return combined(value, formula, cash, shares, start=cash.start)


def _plain(of: Accounts, length: Length, name: str, end: str) -> Amount | None:
    look: dict[Length, Callable[[str, str], Amount | None]] = {
        "year": of.year,
        "quarter": of.quarter,
        "ttm": of.ttm,
    }
    return look[length](name, end)


def _difference(of: Accounts, length: Length, end: str, name: str, less: str) -> Amount | None:
    whole, part = _plain(of, length, name, end), _plain(of, length, less, end)
    if not whole or not part:
        return None
    formula = f"{_worded(name)} − {_worded(less)}"
    return combined(whole.value - part.value, formula, whole, part, start=whole.start)


def _total(*parts: Amount | None) -> Amount | None:
    there = [part for part in parts if part]
    if len(there) < 2:
        return there[0] if there else None
    formula = " + ".join(part.tag or part.formula for part in there)
    return _on(there[0].end, combined(sum(part.value for part in there), formula, *there))


def _on(end: str, amount: Amount) -> Amount:
    return Amount(
        amount.value,
        "",
        end,
        amount.accessions,
        amount.filed,
        formula=amount.formula,
        parts=amount.parts,
    )


def _percent(share: float) -> float:
    return round(100 * share, 4)


def _worded(name: str) -> str:
    return name.replace("_", " ").replace("eps", "EPS")
