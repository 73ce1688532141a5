"""Numbers of shares: outstanding, diluted, of all classes; what preferred owners are owed; earnings per share of twelve months."""

from dataclasses import replace
from itertools import pairwise

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.filed_amounts import FiledAmounts, is_uneven
from domain.company.figures.accounts.sums import name_term
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.periods import QUARTER, YEAR, shift_day
from domain.company.figures.filed.series import (
    NO_AVERAGE,
    NO_TOTAL,
    Amount,
    Missing,
    combine,
    list_leaves,
)
from domain.company.figures.filed.splits import SPLIT_RATIO
from domain.company.figures.numbers import round_up, say_amount

_COVER_DAYS = 120
"""A report's cover counts shares up to this many days after the period's end."""
_SCALES = (1.0, 1e3, 1e6)
"""Units in which a number of shares may have been filed as if it counted single ones."""
_MOVED_SHARE = 0.02
"""A cover is newer news if its share count differs from the balance sheet's by more than this share."""
_LOW_DIVIDEND, _HIGH_DIVIDEND = 0.03, 0.12
"""Usual range of yearly preferred dividends per amount owed to preferred owners; it reveals the amount’s unit."""
_ESOP_PART = 0.8
"""Part that the smaller rise of unearned ESOP shares and of preferred equity is of the larger one where the plan holds the latter."""
_HALF_CENT = 0.005
"""Rounding error of earnings per share."""
_LEAST_EPS = 0.5
"""Earnings per share, in whole cents, that give the number of shares to one percent."""
_CLASSES = 100.0
"""Diluted shares for one that is counted: from here on the count is in another unit."""
_MOVED_SHARES = 1.05
"""Shares that grow or shrink by more within a year: earnings per share of its parts then do not add up."""
_COUNTS = ("shares_outstanding", "diluted_shares")
_UNDILUTED, DILUTED, SLIGHTLY_DILUTED = 1.0001, 1.02, 1.001
"""Diluted shares for a basic one: up to the first none are added; from the second on they matter per share, from the third for their own number."""


