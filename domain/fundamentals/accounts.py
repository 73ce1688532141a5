"""What a company earned, spent and owned: as reported where it is, else added up from what is."""

from collections.abc import Iterator
from functools import cached_property

from domain.fundamentals import metrics as m
from domain.fundamentals.facts import COVER, GAAP, IFRS, Book, Fact, days
from domain.fundamentals.periods import QUARTER, YEAR, Calendar, is_near, shifted
from domain.fundamentals.series import Amount, Series, combined, of_metric

_COVER_DAYS = 120
"""So long after a quarter its report's cover counts the shares."""
_SPLIT = 1.6
"""A change of the number of shares past which per-share figures are not added up."""


class Accounts:
    """The amounts of a company's periods, by metric and last day."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.taxonomy = max((GAAP, IFRS), key=self._newest)
        self.currency = self._currency()
        self.series = {x.name: self._series(x) for x in (*m.FLOWS, *m.INSTANTS)}
        self.calendar = Calendar(self._anchors(self.taxonomy, self.currency))

    @cached_property
    def cover_shares(self) -> list[Amount]:
        """Return the shares that the covers of filings count, the newest first."""
        return Series(self.book, COVER, [m.COVER_SHARES], "shares").instants()

    def year(self, name: str, end: str) -> Amount | None:
        """Return a fiscal year's amount."""
        return self.series[name].spanning(end, YEAR)

    def to_date(self, name: str, end: str) -> Amount | None:
        """Return the amount from the first day of the fiscal year to that day.

        Where only quarters are reported they are added up.
        """
        start = self.calendar.year_start(end)
        if not start:
            return None
        if found := self.series[name].since(start, end):
            return found
        quarter = self.series[name].spanning(end, QUARTER)
        last = self.calendar.quarter_before(end)
        before = self.to_date(name, last) if last > start else None
        if not quarter or not before or not self._adds_up(name, end):
            return None
        formula = f"{_span(before)} + {_span(quarter)}"
        return combined(before.value + quarter.value, formula, before, quarter, start=before.start)

    def quarter(self, name: str, end: str) -> Amount | None:
        """Return a quarter's amount: reported, or what the year to date has more than before."""
        if found := self.series[name].spanning(end, QUARTER):
            return found
        before = self.calendar.quarter_before(end)
        whole, rest = self.to_date(name, end), self.to_date(name, before) if before else None
        if not whole or not rest or not is_near(whole.start, rest.start):
            return None
        if not self._adds_up(name, end):
            return None
        formula = f"{_span(whole)} − {_span(rest)}"
        start = shifted(rest.end, 1)
        return combined(whole.value - rest.value, formula, rest, whole, start=start)

    def ttm(self, name: str, end: str) -> Amount | None:
        """Return the amount of the twelve months to a quarter's end."""
        if found := self.year(name, end):
            return found
        return self._rolled(name, end) or self._four_quarters(name, end)

    def at(self, name: str, end: str) -> Amount | None:
        """Return the amount on a day."""
        return self.series[name].at(end)

    def shares_at(self, end: str) -> Amount | None:
        """Return the shares outstanding on a day, or on the cover of that period's report."""
        if found := self.at("shares_outstanding", end):
            return found
        near = [a for a in self.cover_shares if 0 <= days(end, a.end) - 1 <= _COVER_DAYS]
        return near[-1] if near else None

    def is_comparable(self, end: str, other: str) -> bool:
        """Tell whether the shares of two periods were about as many: no split lies between."""
        found = [self._shares_of(each) for each in (end, other)]
        if not all(found):
            return True
        low, high = sorted(found)
        return high <= _SPLIT * low

    def _rolled(self, name: str, end: str) -> Amount | None:
        """Return the last year, with this year so far in place of last year so far."""
        before = self.calendar.year_before(end)
        start = self.calendar.year_start(end)
        if not before or not start or not self._adds_up(name, end):
            return None
        year = self.year(name, self.calendar.last_year_end(start))
        now, then = self.to_date(name, end), self.to_date(name, before)
        if not (year and now and then):
            return None
        formula = f"{_span(year)} + {_span(now)} − {_span(then)}"
        value = year.value + now.value - then.value
        return combined(value, formula, year, then, now, start=shifted(then.end, 1))

    def _four_quarters(self, name: str, end: str) -> Amount | None:
        quarters: list[Amount] = []
        while len(quarters) < 4:
            found = self.quarter(name, end) if end else None
            if found is None:
                return None
            quarters.append(found)
            end = self.calendar.quarter_before(end)
        formula = " + ".join(_span(quarter) for quarter in reversed(quarters))
        total = sum(quarter.value for quarter in quarters)
        return combined(total, formula, *quarters, start=quarters[-1].start)

    def _adds_up(self, name: str, end: str) -> bool:
        """Tell whether periods up to a year back may be added and taken away."""
        metric = next(x for x in m.FLOWS if x.name == name)
        if metric.of == "money":
            return True
        before = self.calendar.year_before(end) or end
        return metric.of == "per share" and self.is_comparable(end, before)

    def _shares_of(self, end: str) -> float:
        series = self.series["diluted_shares"]
        found = series.spanning(end, QUARTER) or series.spanning(end, YEAR)
        return found.value if found else 0.0

    def _series(self, metric: m.Metric) -> Series:
        units = {
            "money": self.currency,
            "per share": f"{self.currency}/shares",
            "shares": "shares",
        }
        return of_metric(self.book, self.taxonomy, metric, units[metric.of])

    def _anchors(self, taxonomy: str, currency: str) -> Iterator[Fact]:
        for metric in m.ANCHORS:
            for tag in metric.gaap if taxonomy == GAAP else metric.ifrs:
                yield from self.book.facts(taxonomy, tag, currency)

    def _newest(self, taxonomy: str) -> str:
        found = (f.end for unit in self._units(taxonomy) for f in self._anchors(taxonomy, unit))
        return max(found, default="")

    def _units(self, taxonomy: str) -> dict[str, None]:
        tags = (t for x in m.ANCHORS for t in (x.gaap if taxonomy == GAAP else x.ifrs))
        return dict.fromkeys(u for tag in tags for u in self.book.units(taxonomy, tag))

    def _currency(self) -> str:
        """Return the currency of most facts: one that figures are only translated to has fewer."""
        counts = {
            unit: sum(1 for _ in self._anchors(self.taxonomy, unit))
            for unit in self._units(self.taxonomy)
        }
        return max(counts, key=lambda unit: (counts[unit], unit == "USD"), default="USD")


def _span(amount: Amount) -> str:
    """Return how a formula names a period."""
    months = round(days(amount.start, amount.end) / 30.4)
    return f"{'year' if months == 12 else f'{months} months'} to {amount.end}"
