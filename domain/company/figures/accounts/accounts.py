"""A company's amounts by metric and period: as filed, or by the metric's formulas."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from contracts.company.filings import BusinessKind
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.capital_expenditure import find_further_spending
from domain.company.figures.accounts.charges import read_impairment, read_restructuring
from domain.company.figures.accounts.debt import (
    add_current_debt,
    find_interest_rate,
    find_short_term_debt,
    get_debt_current,
)
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.accounts.flows import (
    add_pretax_lines,
    imply_charge_offs,
    read_acquired_research,
    read_income_tax,
    take_off_interest,
)
from domain.company.figures.accounts.growth import average, grow
from domain.company.figures.accounts.outside_equity import find_outside_equity
from domain.company.figures.accounts.payouts import read_dividend
from domain.company.figures.accounts.property import (
    add_property_lines,
    find_slight_benefit,
    find_slight_tax,
    find_whole_continuing,
    take_off_disposal_gains,
)
from domain.company.figures.accounts.shares import (
    divide_year,
    explain_count,
    get_preferred,
    get_shares,
    get_undiluted,
    get_unearned_preferred,
    imply_float,
    is_counted_by_class,
    leave_out_extraordinary,
)
from domain.company.figures.accounts.sums import (
    SAME_LINE,
    add_tags,
    agree,
    name_span,
    name_term,
    repeats,
)
from domain.company.figures.accounts.withheld import (
    bar,
    explain_divisor,
    explain_kind,
    explain_little_whole,
    explain_term,
    find_conflict,
    find_unpaid,
    is_read,
)
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.invariants import (
    AFTER,
    BEFORE,
    OF_LAST_YEAR,
    OF_YEAR,
    find_breach,
)
from domain.company.figures.filed.kinds import applies, find_kind
from domain.company.figures.filed.periods import shift_day
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import NOT_FILED, Amount, Missing, combine
from domain.company.figures.numbers import round_quotient, say_amount

_READ_AS: dict[str, Period] = {
    "debt_interest": "ttm",
    "debt": "instant",
    "equity": "instant",
    "assets": "instant",
    "preferred_equity": "instant",
    "noncontrolling_interest": "instant",
}
"""Periods of the metrics that check amounts of another period."""
_LOW_RATE, _HIGH_RATE = 0.03, 0.09
"""Interest of a year over debt: parts without a total must bear a usual one."""
_OF_SHARES = ("diluted_eps", "continuing_eps")
_SHARES = {"undiluted_shares": "basic_shares"}
"""The filed share count that a term of a formula means, by the term: it is known only where diluted shares count partners' units."""
_PAIR = ("now", "a year before")
_MOST_SHARE = 1000.0
"""A percentage beyond this says only that there is next to nothing of what it is a share of."""
_RANGE = 1.1
"""A withheld debt has a range if its larger bound is at most this many times the smaller."""
_SIGNS = {"": "", "+": " + ", "-": " − ", "/": " / "}
_OF_DAY: dict[str, Callable[[FiledAmounts, str], Amount | None]] = {
    "shares_outstanding": get_shares,
    "preferred_equity": get_preferred,
    "unearned_preferred": get_unearned_preferred,
    "debt_current": get_debt_current,
    "current_debt": add_current_debt,
    "short_term_debt": find_short_term_debt,
    "float_shares": imply_float,
    "claims_outside_equity": find_outside_equity,
}
"""Metrics of a day that code reads from the facts."""

_OF_PERIOD: dict[str, Callable[[FiledAmounts, Period, str], Amount | None]] = {
    "cash_flow_without_interest": take_off_interest,
    "implied_charge_offs": imply_charge_offs,
    "pretax_by_lines": add_pretax_lines,
    "income_tax": read_income_tax,
    "further_spending": find_further_spending,
    "undiluted_shares": get_undiluted,
    "acquired_research": read_acquired_research,
    "restructuring_cost": read_restructuring,
    "asset_impairment": read_impairment,
    "discontinued_result": take_off_disposal_gains,
    "net_operating_income": add_property_lines,
    "slight_tax": find_slight_tax,
    "slight_benefit": find_slight_benefit,
    "continuing_before_partners": find_whole_continuing,
}
"""Metrics of a period that code computes."""


