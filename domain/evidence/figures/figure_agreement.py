"""Comparison of a sentence's figure with quoted ones, by digits, rounding, unit and scale."""

from collections.abc import Sequence
from dataclasses import replace

from domain.evidence.figures.notation.quantities import (
    PERCENT,
    RATES,
    TELLING_DIGITS,
    Quantity,
    list_inputs,
)
from domain.evidence.figures.notation.units import BASE_UNITS, FAMILIES, METRES_OR_MILLIONS, MONEY

_MISREAD = (1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9)
_MIN_INPUTS = 2
"""Figures from which a figure may be derived."""


def agrees_with_any(claimed: Quantity, values: Sequence[float]) -> bool:
    """Return whether one of the values rounds to the claimed figure."""
    return any(agrees(claimed, value) for value in values)


def agrees(claimed: Quantity, value: float, slack: float = 0.0) -> bool:
    """Return whether a value rounds to the claimed figure, or differs from it by at most a share of `slack`."""
    return any(
        abs(own - abs(value)) <= max(step / 2, slack * own) + own * 1e-9
        for own, step in claimed.rounded_values
    )


def is_quoted(claimed: Quantity, quoted: Sequence[Quantity], slack: float = 0.0) -> bool:
    """Return whether one of the quoted figures equals the claimed one, including unit and magnitude."""
    return any(
        agrees(claimed, value * factor, slack)
        for other in quoted
        if (factor := _find_factor(other.unit, claimed.unit))
        for value in other.values
    )


def find_different(
    claimed: Quantity, quoted: Sequence[Quantity], *, is_declared: bool = False
) -> Quantity | None:
    """Return a quoted figure with the same digits but another scale or unit, such as $ for €.

    If several figures are quoted, two digits only count if the scale of the same currency differs or the
    sentence claims a quote (`is_declared`): computed figures may share digits by chance.
    """
    alike = [q for q in quoted if _are_of_one_kind(claimed, q)]
    digits, is_money = claimed.digit_count, claimed.unit in MONEY
    is_sure = is_declared or digits >= TELLING_DIGITS or len(list_inputs(quoted)) < _MIN_INPUTS
    same = (q for q in alike if claimed.has_digits_of(q) and (is_sure or _is_rescaled(claimed, q)))
    if claimed.unit in RATES or digits < (2 if is_money else TELLING_DIGITS):
        return next(same, None)
    bare = replace(claimed, unit="")
    near = (
        q
        for q in alike
        if is_quoted(bare, [replace(q, scales=_MISREAD)]) and not _is_chance(claimed, q)
    )
    return next(same, None) or next(near, None)


def _is_rescaled(claimed: Quantity, quoted: Quantity) -> bool:
    """Return whether an amount of money has another word of scale than the quoted one, or is in cents there."""
    is_money = claimed.unit in MONEY and quoted.unit in {claimed.unit, ""}
    return is_money and claimed.scale != quoted.scale and claimed.digit_count > 1


def _are_of_one_kind(claimed: Quantity, quoted: Quantity) -> bool:
    """Return whether both units are money, both rates or both something else; an empty unit matches any.

    Cents of a dollar do not match percentages.
    """
    units = claimed.unit, quoted.unit
    kinds = [0 if unit in MONEY else 1 if unit in RATES else 2 for unit in units]
    return kinds[0] == kinds[1] if all(units) else not (claimed.scale < 1 and kinds[1] == 1)


def find_misread(claimed: Quantity, quoted: Sequence[Quantity]) -> Quantity | None:
    """Return the quoted figure that differs from the claimed one only in scale, such as million for billion.

    Figures with fewer than three digits are ignored, because they may agree by chance.
    """
    if not _is_telling(claimed):
        return None
    scaled = (q for q in quoted if q.scale != 1 or (len(q.scales) == 1 and q.scales != (1.0,)))
    misread = (
        (q, replace(q, scales=(*_MISREAD, 1.0) if q.is_tabular else _MISREAD)) for q in scaled
    )
    return next(
        (q for q, other in misread if is_quoted(claimed, [other]) and not _is_chance(claimed, q)),
        None,
    )


def _is_chance(claimed: Quantity, quoted: Quantity) -> bool:
    """Return whether a figure of one digit and zeros only rounds to another, as a budget of 3,000 euros to 3,097,965 people."""
    digits = "".join(filter(str.isdigit, claimed.shown)).strip("0")
    return len(digits) < 2 and not claimed.has_digits_of(quoted)


def _is_telling(claimed: Quantity) -> bool:
    return claimed.digit_count >= TELLING_DIGITS and claimed.unit != PERCENT


def _find_factor(unit: str, into: str) -> float:
    """Return the factor from a unit to another; 0 where they do not go together."""
    if unit == into or not unit or not into:
        return 1.0
    if unit in FAMILIES.get(into, ()) or into in FAMILIES.get(unit, ()):
        return 1.0
    if METRES_OR_MILLIONS in {unit, into} and {unit, into} & MONEY:
        return 1.0
    one, other = BASE_UNITS.get(unit), BASE_UNITS.get(into)
    return one[1] / other[1] if one and other and one[0] == other[0] else 0.0
