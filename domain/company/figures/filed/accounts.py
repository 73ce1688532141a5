"""A company's amounts by metric and period: as reported, or derived from what is reported."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.facts import (
    COVER,
    FOREIGN,
    GAAP,
    IFRS,
    Fact,
    FiledFacts,
    count_days,
)
from domain.company.figures.filed.periods import QUARTER, YEAR, FiscalCalendar, is_near, shift_day
from domain.company.figures.filed.series import Amount, MetricSeries, combine

_COVER_DAYS = 120
"""How long after a period's end the cover of its report counts the shares."""
_THOUSANDS = (1e3, 1e6)
"""Units in which a number of shares may have been filed as if it counted single ones."""
SPLIT_RATIO = 1.6
"""A larger change in the number of shares keeps per-share figures from being added up."""
DAYS_PER_MONTH = 30.4
_OWED = re.compile(
    r"Debt|Borrowing|Debenture|CommercialPaper|Lines?OfCredit|BondsIssued|FinanceCosts"
    r"|Interest(?:Expense|Paid|Payable|Cost|AndDebt)|(?:Notes|Loans|Mortgages?|Bonds)Payable"
    r"|(?:Senior|Subordinated|Convertible|Secured|Unsecured)(?:\w*)Notes"
)
"""XBRL concepts of interest, debt and borrowings."""
_NOT_OWED = re.compile(
    r"Securit(?:y|ies)|DebtMaturities|Receivable|Capacity|DebtInvestments|IncomeTax|TaxBenefit|DeferredTax"
    r"|InterestIncome|^Revenues?Net|Intangible|LettersOfCredit|OffsetAgainst"
)
"""Concepts among them that are not owed: securities held, receivables, unused credit, interest on taxes."""
_OWED_DAYS = 731
"""How long before a balance sheet's day a sign of debt counts."""


