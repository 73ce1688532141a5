"""Metrics derived from a company's amounts: free cash flow, net cash, margins, growth, per share."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from domain.company.figures.filed.accounts import Accounts
from domain.company.figures.filed.facts import Fact, count_days
from domain.company.figures.filed.metrics import humanize
from domain.company.figures.filed.series import Amount, combine
from domain.company.figures.numbers import format_number

Length = Literal["year", "quarter", "ttm"]

_PARTS = {
    "gross_margin": "gross_profit",
    "operating_margin": "operating_income",
    "net_margin": "net_income",
    "fcf_margin": "free_cash_flow",
    "research_and_development_share_of_revenue": "research_and_development",
    "sales_and_marketing_share_of_revenue": "sales_and_marketing",
    "general_and_administrative_share_of_revenue": "general_and_administrative",
    "selling_and_administration_share_of_revenue": "selling_and_administration",
    "stock_compensation_share_of_revenue": "stock_compensation",
}
SHARES = {
    "effective_tax_rate": ("income_tax", "pretax_income"),
    **{name: (part, "revenue") for name, part in _PARTS.items()},
}
"""By metric in percent: the part, and the whole."""
DIFFERENCES = {
    "gross_profit": ("revenue", "cost_of_revenue"),
    "cost_of_revenue": ("revenue", "gross_profit"),
    "other_income": ("pretax_income", "operating_income"),
}
"""Of a metric that is not reported: from what it is left over, and what is taken off."""
_TOGETHER = "selling_and_administration"
_APART = ("sales_and_marketing", "general_and_administrative")
"""Omitted for a period in which both are filed together as well: operating costs would count twice."""
_COST = ("cost_of_revenue", "gross_profit")
"""Not known of an insurer: its policies' benefits are a cost as well, which no tag of them counts."""
LIQUID = ("cash", "short_term_investments", "long_term_investments")
_WEEK_DIFFERENCE_DAYS = range(5, 11)


def get_flow(accounts: Accounts, length: Length, name: str, end: str) -> Amount | None:
    """Return any metric of a period: as reported, or derived."""
    if name in SHARES:
        return compute_share(accounts, length, name, end)
    if name.endswith("_growth"):
        return compute_growth(accounts, length, name.removesuffix("_growth"), end)
    if name in _COST and _get_reported(accounts, length, "policy_benefits", end):
        return None
    if name in _APART and _get_reported(accounts, length, _TOGETHER, end):
        return None
    if name == "diluted_shares" and length == "ttm":
        return accounts.get_ttm_average(name, end)
    derived: dict[str, Callable[[Accounts, Length, str], Amount | None]] = {
        "fcf_per_share": compute_fcf_per_share,
        "free_cash_flow": compute_free_cash_flow,
        "free_cash_flow_less_stock_compensation": compute_cash_after_compensation,
        "dilutive_shares": compute_dilutive_shares,
    }
    if name in derived:
        return derived[name](accounts, length, end)
    reported = _get_reported(accounts, length, name, end) if name in accounts.series else None
    if reported or name not in DIFFERENCES:
        return reported
    return _subtract(accounts, length, end, *DIFFERENCES[name])


def get_balance(accounts: Accounts, name: str, end: str) -> Amount | None:
    """Return any metric of a day: as reported, or derived."""
    if name.endswith("_growth"):
        return compute_balance_growth(accounts, name.removesuffix("_growth"), end)
    derived: dict[str, Callable[[Accounts, str], Amount | None]] = {
        "debt": compute_debt,
        "net_cash": compute_net_cash,
        "deferred_revenue": compute_deferred_revenue,
        "shares_outstanding": Accounts.get_shares,
        "book_value_per_share": compute_book_value_per_share,
    }
    return derived[name](accounts, end) if name in derived else accounts.get_instant(name, end)


def compute_share(accounts: Accounts, length: Length, name: str, end: str) -> Amount | None:
    """Return a part in percent of its whole; none of a loss."""
    part, whole = (get_flow(accounts, length, each, end) for each in SHARES[name])
    if not part or not whole or whole.value <= 0:
        return None
    formula = " / ".join(map(humanize, SHARES[name]))
    return combine(_to_percent(part.value / whole.value), formula, part, whole, start=whole.start)


