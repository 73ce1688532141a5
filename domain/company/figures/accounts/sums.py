"""Adding up amounts of several periods or tags, and what the sums are called."""

from collections.abc import Iterable

from contracts.evidence.rows import Bound
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.periods import DAYS_PER_MONTH, shift_day
from domain.company.figures.filed.series import Amount, combine, list_lacking

AGREEMENT = 0.02
"""A figure may differ from a filed total by this share of it."""
SAME_LINE = 0.001
"""Two amounts of a balance sheet that differ by no more, by rounding, are one line under two tags."""
_BOUNDING = {"other_intangibles", "finite_intangibles", "preferred_equity"}
"""Optional terms that a company has though they are not filed: an amount without them is a bound."""
_REPEATED = 0.01
"""An optional term this close to another is the same line under a slightly wider tag."""


def add_periods(*parts: Amount, less: Amount | None = None) -> Amount:
    """Return the sum of periods, maybe less another, with the days that are left."""
    every = [*parts, *([less] if less else [])]
    formula = " + ".join(map(name_span, parts)) + (f" − {name_span(less)}" if less else "")
    value = sum(part.value for part in parts) - (less.value if less else 0)
    start = shift_day(less.end, 1) if less else parts[0].start
    return combine(value, formula, *every, start=start, end=parts[-1].end)


def add_tags(amounts: Iterable[Amount]) -> Amount | None:
    """Add up the amounts of different tags, counting equal amounts once."""
    by_value = {amount.value: amount for amount in amounts}
    parts = [part for part in by_value.values() if part.value] or [*by_value.values()][:1]
    if len(parts) < 2:
        return next(iter(parts), None)
    words = " + ".join(part.tag or part.formula for part in parts)
    total = sum(part.value for part in parts)
    return combine(total, words, *parts, start=parts[0].start, end=parts[0].end)


def name_span(amount: Amount) -> str:
    """Return a period's name in a formula, e.g. `9 months to 2025-06-28`."""
    months = round(count_days(amount.start, amount.end) / DAYS_PER_MONTH)
    return f"{'year' if months == 12 else f'{months} months'} to {amount.end}"


def name_term(name: str, amount: Amount) -> str:
    """Return what a formula calls a term: by its name if it is shown or of a period, else by its tags."""
    formula = f"({amount.formula})" if " " in amount.formula else amount.formula
    tags = amount.tag or ("" if amount.start else formula)
    return name.replace("_", " ") if name in m.LABELS or not tags else tags


def find_bound(name: str, amount: Amount) -> Bound:
    """Return whether a metric's amount is a bound, as a term that it takes off is not filed, or a computed residue.

    A loss divided by too large a base is an upper bound: by the right base it is a larger loss.
    """
    if name in m.METRICS and m.METRICS[name].residue and amount.formula:
        return "computed"
    if name not in m.METRICS or not any(term in _BOUNDING for term, _ in list_lacking(amount)):
        return ""
    bound = m.METRICS[name].bound
    return "at_most" if bound == "at_least" and amount.value < 0 else bound


def agree(value: float, total: float) -> bool:
    """Return whether a sum of parts comes to a filed total, but for costs of issue and the like."""
    return abs(value - total) <= AGREEMENT * abs(total)


def repeats(term: Amount, sign: str, known: list[tuple[str, str, Amount]]) -> bool:
    """Return whether an optional term adds nothing: it is 0, or repeats a known line under another tag.

    What is taken off repeats only what was taken off before.
    """
    others = [k for other, _, k in known if sign == "+" or other == sign]
    return not term.value or (
        sign in ("+", "-")
        and any(abs(term.value - k.value) <= _REPEATED * abs(k.value) for k in others)
    )
