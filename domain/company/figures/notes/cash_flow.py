"""Notes on cash flow: taxes and interest paid, capital expenditure, and what moved net cash."""

from collections.abc import Iterator
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.growth import is_from_tiny_base, say_tiny_base
from domain.company.figures.filed.facts import GAAP, count_days
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.notes.periods import (
    GROWTH_POINTS,
    UNUSUAL,
    YEARS,
    list_newest,
    name_period,
)
from domain.company.figures.numbers import round_up, say_amount

RECURRING, RECURRING_SHARE = 2, 0.5
"""Number of earlier years in which a recurring difference has the same sign, and its minimum size in each as a share.
"""
UNPAID_TAG = "CapitalExpendituresIncurredButNotYetPaid"
UNPAID_SHARE = 0.05
"""Unpaid capital expenditure is noted if it moved by this share of free cash flow."""
OPERATING = "operating_cash_flow"
SPENDING_YEARS = 4
SPENDING_MOVED, SPENDING_POINTS = 25.0, 3.0
"""Capital expenditure is noted if it changed by at least the first, in percent, and if the yearly growth rates of free and operating cash flow differ by at least the second, in points."""
DAYS_PER_YEAR = 365.25


def note_whole_flows(accounts: Accounts) -> Iterator[Notice]:
    """Yield a notice on periods with cash flows that include discontinued operations while revenue does not."""
    spans: list[tuple[Period, str]] = [("ttm", accounts.newest_end)]
    spans += [("year", year.end) for year in accounts.calendar.years[:YEARS]]
    periods = [
        Notice.of("apart", "info", period=name_period(length, end), part=part)
        for length, end in spans
        if accounts.get(length, "free_cash_flow", end)
        and (part := accounts.find_apart(length, end))
    ]
    if periods:
        yield Notice.of("company-flows-whole", periods=periods)


def note_interest_paid(accounts: Accounts) -> Iterator[Notice]:
    """Yield that operating cash flow is, or may be, before material interest: IFRS allows it among financing."""
    for length, end in list_newest(accounts) if accounts.taxonomy != GAAP else ():
        cash, operating, financed, charged, costs = (
            accounts.get(length, name, end)
            for name in (
                "operating_cash_flow",
                "interest_paid_operating",
                "interest_paid_financing",
                "debt_interest",
                "finance_costs",
            )
        )
        interest = financed or charged or costs
        if not cash or operating or not interest:
            continue
        if interest.value > UNUSUAL * abs(cash.value):
            yield Notice.of(
                f"company-interest-{'financed' if financed else 'unplaced'}",
                period=name_period(length, end),
                amount=say_amount(interest.value, accounts.currency),
            )
            return


def note_lease_payments(accounts: Accounts) -> Iterator[Notice]:
    """Yield that free cash flow is before the repayment of leases, where that is much: IFRS counts it among financing."""
    for length, end in list_newest(accounts):
        repaid, cash = (accounts.get(length, n, end) for n in ("lease_repaid", "free_cash_flow"))
        if repaid and cash and repaid.value > UNUSUAL * abs(cash.value):
            amounts = {
                "amount": repaid.value,
                "cash": cash.value,
                "rest": cash.value - repaid.value,
            }
            told = {name: say_amount(value, accounts.currency) for name, value in amounts.items()}
            yield Notice.of("company-lease-payments", period=name_period(length, end), **told)
            return


def note_taxes_paid(
    accounts: Accounts, length: Period, end: str, period: Notice
) -> Iterator[Notice]:
    """Yield where free cash flow is unusual, as far more or less tax was paid than the period was charged.

    The tax charged is the current one, where it is filed: deferred tax takes no cash.
    """
    found = _read_taxes(accounts, length, end)
    then = _read_taxes(accounts, length, accounts.calendar.find_year_before(end))
    if not found:
        return
    left, before = found.cash + found.gap, then.cash + then.gap if then else 0.0
    growths = (
        [100 * (left / before - 1), 100 * (found.cash / then.cash - 1)]
        if then and min(before, then.cash, left, found.cash) > 0
        else []
    )
    is_apart = bool(growths) and abs(growths[0] - growths[1]) >= GROWTH_POINTS
    if not is_apart and abs(found.gap) < UNUSUAL * abs(found.cash):
        return
    years = _list_alike_gaps(accounts, end, found.gap)
    rest, growth = [round_up(each) for each in growths] or (None, None)
    yield Notice.of(
        f"company-taxes-{'above' if found.gap > 0 else 'below'}",
        period=period,
        gap=say_amount(abs(found.gap), accounts.currency),
        charged=Notice.of("tax-current" if found.is_current else "tax-charged", "info"),
        refund=say_amount(-found.paid, accounts.currency) if found.paid < 0 else None,
        cash=None if years else say_amount(left, accounts.currency),
        rest=None if years else rest,
        growth=None if years else growth,
        years=years or None,
    )


class Taxes(NamedTuple):
    """A period's free cash flow, the tax that was paid, and by how much that exceeds the tax charged."""

    cash: float
    paid: float
    gap: float
    is_current: bool


