"""Growth against an earlier period or day, and the mean of two days; missing where the two are not alike."""

import math

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.accounts.payouts import explain_charged
from domain.company.figures.accounts.shares import DILUTED, SLIGHTLY_DILUTED, find_undiluted
from domain.company.figures.accounts.withheld import find_moved_for_sale
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.periods import QUARTERS_A_YEAR
from domain.company.figures.filed.series import (
    NOT_FILED,
    Amount,
    Missing,
    combine,
    list_lacking,
    list_leaves,
)
from domain.company.figures.numbers import find_step, round_up, say_amount

_WITH_DISCONTINUED = ("net_income", "diluted_eps")
"""Metrics that include discontinued operations, so growth between years with and without them is meaningless."""
_CASH_FLOWS = (
    "operating_cash_flow",
    "free_cash_flow",
    "free_cash_flow_less_stock_compensation",
    "fcf_per_share",
    "cash_flow_by_current_tax",
    "cash_flow_without_interest",
    "capital_expenditure",
    "capitalized_software",
    "intangible_spending",
    "depreciation",
    "stock_compensation",
)
"""Metrics that are of the whole company, discontinued operations included, unless their tag says otherwise."""
_WITHOUT_FOR_SALE = (
    "deposits",
    "loans",
    "credit_allowance",
    "deferred_acquisition_costs",
    "policyholder_accounts",
    "separate_accounts",
    "insurer_long_term_debt",
    "insurer_short_term_debt",
    "insurer_secured_debt",
    "insurer_junior_debt",
    "unpaid_claims",
    "future_policy_benefits",
    "investment_property",
    "regulatory_assets",
    "investments",
    "cash",
    "short_term_investments",
    "long_term_investments",
    "marketable_securities",
    "debt",
    "operating_leases",
    "net_cash",
    "net_debt",
    "deferred_revenue",
    "deferred_revenue_soon",
    "current_debt",
    "short_term_debt",
    "long_term_debt_due",
)
"""Lines of a balance sheet that leave out what belongs to businesses which are for sale."""
_DIVIDENDS = ("dividends", "common_dividends")
_PAIR = ("now", "before")
_OTHER_RATE = 1.4
"""Dividends paid that changed by more than this factor otherwise than rate and shares do are of another rate, or of preferred shares."""
_DOUBLED, _TINY_SHARE = 2.0, 0.002
"""Growth by more than the first factor from a base below the second, as a part of revenue or assets, is not shown."""
_MULTIPLE, _SMALL_SHARE = 10.0, 0.02
"""The same of all amounts, key figures too: growth to a multiple of a base that is small but not tiny."""
_TOTALS = {
    "diluted_eps": ("net_income",),
    "fcf_per_share": ("free_cash_flow",),
    "book_value_per_share": ("common_book", "equity"),
    "tangible_book_per_share": ("tangible_book",),
}
"""Amounts per share, each with the amounts of which the first known one decides whether its growth is meaningful."""
_COST_OF = dict.fromkeys(("credit_allowance", "commitment_allowance"), "credit_provision")
"""Amounts of a day that are small beside assets and still move earnings, each with the cost of a year that it is held against."""
_MEAN_RATIO = 5.0
"""An amount that is more times another has no mean with it."""
_OF_ALL_DAYS = ("tangible_book", "tangible_book_per_share")
"""Metrics that are compared between two days only if both include the same optional terms."""
_EARNED = ("diluted_eps", "continuing_eps")
_ROUNDED_TO = {
    **dict.fromkeys(("deferred_revenue", "remaining_performance_obligation"), 2.0),
    **dict.fromkeys(_EARNED, 10.0),
}
"""Amounts that are rounded, and by how many points, up or down, their growth may be off to be shown nevertheless.

A note’s text may round to billions, and all companies round earnings per share to cents.
"""
_SEASONAL_MEANS = ("assets", "loans")
"""Amounts that are averaged over all quarter ends of a year where they are known: a bank’s change within a year."""
_UNLIKE, _UNLIKE_MEAN = 0.005, 0.02
"""Part of an amount from which a term that only one of two days holds forbids their growth, and their mean."""