def compute_growth(accounts: Accounts, length: Length, name: str, end: str) -> Amount | None:
    """Return the growth against the same period a year before, in percent.

    There is none after or before a loss, nor per share across a stock split.
    """
    before = accounts.calendar.find_year_before(end)
    now = get_flow(accounts, length, name, end)
    then = get_flow(accounts, length, name, before) if before else None
    if not now or not then or then.value <= 0 or now.value < 0:
        return None
    if name.startswith("diluted_") and not accounts.is_comparable(end, before):
        return None
    value = _to_percent(now.value / then.value - 1)
    return combine(value, f"against the period to {before}", then, now, start=now.start)


def compute_balance_growth(accounts: Accounts, name: str, end: str) -> Amount | None:
    """Return the growth of what stood on a day against the same day a year before, in percent."""
    before = accounts.calendar.find_year_before(end)
    now, then = (get_balance(accounts, name, day) if day else None for day in (end, before))
    if not now or not then or then.value <= 0:
        return None
    value = _to_percent(now.value / then.value - 1)
    return _as_of_day(end, combine(value, f"against {before}", then, now))


def compute_dilutive_shares(accounts: Accounts, length: Length, end: str) -> Amount | None:
    """Return the shares that awards and convertibles could add to those outstanding.

    After a profit, those that diluted EPS counts; after a loss, those that its EPS leaves out.
    """
    diluted, basic = (
        _get_reported(accounts, length, name, end) for name in ("diluted_shares", "basic_shares")
    )
    if diluted and basic and diluted.value > basic.value:
        formula = "diluted shares − basic shares, both on average"
        value = diluted.value - basic.value
        return combine(value, formula, diluted, basic, start=diluted.start)
    return _get_reported(accounts, length, "antidilutive_shares", end)


def compute_free_cash_flow(accounts: Accounts, length: Length, end: str) -> Amount | None:
    """Return the cash from operations less what is spent on equipment and on software of its own.

    Software that is filed under a tag of its own counts, so that companies and years compare. None of a
    company that spends more on property than on equipment: what it invests is not read in all.
    """
    cash, equipment, software = (
        _get_reported(accounts, length, name, end)
        for name in ("operating_cash_flow", "capital_expenditure", "capitalized_software")
    )
    if not cash or not equipment or find_property_spending(accounts, length, end):
        return None
    spent = [equipment, software] if software and software.value else [equipment]
    names = ("operating cash flow", "capital expenditure", "capitalized software")[: len(spent) + 1]
    value = cash.value - sum(part.value for part in spent)
    return combine(value, " − ".join(names), cash, *spent, start=cash.start)


def find_property_spending(accounts: Accounts, length: Length, end: str) -> Amount | None:
    """Return what was spent on property, where that is more than the capital expenditure."""
    spent, equipment = (
        _get_reported(accounts, length, name, end)
        for name in ("property_spending", "capital_expenditure")
    )
    return spent if spent and equipment and spent.value > equipment.value else None


def compute_cash_after_compensation(accounts: Accounts, length: Length, end: str) -> Amount | None:
    """Return what stock compensation leaves of the free cash flow."""
    cash = compute_free_cash_flow(accounts, length, end)
    paid = _get_reported(accounts, length, "stock_compensation", end)
    if not cash or not paid:
        return None
    formula = "free cash flow − stock compensation"
    return combine(cash.value - paid.value, formula, cash, paid, start=cash.start)


def differs_by_week(accounts: Accounts, end: str) -> bool:
    """Tell whether twelve months have a week more or less than those a year before."""
    before = accounts.calendar.find_year_before(end)
    now, then = (
        get_flow(accounts, "ttm", "revenue", day) if day else None for day in (end, before)
    )
    if not now or not then:
        return False
    days, days_before = (count_days(amount.start, amount.end) for amount in (now, then))
    return abs(days - days_before) in _WEEK_DIFFERENCE_DAYS


def compute_debt(accounts: Accounts, end: str) -> Amount | None:
    """Return all borrowings: long-term debt with its current part, and short-term borrowings.

    None without a long-term part: short-term borrowings alone would pass for all debt.
    """
    long_term, whole = (accounts.get_instant(n, end) for n in ("long_term_debt", "debt"))
    short = accounts.get_instant("short_term_borrowings", end)
    if long_term is None:
        return _add(whole, short) if whole else None
    due = accounts.get_instant("debt_current", end)
    if due is None:
        due = _add(accounts.get_instant("long_term_debt_current", end), short)
    return _add(long_term, due)


