"""Why a metric is withheld: other filed facts contradict it, forbid it, or are needed and not filed."""

from functools import cache

from contracts.company.filings import BusinessKind
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.filed_amounts import MATERIAL, FiledAmounts
from domain.company.figures.accounts.mixed_bases import explain_mixed
from domain.company.figures.accounts.payouts import explain_charged
from domain.company.figures.accounts.shares import (
    counts_units,
    find_all_classes,
    find_odd_count,
    may_imply_shares,
)
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.accounting_changes import list_moving_allowance
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.periods import is_near, shift_day
from domain.company.figures.filed.series import NOT_FILED, Amount, Missing
from domain.company.figures.numbers import find_step, round_up, say_amount

_ROUNDING = 0.05
"""Rounding error of a year's quarters, each rounded to cents."""
_OF_CONTINUING = (
    "revenue",
    "revenue_before_investment_gains",
    "whole_continuing_income",
    "continuing_eps",
    "premiums",
    "claims",
    "whole_claims",
    "health_claims",
    "health_claims_beside",
    "investment_income",
    "investment_gains",
    "other_investment_gains",
    "interest_credited",
    "operating_income",
    "pretax_income",
    "pretax_before_investment_gains",
    "pretax_before_other_gains",
    "pretax_before_other_income",
    "income_tax",
    "cost_of_revenue",
    "gross_profit",
    "research_and_development",
    "sales_and_marketing",
    "selling_and_administration",
    "general_and_administrative",
    "net_interest_income",
    "noninterest_income",
    "noninterest_expense",
    "credit_provision",
    "interest_expense",
    "depreciation",
)
"""Metrics that leave out businesses held for sale, from the report on which they are so."""
_OF_CASH_DIVIDENDS = ("all_owners_payout_ratio", "ffo_payout_ratio")
"""Ratios of cash dividends, which mean nothing for a period with dividends paid in shares as well."""
PERIMETER = "gap-perimeter"
"""Code of the reason that a sum would be of more businesses in one part than in another."""
_ACROSS_REPORTS: tuple[Period, ...] = ("ttm", "remainder")
"""Periods that are computed from those of several reports."""
_BY_YEARS_FROM_DAY = {n for n in m.METRICS if n.startswith(("debt_due_year_", "debt_due_later"))}
"""Maturities of debt by year, counted from the balance sheet’s day.

Where the rest of the current fiscal year is filed, the next maturity starts with the next year.
"""


def bar(accounts: FiledAmounts, period: Period, name: str, end: str) -> Missing | None:
    """Return the reason why a metric must not be shown because of other filed facts; None if it may be shown."""
    metric = m.METRICS[name]
    for other in metric.unless:
        if (found := accounts.get(period, other, end)) and found.value >= 0:
            return _explain_bar(name, other, found, accounts.currency)
    newest = (accounts.newest_end, *(year.end for year in accounts.calendar.years[:1]))
    for other in metric.unless_lately:
        lately = (accounts.get("instant", other, day) for day in newest)
        if found := next((each for each in lately if each and each.value), None):
            return _explain_bar(name, other, found, accounts.currency)
    for other in metric.unless_in_year:
        if (found := accounts.find_of_year(other, end)) and found.value:
            told = say_amount(abs(found.value), accounts.currency)
            why = Notice.of(f"gap-beside-{other.replace('_', '-')}", "info", amount=told)
            return Missing("not_filed", why)
    if _lacks(accounts, metric, period, end):
        return NOT_FILED
    for other in metric.conflicts:
        if found := accounts.get(period, other, end):
            return _report_contrary(other, found, accounts.currency)
    return None


def _lacks(accounts: FiledAmounts, metric: m.Metric, period: Period, end: str) -> bool:
    """Return whether other metrics that a metric depends on are not filed, or the one that it stands for is known."""
    if metric.instead_of and accounts.get(period, metric.instead_of, end):
        return True
    if any(not accounts.series[other].is_empty for other in metric.unless_filed):
        return True
    if any(accounts.series[other].is_empty for other in metric.only_filed):
        return True
    if not all(accounts.find_of_year(other, end) for other in metric.only_in_year):
        return True
    names = metric.only_beside
    return bool(names) and not any(accounts.get(period, name, end) for name in names)