def grow(
    accounts: FiledAmounts, period: Period, name: str, end: str, since: str = ""
) -> Amount | Missing:
    """Return the growth against the year before, in percent; of a balance sheet, against the last fiscal year's end.

    `since` names another period's end to compare with. Growth to nothing is -100 %, but missing of an amount per share that may be a loss, rounded. It is missing
    after nothing, before or after a loss, and for shares or amounts per share across a stock split.
    """
    before = since or accounts.find_compared(period, name, end)
    now, then = accounts.get(period, name, end), accounts.get(period, name, before)
    if not now or not then or then.value <= 0 or now.value < 0:
        return NOT_FILED
    unit = m.METRICS[name].unit
    if not now.value and unit == "per_share" and name != "dividends_per_share":
        return NOT_FILED
    if "share" in unit and not accounts.is_comparable(end, before):
        return NOT_FILED
    if divided := explain_divided(accounts, name, (period, end), (period, before)):
        return divided
    if name in _OF_ALL_DAYS and (unlike := _find_unlike(accounts, now, then, _UNLIKE)):
        return unlike
    if name in _ROUNDED_TO and (rounded := _find_rounded(name, now, then)):
        return rounded
    least = SLIGHTLY_DILUTED if name == "diluted_shares" else DILUTED
    if "share" in unit and (unlike := find_undiluted(accounts, now, then, least=least)):
        return unlike
    if name in _DIVIDENDS and (
        mixed := explain_charged(accounts, now, then)
        or _find_other_rate(accounts, period, name, end, before)
    ):
        return mixed
    if period == "instant" and (moved := _explain_for_sale(accounts, name, end, before)):
        return moved
    value = 100 * (now.value / then.value - 1)
    start = now.start if period != "instant" else before
    tiny = _find_tiny(accounts, period, name, now, then)
    return tiny or combine(value, f"against {before}", then, now, start=start, end=end)


def _explain_for_sale(accounts: FiledAmounts, name: str, end: str, before: str) -> Missing | None:
    """Return that a line of a balance sheet lost what belongs to businesses that were put up for sale since a day; else None."""
    moved = find_moved_for_sale(accounts, end, before) if name in _WITHOUT_FOR_SALE else 0.0
    if not moved:
        return None
    told = say_amount(moved, accounts.currency)
    why = Notice.of("gap-put-up-for-sale", "info", amount=told, day=before)
    return Missing("does_not_apply", why)


def explain_divided(
    accounts: FiledAmounts, name: str, *spans: tuple[Period, str]
) -> Missing | None:
    """Return that a metric holds discontinued operations in one of several periods, so that these do not compare."""
    parts = (accounts.find_discontinued(*span) for span in spans if name in _WITH_DISCONTINUED)
    if part := next(filter(None, parts), None):
        told = say_amount(part.value, accounts.currency)
        return Missing("does_not_apply", Notice.of("gap-discontinued", "info", amount=told))
    flows = (accounts.find_apart(*span) for span in spans if name in _CASH_FLOWS)
    if apart := next(filter(None, flows), None):
        return Missing("does_not_apply", Notice.of("gap-undivided", "info", part=apart))
    return None


def explain_remainder(accounts: FiledAmounts, name: str, year: str) -> Missing | None:
    """Return why the newest quarter of a flow does not compare with the quarters that a fiscal year leaves in sum."""
    end = accounts.newest_end
    now, then = accounts.get("quarter", name, end), accounts.get("remainder", name, year)
    if not now or not then:
        return None
    charged = explain_charged(accounts, now, then) if name in _DIVIDENDS else None
    return charged or explain_divided(accounts, name, ("quarter", end), ("remainder", year))


def _find_other_rate(
    accounts: FiledAmounts, period: Period, name: str, end: str, before: str
) -> Missing | None:
    """Return that dividends paid changed unlike those per share and the number of shares: the two are of other rates or shares."""
    named = (name, "dividends_per_share", "diluted_shares")
    pairs = [[accounts.get(period, each, day) for day in (end, before)] for each in named]
    known = [[each.value for each in pair if each] for pair in pairs]
    if any(len(pair) < len(_PAIR) or min(pair) <= 0 for pair in known):
        return None
    paid, rate, shares = (now / then for now, then in known)
    if 1 / _OTHER_RATE <= paid / (rate * shares) <= _OTHER_RATE:
        return None
    why = Notice.of("gap-dividend-rates", "info", rate=round_up(100 * (rate - 1)))
    return Missing("does_not_apply", why)


def _find_tiny(
    accounts: FiledAmounts, period: Period, name: str, now: Amount, then: Amount
) -> Missing | None:
    """Return that a further amount was a tiny part of revenue, of assets or of its own cost, so that growth from it says nothing."""
    if name in _TOTALS:
        for total in _TOTALS[name]:
            pair = [
                found for each in (now, then) if (found := accounts.get(period, total, each.end))
            ]
            if len(pair) == len(_PAIR):
                return _find_tiny(accounts, period, total, *pair)
        return None
    revenue = accounts.get(period, "revenue", then.end) if period != "instant" else None
    cost = accounts.find_of_year(_COST_OF[name], then.end) if name in _COST_OF else None
    whole = cost or revenue or accounts.get("instant", "assets", then.end)
    metric = m.METRICS[name]
    if metric.unit != "money" or not whole:
        return None
    if not metric.key and is_from_tiny_base(now.value, then.value, whole.value):
        return Missing("does_not_apply", say_tiny_base(then.value, accounts.currency))
    if now.value <= _MULTIPLE * then.value or then.value >= _SMALL_SHARE * whole.value:
        return None
    base = say_amount(then.value, accounts.currency)
    return Missing("does_not_apply", Notice.of("gap-small-base", "info", base=base))