def find_unread_debt(accounts: Accounts, end: str) -> Fact | None:
    """Return what shows that a company owes something on a day of which no debt is found."""
    is_known = not end or compute_debt(accounts, end)
    return None if is_known else accounts.find_sign_of_debt(end)


def compute_net_cash(accounts: Accounts, end: str) -> Amount | None:
    """Return cash and all securities, also those held for longer than a year, less all debt.

    Negative if the company owes more. None if its cash is not known, or if no debt is found: while interest,
    debt or borrowings are filed, it has a tag that is not read; without a balance sheet, or before the first debt, it is not known.
    """
    held = [part for name in LIQUID if (part := accounts.get_instant(name, end))]
    if not held or accounts.get_instant("cash", end) is None:
        return None
    debt = compute_debt(accounts, end)
    if debt is None and any(find_unread_debt(accounts, day) for day in (end, accounts.newest_end)):
        return None
    following = accounts.find_next_debt(end)
    if debt is None and (
        not accounts.get_instant("assets", end) or (following and following.value)
    ):
        return None  # of no balance sheet that was read, or before the first debt
    value = sum(part.value for part in held) - (debt.value if debt else 0)
    formula = " + ".join(humanize(name) for name in LIQUID if accounts.get_instant(name, end))
    formula = f"{formula} − debt" if debt else f"{formula}; no debt is filed"
    return _as_of_day(end, combine(value, formula, *held, *([debt] if debt else [])))


def compute_deferred_revenue(accounts: Accounts, end: str) -> Amount | None:
    """Return what customers paid for in advance: as filed in all, else its two parts.

    None where the current part, the larger one, is not filed.
    """
    if whole := accounts.get_instant("deferred_revenue", end):
        return whole
    current = accounts.get_instant("deferred_revenue_current", end)
    later = accounts.get_instant("deferred_revenue_noncurrent", end)
    return _add(current, later) if current else None


def compute_book_value_per_share(accounts: Accounts, end: str) -> Amount | None:
    """Return the equity per share outstanding."""
    equity, shares = accounts.get_instant("equity", end), accounts.get_shares(end)
    if not equity or not shares or shares.value <= 0:
        return None
    formula = f"equity / {format_number(shares.value)} shares outstanding on {shares.end}"
    return _as_of_day(end, combine(equity.value / shares.value, formula, equity, shares))


def compute_fcf_per_share(accounts: Accounts, length: Length, end: str) -> Amount | None:
    """Return the free cash flow per diluted share on average of the same period.

    Where that average is not known, by those of its last quarter, and the formula says so.
    """
    cash = get_flow(accounts, length, "free_cash_flow", end)
    shares, of = get_flow(accounts, length, "diluted_shares", end), "on average of the same period"
    if not shares:
        shares, of = accounts.get_quarter("diluted_shares", end), "of its last quarter alone"
    if not cash or not shares or shares.value <= 0:
        return None
    formula = f"free cash flow / {format_number(shares.value)} diluted shares {of}"
    return combine(cash.value / shares.value, formula, cash, shares, start=cash.start)


def _get_reported(accounts: Accounts, length: Length, name: str, end: str) -> Amount | None:
    getters: dict[Length, Callable[[str, str], Amount | None]] = {
        "year": accounts.get_year,
        "quarter": accounts.get_quarter,
        "ttm": accounts.get_ttm,
    }
    return getters[length](name, end)


def _subtract(accounts: Accounts, length: Length, end: str, name: str, less: str) -> Amount | None:
    whole, part = (_get_reported(accounts, length, each, end) for each in (name, less))
    if not whole or not part:
        return None
    formula = f"{humanize(name)} − {humanize(less)}"
    return combine(whole.value - part.value, formula, whole, part, start=whole.start)


def _add(*parts: Amount | None) -> Amount | None:
    known = [part for part in parts if part]
    if len(known) < 2:
        return known[0] if known else None
    formula = " + ".join(part.tag or part.formula for part in known)
    return _as_of_day(known[0].end, combine(sum(p.value for p in known), formula, *known))


def _as_of_day(end: str, amount: Amount) -> Amount:
    return replace(amount, start="", end=end)


def _to_percent(share: float) -> float:
    return round(100 * share, 4)