def find_conflict(
    accounts: FiledAmounts, period: Period, name: str, end: str, filed: Amount | None
) -> Missing | None:
    """Return why a metric's filed amount, or one computed in its place, does not go with other filed facts, or None."""
    metric = m.METRICS[name]
    if name == "shares_outstanding" and not filed and (count := find_odd_count(accounts, end)):
        value = say_amount(count.value, "shares")
        return Missing(
            "conflicting",
            Notice.of("gap-no-shares", tag=name_line(count.tag, accounts.facts), value=value),
        )
    if name == "shares_outstanding" and filed and (every := find_all_classes(accounts, end)):
        told = (say_amount(each.value, "shares") for each in (filed, every))
        named = dict(zip(("count", "diluted"), told, strict=True))
        return Missing("not_filed", Notice.of("gap-shares-of-class", "info", **named))
    if name == "implied_charge_offs" and filed and (adopted := _explain_allowance(accounts, filed)):
        return adopted
    paid = accounts.get(period, "common_dividends", end) if name in _OF_CASH_DIVIDENDS else None
    if paid and (charged := explain_charged(accounts, paid)):
        return charged
    is_mixed = name in _OF_CONTINUING and period in _ACROSS_REPORTS and filed and filed.parts
    if is_mixed and (
        moved := find_moved_for_sale(accounts, end if period == "ttm" else accounts.newest_end)
    ):
        amount = say_amount(moved, accounts.currency)
        return Missing("conflicting", Notice.of(PERIMETER, "info", amount=amount))
    if filed and (mixed := explain_mixed(period, filed, m.find_unit(name, accounts.currency))):
        return mixed
    is_earned = metric.unit == "per_share"
    if (
        metric.undivided
        and not filed
        and (apart := accounts.find_apart(period, end, of_earnings=is_earned))
    ):
        return Missing("does_not_apply", Notice.of("gap-undivided", "info", part=apart))
    check = accounts.get(period, metric.checked_by, end) if metric.checked_by else None
    if filed and check and _contradict(filed.value, check.value):
        return _report_conflict((name, filed), (metric.checked_by, check))
    return None


def is_read(accounts: FiledAmounts, period: Period, name: str, end: str) -> bool:
    """Return whether a number of shares is what its name says, by other facts; true of other metrics."""
    if name == "implied_shares":
        return may_imply_shares(accounts, period, end)
    if name == "shares_added" and accounts.get(period, "partners_income", end):
        return not counts_units(accounts, period, end)
    if name == "deferred_revenue_soon":
        names = ("deferred_revenue", "deferred_revenue_current")
        whole, soon = (accounts.series[n].find_instant(end) for n in names)
        return bool(whole and soon and find_step(whole.value) > find_step(soon.value))
    if name == "long_term_debt_due":
        return not any(accounts.get(period, n, end) for n in ("current_debt", "debt_due_year_1"))
    if name in _BY_YEARS_FROM_DAY:
        return not accounts.get(period, "debt_due_rest", end)
    return True


def find_moved_for_sale(accounts: FiledAmounts, end: str, since: str = "") -> float:
    """Return how much more of the assets is held for sale on a day than before, at the last year's end if not told; 0 if little.

    Quarters then leave out businesses that the year before holds, and so do the lines of the balance sheet.
    """
    before = since or next((y.end for y in accounts.calendar.years if y.end < end), "")
    held, then = (accounts.get("instant", "held_for_sale", day) for day in (end, before))
    assets = accounts.get("instant", "assets", end)
    moved = (held.value if held else 0) - (then.value if then else 0)
    return moved if held and assets and moved > MATERIAL * assets.value else 0.0


