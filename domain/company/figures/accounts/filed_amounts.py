"""What is filed of a company by metric, and what follows from it for quarters and twelve months."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from contracts.company.filings import BusinessKind
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.sums import add_periods, name_span
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.facts import COVER, FOREIGN, GAAP, IFRS, Fact, count_days
from domain.company.figures.filed.periods import (
    QUARTER,
    TO_DATE,
    YEAR,
    FiscalCalendar,
    is_near,
    shift_day,
)
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import Amount, MetricSeries, Missing, combine, list_leaves
from domain.company.figures.filed.splits import SPLIT_RATIO, ShareBasis
from domain.company.figures.numbers import say_amount

MATERIAL = 0.1
"""Part of net income from which on discontinued operations are material, and of assets those held for sale."""
_OF_FLOWS = (("revenue", "revenue", 0.02), ("income", "operating_cash_flow", 0.05))
"""Discontinued amounts, each with the amount that may contain it, and its maximum undistorting share of that."""
_OF_EARNINGS = (("income", "net_income", 0.02),)
"""The same for earnings."""
_CONTINUING = "ContinuingOperations"
"""How the tag of a cash flow without discontinued operations ends."""
SAME_TIME_DAYS = 200
"""A currency is in use if the newest figures in it end at most this many days before those in another."""


class FiledAmounts(ABC):
    """A company's series by metric, and their amounts by period; a period is named by its last day, an ISO date."""

    kind: BusinessKind

    def __init__(self, facts: FiledFacts) -> None:
        """Read the facts of the taxonomy and the currency that are in use."""
        self.facts = facts
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
        self.series: dict[str, MetricSeries] = {}
        self.parts: dict[str, list[MetricSeries]] = {}
        for name, metric in m.METRICS.items():
            tags = metric.tags.get(self.taxonomy, [])
            groups = [each.split("|") for each in tags] if metric.added else [tags]
            of = [self._read(name, group) for group in groups]
            if metric.added:
                self.parts[name] = of
            elif metric.tags:  # none of the taxonomy in use: an empty series
                self.series[name] = of[0]
        of_cover = (facts, COVER, [m.COVER_SHARES_TAG], "shares")
        self.cover = MetricSeries(*of_cover, self.basis.convert_count)
        self.public_float = MetricSeries(facts, COVER, [m.PUBLIC_FLOAT_TAG], self.currency)

    def list_years(self, count: int) -> list[str]:
        """Return the last days of the newest fiscal years, newest first."""
        return [year.end for year in self.calendar.years[:count]]

    def read_tag(self, period: Period, tag: str, end: str) -> Amount | None:
        """Return what is filed under a tag of a period or day, whether or not a metric reads it."""
        if tag not in self._by_tag:
            self._by_tag[tag] = MetricSeries(self.facts, self.taxonomy, [tag], self.currency)
        return self.read_period(self._by_tag[tag], period, end) if end else None

    def get(self, period: Period, name: str, end: str) -> Amount | None:
        """Return a metric, or its growth, of a period or day: as filed, else by its formulas."""
        found = self.find(period, name, end)
        return None if isinstance(found, Missing) else found

    @abstractmethod
    def find(self, period: Period, name: str, end: str) -> Amount | Missing:
        """Return a metric, or its growth, for a period or day, or the reason why it is missing."""

    def find_of_year(self, name: str, end: str) -> Amount | None:
        """Return a metric of the twelve months to a day, or of the fiscal year that ended last before it."""
        year = next((each.end for each in self.calendar.years if each.end <= end), "")
        return self.get("ttm", name, end) or self.get("year", name, year)

    def find_compared(self, period: Period, name: str, end: str) -> str:
        """Return the day that a metric's growth is counted from: a year before, or the last fiscal year's end.

        The latter is of balance sheets, whose newest report has it, but for amounts that move with the seasons, as all
        of a bank do: those have one base, the year before if its assets are filed.
        """
        before = self.calendar.find_year_before(end)
        if period != "instant":
            return before
        is_seasonal = "instant" in m.METRICS[name].growth.newest
        if self.kind == "bank":
            is_seasonal = self.get(period, "assets", before) is not None
        if is_seasonal and self.get(period, name, before):
            return before
        return self.calendar.find_year_end_before(end) or before

    def find_discontinued(self, period: Period, end: str) -> Amount | None:
        """Return the income of discontinued operations if it is a material part of net income."""
        part, whole = (self.get(period, n, end) for n in ("discontinued_income", "net_income"))
        is_part = part and whole and abs(part.value) > MATERIAL * abs(whole.value)
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

    def get_to_date(self, name: str, end: str) -> Amount | None:
        """Return a metric as filed for the months of a fiscal year up to a day."""
        return self.series[name].find_span(end, TO_DATE) if name in self.series else None

    def lacks_twelve_months(self, end: str) -> bool:
        """Return whether no twelve months can be made of what is filed, although several quarters are."""
        is_known = any(self.get("ttm", name, end) for name in m.ANCHORS)
        return not is_known and bool(self.calendar.find_to_date_start(end))

    def shows_to_date(self, end: str) -> bool:
        """Return whether the months of the fiscal year to a day have figures: for want of twelve months, or of quarters."""
        is_half = self.calendar.interval == "half_year"
        return self.lacks_twelve_months(end) or (
            is_half and bool(self.calendar.find_to_date_start(end))
        )

    def is_comparable(self, end: str, other: str) -> bool:
        """Return whether no stock split lies between two periods, by their numbers of shares."""
        return not is_uneven(*self.find_eps_shares(end), *self.find_eps_shares(other))

    def find_eps_shares(self, end: str) -> list[Amount]:
        """Return the shares that a quarter's or year's EPS was divided by; empty if they were not filed."""
        series = self.series["diluted_shares"]
        found = series.find_span(end, QUARTER) or series.find_span(end, YEAR)
        return [found] if found else []

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

    def read_period(self, series: MetricSeries, period: Period, end: str) -> Amount | None:
        """Return what is filed of a period or day, or follows from what is filed of others."""
        if series.is_empty:
            return None
        readers: dict[Period, Callable[[MetricSeries, str], Amount | None]] = {
            "instant": MetricSeries.find_instant,
            "year": partial(MetricSeries.find_span, length=YEAR),
            "quarter": self._get_quarter,
            "ttm": self._get_ttm,
            "to_date": self._find_to_date,
            "remainder": self._find_remainder,
        }
        return readers[period](series, end)

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
        known = self._sum_to_date(series, shift_day(start, -1))
        if not whole or not known or not is_near(whole.start, known.start):
            return None
        return add_periods(whole, less=known)

    def _sum_to_date(self, series: MetricSeries, end: str) -> Amount | None:
        """Return the amount of the fiscal year to date; reported quarters are added up."""
        start = self.calendar.find_year_start(end)
        if not start:
            return None
        if reported := series.find_since(start, end):
            return reported
        quarter = series.find_span(end, QUARTER)
        previous = self.calendar.find_quarter_before(end)
        before = self._sum_to_date(series, previous) if previous > start else None
        if not quarter or not before or not self._is_additive(series, end):
            return None
        return add_periods(before, quarter)

    def _get_quarter(self, series: MetricSeries, end: str) -> Amount | None:
        """Return a quarter's amount: as reported, or the year to date less the quarters before or after it."""
        if reported := series.find_span(end, QUARTER):
            return reported
        if left := self._take_off_last(series, end):
            return left
        before = self.calendar.find_quarter_before(end)
        whole = self._sum_to_date(series, end)
        rest = self._sum_to_date(series, before) if before else None
        if not whole or not rest or not is_near(whole.start, rest.start):
            return None
        if not self._is_additive(series, end):
            return None
        return add_periods(whole, less=rest)

    def _take_off_last(self, series: MetricSeries, end: str) -> Amount | None:
        """Return the first quarter of a half year as the half year less the second quarter, or a similar remainder."""
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
        formula = f"{name_span(whole)} − {name_span(last)}"
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
        now, then = self._sum_to_date(series, end), self._sum_to_date(series, before)
        if not (last and now and then):
            return None
        if series.unit != "shares":
            return add_periods(last, now, less=then) if self._is_additive(series, end) else None
        if is_uneven(last, now, then):
            return None
        days = [count_days(amount.start, amount.end) for amount in (last, now, then)]
        total = last.value * days[0] + now.value * days[1] - then.value * days[2]
        value = total / (days[0] + days[1] - days[2])
        rolled = add_periods(last, now, less=then)
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
        return add_periods(*quarters) if is_additive else None

    def _is_additive(self, series: MetricSeries, end: str) -> bool:
        """Return whether a metric's periods up to a year back may be added and subtracted."""
        last = self.calendar.find_last_year_end(self.calendar.find_year_start(end) or end)
        return self._may_add(series, end, self.calendar.find_year_before(end), last)

    def _may_add(self, series: MetricSeries, end: str, *others: str) -> bool:
        """Return whether a metric's period may be added to others: amounts always, EPS unless a split lies between."""
        is_even = all(self.is_comparable(end, other) for other in others if other)
        return series.unit == self.currency or (series.unit != "shares" and is_even)


def is_uneven(*shares: Amount) -> bool:
    """Return whether numbers of shares differ as only a split makes them."""
    values = [amount.value for amount in shares]
    return all(values) and max(values, default=0) > SPLIT_RATIO * min(values, default=0)


def _drop_minus(fact: Fact) -> Fact:
    """Return a payment's fact without a minus that was filed by mistake."""
    return fact._replace(value=-fact.value) if fact.value < 0 else fact


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