def is_from_tiny_base(now: float, base: float, whole: float) -> bool:
    """Return whether growth says nothing: it more than doubled a base that was a tiny part of revenue or assets."""
    return now > _DOUBLED * base and base < _TINY_SHARE * whole


def say_tiny_base(base: float, currency: str) -> Notice:
    """Return the reason for which growth from a tiny base is not shown."""
    return Notice.of("gap-tiny-base", "info", base=say_amount(base, currency))


def average(accounts: FiledAmounts, name: str, end: str) -> Amount | Missing:
    """Return the mean of an amount on a day and on that a year before.

    It is missing unless both are known, and one is not many times the other: their mean is then of no day.
    """
    before = accounts.calendar.find_year_before(end)
    if name in _SEASONAL_MEANS and (steady := _average_quarters(accounts, name, before, end)):
        return steady
    then, now = (accounts.find("instant", name, day) for day in (before, end))
    if isinstance(now, Missing):
        return now
    if isinstance(then, Missing):
        return then
    if _is_apart(then.value, now.value):
        first, last = (say_amount(each.value, accounts.currency) for each in (then, now))
        terms = {"first": first, "last": last}
        why = Notice.of("gap-average-apart", "info", **terms, before=before, end=end)
        return Missing("does_not_apply", why)
    if name in _OF_ALL_DAYS and (unlike := _find_unlike(accounts, now, then, _UNLIKE_MEAN)):
        return unlike
    mean = (then.value + now.value) / 2
    return combine(mean, f"mean of {before} and {end}", then, now, start=before, end=end)


def _average_quarters(accounts: FiledAmounts, name: str, before: str, end: str) -> Amount | None:
    """Return the mean of a day and the four quarters' ends before it; None unless all of them are known."""
    days = [end]
    while before and days[-1] > before:
        days.append(accounts.calendar.find_quarter_before(days[-1]))
    found = [accounts.get("instant", name, day) for day in days if day]
    known = [each for each in found if each]
    if len(known) != 1 + QUARTERS_A_YEAR or days[-1] != before:
        return None
    value = sum(each.value for each in known) / len(known)
    words = f"mean of the ends of five quarters from {before} to {end}"
    return combine(value, words, *reversed(known), start=before, end=end)


def _find_unlike(accounts: FiledAmounts, now: Amount, then: Amount, share: float) -> Missing | None:
    """Return which term only one of two days' amounts holds, if it is more than a share of the other; else None."""
    for one, other in ((now, then), (then, now)):
        for name, whole in list_lacking(one):
            part = accounts.get("instant", name, other.end)
            if part and abs(part.value) > share * abs(whole.value):
                told = say_amount(part.value, accounts.currency)
                item = Notice.of(f"item-{name.replace('_', '-')}", "info")
                days = {"day": other.end, "end": one.end}
                why = Notice.of("gap-unlike", "info", metric=item, amount=told, **days)
                return Missing("does_not_apply", why)
    return None


def _is_apart(one: float, other: float) -> bool:
    """Return whether two amounts are too far apart for a mean: one is many times the other, or they differ in sign."""
    small, large = sorted((abs(one), abs(other)))
    return one * other < 0 or large > _MEAN_RATIO * small


def _find_rounded(name: str, now: Amount, then: Amount) -> Missing | None:
    """Return that two amounts are rounded so far that their growth may be points off; None if they are not."""
    steps = [_find_uncertainty(name, each) for each in (now, then)]
    points = 100 * (steps[0] + steps[1] * now.value / then.value) / 2 / then.value
    if points <= _ROUNDED_TO[name]:
        return None
    why = Notice.of("gap-rounded", "info", points=round_up(points, 0))
    return Missing("does_not_apply", why)


def _find_uncertainty(name: str, amount: Amount) -> float:
    """Return the unit that an amount is rounded to; of a sum of earnings per share, as their independent errors add up."""
    if name in _EARNED:
        return math.hypot(*(leaf.step for leaf in list_leaves(amount)))
    return find_step(amount.value)