def _explain_allowance(accounts: FiledAmounts, implied: Amount) -> Missing | None:
    """Return that a standard that may have moved the allowance took effect within a period of implied charge-offs."""
    before = accounts.calendar.find_year_end_before(implied.end)
    if not before:
        return None
    begin = shift_day(before, 1)
    standards = [
        Notice.of(f"standard-{each.name}", "info")
        for each in list_moving_allowance(accounts.taxonomy, begin)
        if is_near(implied.start, begin)
    ]
    days = {"day": begin, "end": implied.end}
    why = Notice.of("gap-allowance-standard", "info", **days, standards=standards)
    return Missing("conflicting", why) if standards else None


def find_unpaid(
    accounts: FiledAmounts, period: Period, name: str, term: str, end: str
) -> Missing | None:
    """Return that a payment which a formula takes off is not filed, although its owners had income; else None."""
    owners = m.METRICS[name].owed.get(term)
    income = accounts.get(period, owners, end) if owners else None
    if not income or not income.value:
        return None
    told = say_amount(income.value, accounts.currency)
    of = Notice.of(f"period-{period.replace('_', '-')}", "info", end=end)
    why = Notice.of(f"gap-unpaid-{term.replace('_', '-')}", "info", amount=told, period=of)
    return Missing("not_filed", why)


def _explain_bar(name: str, other: str, amount: Amount, currency: str) -> Missing:
    """Return why a metric does not apply to a company that files an alternative to it."""
    if name not in m.LABELS:
        return NOT_FILED
    told = say_amount(amount.value, currency)
    why = Notice.of(f"gap-beside-{other.replace('_', '-')}", "info", amount=told)
    return Missing("does_not_apply", why)


def explain_divisor(name: str) -> Missing:
    """Return the reason that a divisor is zero or negative."""
    if name not in m.LABELS:
        return NOT_FILED
    why = Notice.of("gap-divisor", "info", metric=m.say_metric(name))
    return Missing("does_not_apply", why)


def explain_little_whole(name: str) -> Missing:
    """Return the reason that a percentage is far beyond what says anything: its divisor is next to nothing."""
    if name not in m.LABELS:
        return NOT_FILED
    why = Notice.of("gap-little-whole", "info", metric=m.say_metric(name))
    return Missing("does_not_apply", why)


@cache
def explain_kind(kind: BusinessKind) -> Missing:
    """Return why metrics of other kinds of business say nothing of a company."""
    return Missing("does_not_apply", Notice.of(f"gap-kind-{kind.replace('_', '-')}"))


def explain_term(name: str, missing: Missing) -> Missing:
    """Return why a formula has no value: the metric that is missing, if it has a name."""
    if name not in m.LABELS:
        return missing
    return _explain_unfiled(name) if missing is NOT_FILED else _explain_need(name, missing)


@cache
def _explain_unfiled(name: str) -> Missing:
    """Return the commonest reason, which a company's figures name a thousand times."""
    return _explain_need(name, NOT_FILED)


def _explain_need(name: str, missing: Missing) -> Missing:
    why = Notice.of("gap-needs", "info", metric=m.say_metric(name), why=missing.reason)
    return Missing(missing.state, why)


def _report_contrary(name: str, amount: Amount, currency: str) -> Missing:
    """Return the conflict of a metric with `name`, a filed metric that contradicts it."""
    told = say_amount(amount.value, currency)
    why = Notice.of(f"gap-contrary-{name.replace('_', '-')}", "info", amount=told)
    return Missing("conflicting", why)


def _report_conflict(*amounts: tuple[str, Amount]) -> Missing:
    """Return the conflict of a filed amount with another that it must be close to, each with its metric."""
    (name, filed), (other, check) = amounts
    values = {"value": round_up(filed.value, 2), "beside": round_up(check.value, 2)}
    names = [amount.tag or m.name_tag(metric) for metric, amount in ((name, filed), (other, check))]
    why = Notice.of(
        "gap-contradicts", "info", tag=name_line(names[0]), other=name_line(names[1]), **values
    )
    return Missing("conflicting", why)


def _contradict(value: float, other: float) -> bool:
    """Return whether a value is not between half of another and twice it, by more than rounding."""
    low, high = sorted((other / 2, other * 2))
    return not low - _ROUNDING <= value <= high + _ROUNDING