def _read_taxes(accounts: Accounts, length: Period, end: str) -> Taxes | None:
    """Return what is known of a period's taxes paid and charged; None without one of them."""
    cash, paid, current, tax = (
        accounts.get(length, name, end)
        for name in ("free_cash_flow", "income_taxes_paid", "current_tax", "income_tax")
    )
    charged = current or tax
    if not cash or not paid or not charged:
        return None
    return Taxes(cash.value, paid.value, paid.value - charged.value, current is not None)


def _list_alike_gaps(accounts: Accounts, end: str, gap: float) -> list[Notice]:
    """Return by how much taxes paid differed from the tax charged in earlier years, where it was so again and again."""
    years = [year.end for year in accounts.calendar.years if year.end < end][:RECURRING]
    gaps = [taxes.gap for e in years if (taxes := _read_taxes(accounts, "year", e))]
    if len(gaps) < RECURRING or any(each * gap < (RECURRING_SHARE * gap) * gap for each in gaps):
        return []
    return [
        Notice.of(
            "apart",
            "info",
            period=accounts.calendar.name_period(year, as_year=True),
            part=say_amount(abs(each), accounts.currency),
        )
        for year, each in zip(years, gaps, strict=True)
    ]


def note_net_cash(accounts: Accounts) -> Iterator[Notice]:
    """Yield what moved net cash within a year, other than free cash flow and payouts to owners."""
    end = next(iter(accounts.calendar.quarters), "")
    before = accounts.calendar.find_year_before(end) if end else ""
    now, then = (accounts.get("instant", "net_cash", day) for day in (end, before))
    cash, withheld, *paid = (
        accounts.get("ttm", name, end)
        for name in ("free_cash_flow", "share_tax_withholding", "buybacks", "dividends")
    )
    if not (now and then and cash):
        return
    explained = cash.value - sum(amount.value for amount in paid if amount)
    change = now.value - then.value
    if abs(change - explained) < UNUSUAL * abs(cash.value):
        return
    yield Notice.of(
        "company-net-cash",
        end=end,
        change=say_amount(change, accounts.currency),
        explained=say_amount(explained, accounts.currency),
        rest=say_amount(change - explained, accounts.currency),
        withheld=say_amount(withheld.value, accounts.currency) if withheld else None,
    )


def note_spending(accounts: Accounts) -> Iterator[Notice]:
    """Yield how free and operating cash flow grew over the fiscal years, where capital expenditure set them apart."""
    years = [
        end for end in accounts.list_years(SPENDING_YEARS) if accounts.get("year", OPERATING, end)
    ]
    ends = (years[0], years[-1]) if years else ("", "")
    names = ("free_cash_flow", OPERATING, "capital_expenditure")
    found = [[accounts.get("year", name, end) for end in ends] for name in names]
    values = [[each.value for each in pair if each] for pair in found]
    is_divided = any(accounts.find_apart("year", end) for end in ends if end)
    if is_divided or any(len(pair) < len(ends) or min(pair) <= 0 for pair in values):
        return
    count = round(count_days(ends[1], ends[0]) / DAYS_PER_YEAR)
    if not count:
        return
    free, operating, _ = (100 * ((now / then) ** (1 / count) - 1) for now, then in values)
    spent = 100 * (values[2][0] / values[2][1] - 1)
    if abs(spent) < SPENDING_MOVED or abs(free - operating) < SPENDING_POINTS:
        return
    revenue = accounts.get("year", "revenue", ends[1])
    tiny = {
        name: then
        for name, (now, then) in zip(names[:2], values[:2], strict=True)
        if revenue and is_from_tiny_base(now, then, revenue.value)
    }
    for name, base in tiny.items():
        yield Notice.of(
            "company-spending-tiny",
            metric=say_metric(name),
            first=ends[1],
            last=ends[0],
            why=say_tiny_base(base, accounts.currency),
        )
    if not tiny:
        yield Notice.of(
            "company-spending",
            first=ends[1],
            last=ends[0],
            free=round_up(free),
            operating=round_up(operating),
            spent=round_up(spent),
        )


def note_unpaid_spending(accounts: Accounts) -> Iterator[Notice]:
    """Yield what free cash flow would have been, had what was invested in the fiscal year been paid in it."""
    years = accounts.list_years(3)
    unpaid = [accounts.read_tag("year", UNPAID_TAG, end) for end in years]
    cash = [accounts.get("year", "free_cash_flow", end) for end in years[:2]]
    owed, flows = ([each.value for each in found if each] for found in (unpaid, cash))
    if len(owed) != 3 or len(flows) != 2:
        return
    left = [flow - owed[n] + owed[n + 1] for n, flow in enumerate(flows)]
    if abs(owed[0] - owed[1]) < UNPAID_SHARE * abs(flows[0]):
        return
    growths = (
        [100 * (pair[0] / pair[1] - 1) for pair in (flows, left)] if min(*flows, *left) > 0 else []
    )
    amounts = {"owed": owed[0], "before": owed[1], "left": left[0]}
    yield Notice.of(
        "company-unpaid-spending",
        end=years[0],
        **{name: say_amount(each, accounts.currency) for name, each in amounts.items()},
        **({"growth": round_up(growths[0]), "rest": round_up(growths[1])} if growths else {}),
    )
