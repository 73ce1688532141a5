"""A company's amounts by metric and period: as filed, or by the metric's formulas."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from contracts.company.filings import BusinessKind
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.facts import COVER, FOREIGN, GAAP, IFRS, Fact, count_days
from domain.company.figures.filed.invariants import (
    AFTER,
    BEFORE,
    DECLARED_FACTOR,
    find_breach,
)
from domain.company.figures.filed.kinds import applies, find_kind
from domain.company.figures.filed.periods import (
    QUARTER,
    TO_DATE,
    YEAR,
    FiscalCalendar,
    is_near,
    shift_day,
)
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import (
    NO_TOTAL,
    NOT_FILED,
    Amount,
    MetricSeries,
    Missing,
    combine,
    list_lacking,
    list_leaves,
)
from domain.company.figures.filed.splits import SPLIT_RATIO, ShareBasis
from domain.company.figures.numbers import find_step, round_up, say_amount

_COVER_DAYS = 120
"""A report's cover counts shares up to this many days after the period's end."""
_SCALES = (1.0, 1e3, 1e6)
"""Units in which a number of shares may have been filed as if it counted single ones."""
_MOVED_SHARE = 0.02
"""A cover is newer news if its share count differs from the balance sheet's by more than this share."""
DAYS_PER_MONTH = 30.4
_AGREEMENT = 0.02
"""A figure may differ from a filed total by this share of it."""
_READ_AS: dict[str, Period] = {
    "debt_interest": "ttm",
    "debt": "instant",
    "equity": "instant",
    "assets": "instant",
    "preferred_equity": "instant",
}
"""Periods of the metrics that check amounts of another period."""
_SAME_LINE = 0.001
"""Two amounts of a balance sheet that differ by no more, by rounding, are one line under two tags."""
_REPEATED = 0.01
"""An optional term this close to another is the same line under a slightly wider tag."""
_LOW_RATE, _HIGH_RATE = 0.03, 0.09
"""Interest of a year over debt: parts without a total must bear a usual one."""
_LOW_DIVIDEND, _HIGH_DIVIDEND = 0.03, 0.12
"""Preferred dividends of a year over what preferred owners are owed: a usual rate tells the unit of the latter."""
_WITH_DISCONTINUED = ("net_income", "diluted_eps")
"""Metrics that include discontinued operations, so growth between years with and without them is meaningless."""
_MATERIAL = 0.1
"""Part of net income from which on discontinued operations are material."""
_CASH_FLOWS = (
    "operating_cash_flow",
    "free_cash_flow",
    "free_cash_flow_less_stock_compensation",
    "fcf_per_share",
    "cash_flow_by_current_tax",
    "cash_flow_without_interest",
    "capital_expenditure",
    "capitalized_software",
    "depreciation",
    "stock_compensation",
)
"""Metrics that are of the whole company, discontinued operations included, unless their tag says otherwise."""
_OF_FLOWS = (("revenue", "revenue", 0.02), ("income", "operating_cash_flow", 0.05))
"""Discontinued amounts, and the part of which other amount they may be without distorting cash flows."""
_OF_EARNINGS = (("income", "net_income", 0.02),)
"""The same for earnings."""
_CONTINUING = "ContinuingOperations"
"""How the tag of a cash flow without discontinued operations ends."""
SAME_TIME_DAYS = 200
"""A currency is in use if the newest figures in it end at most this many days before those in another."""
_ROUNDING = 0.05
"""Rounding error of a year's quarters, each rounded to cents."""
_HALF_CENT = 0.005
"""Rounding error of earnings per share."""
_LEAST_EPS = 0.5
"""Earnings per share, in whole cents, that give the number of shares to one percent."""
_MEAN_RATIO = 5.0
"""An amount that is more times another has no mean with it."""
_CLASSES = 100.0
"""Diluted shares for one that is counted: from here on the count is in another unit."""
_OF_SHARES = ("diluted_eps", "continuing_eps")
_MOVED_SHARES = 1.05
"""Shares that grow or shrink by more within a year: earnings per share of its parts then do not add up."""
_PAIR = ("now", "a year before")
_OF_CONTINUING = (
    "revenue",
    "whole_continuing_income",
    "premiums",
    "claims",
    "investment_income",
    "investment_gains",
    "interest_credited",
    "operating_income",
    "pretax_income",
    "income_tax",
    "cost_of_revenue",
    "net_interest_income",
    "noninterest_income",
    "noninterest_expense",
    "credit_provision",
    "interest_expense",
    "depreciation",
)
"""Metrics that leave out businesses held for sale, from the report on which they are so."""
_QUARTERS_A_YEAR = 4
_LEAST_YEARS = 2
"""Fiscal years in which a dividend has to be a quarter's, for it to be read so."""
_MOST_LENT = 1.05
"""Loans that grow by more within a period were bought or consolidated, with an allowance that no provision made."""
_RANGE = 1.1
"""A withheld debt has a range if its larger bound is at most this many times the smaller."""
_ACROSS_REPORTS: tuple[Period, ...] = ("ttm", "remainder")
"""Periods that are computed from those of several reports."""
_COUNTS = ("shares_outstanding", "diluted_shares")
_OF_ALL_DAYS = ("tangible_book", "tangible_book_per_share")
"""Metrics of which two days are compared only if both hold the same optional terms."""
_OF_TEXTS = ("deferred_revenue", "remaining_performance_obligation")
"""Amounts that are mostly filed from a note’s text, where they may be rounded to billions."""
_ROUNDED_POINTS = 2.0
"""Growth that rounding makes uncertain by more points, up or down, is not shown."""
_SEASONAL_MEANS = ("assets", "loans")
"""Amounts whose mean of a year takes all ends of its quarters where they are known: a bank’s swell within a year."""
_UNLIKE, _UNLIKE_MEAN = 0.005, 0.02
"""Part of an amount from which a term that only one of two days holds forbids their growth, and their mean."""
_UNDILUTED, _DILUTED = 1.0001, 1.02
"""Diluted shares for a basic one: up to the first none are added, from the second on they matter."""
_BY_YEARS_FROM_DAY = {n for n in m.METRICS if n.startswith(("debt_due_year_", "debt_due_later"))}
"""Debt by the year in which it falls due, of which the first begins with the day: where its year’s rest is filed, the next begins it."""
_HIGH_TAX = 50.0
"""A tax rate in percent above which it is an odd year’s, and says nothing on what interest bears."""
_SIGNS = {"": "", "+": " + ", "-": " − ", "/": " / "}