def get_shares(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return the shares outstanding on a day, from the balance sheet or the report's cover.

    The cover counts single shares, weeks later. It is used unless the balance sheet, which book
    values refer to, differs only slightly. Without a cover, the shares behind EPS show whether the
    count is in thousands or millions. Counts of 0 or less are ignored.
    """
    filed = accounts.series["shares_outstanding"].find_instant(end)
    later = (a for a in accounts.cover.list_instants() if a.value > 0 and a.end >= end)
    near = (a for a in later if count_days(end, a.end) <= _COVER_DAYS + 1)
    cover = min(near, key=lambda amount: amount.end, default=None)
    if not filed or filed.value <= 0:
        return cover
    if cover:
        return cover if abs(cover.value / filed.value - 1) > _MOVED_SHARE else filed
    diluted = accounts.find_eps_shares(end)
    scaled = [replace(filed, value=scale * filed.value) for scale in _SCALES]
    return next((each for each in scaled if not is_uneven(each, *diluted)), filed)


def get_preferred(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return what preferred owners are owed: as filed, or by liquidation preference where that is the par value."""
    series = accounts.series.get("preferred_equity")
    filed = series.find_instant(end) if series else None
    shares = accounts.get("instant", "preferred_shares", end)
    if not filed or not shares or not 0 <= filed.value < shares.value:
        return filed
    return _read_preference(accounts, end, shares) or filed


def get_unearned_preferred(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return the unearned ESOP shares that equity leaves out already, if they are preferred shares.

    They are if they rose together with preferred equity, by nearly as much: preferred shares were issued to the plan.
    """
    unearned, preferred = (accounts.series[n] for n in ("unearned_preferred", "preferred_equity"))
    days = sorted(each.end for each in unearned.list_instants())
    for pair in pairwise(days):
        rises = [
            now.value - then.value
            for series in (unearned, preferred)
            if (then := series.find_instant(pair[0])) and (now := series.find_instant(pair[1]))
        ]
        if len(rises) == len(pair) and min(rises) > _ESOP_PART * max(rises) > 0:
            return unearned.find_instant(end)
    return None


def _read_preference(accounts: FiledAmounts, end: str, shares: Amount) -> Amount | None:
    """Return the liquidation preference of all preferred shares; None unless dividends show which reading it is.

    Filers state it in total, in total by thousands or millions, or for one share.
    """
    filed = accounts.series["liquidation_preference"].find_instant(end)
    paid = accounts.find_of_year("preferred_dividends_paid", end)
    if not filed or filed.value <= 0 or not paid:
        return None
    readings = {filed.value * factor for factor in (*_SCALES, shares.value)}
    usual = [r for r in readings if _LOW_DIVIDEND <= paid.value / r <= _HIGH_DIVIDEND]
    return replace(filed, value=usual[0]) if len(usual) == 1 else None


def find_all_classes(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return the diluted shares of a period that a day begins or ends, if far fewer are counted on both of its ends.

    The count is then of one class, or leaves out units that are exchanged for shares. A split or a sale
    of shares within the period would show in one of the two counts.
    """
    quarters = accounts.calendar.quarters
    after = (each for each in quarters if accounts.calendar.find_quarter_before(each) == end)
    for last in (end, *after):
        for average in accounts.find_eps_shares(last):
            days = (shift_day(average.start, -1), average.end)
            counts = [found.value for day in days if (found := get_shares(accounts, day))]
            ratios = [average.value / count for count in counts if count > 0]
            if len(ratios) == len(days) and SPLIT_RATIO < min(ratios) <= max(ratios) < _CLASSES:
                return average
    return None


def find_odd_count(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return a count of no or fewer shares on a day, or on the cover of its report."""
    covers = (
        a for a in accounts.cover.list_instants() if end <= a.end <= shift_day(end, _COVER_DAYS)
    )
    filed = accounts.series["shares_outstanding"].find_instant(end)
    return next((a for a in (filed, *covers) if a and a.value <= 0), None)


def may_imply_shares(accounts: FiledAmounts, period: Period, end: str) -> bool:
    """Return whether income to common shareholders by basic EPS gives the average shares of a period: none are filed.

    Diluted EPS would not do: convertible debt and partnership units change the income that it divides.
    """
    if any(accounts.get(period, name, end) for name in ("diluted_shares", "basic_shares")):
        return False
    income, eps = (accounts.get(period, name, end) for name in ("common_income", "basic_eps"))
    is_filed = income is not None and income.tag == m.COMMON_INCOME_TAG
    return is_filed and eps is not None and eps.value >= _LEAST_EPS


def counts_units(accounts: FiledAmounts, period: Period, end: str) -> bool:
    """Return whether diluted shares count partners' units or convertibles, by what diluted EPS times them exceeds.

    That income, of common shareholders, is then not of all the shares that are counted.
    """
    names = ("diluted_shares", "basic_shares", "diluted_eps", "common_income")
    diluted, basic, eps, income = (accounts.get(period, name, end) for name in names)
    if not (diluted and basic and eps and income) or diluted.value < DILUTED * basic.value:
        return False
    rounding = _HALF_CENT * len([*list_leaves(eps)]) * diluted.value
    return eps.value * diluted.value - income.value > rounding > 0


def find_undiluted(
    accounts: FiledAmounts, *amounts: Amount, least: float = DILUTED
) -> Missing | None:
    """Return why amounts over diluted shares are not comparable; None if they are.

    In a loss, diluted counts are equal to basic ones; others are at least `least` times as large.
    """
    tags = m.METRICS["diluted_shares"].tags[accounts.taxonomy]
    counts = {a for amount in amounts for a in list_leaves(amount) if a.tag in tags}
    basic = {a: accounts.series["basic_shares"].find_since(a.start, a.end) for a in counts}
    ratios = [a.value / b.value for a, b in basic.items() if b and b.value > 0]
    if not ratios or min(ratios) > _UNDILUTED or max(ratios) < least:
        return None
    more = round_up(100 * (max(ratios) - 1))
    return Missing("does_not_apply", Notice.of("gap-undiluted", "info", share=more))


def imply_float(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return the shares that others than insiders held, as the filed value of them divided by a filed price; else nothing."""
    series = accounts.series.get("filed_share_price")
    prices = series.list_instants() if series else []
    price = min(prices, key=lambda each: abs(count_days(end, each.end)), default=None)
    worths = accounts.public_float.list_instants()
    worth = min(worths, key=lambda each: abs(count_days(end, each.end)), default=None)
    if not price or not worth or price.value <= 0:
        return None
    words = f"{worth.tag} on {worth.end} / {price.tag} on {price.end}"
    return combine(worth.value / price.value, words, worth, price, start="", end=end)


def is_counted_by_class(accounts: FiledAmounts, name: str) -> bool:
    """Return whether a number of shares is filed of no period, although earnings per share are."""
    is_filed = name not in _COUNTS or not accounts.series[name].is_empty
    return not is_filed and not accounts.series["basic_eps"].is_empty


def explain_count(accounts: FiledAmounts, name: str) -> Missing:
    """Return why a number of shares is not filed: only a count of a day is, or none of all shares."""
    of_day = "shares_outstanding"
    count = accounts.get("instant", of_day, accounts.newest_end) if name != of_day else None
    if not count:
        return NO_TOTAL
    told = say_amount(count.value, "shares")
    return Missing("not_filed", Notice.of(NO_AVERAGE, "info", count=told, end=count.end))


def divide_year(accounts: FiledAmounts, name: str, end: str, added: Amount) -> Amount | None:
    """Return earnings per share for twelve months.

    `added` is the sum of the reported amounts, which is right as long as the number of shares changes little.
    Otherwise divide income by the average number of diluted shares. Return None if either is not filed, and for
    continuing operations, whose income is not filed apart from discontinued ones.
    """
    before = accounts.calendar.find_year_before(end)
    shares = [*accounts.find_eps_shares(end), *accounts.find_eps_shares(before)]
    low, high = (pick((each.value for each in shares), default=0) for pick in (min, max))
    if high <= _MOVED_SHARES * low:
        return added
    names = ("common_income_filed", "net_income")
    used = next((n for n in names if not accounts.series[n].is_empty), "")
    income = accounts.read_period(accounts.series[used], "ttm", end) if used else None
    average = accounts.read_period(accounts.series["diluted_shares"], "ttm", end)
    if name == "continuing_eps" or not income or not average or average.value <= 0:
        return None
    words = f"{income.tag or name_term(used, income)} / diluted shares"
    parts = (income, average)
    found = combine(income.value / average.value, words, *parts, start=income.start, end=end)
    return replace(found, over="diluted_shares")


def get_undiluted(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return the basic shares of a period in which the diluted count includes partners’ units."""
    is_counted = counts_units(accounts, period, end)
    return accounts.get(period, "basic_shares", end) if is_counted else None


def leave_out_extraordinary(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return diluted EPS of twelve months without an extraordinary item of the fiscal year; None without one.

    Quarters file no EPS before extraordinary items where there is none, so that the year alone tells it.
    """
    year = next((each for each in accounts.list_years(1) if each < end and period == "ttm"), "")
    series = accounts.series.get("eps_before_extraordinary")
    before = series.find_span(year, YEAR) if series and year else None
    whole, twelve = (
        accounts.get("year", "diluted_eps", year),
        accounts.get("ttm", "diluted_eps", end),
    )
    if not series or not before or not whole or not twelve or before.value == whole.value:
        return None
    quarter = accounts.calendar.find_year_before(end)
    if series.find_span(quarter, QUARTER):  # it may lie in the months that are taken off
        return None
    words = f"{twelve.formula or twelve.tag} − ({whole.tag} − {before.tag}) of the year to {year}"
    value = twelve.value - (whole.value - before.value)
    return combine(value, words, twelve, whole, before, start=twelve.start, end=end)
