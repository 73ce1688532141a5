"""Invariants between a company's amounts: a breach withholds the figure at fault and says why.

Each check reads the amounts of the same period. A check of one metric never reads a metric whose own check reads it.
"""

from collections.abc import Callable, Mapping

from contracts.notices import Notice
from domain.company.figures.filed.series import Amount
from domain.company.figures.numbers import round_up, say_amount

Read = Callable[[str], Amount | None]
"""Returns a metric's amount in the period that is checked."""
Check = Callable[[Amount, Read, str], Notice | None]
"""Returns the breach by an amount, given the others and the currency; None if there is none."""

TOLERANCE = 0.05
"""Part of a sum by which what adds up to it may differ: minorities and rounding."""
EPS_FACTOR = 3.0
"""Earnings per share times shares may be so many times the income: classes, preferred dividends, weighting."""
SMALL_EPS = 0.05
"""Earnings per share this small say little of the income, as they are rounded to cents."""
UNIT_FACTOR = 500.0
"""A difference of this many times is one of units: the shares are at fault, and not what is earned on one."""
ODD_RATE = 0.4
"""Interest of a year over debt that no lender asks: most of the debt is not read."""


def find_breach(name: str, amount: Amount, read: Read, currency: str) -> Notice | None:
    """Return why an amount cannot be right beside the others of its period; None if it can."""
    check = CHECKS.get(name)
    return check(amount, read, currency) if check else None


def _negative(amount: Amount, _: Read, currency: str) -> Notice | None:
    if amount.value >= 0:
        return None
    return Notice.of("gap-negative", "info", amount=say_amount(amount.value, currency))


def _no_shares(amount: Amount, _: Read, __: str) -> Notice | None:
    if amount.value > 0:
        return None
    return Notice.of("gap-negative", "info", amount=say_amount(amount.value, "shares"))


def _within(whole: str, code: str) -> Check:
    """Return the check that an amount is no more than another."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        of = read(whole)
        if not of or amount.value <= of.value + TOLERANCE * abs(of.value):
            return None
        values = {"amount": amount.value, "whole": of.value}
        told = {name: say_amount(value, currency) for name, value in values.items()}
        return Notice.of(f"gap-above-{code}", "info", amount=told["amount"], whole=told["whole"])

    return check


def _balance(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Assets are liabilities plus equity."""
    other = read("liabilities_and_equity")
    if not other or abs(amount.value - other.value) <= TOLERANCE * abs(other.value):
        return _negative(amount, read, currency)
    sums = [say_amount(each.value, currency) for each in (amount, other)]
    return Notice.of("gap-unbalanced", "info", assets=sums[0], claims=sums[1])