class Accounts(FiledAmounts):
    """The amounts of a company; a period is named by its last day, an ISO date."""

    def __init__(self, facts: FiledFacts, sic: int = 0) -> None:
        """Read the facts; the SIC code, or else the facts, decide which metrics do not apply to the company."""
        super().__init__(facts)
        self._kind: BusinessKind | None = None
        self._found: dict[tuple[Period, str, str], Amount | Missing] = {}
        self.kind = self._kind = find_kind(sic, self._read_newest_year)
        self._found.clear()

    def find(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return a metric, or its growth, for a period or day, or the reason why it is missing."""
        key = (period, name, end)
        if key not in self._found:
            found = self._found[key] = self._find(*key)
            count = len(self._found)
            if isinstance(found, Amount):
                read = partial(self._read_bound, period, end)
                if breach := find_breach(name, found, read, self.currency):
                    for other in [*self._found][count:]:  # computed from the withheld amount
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
        if name.endswith(OF_LAST_YEAR):
            year = next((y.end for y in self.calendar.years if y.end <= end), "")
            return self._read_bound("year", year, name.removesuffix(OF_LAST_YEAR)) if year else None
        if name.endswith(OF_YEAR):
            year = next((y.end for y in self.calendar.years if y.start < end <= y.end), "")
            return self._read_bound("year", year, name.removesuffix(OF_YEAR)) if year else None
        if name == "diluted_shares" and period == "instant":
            return next(iter(self.find_eps_shares(end)), None)
        return self.get(_READ_AS.get(name, period), name, end)

    def _find(self, period: Period, name: str, end: str) -> Amount | Missing:
        if not end:
            return NOT_FILED
        if name.endswith(m.GROWTH):
            return grow(self, period, name.removesuffix(m.GROWTH), end)
        if self._kind and not applies(name, self._kind):
            return explain_kind(self._kind)
        if barred := bar(self, period, name, end):
            return barred
        if not is_read(self, period, name, end):
            return NOT_FILED
        metric = m.METRICS[name]
        if metric.average_of:
            return average(self, metric.average_of, end)
        filed = self._get_filed(period, name, end)
        if conflict := find_conflict(self, period, name, end, filed):
            return conflict
        if metric.totals:
            return self._reconcile(period, name, end, filed)
        found = filed or self._stand_in(period, name, end)
        if found == NOT_FILED and is_counted_by_class(self, name):
            found = explain_count(self, name)
        return found if isinstance(found, Amount) else self._find_nil(period, name, end) or found

    def _stand_in(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return what formulas give for a metric that is not filed; those of another kind of business count for nothing."""
        found = self._try_formulas(period, name, end)
        is_of_others = isinstance(found, Missing) and found.state == "does_not_apply"
        return NOT_FILED if is_of_others and m.METRICS[name].tags else found

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
            if any(agree(reading.value, total.value) for total in totals):
                return reading
        if not totals:
            is_borne = _LOW_RATE <= find_interest_rate(self, end, readings[0]) <= _HIGH_RATE
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
        parts = add_tags(
            [a for series in self.parts["undivided_debt"] if (a := series.find_instant(end))]
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
                if whole and abs(rest.value) <= SAME_LINE * abs(whole):
                    told = say_amount(abs(whole), self.currency)
                    why = Notice.of(f"gap-no-{name.replace('_', '-')}", "info", amount=told)
                    return Missing("does_not_apply", why)
        return None

    def _try_formulas(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return the first formula with all terms known; a conflicting term ends the search."""
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
                is_new = not option or not repeats(found, sign, known)
                known += [(sign, term, found)] if is_new else []
            elif not option or found.state == "conflicting":
                return explain_term(term, found)
            elif unpaid := find_unpaid(self, period, name, term, end):
                return unpaid
            else:
                lacks.append(term)
        first, *others = parts = [amount for *_, amount in known]
        if not others and known[0][0] != "-":
            return replace(first, lacks=(*first.lacks, *lacks)) if lacks else first
        value = sum(-amount.value if sign == "-" else amount.value for sign, _, amount in known)
        if "/" in formula:
            quotient = self._divide(name, first, *known[1][1:])
            if isinstance(quotient, Missing):
                return quotient
            value = quotient
        if m.METRICS[name].positive and value <= 0:
            return NOT_FILED
        if 0 < m.METRICS[name].most < value or value < m.METRICS[name].least > 0:
            return NOT_FILED
        named = [(sign, _SHARES.get(term, term), amount) for sign, term, amount in known]
        words = "".join(_SIGNS[sign] + name_term(term, amount) for sign, term, amount in named)
        found = combine(value, words, *parts, start=first.start, end=end)
        is_per_share = (
            "/" in formula and m.METRICS[name].unit == "per_share" and period != "instant"
        )
        over = _SHARES.get(known[1][1], known[1][1]) if is_per_share else ""
        return replace(found, lacks=tuple(lacks), over=over)

    def _divide(self, name: str, part: Amount, divisor: str, whole: Amount) -> float | Missing:
        """Return a metric that is a quotient, in its unit, or why it has no value."""
        metric = m.METRICS[name]
        if whole.value <= 0:
            return explain_divisor(divisor)
        value = m.FACTORS.get(metric.unit, 1) * part.value / whole.value
        if metric.unit == "percent" and abs(value) > _MOST_SHARE:
            return explain_little_whole(divisor)
        return round_quotient(value, whole.value) if metric.rounded else value

    def _get_filed(self, period: Period, name: str, end: str) -> Amount | None:
        if name in _OF_DAY:
            return _OF_DAY[name](self, end)
        if name in _OF_PERIOD:
            return _OF_PERIOD[name](self, period, end)
        if name == "continuing_eps" and (apart := leave_out_extraordinary(self, period, end)):
            return apart
        if name == "dividends_per_share" and period in ("year", "ttm"):
            series = self.series.get(name) if period == "ttm" else None
            return read_dividend(self, end) or (self._get_ttm(series, end) if series else None)
        if period == "remainder" and _is_sum(name):
            return self._take_off_quarters(name, end)
        if period == "ttm" and m.METRICS[name].rolled:
            return self._roll_computed(name, end)
        if name not in self.parts:
            return self._read_series(period, name, end)
        amounts = [self.read_period(series, period, end) for series in self.parts[name]]
        above = m.METRICS[name].above
        whole = self.get(period, above, end) if above else None
        return add_tags([a for a in amounts if a and (not whole or a.value > whole.value)])

    def _read_series(self, period: Period, name: str, end: str) -> Amount | None:
        """Return what is filed under a metric's tags, with further lines of it, or by the average shares of twelve months."""
        found = self.read_period(self.series[name], period, end) if name in self.series else None
        if found and name == "capital_expenditure":
            further = self.get(period, "further_spending", end)
            return add_tags([found, further]) if further else found
        is_added = found and found.parts and period == "ttm" and name in _OF_SHARES
        return divide_year(self, name, end, found) if found and is_added else found

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
        words = " + ".join(map(name_span, (last, *reversed(now))))
        words += "".join(f" − {name_span(each)}" for each in reversed(then))
        start = shift_day(then[0].end, 1)
        return combine(value, words, last, *now, *then, start=start, end=now[0].end)

    def _take_off_quarters(self, name: str, end: str) -> Amount | None:
        """Return a computed amount of a fiscal year less that of each quarter known of it."""
        start = self.calendar.find_remainder_start(end)
        year = self.get("year", name, end) if start else None
        days = [d for d in self.calendar.quarters if year and year.start < d < start]
        known = [found for day in days if (found := self.get("quarter", name, day))]
        if not year or len(known) < len(days):
            return None
        words = f"{name_span(year)}{''.join(f' − {name_span(each)}' for each in known)}"
        value = year.value - sum(each.value for each in known)
        return combine(value, words, year, *known, start=start, end=end)


def _is_sum(name: str) -> bool:
    """Return whether a metric is an amount of money that is computed alone, as a sum, so that periods add up."""
    metric = m.METRICS[name]
    is_ratio = any("/" in formula for formula in metric.formulas)
    return metric.unit == "money" and bool(metric.formulas) and not metric.tags and not is_ratio