class Accounts:
    """The amounts of a company; a period is named by its last day, an ISO date."""

    def __init__(self, facts: FiledFacts) -> None:
        self.facts = facts
        anchors = _group_anchors(facts)
        newest = {key: max(fact.end for fact in found) for key, found in anchors.items() if found}
        self.taxonomy, _ = max(newest, key=lambda key: newest[key], default=(GAAP, ""))
        # A currency that figures are only translated to has fewer facts.
        counts = {unit: len(found) for (of, unit), found in anchors.items() if of == self.taxonomy}
        self.currency = max(counts, key=lambda u: (counts[u], u == "USD"), default="USD")
        used = anchors.get((self.taxonomy, self.currency), [])
        self.calendar = FiscalCalendar(used)
        self._newest_form = max(used, key=lambda fact: fact.filed).form if used else ""
        self.series = {
            name: MetricSeries(
                *(facts, self.taxonomy, metric.tags[self.taxonomy]),
                m.find_unit(name, self.currency),
                unsigned=metric.paid,
            )
            for name, metric in m.METRICS.items()
            if metric.tags
        }
        self._cover = MetricSeries(facts, COVER, [m.COVER_SHARES_TAG], "shares")

    def get_year(self, name: str, end: str) -> Amount | None:
        """Return a fiscal year's amount."""
        return self.series[name].find_span(end, YEAR)

    def get_to_date(self, name: str, end: str) -> Amount | None:
        """Return the amount of the fiscal year to date; reported quarters are added up."""
        start = self.calendar.find_year_start(end)
        if not start:
            return None
        if reported := self.series[name].find_since(start, end):
            return reported
        quarter = self.series[name].find_span(end, QUARTER)
        previous = self.calendar.find_quarter_before(end)
        before = self.get_to_date(name, previous) if previous > start else None
        if not quarter or not before or not self._is_additive(name, end):
            return None
        formula = f"{_name_span(before)} + {_name_span(quarter)}"
        return combine(before.value + quarter.value, formula, before, quarter, start=before.start)

    def get_quarter(self, name: str, end: str) -> Amount | None:
        """Return a quarter's amount: as reported, or the year to date less the quarters before."""
        if reported := self.series[name].find_span(end, QUARTER):
            return reported
        before = self.calendar.find_quarter_before(end)
        whole, rest = (
            self.get_to_date(name, end),
            self.get_to_date(name, before) if before else None,
        )
        if not whole or not rest or not is_near(whole.start, rest.start):
            return None
        if not self._is_additive(name, end):
            return None
        formula = f"{_name_span(whole)} − {_name_span(rest)}"
        start = shift_day(rest.end, 1)
        return combine(whole.value - rest.value, formula, rest, whole, start=start)

    def get_ttm(self, name: str, end: str) -> Amount | None:
        """Return the amount of the twelve months to a quarter's end."""
        year = self.get_year(name, end)
        return year or self._roll_year(name, end) or self._add_four_quarters(name, end)

    def get_ttm_average(self, name: str, end: str) -> Amount | None:
        """Return the average over the twelve months to a quarter's end of what is filed as averages.

        Each period counts by its days; None where the stock was split within them.
        """
        if year := self.get_year(name, end):
            return year
        before, start = self.calendar.find_year_before(end), self.calendar.find_year_start(end)
        if not before or not start:
            return None
        last = self.get_year(name, self.calendar.find_last_year_end(start))
        now, then = self.get_to_date(name, end), self.get_to_date(name, before)
        if not (last and now and then) or _is_uneven(last, now, then):
            return None
        weights = [count_days(amount.start, amount.end) for amount in (last, now, then)]
        total = last.value * weights[0] + now.value * weights[1] - then.value * weights[2]
        value = total / (weights[0] + weights[1] - weights[2])
        formula = f"{_name_span(last)} + {_name_span(now)} − {_name_span(then)}, by days"
        return combine(value, formula, last, then, now, start=shift_day(then.end, 1))

    def get_instant(self, name: str, end: str) -> Amount | None:
        """Return the amount on a day."""
        return self.series[name].find_instant(end)

    @property
    def is_foreign(self) -> bool:
        """Tell whether the company's newest filing is a foreign issuer's form."""
        return self._newest_form.startswith(FOREIGN)

    @property
    def newest_end(self) -> str:
        """The last day of the newest quarter, or year; empty without any."""
        ends = self.calendar.quarters or [year.end for year in self.calendar.years]
        return ends[0] if ends else ""

    def find_next_debt(self, end: str) -> Amount | None:
        """Return the first debt filed of the two years after a day; None where one is filed of those before it."""
        filed = [
            a for name in ("long_term_debt", "debt") for a in self.series[name].list_instants()
        ]
        later = [a for a in filed if 1 < count_days(end, a.end) <= _OWED_DAYS]
        is_known = any(0 <= count_days(a.end, end) - 1 <= _OWED_DAYS for a in filed)
        return None if is_known else min(later, key=lambda amount: amount.end, default=None)

    def find_sign_of_debt(self, end: str) -> Fact | None:
        """Return the newest interest, debt or borrowing other than 0 of the two years to a day."""
        known = (fact for fact in self._owed if 0 <= count_days(fact.end, end) - 1 <= _OWED_DAYS)
        return max(known, key=lambda fact: fact.end, default=None)

    @cached_property
    def _owed(self) -> list[Fact]:
        tags = (
            (taxonomy, tag)
            for taxonomy in (GAAP, IFRS)
            for tag in self.facts.list_tags(taxonomy)
            if _OWED.search(tag) and not _NOT_OWED.search(tag)
        )
        return [
            fact
            for taxonomy, tag in tags
            for unit in self.facts.list_units(taxonomy, tag)
            for fact in self.facts.list_facts(taxonomy, tag, unit)
            if fact.value
        ]

    def get_shares(self, end: str) -> Amount | None:
        """Return the shares outstanding on a day, or on the cover of that period's report.

        The cover counts single shares, weeks later: it is taken where the balance sheet counts in another unit, or
        a split, listing or recapitalisation lies between. A count of 0 or less is none.
        """
        filed = self.get_instant("shares_outstanding", end)
        reported = filed if filed and filed.value > 0 else None
        near = [
            a
            for a in self._cover.list_instants()
            if a.value > 0 and 0 <= count_days(end, a.end) - 1 <= _COVER_DAYS
        ]
        cover = near[-1] if near else None
        if not reported or (cover and _is_uneven(cover, reported)):
            return cover
        return self._scale_shares(reported, end)

    def _scale_shares(self, shares: Amount, end: str) -> Amount:
        """Return a number of shares in single ones, where those of EPS show that it is in thousands or millions."""
        series = self.series["diluted_shares"]
        diluted = series.find_span(end, QUARTER) or series.find_span(end, YEAR)
        for scale in _THOUSANDS if diluted else ():
            scaled = replace(shares, value=scale * shares.value)
            if diluted and not _is_uneven(scaled, diluted):
                return scaled
        return shares

    def is_comparable(self, end: str, other: str) -> bool:
        """Tell whether no stock split lies between two periods, by their numbers of shares."""
        series = self.series["diluted_shares"]
        found = (series.find_span(e, QUARTER) or series.find_span(e, YEAR) for e in (end, other))
        return not _is_uneven(*filter(None, found))

    def _roll_year(self, name: str, end: str) -> Amount | None:
        """Return the last fiscal year plus this year to date less last year to the same day."""
        before = self.calendar.find_year_before(end)
        start = self.calendar.find_year_start(end)
        if not before or not start or not self._is_additive(name, end):
            return None
        year = self.get_year(name, self.calendar.find_last_year_end(start))
        now, then = self.get_to_date(name, end), self.get_to_date(name, before)
        if not (year and now and then):
            return None
        formula = f"{_name_span(year)} + {_name_span(now)} − {_name_span(then)}"
        value = year.value + now.value - then.value
        return combine(value, formula, year, then, now, start=shift_day(then.end, 1))

    def _add_four_quarters(self, name: str, end: str) -> Amount | None:
        quarters: list[Amount] = []
        while len(quarters) < 4:
            quarter = self.get_quarter(name, end) if end else None
            if quarter is None:
                return None
            quarters.append(quarter)
            end = self.calendar.find_quarter_before(end)
        last, *before = quarters
        if not self._may_add(name, last.end, (quarter.end for quarter in before)):
            return None
        formula = " + ".join(_name_span(quarter) for quarter in reversed(quarters))
        total = sum(quarter.value for quarter in quarters)
        return combine(total, formula, *quarters, start=quarters[-1].start)

    def _is_additive(self, name: str, end: str) -> bool:
        """Tell whether a metric's periods up to a year back may be added and subtracted."""
        before = self.calendar.find_year_before(end)
        last = self.calendar.find_last_year_end(self.calendar.find_year_start(end) or end)
        return self._may_add(name, end, filter(None, (before, last)))

    def _may_add(self, name: str, end: str, others: Iterable[str]) -> bool:
        """Tell whether a metric's period may be added to others: no split lies between."""
        unit = m.find_unit(name, self.currency)
        if unit in {self.currency, "shares"}:
            return unit == self.currency
        return all(self.is_comparable(end, day) for day in others)


def _is_uneven(*shares: Amount) -> bool:
    """Tell whether numbers of shares differ as only a split makes them."""
    values = [amount.value for amount in shares]
    return all(values) and max(values, default=0) > SPLIT_RATIO * min(values, default=0)


def _group_anchors(facts: FiledFacts) -> dict[tuple[str, str], list[Fact]]:
    """Return the facts that define the fiscal periods, by taxonomy and unit."""
    anchors: dict[tuple[str, str], list[Fact]] = {}
    for taxonomy in (GAAP, IFRS):
        for tag in (tag for name in m.ANCHORS for tag in m.METRICS[name].tags[taxonomy]):
            for unit in facts.list_units(taxonomy, tag):
                anchors.setdefault((taxonomy, unit), []).extend(
                    facts.list_facts(taxonomy, tag, unit)
                )
    return anchors


def _name_span(amount: Amount) -> str:
    """Return a period's name in a formula, e.g. `9 months to 2025-06-28`."""
    months = round(count_days(amount.start, amount.end) / DAYS_PER_MONTH)
    return f"{'year' if months == 12 else f'{months} months'} to {amount.end}"