def _add_up(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Income is that of continuing operations plus that of discontinued ones."""
    given_up = read("discontinued_income")
    wholes = [whole for n in ("net_income", "profit") if (whole := read(n))]
    if not given_up or not wholes:
        return None
    total = amount.value + given_up.value
    allowed = TOLERANCE * max(abs(amount.value), abs(given_up.value))
    if any(abs(total - whole.value) <= allowed for whole in wholes):
        return None
    sums = [say_amount(value, currency) for value in (total, wholes[0].value)]
    return Notice.of("gap-continuing", "info", parts=sums[0], whole=sums[1])


def _per_share(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Earnings per share times shares are the income, unless the shares count thousands or millions."""
    income, shares = read("net_income"), read("diluted_shares")
    if not income or not shares or not income.value or shares.value <= 0:
        return None
    earned = amount.value * shares.value
    ratio = abs(earned / income.value)
    is_small = abs(amount.value) < SMALL_EPS
    is_even = 1 / EPS_FACTOR <= ratio <= EPS_FACTOR
    is_unit = ratio > UNIT_FACTOR or 0 < ratio < 1 / UNIT_FACTOR
    if is_small or is_unit or (is_even and earned * income.value > 0):
        return None
    return Notice.of(
        "gap-per-share",
        "info",
        eps=round_up(amount.value, 2),
        earned=say_amount(earned, currency),
        income=say_amount(income.value, currency),
    )


def _count_shares(amount: Amount, read: Read, _: str) -> Notice | None:
    """What is per diluted share is of as many shares as earnings per share are."""
    income, shares, eps = read("net_income"), read("diluted_shares"), read("diluted_eps")
    if not income or not shares or not eps or abs(eps.value) < SMALL_EPS or not income.value:
        return None
    ratio = abs(eps.value * shares.value / income.value)
    if 1 / UNIT_FACTOR <= ratio <= UNIT_FACTOR:
        return None
    counted = say_amount(shares.value, "shares")
    return Notice.of("gap-share-unit", "info", shares=counted, eps=round_up(eps.value, 2))


def _bear_interest(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Debt bears an interest that lenders ask, and is no more than all liabilities."""
    paid = read("debt_interest")
    if paid and amount.value > 0 and paid.value > ODD_RATE * amount.value:
        sums = [say_amount(each.value, currency) for each in (amount, paid)]
        return Notice.of("gap-interest", "info", debt=sums[0], interest=sums[1])
    return _within("liabilities", "liabilities")(amount, read, currency)


def _above_par(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Preferred shares at their par value of cents are not at what they are owed, which equity has to leave out."""
    shares = read("preferred_shares")
    if not shares or shares.value <= 0 or amount.value >= shares.value:
        return None
    told = {"value": say_amount(amount.value, currency), "n": say_amount(shares.value, "shares")}
    return Notice.of("gap-preferred-at-par", "info", **told)


def _below_assets(times: float) -> Check:
    """Return the check that a flow is not far more than all assets, which tells thousands from single units."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        assets = read("assets")
        if not assets or assets.value <= 0 or abs(amount.value) <= times * assets.value:
            return None
        sums = [say_amount(each.value, currency) for each in (amount, assets)]
        return Notice.of("gap-far-above-assets", "info", amount=sums[0], assets=sums[1])

    return check


def _signed(first: str, second: str) -> Check:
    """Return the check that an amount is not the negative of the difference of two others."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        whole, part = read(first), read(second)
        other = whole.value - part.value if whole and part else 0
        if not other or abs(amount.value + other) > TOLERANCE * abs(other):
            return None
        sums = [say_amount(value, currency) for value in (amount.value, other)]
        return Notice.of("gap-sign", "info", amount=sums[0], other=sums[1])

    return check


def _close_to(name: str, times: float) -> Check:
    """Return the check that a count of shares is within so many times another one."""

    def check(amount: Amount, read: Read, _: str) -> Notice | None:
        other = read(name)
        if not other or other.value <= 0 or amount.value <= 0:
            return None
        if 1 / times <= amount.value / other.value <= times:
            return None
        counts = [say_amount(each.value, "shares") for each in (amount, other)]
        return Notice.of("gap-share-count", "info", shares=counts[0], other=counts[1])

    return check


def _each(*checks: Check) -> Check:
    """Return the check that finds the first breach of several."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        return next(filter(None, (one(amount, read, currency) for one in checks)), None)

    return check


SALES_FACTOR, FLOW_FACTOR = 40.0, 5.0
"""Revenue of a year, and any other flow, may be so many times the assets at its end."""
CLASS_FACTOR, COUNT_FACTOR = 5.0, 100.0
"""Diluted shares may be so many times the basic ones, and shares outstanding those of EPS."""
CHECKS: Mapping[str, Check] = {
    "assets": _balance,
    "cash": _each(_negative, _within("assets", "assets")),
    "equity": _each(
        _within("assets", "assets"),
        _below_assets(FLOW_FACTOR),
        _signed("assets", "liabilities_filed"),
    ),
    "noncontrolling_interest": _within("assets", "assets"),
    "preferred_equity": _above_par,
    "debt": _each(_negative, _bear_interest),
    "revenue": _each(_negative, _below_assets(SALES_FACTOR)),
    "gross_profit": _each(_within("revenue", "revenue"), _signed("revenue", "direct_cost")),
    "continuing_income": _add_up,
    "net_income": _each(_signed("pretax_income", "income_tax"), _below_assets(FLOW_FACTOR)),
    "research_and_development": _each(_negative, _below_assets(FLOW_FACTOR)),
    "diluted_eps": _per_share,
    "diluted_shares": _each(_no_shares, _close_to("basic_shares", CLASS_FACTOR)),
    "shares_outstanding": _close_to("diluted_shares", COUNT_FACTOR),
    "fcf_per_share": _count_shares,
    **dict.fromkeys(
        (
            *("operating_income", "pretax_income", "income_tax", "operating_cash_flow"),
            *("capital_expenditure", "dividends", "buybacks", "stock_compensation"),
        ),
        _below_assets(FLOW_FACTOR),
    ),
}
"""By metric: what is checked before its amount is shown or enters another figure."""