class Accounts:
    """The amounts of a company; a period is named by its last day, an ISO date."""

    def __init__(self, facts: FiledFacts, sic: int = 0) -> None:
        """Read the facts; the SIC code, or else the facts, decide which metrics do not apply to the company."""
        self.facts = facts
        self._kind: BusinessKind | None = None
        self._found: dict[tuple[Period, str, str], Amount | Missing] = {}
        anchors = _group_anchors(facts)
        newest = {key: max(fact.end for fact in found) for key, found in anchors.items() if found}
        self.taxonomy, _ = max(newest, key=lambda key: newest[key], default=(GAAP, ""))
        own = {
            unit: found for (of, unit), found in anchors.items() if of == self.taxonomy and found
        }
        self.currency, self.given_up = _choose_currency(own)
        used = anchors.get((self.taxonomy, self.currency), [])
        self.calendar = FiscalCalendar(used)
        self.basis = ShareBasis(facts, self.taxonomy, self.currency)
        newest_form = max(used, key=lambda fact: fact.filed).form if used else ""
        self.is_foreign = newest_form.startswith(FOREIGN)
        self.newest_end = next(iter(self.calendar.quarters or self.list_years(1)), "")
        self._by_tag: dict[str, MetricSeries] = {}
        self._series: dict[str, MetricSeries] = {}
        self._parts: dict[str, list[MetricSeries]] = {}
        for name, metric in m.METRICS.items():
            tags = metric.tags.get(self.taxonomy, [])
            groups = [each.split("|") for each in tags] if metric.added else [tags]
            of = [self._read(name, group) for group in groups]
            if metric.added:
                self._parts[name] = of
            elif tags:
                self._series[name] = of[0]
        of_cover = (facts, COVER, [m.COVER_SHARES_TAG], "shares")
        self._cover = MetricSeries(*of_cover, self.basis.convert_count)
        self._float = MetricSeries(facts, COVER, [m.PUBLIC_FLOAT_TAG], self.currency)
        self.kind = self._kind = find_kind(sic, self._read_newest_year)
        self._found.clear()

    def _read(self, name: str, tags: list[str]) -> MetricSeries:
        unit, metric = m.find_unit(name, self.currency), m.METRICS[name]
        converters: dict[str, Callable[[Fact], Fact]] = {
            "shares": self.basis.convert_count,
            "per_share": self.basis.convert_per_share,
        }
        is_minus = metric.refundable and self._is_all_minus(tags, unit)
        convert = _drop_minus if metric.paid or is_minus else converters.get(metric.unit)
        return MetricSeries(self.facts, self.taxonomy, tags, unit, convert)

    def _is_all_minus(self, tags: Iterable[str], unit: str) -> bool:
        """Return whether several periods are filed under tags, and all with a minus."""
        filed = [f for tag in tags for f in self.facts.list_facts(self.taxonomy, tag, unit)]
        return len({(f.start, f.end) for f in filed}) > 1 and all(f.value < 0 for f in filed)

    def list_years(self, count: int) -> list[str]:
        """Return the last days of the newest fiscal years, newest first."""
        return [year.end for year in self.calendar.years[:count]]

    def read_tag(self, period: Period, tag: str, end: str) -> Amount | None:
        """Return what is filed under a tag of a period or day, whether or not a metric reads it."""
        if tag not in self._by_tag:
            self._by_tag[tag] = MetricSeries(self.facts, self.taxonomy, [tag], self.currency)
        return self._read_period(self._by_tag[tag], period, end) if end else None

    def get(self, period: Period, name: str, end: str) -> Amount | None:
        """Return a metric, or its growth, of a period or day: as filed, else by its formulas."""
        found = self.find(period, name, end)
        return None if isinstance(found, Missing) else found

    def find(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return a metric, or its growth, for a period or day, or the reason why it is missing."""
        key = (period, name, end)
        if key not in self._found:
            found = self._found[key] = self._find(*key)
            known = {*self._found}
            if isinstance(found, Amount):
                read = partial(self._read_bound, period, end)
                if breach := find_breach(name, found, read, self.currency):
                    for other in {*self._found} - known:  # computed from the withheld amount
                        del self._found[other]
                    self._found[key] = Missing("conflicting", breach)
        return self._found[key]

    def _read_bound(self, period: Period, end: str, name: str) -> Amount | None:
        """Return the amount that another metric is checked against, in the same period unless the name says otherwise."""
        for year, find in (
            (BEFORE, self.calendar.find_year_before),
            (AFTER, self.calendar.find_year_after),
        ):
            if name.endswith(year):
                own = name.removesuffix(year)
                found = self._find(_READ_AS.get(own, period), own, find(end))  # not checked itself
                return found if isinstance(found, Amount) else None
        if name == "diluted_shares" and period == "instant":
            return next(iter(self._find_shares(end)), None)
        return self.get(_READ_AS.get(name, period), name, end)

    def _find(self, period: Period, name: str, end: str) -> Amount | Missing:
        if not end:
            return NOT_FILED
        if name.endswith(m.GROWTH):
            return self._grow(period, name.removesuffix(m.GROWTH), end)
        if self._kind and not applies(name, self._kind):
            kind = self._kind.replace("_", "-")
            return Missing("does_not_apply", Notice.of(f"gap-kind-{kind}"))
        if barred := self._bar(period, name, end):
            return barred
        if not self._is_read(period, name, end):
            return NOT_FILED
        metric = m.METRICS[name]
        if metric.average_of:
            return self._average(metric.average_of, end)
        filed = self._get_filed(period, name, end)
        if conflict := self._find_conflict(period, name, end, filed):
            return conflict
        if metric.totals:
            return self._reconcile(period, name, end, filed)
        found = filed or self._stand_in(period, name, end)
        if found == NOT_FILED and self._is_counted_by_class(name):
            found = NO_TOTAL
        return found if isinstance(found, Amount) else self._find_nil(period, name, end) or found

    def _stand_in(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return what formulas give for a metric that is not filed; those of another kind of business count for nothing."""
        found = self._try_formulas(period, name, end)
        is_of_others = isinstance(found, Missing) and found.state == "does_not_apply"
        return NOT_FILED if is_of_others and m.METRICS[name].tags else found

    def _average(self, name: str, end: str) -> Amount | Missing:
        """Return the mean of an amount on a day and on that a year before.

        It is missing unless both are known, and one is not many times the other: their mean is then of no day.
        """
        before = self.calendar.find_year_before(end)
        if name in _SEASONAL_MEANS and (steady := self._average_quarters(name, before, end)):
            return steady
        then, now = (self.find("instant", name, day) for day in (before, end))
        if isinstance(now, Missing):
            return now
        if isinstance(then, Missing):
            return then
        if _is_apart(then.value, now.value):
            first, last = (say_amount(each.value, self.currency) for each in (then, now))
            terms = {"first": first, "last": last}
            why = Notice.of("gap-average-apart", "info", **terms, before=before, end=end)
            return Missing("does_not_apply", why)
        if name in _OF_ALL_DAYS and (unlike := self._find_unlike(now, then, _UNLIKE_MEAN)):
            return unlike
        mean = (then.value + now.value) / 2
        return combine(mean, f"mean of {before} and {end}", then, now, start=before, end=end)

    def _average_quarters(self, name: str, before: str, end: str) -> Amount | None:
        """Return the mean of a day and the four quarters' ends before it; None unless all of them are known."""
        days = [end]
        while before and days[-1] > before:
            days.append(self.calendar.find_quarter_before(days[-1]))
        found = [self.get("instant", name, day) for day in days if day]
        known = [each for each in found if each]
        if len(known) != 1 + _QUARTERS_A_YEAR or days[-1] != before:
            return None
        value = sum(each.value for each in known) / len(known)
        words = f"mean of the ends of five quarters from {before} to {end}"
        return combine(value, words, *reversed(known), start=before, end=end)

    def _find_conflict(
        self, period: Period, name: str, end: str, filed: Amount | None
    ) -> Missing | None:
        """Return why a metric's filed amount, or one computed in its place, does not go with other filed facts, or None."""
        metric = m.METRICS[name]
        if name == "shares_outstanding" and not filed and (count := self._find_odd_count(end)):
            value = say_amount(count.value, "shares")
            return Missing("conflicting", Notice.of("gap-no-shares", tag=count.tag, value=value))
        if name == "shares_outstanding" and filed and (every := self._find_all_classes(end)):
            told = (say_amount(each.value, "shares") for each in (filed, every))
            named = dict(zip(("count", "diluted"), told, strict=True))
            return Missing("not_filed", Notice.of("gap-shares-of-class", "info", **named))
        is_mixed = name in _OF_CONTINUING and period in _ACROSS_REPORTS and filed and filed.parts
        if is_mixed and (moved := self._find_moved(end if period == "ttm" else self.newest_end)):
            amount = say_amount(moved, self.currency)
            return Missing("conflicting", Notice.of("gap-perimeter", "info", amount=amount))
        is_earned = metric.unit == "per_share"
        if (
            metric.undivided
            and not filed
            and (apart := self.find_apart(period, end, of_earnings=is_earned))
        ):
            return Missing("does_not_apply", Notice.of("gap-undivided", "info", part=apart))
        check = self.get(period, metric.checked_by, end) if metric.checked_by else None
        if filed and check and _contradict(filed.value, check.value):
            return _report_conflict((name, filed), (metric.checked_by, check))
        return None

    def _is_counted_by_class(self, name: str) -> bool:
        """Return whether a number of shares is filed of no period, although earnings per share are."""
        is_filed = name not in _COUNTS or not self._series[name].is_empty
        return not is_filed and not self._series["basic_eps"].is_empty

    def _is_read(self, period: Period, name: str, end: str) -> bool:
        """Return whether a number of shares is what its name says, by other facts; true of other metrics."""
        if name == "implied_shares":
            return self._may_imply_shares(period, end)
        if name == "shares_added" and self.get(period, "partners_income", end):
            return not self._counts_units(period, end)
        if name == "deferred_revenue_soon":
            names = ("deferred_revenue", "deferred_revenue_current")
            whole, soon = (self._series[n].find_instant(end) for n in names)
            return bool(whole and soon and find_step(whole.value) > find_step(soon.value))
        if name == "long_term_debt_due":
            return not any(self.get(period, n, end) for n in ("current_debt", "debt_due_year_1"))
        if name in _BY_YEARS_FROM_DAY:
            return not self.get(period, "debt_due_rest", end)
        return True

    def _may_imply_shares(self, period: Period, end: str) -> bool:
        """Return whether income to common shareholders by basic EPS gives the average shares of a period: none are filed.

        Diluted EPS would not do: convertible debt and partnership units change the income that it divides.
        """
        if any(self.get(period, name, end) for name in ("diluted_shares", "basic_shares")):
            return False
        income, eps = (self.get(period, name, end) for name in ("common_income", "basic_eps"))
        is_filed = income is not None and income.tag == m.COMMON_INCOME_TAG
        return is_filed and eps is not None and eps.value >= _LEAST_EPS

    def _bar(self, period: Period, name: str, end: str) -> Missing | None:
        """Return why other filed facts forbid showing a metric, or None."""
        metric = m.METRICS[name]
        for other in metric.unless:
            if (found := self.get(period, other, end)) and found.value >= 0:
                return _explain_bar(name, other, found, self.currency)
        newest = (self.newest_end, *(year.end for year in self.calendar.years[:1]))
        for other in metric.unless_lately:
            lately = (self.get("instant", other, day) for day in newest)
            if found := next((each for each in lately if each and each.value), None):
                return _explain_bar(name, other, found, self.currency)
        for other in metric.unless_in_year:
            if (found := self._find_of_year(other, end)) and found.value:
                told = say_amount(abs(found.value), self.currency)
                why = Notice.of(f"gap-beside-{other.replace('_', '-')}", "info", amount=told)
                return Missing("not_filed", why)
        if self._lacks(metric, period, end):
            return NOT_FILED
        for other in metric.conflicts:
            if found := self.get(period, other, end):
                return _report_contrary(other, found, self.currency)
        return None

    def _lacks(self, metric: m.Metric, period: Period, end: str) -> bool:
        """Return whether other metrics that a metric depends on are not filed, or the one that it stands for is known."""
        if metric.instead_of and self.get(period, metric.instead_of, end):
            return True
        if any(not self._series[other].is_empty for other in metric.unless_filed):
            return True
        if any(self._series[other].is_empty for other in metric.only_filed):
            return True
        if not all(self._find_of_year(other, end) for other in metric.only_in_year):
            return True
        names = metric.only_beside
        return bool(names) and not any(self.get(period, name, end) for name in names)

    def _find_of_year(self, name: str, end: str) -> Amount | None:
        """Return a metric of the twelve months to a day, or of the fiscal year that ended last before it."""
        year = next((each.end for each in self.calendar.years if each.end <= end), "")
        return self.get("ttm", name, end) or self.get("year", name, year)

    def _reconcile(
        self, period: Period, name: str, end: str, filed: Amount | None
    ) -> Amount | Missing:
        """Return the first reading of a metric that agrees with a filed total.

        Without a total it is the first reading, unless the metric `reconciled` needs one. A total that is more than
        the parts come to is the value: parts are missing under the tags that are read.
        """
        metric = m.METRICS[name]
        computed = [self._compute(period, name, formula, end) for formula in metric.formulas]
        readings = [each for each in (filed, *computed) if isinstance(each, Amount)]
        totals = [total for n in metric.totals if (total := self.get(period, n, end))]
        if not readings:
            return next(
                (e for e in computed if isinstance(e, Missing) and e.state == "conflicting"),
                NOT_FILED,
            )
        readings = [each for each in readings if each not in totals] or readings
        for reading in readings:
            if any(_agree(reading.value, total.value) for total in totals):
                return reading
        if not totals:
            is_borne = _LOW_RATE <= self._find_interest_rate(end, readings[0]) <= _HIGH_RATE
            return readings[0] if is_borne or not metric.reconciled else NOT_FILED
        total = max(totals, key=lambda each: each.value)
        if total.value > readings[0].value and not metric.reconciled:
            return total
        amounts = [say_amount(each.value, self.currency) for each in (readings[0], total)]
        why = Notice.of("gap-unresolved", "info", parts=amounts[0], total=amounts[1])
        return Missing("conflicting", why)

    def find_debt_range(self, end: str) -> tuple[float, float] | None:
        """Return the sum of the debts that are read and a larger total of other lines, if they are close and no debt is known."""
        found = self.find("instant", "debt", end) if end else NOT_FILED
        if not isinstance(found, Missing) or found.state != "conflicting":
            return None
        parts = _add_tags(
            [a for series in self._parts["undivided_debt"] if (a := series.find_instant(end))]
        )
        total = self.get("instant", "liabilities_left", end)
        if not parts or not total or not parts.value < total.value < _RANGE * parts.value:
            return None
        return parts.value, total.value

    def _find_nil(self, period: Period, name: str, end: str) -> Missing | None:
        """Return that there is none of a metric, if the statement's own sum leaves no room for it."""
        for formula in m.METRICS[name].nil:
            rest = self._compute(period, name, formula, end)
            if isinstance(rest, Amount) and len(rest.parts) > 1:
                whole = rest.parts[0].value
                if whole and abs(rest.value) <= _SAME_LINE * abs(whole):
                    told = say_amount(abs(whole), self.currency)
                    why = Notice.of(f"gap-no-{name.replace('_', '-')}", "info", amount=told)
                    return Missing("does_not_apply", why)
        return None

    def _try_formulas(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return the first formula whose terms are all known; a conflicting term ends the search."""
        missing = NOT_FILED
        for formula in m.METRICS[name].formulas:
            found = self._compute(period, name, formula, end)
            if isinstance(found, Amount) or found.state == "conflicting":
                return found
            is_reason = missing is NOT_FILED or (
                missing.state == "not_filed" and found.state == "does_not_apply"
            )
            missing = found if is_reason else missing
        return missing

    def _read_newest_year(self, name: str) -> float | None:
        """Return a metric of the newest fiscal year, or of the newest quarter where no year is filed."""
        years = self.calendar.years
        period: Period = "year" if years else "quarter"
        end = years[0].end if years else self.newest_end
        amount = self.get("instant" if m.is_instant(name) else period, name, end)
        return amount.value if amount else None

    def _compute(self, period: Period, name: str, formula: str, end: str) -> Amount | Missing:
        """Evaluate a formula, or return which term is missing; a divisor of 0 or less has no quotient."""
        known, lacks = list[tuple[str, str, Amount]](), list[str]()
        for sign, term, option in m.TERM.findall(formula):
            found = self.find("instant" if m.is_instant(term) else period, term, end)
            if isinstance(found, Amount):
                is_new = not option or not _repeats(found, sign, known)
                known += [(sign, term, found)] if is_new else []
            elif not option or found.state == "conflicting":
                return _explain_term(term, found)
            elif unpaid := self._find_unpaid(period, name, term, end):
                return unpaid
            else:
                lacks.append(term)
        first, *others = parts = [amount for *_, amount in known]
        if not others and known[0][0] != "-":
            return first
        value = sum(-amount.value if sign == "-" else amount.value for sign, _, amount in known)
        if "/" in formula:
            if others[0].value <= 0:
                return _explain_divisor(known[1][1])
            scale = m.FACTORS.get(m.METRICS[name].unit, 1)
            value = scale * first.value / others[0].value
        if m.METRICS[name].positive and value <= 0:
            return NOT_FILED
        if 0 < m.METRICS[name].most < value:
            return NOT_FILED
        words = "".join(_SIGNS[sign] + _name_term(term, amount) for sign, term, amount in known)
        found = combine(value, words, *parts, start=first.start, end=end)
        return replace(found, lacks=tuple(lacks))

    def _find_unpaid(self, period: Period, name: str, term: str, end: str) -> Missing | None:
        """Return that a payment which a formula takes off is not filed, although its owners had income; else None."""
        owners = m.METRICS[name].owed.get(term)
        income = self.get(period, owners, end) if owners else None
        if not income or not income.value:
            return None
        told = say_amount(income.value, self.currency)
        why = Notice.of(f"gap-unpaid-{term.replace('_', '-')}", "info", amount=told)
        return Missing("not_filed", why)

    def _find_unlike(self, now: Amount, then: Amount, share: float) -> Missing | None:
        """Return which term only one of two days' amounts holds, if it is more than a share of the other; else None."""
        for one, other in ((now, then), (then, now)):
            for name, whole in list_lacking(one):
                part = self.get("instant", name, other.end)
                if part and abs(part.value) > share * abs(whole.value):
                    told = say_amount(part.value, self.currency)
                    item = Notice.of(f"item-{name.replace('_', '-')}", "info")
                    days = {"day": other.end, "end": one.end}
                    why = Notice.of("gap-unlike", "info", metric=item, amount=told, **days)
                    return Missing("does_not_apply", why)
        return None

    def _find_undiluted(self, *amounts: Amount) -> Missing | None:
        """Return that some of the diluted shares behind amounts are the basic ones, as in a loss, and others far more."""
        tags = m.METRICS["diluted_shares"].tags[self.taxonomy]
        counts = {a for amount in amounts for a in list_leaves(amount) if a.tag in tags}
        basic = {a: self._series["basic_shares"].find_since(a.start, a.end) for a in counts}
        ratios = [a.value / b.value for a, b in basic.items() if b and b.value > 0]
        if not ratios or min(ratios) > _UNDILUTED or max(ratios) < _DILUTED:
            return None
        more = round_up(100 * (max(ratios) - 1))
        return Missing("does_not_apply", Notice.of("gap-undiluted", "info", share=more))

    def _counts_units(self, period: Period, end: str) -> bool:
        """Return whether diluted shares count partners' units or convertibles, by what diluted EPS times them exceeds.

        That income, of common shareholders, is then not of all the shares that are counted.
        """
        names = ("diluted_shares", "basic_shares", "diluted_eps", "common_income")
        diluted, basic, eps, income = (self.get(period, name, end) for name in names)
        if not (diluted and basic and eps and income) or diluted.value < _DILUTED * basic.value:
            return False
        rounding = _HALF_CENT * len([*list_leaves(eps)]) * diluted.value
        return eps.value * diluted.value - income.value > rounding > 0

    def _grow(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return the growth against the year before, in percent; of a balance sheet, against the last fiscal year's end.

        Growth is missing before or after a loss, and for shares or amounts per share across a stock
        split.
        """
        before = self.find_compared(period, name, end)
        now, then = self.get(period, name, end), self.get(period, name, before)
        if not now or not then or then.value <= 0 or now.value < 0:
            return NOT_FILED
        if "share" in m.METRICS[name].unit and not self.is_comparable(end, before):
            return NOT_FILED
        if name in _WITH_DISCONTINUED and (
            part := self.find_discontinued(period, end) or self.find_discontinued(period, before)
        ):
            told = say_amount(part.value, self.currency)
            return Missing("does_not_apply", Notice.of("gap-discontinued", "info", amount=told))
        if name in _CASH_FLOWS and (
            apart := self.find_apart(period, end) or self.find_apart(period, before)
        ):
            return Missing("does_not_apply", Notice.of("gap-undivided", "info", part=apart))
        if name in _OF_ALL_DAYS and (unlike := self._find_unlike(now, then, _UNLIKE)):
            return unlike
        if name in _OF_TEXTS and (rounded := _find_rounded(now, then)):
            return rounded
        if "share" in m.METRICS[name].unit and (unlike := self._find_undiluted(now, then)):
            return unlike
        value = 100 * (now.value / then.value - 1)
        start = now.start if period != "instant" else before
        return combine(value, f"against {before}", then, now, start=start, end=end)

    def find_compared(self, period: Period, name: str, end: str) -> str:
        """Return the day that a metric's growth is counted from: a year before, or the last fiscal year's end.

        The latter is of balance sheets, whose newest report has it, but for amounts that move with the seasons, as all
        of a bank do.
        """
        before = self.calendar.find_year_before(end)
        if period != "instant":
            return before
        is_seasonal = self.kind == "bank" or "instant" in m.METRICS[name].growth.newest
        if is_seasonal and self.get(period, name, before):
            return before
        return self.calendar.find_year_end_before(end) or before

    def _roll_computed(self, name: str, end: str) -> Amount | None:
        """Return twelve months of a computed metric from its own year and quarters, or None.

        A term that is filed for the year alone would else be left out of the twelve months.
        """
        year = next((each.end for each in self.calendar.years if each.end < end), "")
        last, now, then = self.get("year", name, year), list[Amount](), list[Amount]()
        while end > year and last:
            before = self.calendar.find_year_before(end)
            pair = (self.get("quarter", name, day) for day in (end, before))
            found = [amount for amount in pair if amount]
            if len(found) < len(_PAIR):
                return None
            now, then = [*now, found[0]], [*then, found[1]]
            end = self.calendar.find_quarter_before(end)
        if not (last and now) or end != year:
            return None
        value = last.value + sum(a.value for a in now) - sum(a.value for a in then)
        words = " + ".join(map(_name_span, (last, *reversed(now))))
        words += "".join(f" − {_name_span(each)}" for each in reversed(then))
        start = shift_day(then[0].end, 1)
        return combine(value, words, last, *now, *then, start=start, end=now[0].end)

    def _find_moved(self, end: str) -> float:
        """Return how much more of the assets is held for sale on a day than at the last year's end, or 0 if little.

        The quarters then leave out businesses that the year before holds.
        """
        year = next((each.end for each in self.calendar.years if each.end < end), "")
        held, before = (self.get("instant", "held_for_sale", day) for day in (end, year))
        assets = self.get("instant", "assets", end)
        moved = (held.value if held else 0) - (before.value if before else 0)
        return moved if held and assets and moved > _MATERIAL * assets.value else 0.0

    def get_to_date(self, name: str, end: str) -> Amount | None:
        """Return a metric as it is filed for the months of a fiscal year up to a day."""
        return self._series[name].find_span(end, TO_DATE) if name in self._series else None

    def find_discontinued(self, period: Period, end: str) -> Amount | None:
        """Return the income of discontinued operations if it is a material part of net income."""
        part, whole = (self.get(period, n, end) for n in ("discontinued_income", "net_income"))
        is_part = part and whole and abs(part.value) > _MATERIAL * abs(whole.value)
        return part if is_part else None

    def find_apart(self, period: Period, end: str, *, of_earnings: bool = False) -> Notice | None:
        """Return the revenue, else the income, of discontinued operations that figures of the whole company hold.

        It is None where it is a small part of revenue or of the operating cash flow (`of_earnings`: of net
        income), or where the cash flow is filed without them.
        """
        cash = self.get(period, "operating_cash_flow", end)
        is_continuing = cash and all(leaf.tag.endswith(_CONTINUING) for leaf in list_leaves(cash))
        if is_continuing and not of_earnings:
            return None
        for name, of, share in _OF_EARNINGS if of_earnings else _OF_FLOWS:
            part, whole = (self.get(period, n, end) for n in (f"discontinued_{name}", of))
            if part and whole and abs(part.value) > share * abs(whole.value):
                told = say_amount(part.value, self.currency)
                return Notice.of(f"apart-{name}", "info", amount=told)
        return None

    def _find_interest_rate(self, end: str, debt: Amount) -> float:
        """Return the interest of twelve months, or of a quarter times four, over a debt; -1 if it is not known."""
        year, quarter = (self.get(period, "debt_interest", end) for period in ("ttm", "quarter"))
        paid = year.value if year else 4 * quarter.value if quarter else -1
        return paid / debt.value if debt.value > 0 else -1

    def _get_filed(self, period: Period, name: str, end: str) -> Amount | None:
        of_day: dict[str, Callable[[str], Amount | None]] = {
            "shares_outstanding": self._get_shares,
            "preferred_equity": self._get_preferred,
            "debt_current": self._get_debt_current,
            "current_debt": self._add_current_debt,
            "short_term_debt": self._find_short_term_debt,
            "float_shares": self._imply_float,
        }
        if name in of_day:
            return of_day[name](end)
        if name == "cash_flow_without_interest":
            return self._take_off_interest(period, end)
        if name == "implied_charge_offs":
            return self._imply_charge_offs(period, end)
        if name == "undiluted_shares":
            return (
                self.get(period, "basic_shares", end) if self._counts_units(period, end) else None
            )
        if name == "dividends_per_share" and period in ("year", "ttm"):
            series = self._series.get(name) if period == "ttm" else None
            return self._read_dividend(end) or (self._get_ttm(series, end) if series else None)
        if period == "remainder" and _is_sum(name):
            return self._take_off_quarters(name, end)
        if period == "ttm" and m.METRICS[name].rolled:
            return self._roll_computed(name, end)
        read = partial(self._read_period, period=period)
        if name not in self._parts:
            found = read(self._series[name], end=end) if name in self._series else None
            is_added = found and found.parts and period == "ttm" and name in _OF_SHARES
            return self._divide_year(name, end, found) if found and is_added else found
        amounts = [read(series, end=end) for series in self._parts[name]]
        above = m.METRICS[name].above
        whole = self.get(period, above, end) if above else None
        return _add_tags([a for a in amounts if a and (not whole or a.value > whole.value)])

    def _take_off_interest(self, period: Period, end: str) -> Amount | None:
        """Return free cash flow less interest income after tax: the cash that earns it is no part of enterprise value."""
        cash, interest, rate = (
            self.get(period, name, end)
            for name in ("free_cash_flow", "interest_income", "effective_tax_rate")
        )
        if not (cash and interest and rate) or interest.value <= 0 or rate.value > _HIGH_TAX:
            return None
        words = f"free cash flow − interest income × (1 − {round_up(rate.value)}%)"
        value = cash.value - interest.value * (1 - rate.value / 100)
        return combine(value, words, cash, interest, rate, start=cash.start, end=end)

    def _get_debt_current(self, end: str) -> Amount | None:
        """Return all debt due within a year under the tag of that sum, or the same less rounded under another tag."""
        series = self._series.get("debt_current")
        filed = series.find_instant(end) if series else None
        short, part = (
            self.get("instant", n, end) for n in ("short_term_borrowings", "long_term_debt_current")
        )
        both = _add_tags([part, short]) if part and short else None
        finer = (each for each in (short, both) if filed and each and _is_finer(each, filed))
        return next(finer, filed)

    def _add_current_debt(self, end: str) -> Amount | None:
        """Return all debt due within a year, as filed or from its long and short-term parts; None if one is not filed."""
        if whole := self.get("instant", "debt_current", end):
            return whole
        short, part = (
            self.get("instant", n, end) for n in ("short_term_borrowings", "long_term_debt_current")
        )
        if short and part:
            return part if _repeats(short, "+", [("", "", part)]) else _add_tags([part, short])
        return short if short and self._holds_current_part(end) else None

    def _holds_current_part(self, end: str) -> bool:
        """Return whether short-term borrowings hold the current part of long-term debt, as on the last day that shows it.

        That is a day on which they are all the debt due within a year, though a current part is filed as well.
        """
        series = self._series.get("debt_current")
        days = sorted((each.end for each in series.list_instants()) if series else (), reverse=True)
        for day in (each for each in days if each <= end):
            whole, short, part = (
                self.get("instant", n, day)
                for n in ("debt_current", "short_term_borrowings", "long_term_debt_current")
            )
            if whole and short and part and part.value > _AGREEMENT * whole.value:
                return _agree(short.value, whole.value)
        return False

    def _find_short_term_debt(self, end: str) -> Amount | None:
        """Return debt due within a year without the current part of long-term debt, or borrowings filed without that part."""
        whole, short, part = (
            self.get("instant", n, end)
            for n in ("current_debt", "short_term_borrowings", "long_term_debt_current")
        )
        if not whole:
            return short
        if not part or _repeats(whole, "+", [("", "", part)]):
            return None
        if short and abs(short.value + part.value - whole.value) <= _SAME_LINE * whole.value:
            return short
        words = f"{whole.tag or whole.formula} − {part.tag or part.formula}"
        return combine(whole.value - part.value, words, whole, part, start="", end=end)

    def _read_period(self, series: MetricSeries, period: Period, end: str) -> Amount | None:
        """Return what is filed of a period or day, or follows from what is filed of others."""
        readers: dict[Period, Callable[[MetricSeries, str], Amount | None]] = {
            "instant": MetricSeries.find_instant,
            "year": partial(MetricSeries.find_span, length=YEAR),
            "quarter": self._get_quarter,
            "ttm": self._get_ttm,
            "to_date": self._find_to_date,
            "remainder": self._find_remainder,
        }
        return readers[period](series, end)

    def _imply_charge_offs(self, period: Period, end: str) -> Amount | None:
        """Return what the allowance lost beside the provision that was added in a period: about its net charge-offs."""
        before = {
            "year": self.calendar.find_year_end_before(end),
            "quarter": self.calendar.find_quarter_before(end),
        }.get(period, "")
        then, now = (self.get("instant", "credit_allowance", day) for day in (before, end))
        added = self.get(period, "credit_provision", end)
        lent, owed = (self.get("instant", "loans", day) for day in (before, end))
        if not (then and now and added and lent and owed) or owed.value > _MOST_LENT * lent.value:
            return None
        words = f"allowance on {before} + provision − allowance on {end}"
        value = then.value + added.value - now.value
        return combine(value, words, then, added, now, start=added.start, end=end)

    def _imply_float(self, end: str) -> Amount | None:
        """Return the shares that others than insiders held, as the filed value of them divided by a filed price; else nothing."""
        series = self._series.get("filed_share_price")
        prices = series.list_instants() if series else []
        price = min(prices, key=lambda each: abs(count_days(end, each.end)), default=None)
        worths = self._float.list_instants()
        worth = min(worths, key=lambda each: abs(count_days(end, each.end)), default=None)
        if not price or not worth or price.value <= 0:
            return None
        words = f"{worth.tag} on {worth.end} / {price.tag} on {price.end}"
        return combine(worth.value / price.value, words, worth, price, start="", end=end)

    def _read_dividend(self, end: str) -> Amount | None:
        """Return the dividend per share of a fiscal year; a filed one of a quarter counts four times.

        It is of a quarter if in each fiscal year, of two at least, only four of it come to the dividends paid, on the
        shares that are filed or implied. One year does not show it: dividends that were cut are paid after the year
        that declared them.
        """
        series = self._series.get("dividends_per_share")
        filed = series.find_span(end, YEAR) if series else None
        if not series or not filed:
            return None
        pairs = [
            (each, year.end)
            for year in self.calendar.years
            if (each := series.find_span(year.end, YEAR))
        ]
        is_quarterly = [self._is_of_quarter(*pair) for pair in pairs]
        if len(pairs) < _LEAST_YEARS or not all(is_quarterly):
            return filed
        words = f"{_QUARTERS_A_YEAR} × {filed.tag}, which is a quarter’s by the dividends paid"
        return combine(_QUARTERS_A_YEAR * filed.value, words, filed, start=filed.start, end=end)

    def _is_of_quarter(self, filed: Amount, end: str) -> bool:
        """Return whether four of a fiscal year's filed dividends per share, and not one, come to those that were paid."""
        paid = self._sum_dividends(end)
        names = ("diluted_shares", "basic_shares", "float_shares")
        shares = next((found for n in names if (found := self.get("year", n, end))), None)
        if not shares or paid <= 0:
            return False
        ratio = filed.value * shares.value / paid
        return _is_declared(_QUARTERS_A_YEAR * ratio) and not _is_declared(ratio)

    def _sum_dividends(self, end: str) -> float:
        """Return the dividends of a fiscal year that were paid in cash and in shares."""
        paid = (self.get("year", name, end) for name in ("dividends", "stock_dividends"))
        return sum(each.value for each in paid if each)

    def _take_off_quarters(self, name: str, end: str) -> Amount | None:
        """Return a computed amount of a fiscal year less that of each quarter known of it."""
        start = self.calendar.find_remainder_start(end)
        year = self.get("year", name, end) if start else None
        days = [d for d in self.calendar.quarters if year and year.start < d < start]
        known = [found for day in days if (found := self.get("quarter", name, day))]
        if not year or len(known) < len(days):
            return None
        words = f"{_name_span(year)}{''.join(f' − {_name_span(each)}' for each in known)}"
        value = year.value - sum(each.value for each in known)
        return combine(value, words, year, *known, start=start, end=end)

    def _divide_year(self, name: str, end: str, added: Amount) -> Amount | None:
        """Return earnings per share of twelve months.

        If the number of shares changed little, return `added`, the sum of the reported amounts. Otherwise return
        income divided by the average number of diluted shares, or None if either is not filed. The result is
        also None for continuing operations, because the filed income may include discontinued ones.
        """
        before = self.calendar.find_year_before(end)
        shares = [*self._find_shares(end), *self._find_shares(before)]
        low, high = (pick((each.value for each in shares), default=0) for pick in (min, max))
        if high <= _MOVED_SHARES * low:
            return added
        names = ("common_income_filed", "net_income")
        used = next((n for n in names if not self._series[n].is_empty), "")
        income = self._get_ttm(self._series[used], end) if used else None
        average = self._get_ttm(self._series["diluted_shares"], end)
        if name == "continuing_eps" or not income or not average or average.value <= 0:
            return None
        words = f"{income.tag or _name_term(used, income)} / diluted shares"
        parts = (income, average)
        return combine(income.value / average.value, words, *parts, start=income.start, end=end)

    def _find_to_date(self, series: MetricSeries, end: str) -> Amount | None:
        """Return the filed amount of the several quarters of a fiscal year to a day."""
        start = self.calendar.find_to_date_start(end)
        return series.find_since(start, end) if start else None

    def _find_remainder(self, series: MetricSeries, end: str) -> Amount | None:
        """Return what the quarters filed in a fiscal year leave of its amount, of several quarters in sum."""
        start = self.calendar.find_remainder_start(end)
        if not start or series.unit != self.currency:
            return None
        whole = series.find_span(end, YEAR)
        known = self._get_to_date(series, shift_day(start, -1))
        if not whole or not known or not is_near(whole.start, known.start):
            return None
        return _add(whole, less=known)

    def lacks_twelve_months(self, end: str) -> bool:
        """Return whether no twelve months can be made of what is filed, although several quarters are."""
        is_known = any(self.get("ttm", name, end) for name in m.ANCHORS)
        return not is_known and bool(self.calendar.find_to_date_start(end))

    def _get_to_date(self, series: MetricSeries, end: str) -> Amount | None:
        """Return the amount of the fiscal year to date; reported quarters are added up."""
        start = self.calendar.find_year_start(end)
        if not start:
            return None
        if reported := series.find_since(start, end):
            return reported
        quarter = series.find_span(end, QUARTER)
        previous = self.calendar.find_quarter_before(end)
        before = self._get_to_date(series, previous) if previous > start else None
        if not quarter or not before or not self._is_additive(series, end):
            return None
        return _add(before, quarter)

    def _get_quarter(self, series: MetricSeries, end: str) -> Amount | None:
        """Return a quarter's amount: as reported, or the year to date less the quarters before or after it."""
        if reported := series.find_span(end, QUARTER):
            return reported
        if left := self._take_off_last(series, end):
            return left
        before = self.calendar.find_quarter_before(end)
        whole = self._get_to_date(series, end)
        rest = self._get_to_date(series, before) if before else None
        if not whole or not rest or not is_near(whole.start, rest.start):
            return None
        if not self._is_additive(series, end):
            return None
        return _add(whole, less=rest)

    def _take_off_last(self, series: MetricSeries, end: str) -> Amount | None:
        """Return the first quarter of a half year, of which the half year and the second quarter are filed, or the like."""
        after = self.calendar.find_quarter_after(end)
        start = self.calendar.find_to_date_start(after) if after else ""
        whole = series.find_since(start, after) if start else None
        last = series.find_span(after, QUARTER) if after else None
        if not whole or not last or not is_near(shift_day(last.start, -1), end):
            return None
        if series.unit == "shares" or not self._may_add(series, after, end):
            return None
        if count_days(whole.start, end) not in QUARTER:
            return None
        formula = f"{_name_span(whole)} − {_name_span(last)}"
        value = whole.value - last.value
        return combine(value, formula, whole, last, start=whole.start, end=end)

    def _get_ttm(self, series: MetricSeries, end: str) -> Amount | None:
        """Return the amount of the twelve months to a quarter's end; of shares, their average."""
        year = series.find_span(end, YEAR)
        return year or self._roll_year(series, end) or self._add_four_quarters(series, end)

    def _roll_year(self, series: MetricSeries, end: str) -> Amount | None:
        """Return the latest twelve months: the last fiscal year plus this year to date minus last year to date.

        Averages, such as numbers of shares, are weighted by days; they are None across a stock split.
        """
        before, start = self.calendar.find_year_before(end), self.calendar.find_year_start(end)
        if not before or not start:
            return None
        last = series.find_span(self.calendar.find_last_year_end(start), YEAR)
        now, then = self._get_to_date(series, end), self._get_to_date(series, before)
        if not (last and now and then):
            return None
        if series.unit != "shares":
            return _add(last, now, less=then) if self._is_additive(series, end) else None
        if _is_uneven(last, now, then):
            return None
        days = [count_days(amount.start, amount.end) for amount in (last, now, then)]
        total = last.value * days[0] + now.value * days[1] - then.value * days[2]
        value = total / (days[0] + days[1] - days[2])
        rolled = _add(last, now, less=then)
        return replace(rolled, value=value, formula=f"{rolled.formula}, by days")

    def _add_four_quarters(self, series: MetricSeries, end: str) -> Amount | None:
        quarters: list[Amount] = []
        while len(quarters) < 4:
            quarter = self._get_quarter(series, end) if end else None
            if quarter is None:
                return None
            quarters.insert(0, quarter)
            end = self.calendar.find_quarter_before(end)
        is_additive = self._may_add(series, *(quarter.end for quarter in quarters))
        return _add(*quarters) if is_additive else None

    def _get_shares(self, end: str) -> Amount | None:
        """Return the shares outstanding on a day, from the balance sheet or the report's cover.

        The cover counts single shares, weeks later. It is used unless the balance sheet, which book
        values refer to, differs only slightly. Without a cover, the shares behind EPS show whether the
        count is in thousands or millions. Counts of 0 or less are ignored.
        """
        filed = self._series["shares_outstanding"].find_instant(end)
        later = (a for a in self._cover.list_instants() if a.value > 0 and a.end >= end)
        near = (a for a in later if count_days(end, a.end) <= _COVER_DAYS + 1)
        cover = min(near, key=lambda amount: amount.end, default=None)
        if not filed or filed.value <= 0:
            return cover
        if cover:
            return cover if abs(cover.value / filed.value - 1) > _MOVED_SHARE else filed
        diluted = self._find_shares(end)
        scaled = [replace(filed, value=scale * filed.value) for scale in _SCALES]
        return next((each for each in scaled if not _is_uneven(each, *diluted)), filed)

    def _get_preferred(self, end: str) -> Amount | None:
        """Return what preferred owners are owed: as filed, or by liquidation preference where that is the par value."""
        series = self._series.get("preferred_equity")
        filed = series.find_instant(end) if series else None
        shares = self.get("instant", "preferred_shares", end)
        if not filed or not shares or not 0 <= filed.value < shares.value:
            return filed
        return self._read_preference(end, shares) or filed

    def _read_preference(self, end: str, shares: Amount) -> Amount | None:
        """Return the liquidation preference of all preferred shares; None unless dividends show which reading it is.

        Filers state it in total, in total by thousands or millions, or for one share.
        """
        filed = self._series["liquidation_preference"].find_instant(end)
        paid = self._find_of_year("preferred_dividends_paid", end)
        if not filed or filed.value <= 0 or not paid:
            return None
        readings = {filed.value * factor for factor in (*_SCALES, shares.value)}
        usual = [r for r in readings if _LOW_DIVIDEND <= paid.value / r <= _HIGH_DIVIDEND]
        return replace(filed, value=usual[0]) if len(usual) == 1 else None

    def _find_all_classes(self, end: str) -> Amount | None:
        """Return the diluted shares of a period that a day begins or ends, if far fewer are counted on both of its ends.

        The count is then of one class, or leaves out units that are exchanged for shares. A split or a sale
        of shares within the period would show in one of the two counts.
        """
        quarters = self.calendar.quarters
        after = (each for each in quarters if self.calendar.find_quarter_before(each) == end)
        for last in (end, *after):
            for average in self._find_shares(last):
                days = (shift_day(average.start, -1), average.end)
                counts = [found.value for day in days if (found := self._get_shares(day))]
                ratios = [average.value / count for count in counts if count > 0]
                if len(ratios) == len(days) and SPLIT_RATIO < min(ratios) <= max(ratios) < _CLASSES:
                    return average
        return None

    def _find_odd_count(self, end: str) -> Amount | None:
        """Return a count of no or fewer shares on a day, or on the cover of its report."""
        covers = (
            a for a in self._cover.list_instants() if end <= a.end <= shift_day(end, _COVER_DAYS)
        )
        filed = self._series["shares_outstanding"].find_instant(end)
        return next((a for a in (filed, *covers) if a and a.value <= 0), None)

    def _find_shares(self, end: str) -> list[Amount]:
        """Return the shares that a quarter's or year's EPS was divided by; empty if they were not filed."""
        series = self._series["diluted_shares"]
        found = series.find_span(end, QUARTER) or series.find_span(end, YEAR)
        return [found] if found else []

    def is_comparable(self, end: str, other: str) -> bool:
        """Return whether no stock split lies between two periods, by their numbers of shares."""
        return not _is_uneven(*self._find_shares(end), *self._find_shares(other))

    def _is_additive(self, series: MetricSeries, end: str) -> bool:
        """Return whether a metric's periods up to a year back may be added and subtracted."""
        last = self.calendar.find_last_year_end(self.calendar.find_year_start(end) or end)
        return self._may_add(series, end, self.calendar.find_year_before(end), last)

    def _may_add(self, series: MetricSeries, end: str, *others: str) -> bool:
        """Return whether a metric's period may be added to others: amounts always, EPS unless a split lies between."""
        is_even = all(self.is_comparable(end, other) for other in others if other)
        return series.unit == self.currency or (series.unit != "shares" and is_even)


def _is_sum(name: str) -> bool:
    """Return whether a metric is an amount of money that is computed alone, as a sum, so that periods add up."""
    metric = m.METRICS[name]
    is_ratio = any("/" in formula for formula in metric.formulas)
    return metric.unit == "money" and bool(metric.formulas) and not metric.tags and not is_ratio


def _is_declared(ratio: float) -> bool:
    """Return whether dividends declared and paid are close: they are paid later, and on preferred shares too."""
    return 1 / DECLARED_FACTOR <= ratio <= DECLARED_FACTOR


def _drop_minus(fact: Fact) -> Fact:
    """Return a payment's fact without a minus that was filed by mistake."""
    return fact._replace(value=-fact.value) if fact.value < 0 else fact


def _explain_bar(name: str, other: str, amount: Amount, currency: str) -> Missing:
    """Return why a metric does not apply to a company that files an alternative to it."""
    if name not in m.LABELS:
        return NOT_FILED
    told = say_amount(amount.value, currency)
    why = Notice.of(f"gap-beside-{other.replace('_', '-')}", "info", amount=told)
    return Missing("does_not_apply", why)


def _explain_divisor(name: str) -> Missing:
    """Return the reason that a divisor is zero or negative."""
    if name not in m.LABELS:
        return NOT_FILED
    why = Notice.of("gap-divisor", "info", metric=m.say_metric(name))
    return Missing("does_not_apply", why)


def _explain_term(name: str, missing: Missing) -> Missing:
    """Return why a formula has no value: the metric that is missing, if it has a name."""
    if name not in m.LABELS:
        return missing
    why = Notice.of("gap-needs", "info", metric=m.say_metric(name), why=missing.reason)
    return Missing(missing.state, why)


def _report_contrary(name: str, amount: Amount, currency: str) -> Missing:
    """Return the conflict of a metric with `name`, a filed metric that contradicts it."""
    told = say_amount(amount.value, currency)
    why = Notice.of(f"gap-contrary-{name.replace('_', '-')}", "info", amount=told)
    return Missing("conflicting", why)


def _is_apart(one: float, other: float) -> bool:
    """Return whether two amounts are too far apart for a mean: one is many times the other, or they differ in sign."""
    small, large = sorted((abs(one), abs(other)))
    return one * other < 0 or large > _MEAN_RATIO * small


def _find_rounded(now: Amount, then: Amount) -> Missing | None:
    """Return that two amounts are rounded so far that their growth may be points off; None if they are not."""
    errors = (find_step(each.value) / each.value / 2 for each in (now, then))
    points = 100 * now.value / then.value * sum(errors)
    if points <= _ROUNDED_POINTS:
        return None
    why = Notice.of("gap-rounded", "info", points=round_up(points, 0))
    return Missing("does_not_apply", why)


def _is_finer(one: Amount, other: Amount) -> bool:
    """Return whether an amount rounds to another that has fewer digits, so that the latter says less."""
    step, of_other = (find_step(each.value) for each in (one, other))
    return step < of_other and abs(one.value - other.value) <= of_other / 2


def _agree(value: float, total: float) -> bool:
    """Return whether a sum of parts comes to a filed total, but for costs of issue and the like."""
    return abs(value - total) <= _AGREEMENT * abs(total)


def _report_conflict(*amounts: tuple[str, Amount]) -> Missing:
    """Return the conflict of a filed amount with another that it must be close to, each with its metric."""
    (name, filed), (other, check) = amounts
    values = {"value": round_up(filed.value, 2), "beside": round_up(check.value, 2)}
    names = [amount.tag or m.name_tag(metric) for metric, amount in ((name, filed), (other, check))]
    why = Notice.of("gap-contradicts", "info", tag=names[0], other=names[1], **values)
    return Missing("conflicting", why)


def _contradict(value: float, other: float) -> bool:
    """Return whether a value is not between half of another and twice it, by more than rounding."""
    low, high = sorted((other / 2, other * 2))
    return not low - _ROUNDING <= value <= high + _ROUNDING


def _repeats(term: Amount, sign: str, known: list[tuple[str, str, Amount]]) -> bool:
    """Return whether an optional term adds nothing: it is 0, or repeats a known line under another tag.

    What is taken off repeats only what was taken off before.
    """
    others = [k for other, _, k in known if sign == "+" or other == sign]
    return not term.value or (
        sign in ("+", "-")
        and any(abs(term.value - k.value) <= _REPEATED * abs(k.value) for k in others)
    )


def _is_uneven(*shares: Amount) -> bool:
    """Return whether numbers of shares differ as only a split makes them."""
    values = [amount.value for amount in shares]
    return all(values) and max(values, default=0) > SPLIT_RATIO * min(values, default=0)


def _choose_currency(anchors: Mapping[str, Sequence[Fact]]) -> tuple[str, dict[str, str]]:
    """Return the currency of a company, and those in which it reports nothing of late, with their last days.

    A currency that figures are only translated to has fewer facts than the company's own.
    """
    ends = {unit: max(fact.end for fact in found) for unit, found in anchors.items()}
    latest = max(ends.values(), default="")
    given_up = {u: end for u, end in ends.items() if count_days(end, latest) > SAME_TIME_DAYS}
    counts = {unit: len(found) for unit, found in anchors.items() if unit not in given_up}
    return max(counts, key=lambda u: (counts[u], u == "USD"), default="USD"), given_up


def _group_anchors(facts: FiledFacts) -> dict[tuple[str, str], list[Fact]]:
    """Return the facts that define the fiscal periods, by taxonomy and unit."""
    anchors: dict[tuple[str, str], list[Fact]] = {}
    for taxonomy in (GAAP, IFRS):
        for tag in (tag for name in m.ANCHORS for tag in m.METRICS[name].tags[taxonomy]):
            for unit in facts.list_units(taxonomy, tag):
                found = facts.list_facts(taxonomy, tag, unit)
                anchors.setdefault((taxonomy, unit), []).extend(found)
    return anchors


def _add_tags(amounts: Iterable[Amount]) -> Amount | None:
    """Add up the amounts of different tags, counting equal amounts once."""
    by_value = {amount.value: amount for amount in amounts}
    parts = [part for part in by_value.values() if part.value] or [*by_value.values()][:1]
    if len(parts) < 2:
        return next(iter(parts), None)
    words = " + ".join(part.tag or part.formula for part in parts)
    total = sum(part.value for part in parts)
    return combine(total, words, *parts, start=parts[0].start, end=parts[0].end)


def _add(*parts: Amount, less: Amount | None = None) -> Amount:
    """Return the sum of periods, maybe less another, with the days that are left."""
    every = [*parts, *([less] if less else [])]
    formula = " + ".join(map(_name_span, parts)) + (f" − {_name_span(less)}" if less else "")
    value = sum(part.value for part in parts) - (less.value if less else 0)
    start = shift_day(less.end, 1) if less else parts[0].start
    return combine(value, formula, *every, start=start, end=parts[-1].end)


def _name_span(amount: Amount) -> str:
    """Return a period's name in a formula, e.g. `9 months to 2025-06-28`."""
    months = round(count_days(amount.start, amount.end) / DAYS_PER_MONTH)
    return f"{'year' if months == 12 else f'{months} months'} to {amount.end}"


def _name_term(name: str, amount: Amount) -> str:
    """Return what a formula calls a term: by its name if it is shown or of a period, else by its tags."""
    formula = f"({amount.formula})" if " " in amount.formula else amount.formula
    tags = amount.tag or ("" if amount.start else formula)
    return name.replace("_", " ") if name in m.LABELS or not tags else tags
