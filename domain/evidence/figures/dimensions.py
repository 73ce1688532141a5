"""Dimensional analysis of an expression: the units and scales that its result may have."""

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from domain.evidence.figures.notation.quantities import PERCENT, POINTS
from domain.evidence.figures.notation.units import BASE_UNITS, FAMILIES, THOUSANDS

FREE = "free"
"""The unit of a constant or an assumed number, which fits any other."""
COMPOUND = "compound"
"""A unit that code does not know, such as that of dollars by barrels."""
RATIO, DIFFERENCE = "ratio", "difference"
"""A quotient of like amounts, and the difference of two such quotients, which is one of percentage points."""
REST = "rest"
"""What is left of a hundred per cent: less a share, it is a share and no difference."""
BASIS_POINTS = "basis points"
_SHARES = {
    REST: 0.01,
    PERCENT: 0.01,
    POINTS: 0.01,
    BASIS_POINTS: 0.0001,
    RATIO: 1.0,
    DIFFERENCE: 1.0,
}
"""What each unit of a share is as a plain number."""
_UNKNOWN = frozenset({"", COMPOUND})
_COUNTED = (1.0, *sorted(THOUSANDS))
_ADDABLE = frozenset({1.0, 100.0})
"""Constants that a sum may use in addition to quoted figures: the rest of a whole, a growth factor."""
_MAX_MEASURES = 16


class Measure(NamedTuple):
    """The unit of a number, and the factor that makes it a full value; a free number's factor is the number itself."""

    unit: str
    factor: float


Measures = frozenset[Measure]


def list_measures(tree: ast.AST, numbers: Mapping[float, Set[Measure]]) -> Measures:
    """Return what an expression's value may measure; nothing if it adds unlike units or scales."""
    match tree:
        case ast.Constant():
            number = float(str(tree.value))
            return frozenset(numbers.get(number, {Measure(FREE, number)}))
        case ast.BinOp():
            sides = list_measures(tree.left, numbers), list_measures(tree.right, numbers)
            return _combine(type(tree.op).__name__, *sides)
        case ast.UnaryOp():
            found = list_measures(tree.operand, numbers)
            return _negate(found) if isinstance(tree.op, ast.USub) else found
        case ast.Call(func=ast.Name(id=name)):
            return _call(name, [list_measures(each, numbers) for each in tree.args])
        case ast.Expression():
            return list_measures(tree.body, numbers)
        case _:
            return frozenset({Measure(COMPOUND, 1.0)})


def _negate(measures: Measures) -> Measures:
    """Return the measures of a value with the other sign, which matters to constants, as in `10 ** -3`."""
    return frozenset(
        Measure(FREE, -each.factor) if each.unit == FREE else each for each in measures
    )


def _call(name: str, arguments: list[Measures]) -> Measures:
    """Return what a function of `arithmetic` gives."""
    if name in {"abs", "round"}:
        return arguments[0]
    if name in {"max", "min"}:
        return frozenset().union(*arguments)
    power = 0.5 if name == "sqrt" else 0.0
    return _combine("Pow", arguments[0], frozenset({Measure(FREE, power)}))


@lru_cache(maxsize=4_096)
def _combine(operator: str, left: Measures, right: Measures) -> Measures:
    """Return what an operation on two values may measure."""
    if operator in {"Add", "Sub"}:
        left, right = map(_without_counts, (left, right))
    elif operator == "Div" and any(_are_like(*pair) for pair in product(left, right)):
        right = frozenset(each for each in right if each.unit != FREE)
    combine = _OPERATIONS.get(operator, _multiply)
    found = (each for pair in product(left, right) for each in combine(*pair))
    rounded = {Measure(unit, float(f"{factor:.12g}")) for unit, factor in found}
    return frozenset(sorted(each for each in rounded if math.isfinite(each.factor))[:_MAX_MEASURES])


def _without_counts(measures: Measures) -> Measures:
    """Return a term's measures: a number that is quoted with a unit is not also a constant."""
    quoted = {each for each in measures if each.unit != FREE or each.factor in _ADDABLE}
    return frozenset(quoted) or measures


def _are_like(one: Measure, other: Measure) -> bool:
    """Return whether two values are lengths, amounts of one currency, or alike in another known way."""
    bases = [BASE_UNITS.get(each.unit, (each.unit, 1.0))[0] for each in (one, other)]
    return bases[0] == bases[1] and one.unit not in {FREE, *_UNKNOWN}


def _add(one: Measure, other: Measure) -> Iterator[Measure]:
    if FREE in {one.unit, other.unit}:
        both = one.unit == other.unit
        total = one.factor + other.factor
        yield Measure(FREE, total) if both else one if other.unit == FREE else other
    elif math.isclose(one.factor, other.factor, rel_tol=1e-9):
        yield from (Measure(unit, one.factor) for unit in _join(one.unit, other.unit))


