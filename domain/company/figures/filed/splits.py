"""Stock splits, found by comparing what later filings state for the same periods, and split-adjusted figures per share."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from statistics import median
from typing import NamedTuple

from domain.company.figures.filed.facts import GAAP, Fact, count_days
from domain.company.figures.filed.metrics import METRICS, SPLIT_TAG
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import MAX_DENOMINATOR
from domain.company.figures.numbers import PER_SHARE

_SMALLEST = 0.04
"""A change of a period's shares below this part is a correction, not a split."""
_LARGEST = 500.0
"""A change from here on is one of units: thousands or millions of shares."""
_LARGEST_OLD = 20
"""The smaller number of a split's ratio, such as 2 in 3-for-2, is at most this."""
_EXACT, _LOOSE = 0.01, 0.15
"""Part by which a split's ratio may differ for the same period, and between neighbouring periods."""
_CENT = 0.0051
"""The change of earnings per share that rounding to cents may cause."""
_SMALL_EPS = 0.015
_LEAST_BY_EPS = 0.3
"""Earnings per share that change less are restated, unless numbers of shares say otherwise."""
SPLIT_RATIO = 1.6
"""A larger change in the number of shares keeps per-share figures from being added up, split or not."""
_NEAR_DAYS = 550
"""The filing that names a split and the first with the new share count are at most this far apart."""
_MOST = 50
"""Pairs of filings that show a split, and filings that name one: a company has a few, and each is held against all others."""
_NICE = sorted({n / m for n in range(1, 151) for m in (1, 2, 3, 4, 5, 10, 20)} - {1.0})
"""Ratios that companies choose, and their inverses."""


class Split(NamedTuple):
    """A change of the basis of shares: filings up to `after` count old ones, those from `filed` on new ones."""

    after: str
    filed: str
    ratio: float
    """New shares for one old one."""


class ShareJump(NamedTuple):
    """A change in the number of shares that may be an unreported split."""

    before: Fact
    after: Fact


class ShareBasis:
    """The splits of a company, and factors that bring its facts to the newest filing's shares."""

    def __init__(self, facts: FiledFacts, taxonomy: str, currency: str) -> None:
        shares = [*_list_tables(facts, taxonomy, "shares", "diluted_shares", "basic_shares")]
        per_share = f"{currency}{PER_SHARE}"
        earned = [*_list_tables(facts, taxonomy, per_share, "diluted_eps", "basic_eps")]
        found = _merge(_list_restated(shares, earned))
        named = [f for f in facts.list_facts(GAAP, SPLIT_TAG, "pure") if _is_split(f.value)]
        named = named[-_MOST:]
        newest = _list_newest(shares)
        for fact in named:
            if not any(_names(fact, split) for split in found):
                found += [*_find_named(fact, newest)][:1]
        self.splits: Sequence[Split] = sorted(found)
        self.unseen = [f for f in named if not any(_names(f, s) for s in self.splits)]
        """Splits that a filing names and that no number of shares shows."""
        self.jumps = [
            ShareJump(one, other)
            for one, other in pairwise(newest)
            if _is_jump(one.value * self.find_factor(one), other.value * self.find_factor(other))
        ]

    def convert_count(self, fact: Fact) -> Fact:
        """Return a number of shares as the newest filing counts them."""
        return _multiply(fact, self.find_factor(fact))

    def convert_per_share(self, fact: Fact) -> Fact:
        """Return an amount per share as the newest filing counts shares."""
        return _multiply(fact, 1 / self.find_factor(fact))

    def find_factor(self, fact: Fact) -> float:
        """Return how many of the newest filing's shares one share of a fact is."""
        return prod(split.ratio for split in self.splits if split.filed > fact.filed)


def _multiply(fact: Fact, factor: float) -> Fact:
    return fact if factor == 1 else fact._replace(value=factor * fact.value, factor=factor)


def name_terms(ratio: float) -> dict[str, float]:
    """Return a split's ratio as `new` shares for `old` ones."""
    terms = Fraction(ratio).limit_denominator(MAX_DENOMINATOR)
    if min(terms.numerator, terms.denominator) > _LARGEST_OLD:  # an exchange ratio
        return {"new": round(ratio, 4), "old": 1}
    return {"new": terms.numerator, "old": terms.denominator}


def _names(fact: Fact, split: Split) -> bool:
    """Return whether a fact names a split: as the ratio or its inverse, about when shares show it."""
    ratios = (fact.value, 1 / fact.value)
    is_same = any(_is_close(split.ratio, ratio, _EXACT) for ratio in ratios)
    return is_same and count_days(*sorted((fact.filed, split.filed))) <= _NEAR_DAYS


def _is_split(ratio: float) -> bool:
    return 1 / _LARGEST < ratio < _LARGEST and not _is_close(ratio, 1, _SMALLEST)


def _is_close(one: float, other: float, part: float) -> bool:
    return abs(one - other) <= part * abs(other)


def _is_jump(one: float, other: float) -> bool:
    small, large = sorted((one, other))
    return small > 0 and SPLIT_RATIO < large / small < _LARGEST


