"""Figures that a filer states in a second currency: the convenience translation of its newest year."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from contracts.company.figures import Figure, Fundamentals
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.numbers import find_unit_of_whole, is_per_share

RATE_TOLERANCE = 0.02
"""A figure is no translation if its rate differs by more than this share from the median rate."""
_MEASURED = ("revenue", "net_income")
"""Amounts of which at least one is needed to know a translation’s rate and the currency of multiples."""
EPS_ROUNDING = 0.006
"""Amounts per share are filed in hundredths, so that a small one may be off by half of one."""


def find_translated(
    company_facts: Mapping[str, Any], found: Fundamentals, currency: str, today: str = ""
) -> list[Figure]:
    """Return the figures of the newest periods that are filed in `currency` beside the company's own currency.

    Each must be at the rate of the others to the company's own figures: an amount that is filed in one currency
    alone, and a sum that lacks a term, are at another. Return none if the newest period is not translated.
    """
    own = {find_currency(f) for f in found.figures} - {"", currency}
    if not own:
        return []
    facts = {name: _leave_out(each, own) for name, each in company_facts["facts"].items()}
    only = {**company_facts, "facts": facts}
    beside = compute_fundamentals(only, found.company, found.as_of, today)
    if beside.newest_end != found.newest_end:
        return []
    known = {(f.metric, f.period, f.end): f.value for f in found.figures if find_currency(f)}
    pairs = [
        (f, value)
        for f in beside.figures
        if find_currency(f) == currency
        and (value := known.get((f.metric, f.period, f.end))) is not None
    ]
    days, flows = ([pair for pair in pairs if _is_day(pair[0]) == of] for of in (True, False))
    translated = _keep_translated(flows)
    if not any(f.metric in _MEASURED and f.value for f in translated):
        return []
    return [*translated, *_keep_translated(days)]


def _keep_translated(pairs: Sequence[tuple[Figure, float]]) -> list[Figure]:
    """Return the figures, each with the company's own, that are at the rate of most; flows may be at another than days."""
    rates = [v / f.value for f, v in pairs if f.value and not is_per_share(f.unit)]
    if not rates or (rate := median(rates)) <= 0:
        return []
    kept = [f for f, value in pairs if _is_near(f, value / rate)]
    return kept if 2 * len(kept) > len(pairs) else []


def _is_day(figure: Figure) -> bool:
    """Return whether a figure is of a day, not of a period."""
    return figure.period == "instant"


def find_currency(figure: Figure) -> str:
    """Return the currency of an amount or of an amount per share; empty of anything else."""
    currency = find_unit_of_whole(figure.unit)
    return currency if currency.isupper() else ""


def find_rate(own: Sequence[Figure], translated: Sequence[Figure]) -> float:
    """Return how many units of a company's own currency one unit of the translation is."""
    known = {(f.metric, f.period, f.end): f.value for f in own}
    amounts = [f for f in translated if f.value and not (_is_day(f) or is_per_share(f.unit))]
    return median(known[f.metric, f.period, f.end] / f.value for f in amounts)


def _is_near(figure: Figure, wanted: float) -> bool:
    rounding = EPS_ROUNDING if is_per_share(figure.unit) else 0
    return abs(figure.value - wanted) <= max(RATE_TOLERANCE * abs(wanted), rounding)


def _leave_out(facts: Any, currencies: set[str]) -> Any:
    """Return the facts of a taxonomy without amounts in some currencies."""
    if not isinstance(facts, dict):
        return facts
    return {tag: _leave_out_units(fact, currencies) for tag, fact in facts.items()}


def _leave_out_units(fact: Any, currencies: set[str]) -> Any:
    if not isinstance(fact, dict) or not isinstance(units := fact.get("units"), dict):
        return fact
    kept = {unit: rows for unit, rows in units.items() if unit.partition("/")[0] not in currencies}
    return {**fact, "units": kept}