def _subtract(one: Measure, other: Measure) -> Iterator[Measure]:
    differences = {PERCENT: POINTS, RATIO: DIFFERENCE}
    for each in _add(one, other):
        if one.unit == other.unit == FREE:
            yield Measure(FREE, one.factor - other.factor)
        elif other.unit == PERCENT and one.unit in {FREE, REST}:
            yield Measure(REST, each.factor)
        elif one.unit == other.unit:
            yield Measure(differences.get(each.unit, each.unit), each.factor)
        else:
            yield each


def _join(one: str, other: str) -> Iterator[str]:
    """Yield the unit of a sum of figures in two units, if they can be added: an unknown unit may be any."""
    units = {one, other}
    if one == other:
        yield one
    elif units <= _UNKNOWN:
        yield COMPOUND
    elif units & _UNKNOWN:
        yield next(iter(units - _UNKNOWN))
    elif members := {unit for unit in units if units & FAMILIES.keys() and unit not in FAMILIES}:
        yield from (unit for unit in members if any(unit in FAMILIES.get(u, ()) for u in units))
    elif units in ({PERCENT, POINTS}, {PERCENT, REST}):
        yield PERCENT
    elif units == {RATIO, DIFFERENCE}:
        yield RATIO


def _multiply(one: Measure, other: Measure) -> Iterator[Measure]:
    if FREE in {one.unit, other.unit}:
        number, value = (one, other) if one.unit == FREE else (other, one)
        yield from _scale(value, number.factor)
        return
    factor = one.factor * other.factor
    share, whole = (one, other) if one.unit in _SHARES else (other, one)
    if whole.unit == PERCENT and share.unit in {PERCENT, RATIO}:
        yield Measure(PERCENT, factor * _SHARES[share.unit])
    elif share.unit in _SHARES:
        yield Measure(whole.unit, factor * _SHARES[share.unit])
    else:
        yield Measure(COMPOUND, factor)


def _divide(one: Measure, other: Measure) -> Iterator[Measure]:
    if other.unit == FREE:
        if other.factor:
            yield from _scale(one, 1 / other.factor)
        return
    factor = (1.0 if one.unit == FREE else one.factor) / (other.factor or math.inf)
    if one.unit in _SHARES and other.unit in _SHARES:
        yield Measure(RATIO, factor * _SHARES[one.unit] / _SHARES[other.unit])
    elif other.unit in _SHARES:
        unit = COMPOUND if one.unit == FREE else one.unit
        yield Measure(unit, factor / _SHARES[other.unit])
    elif _are_like(one, other):
        sizes = [BASE_UNITS.get(each.unit, ("", 1.0))[1] for each in (one, other)]
        yield Measure(RATIO, factor * sizes[0] / sizes[1])
    else:
        yield Measure(COMPOUND, factor)


def _scale(value: Measure, number: float) -> Iterator[Measure]:
    """Yield what a value is when it is multiplied by a plain number, which may convert its unit or its scale."""
    unit, factor = value
    if unit == FREE:
        yield Measure(FREE, factor * number)
        return
    in_scale = factor / number if number else math.nan
    if shown := _find_share(unit, number):
        yield Measure(shown, factor)
    is_thousands = any(math.isclose(max(number, 1 / (number or 1)), each) for each in THOUSANDS)
    if is_thousands and in_scale >= 1 and factor != 1 and unit not in _SHARES:
        yield Measure(unit, in_scale)
    elif not shown:
        yield value
        if is_thousands or factor not in _COUNTED:
            yield Measure(unit, in_scale)
        yield from (Measure(other, factor) for other in _list_converted(unit, number))


def _find_share(unit: str, number: float) -> str:
    """Return the unit of a share that is multiplied by a hundred or divided by it; empty for anything else."""
    if math.isclose(number, 100):
        return {RATIO: PERCENT, DIFFERENCE: POINTS}.get(unit, "")
    is_share = math.isclose(number, 0.01) and unit in _SHARES
    return {POINTS: DIFFERENCE, BASIS_POINTS: POINTS}.get(unit, RATIO) if is_share else ""


def _list_converted(unit: str, number: float) -> Iterator[str]:
    """Yield the units that a value in `unit` is in after multiplication by a number: 12 makes years months."""
    base, size = BASE_UNITS.get(unit, ("", 0.0))
    wanted = size / number if number else 0.0
    for other, (its_base, its_size) in BASE_UNITS.items():
        if its_base == base and math.isclose(wanted, its_size, rel_tol=0.02):
            yield other


def _raise(one: Measure, other: Measure) -> Iterator[Measure]:
    if one.unit == other.unit == FREE:
        yield Measure(FREE, _to_power(one.factor, other.factor))
    elif one.unit in _SHARES or one.unit == FREE:
        yield Measure(RATIO, 1.0)
    else:
        power = other.factor if other.unit == FREE else 0.0
        yield Measure(COMPOUND, _to_power(one.factor, power))


def _to_power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        return math.nan


_OPERATIONS: dict[str, Callable[[Measure, Measure], Iterator[Measure]]] = {
    "Add": _add,
    "Sub": _subtract,
    "Mult": _multiply,
    "Div": _divide,
    "FloorDiv": _divide,
    "Mod": _subtract,
    "Pow": _raise,
}