def _list_tables(
    facts: FiledFacts, taxonomy: str, unit: str, *metrics: str
) -> Iterator[dict[tuple[str, str], list[Fact]]]:
    """Yield the facts of each tag of some metrics by period, oldest filing first."""
    for name in metrics:
        for tag in METRICS[name].tags.get(taxonomy, ()):
            periods: dict[tuple[str, str], list[Fact]] = {}
            for fact in facts.list_facts(taxonomy, tag, unit):
                if fact.start and fact.value:
                    periods.setdefault((fact.start, fact.end), []).append(fact)
            yield periods


Filings = tuple[str, str, str, str]
"""Days and numbers of two filings that state the same period: `(filed, accession, filed, accession)`."""


def _pair(
    tables: Iterable[dict[tuple[str, str], list[Fact]]],
) -> dict[Filings, list[tuple[float, float]]]:
    """Return the values that two filings one after the other give of the same periods."""
    pairs: dict[Filings, list[tuple[float, float]]] = {}
    for table in tables:
        for facts in table.values():
            for one, other in pairwise(facts):
                if one.filed < other.filed:
                    key = (one.filed, one.accession, other.filed, other.accession)
                    pairs.setdefault(key, []).append((one.value, other.value))
    return pairs


def _list_restated(
    shares: Iterable[dict[tuple[str, str], list[Fact]]],
    earned: Iterable[dict[tuple[str, str], list[Fact]]],
) -> Iterator[Split]:
    """Yield the splits that two filings show which state the same periods."""
    counts, eps = _pair(shares), _pair(earned)
    for key in {*counts, *eps}:
        ratio = _find_ratio(counts.get(key, ()), eps.get(key, ()))
        if ratio and _is_split(ratio):
            yield Split(key[0], key[2], ratio)


def _find_ratio(
    counts: Sequence[tuple[float, float]], eps: Sequence[tuple[float, float]]
) -> float | None:
    """Return the ratio by which all share counts grew and all EPS fell, or None if they do not agree.

    A single share count must show a ratio that companies choose for splits; so must EPS without share counts.
    """
    ranges = [_find_range(*pair) for pair in eps if _is_large(*pair)]
    if not counts:
        if len(ranges) < 2 or all(low <= 1 <= top for low, top in ranges):
            return None
        ratios = [r for r in _NICE if not _is_close(r, 1, _LEAST_BY_EPS)]
        fits = [r for r in ratios if all(low <= r <= top for low, top in ranges)]
        return fits[0] if len(fits) == 1 else None
    ratio = median(new / old for old, new in counts)
    agreeing = [_is_close(new / old, ratio, _EXACT) for old, new in counts]
    speaking = [low * (1 - _EXACT) <= ratio <= top * (1 + _EXACT) for low, top in ranges]
    if (
        not all(agreeing)
        or _is_close(ratio, 1, _SMALLEST)
        or (speaking and 2 * sum(speaking) <= len(speaking))
    ):
        return None
    nice = next((r for r in _NICE if _is_close(ratio, r, _EXACT / 2)), None)
    is_borne = speaking or not _is_close(ratio, 1, _LEAST_BY_EPS)
    return nice or (ratio if len(counts) > 1 and is_borne else None)


def _is_large(old: float, new: float) -> bool:
    return min(abs(old), abs(new)) > _SMALL_EPS and old * new > 0


def _find_range(old: float, new: float) -> tuple[float, float]:
    """Return the ratios that earnings per share, rounded to cents, leave possible."""
    old, new = abs(old), abs(new)
    return (old - _CENT) / (new + _CENT), (old + _CENT) / (new - _CENT)


def _merge(restated: Iterable[Split]) -> list[Split]:
    """Return each split once, between the closest filings that show it."""
    found = list[Split]()
    for one in sorted(restated, key=lambda s: count_days(s.after, s.filed))[:_MOST]:
        within = [s for s in found if one.after < s.filed and s.after < one.filed]
        known = prod(s.ratio for s in within)
        if not within:
            found.append(one)
        elif _is_close(one.ratio, known, 2 * _EXACT):
            if len(within) == 1:
                [same] = within
                found.remove(same)
                narrowed = max(one.after, same.after), min(one.filed, same.filed)
                found.append(Split(*narrowed, same.ratio))
        elif _is_split(one.ratio / known):  # two splits lie between these filings
            found.append(one._replace(ratio=one.ratio / known))
    return found


def _list_newest(tables: Iterable[dict[tuple[str, str], list[Fact]]]) -> list[Fact]:
    """Return the shares of each filing's own latest period, ordered by filing."""
    newest: dict[str, Fact] = {}
    for fact in (f for table in tables for facts in table.values() for f in facts):
        known = newest.get(fact.accession)
        if known is None or (fact.end, fact.start) > (known.end, known.start):
            newest[fact.accession] = fact
    return sorted(newest.values(), key=lambda fact: (fact.filed, fact.end))


def _find_named(fact: Fact, newest: Sequence[Fact]) -> Iterator[Split]:
    """Yield the filings between which shares change by about the ratio that a fact names."""
    for one, other in pairwise(newest):
        for ratio in (fact.value, 1 / fact.value):
            is_shown = _is_close(other.value / one.value, ratio, _LOOSE)
            is_then = count_days(*sorted((fact.filed, other.filed))) <= _NEAR_DAYS
            if is_shown and is_then and one.filed < other.filed:
                yield Split(one.filed, other.filed, ratio)
