"""Recomputes a claim's expression: checks that its numbers are quoted, assumed or constants, and its result is stated."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from itertools import chain

from contracts.errors import ToolFailed
from contracts.evidence.claims import Claim
from contracts.problems import Problem
from domain.evidence.figures.arithmetic import (
    calculate,
    list_numbers,
    list_readings,
    parse,
)
from domain.evidence.figures.conversions import is_constant, tells_of_data
from domain.evidence.figures.dimensions import (
    COMPOUND,
    DIFFERENCE,
    FREE,
    RATIO,
    REST,
    Measure,
    list_measures,
)
from domain.evidence.figures.figure_agreement import agrees_with_any, is_quoted
from domain.evidence.figures.notation.dates import blank_dates
from domain.evidence.figures.notation.quantities import (
    PERCENT,
    POINTS,
    TELLING_DIGITS,
    Quantity,
    read_claimed,
    read_figure,
    read_quantities,
)
from domain.evidence.figures.notation.units import THOUSANDS
from domain.evidence.figures.quote_reading import has_unread_numbers

_POWERS = frozenset({100, 1e4, *THOUSANDS})
_COUNTED_IN = (1.0, 1e3, 1e6, 1e9, 1e12)
"""Scales that an expression may use for its amounts, independent of their quotes: 90.5 for 90,500 million."""
_SHOWN_IN: Mapping[str, Sequence[tuple[str, float]]] = {
    "": (("", 1.0), (PERCENT, 100.0), (POINTS, 100.0)),
    COMPOUND: (("", 1.0), (PERCENT, 100.0), (POINTS, 100.0)),
    FREE: (("", 1.0), (PERCENT, 100.0)),
    RATIO: (("", 1.0), (PERCENT, 100.0)),
    DIFFERENCE: ((POINTS, 100.0),),
    REST: ((PERCENT, 1.0),),
}
"""The units in which a sentence may state a result, each with a factor."""
_LOOSE_UNITS = {POINTS: PERCENT}
"""A difference of shares may be a share of the whole, as of all who do one thing and not another; a judge can tell."""
_DIGIT = re.compile(r"\d")
_CENT = 0.01
_RESULT_SLACK = 0.02
MOST_VARIED = 10
"""The largest factor by which a sentence may vary an assumption in words: half, twice, a quarter more."""
_CALENDAR = frozenset({12, 30})
"""Months of a year and days of a month, by which a sentence spreads an assumption over time without saying so."""
MAX_EXPRESSION_CHARS = 10_000
"""Longer expressions are not recomputed."""
_EXACT_DIGITS = 15
"""Digits that a float holds exactly."""


def compute(
    claim: Claim, quotes: Sequence[Sequence[Quantity]], *, is_varied: bool = False
) -> tuple[list[Quantity], bool, str]:
    """Return the results of a claim's expressions (separated by `;`), whether it assumes something, and the working.

    Besides quoted figures, or if nothing is quoted, an expression may use figures of its own sentence as
    assumptions. They are returned with the results; a judge decides whether the sentence declares them as
    assumptions. With `is_varied`, for a sentence that is or rests on an assumption, it may also use a small factor that
    the sentence has in words, as in “with half the gas”, and the months of a year or days of a month.

    Raises:
        ToolFailed: The text is not arithmetic, uses numbers that are not quoted, or gives a result that the
            claim does not state.
    """
    readings = _read_expressions(claim)
    if not readings:
        return [], False, ""
    try:
        return _compute(claim, [first for first, *_ in readings], quotes, is_varied)
    except ToolFailed:
        if all(len(found) == 1 for found in readings):
            raise
    return _compute(claim, [found[-1] for found in readings], quotes, is_varied)


def _read_expressions(claim: Claim) -> list[list[str]]:
    """Return what each of a claim's expressions may mean, the likeliest first."""
    parts = (part.strip() for part in claim.expression.split(";"))
    return [list_readings(part) for part in parts if part]


def list_exact_results(claim: Claim) -> Iterator[Quantity]:
    """Yield the results of a claim's expressions before they were rounded to what it states, in its units and scales."""
    if not claim.expression or len(claim.expression) > MAX_EXPRESSION_CHARS:
        return
    stated = read_quantities(blank_dates(claim.text))
    for first, *_ in _read_expressions(claim):
        try:
            value = abs(calculate(first, {}))
        except ToolFailed:
            continue
        yield from (
            Quantity("", (value,), unit=quantity.unit, scales=(scale,))
            for quantity in stated
            for scale in _COUNTED_IN
            if agrees_with_any(quantity, (value * scale,))
        )


def _write_result(expression: str, value: float) -> str:
    """Return an expression with its result: six digits, or all before the point, as a reader who adds it up sees them."""
    digits = min(max(6, len(f"{abs(value):.0f}")), _EXACT_DIGITS)
    return f"{expression} = {Decimal(f'{value:.{digits}g}'):,f}"


def recomputes(claim: Claim) -> bool:
    """Return whether a claim's expressions give its working, each in one of its readings."""
    if len(claim.expression) > MAX_EXPRESSION_CHARS:
        return False
    left = f"{claim.working}; "
    for readings in _read_expressions(claim):
        results = (f"{result}; " for each in readings if (result := _try(each)))
        found = next((result for result in results if left.startswith(result)), None)
        if found is None:
            return False
        left = left.removeprefix(found)
    return not left


def _try(expression: str) -> str:
    try:
        return _write_result(expression, calculate(expression, {}))
    except ToolFailed:
        return ""


def _compute(
    claim: Claim, parts: Sequence[str], quotes: Sequence[Sequence[Quantity]], is_varied: bool
) -> tuple[list[Quantity], bool, str]:
    """Return the results of a claim's expressions, each in one of its readings, as `compute` does."""
    stated = read_quantities(blank_dates(claim.text))
    results, assumed, workings = list[Quantity](), list[Quantity](), list[str]()
    unquoted = set[str]()
    is_data = tells_of_data(claim.text)
    for expression in parts:
        value = calculate(expression, {})
        used = {n: _list_used(n, quotes) for n in list_numbers(expression)}
        assumed += _list_assumed(claim, used, stated, is_varied)
        unquoted |= {number for number, found in used.items() if not found}
        bare = {float(n) for n, found in used.items() if not (found or _list_used(n, [stated]))}
        is_vague = any(_may_be_amount(number, quotes) for number in bare)
        read = _read_in_sentence(used, stated, is_alone=not claim.citations)
        results += _list_results(expression, value, read, is_vague=is_vague, is_data=is_data)
        workings.append(_write_result(expression, value))
    if any(quantity.scale == _CENT for quantity in stated):
        results = [replace(each, scales=(*each.scales, _CENT), unit="") for each in results]
    loose = [replace(each, unit=_LOOSE_UNITS.get(each.unit, each.unit)) for each in results]
    loose = [*results, *loose]
    given = [quantity for quantity in stated if not is_quoted(quantity, loose, _RESULT_SLACK)]
    is_assumed = not (claim.citations or claim.rests_on)
    is_assumed |= any(_is_assumed(number, given, is_data=is_data) for number in unquoted)
    said = [quantity for quantity in stated if quantity not in assumed]
    new = [q for q in read_claimed(blank_dates(claim.text)) if q in said]
    inputs = [q for part in parts for n in list_numbers(part) for q in _list_used(n, [stated])]
    is_new = any(
        _DIGIT.search(q.shown)  # whether “nearly half” fits the result is for the judge
        and not any(is_quoted(q.as_rounded, quote) for quote in [*quotes, inputs])
        for q in new
    )
    if is_new and not any(is_quoted(q, loose, _RESULT_SLACK) for q in said):
        raise ToolFailed(Problem.at("expression", "sum-unsaid", working=workings[0]))
    return [*results, *assumed], is_assumed, "; ".join(workings)


Used = Mapping[str, Mapping[Quantity, Set[Measure]]]
"""The numbers of an expression, each with the quoted figures that it may be and what it may measure of them."""


def _list_assumed(
    claim: Claim, used: Used, stated: Sequence[Quantity], is_varied: bool
) -> Iterator[Quantity]:
    """Yield the figures of a sentence that its expression uses without a quote.

    Raises:
        ToolFailed: A number is not in the sentence, or the sentence claims a quote for it that does not
            exist.
    """
    is_free = claim.kind == "concluded" or not claim.citations
    declared, is_data = _list_declared(claim), tells_of_data(claim.text)
    for number in (n for n, found in used.items() if not found):
        own = _list_used(number, [stated])
        if is_constant(float(number), is_data=is_data):
            yield from (q for q in own if is_free and q.unit != PERCENT)
        elif any(one.has_digits_of(each) for one in declared for each in own):
            raise ToolFailed(Problem.at("expression", "sum-unquoted", number=number))
        elif own and (any(used.values()) or is_free):
            yield from own
        elif not (is_varied and _varies(float(number))):
            code = "sum-nowhere" if is_free else "sum-unquoted"
            raise ToolFailed(Problem.at("expression", code, number=number))


def _varies(factor: float) -> bool:
    """Return whether a sentence that rests on an assumption may use a factor without its digits."""
    return 0 < factor <= MOST_VARIED or factor in _CALENDAR


def _list_declared(claim: Claim) -> list[Quantity]:
    """Return the figures that a claim says are in its quotes, unless these have numbers that code cannot read."""
    if any(has_unread_numbers(citation.quote) for citation in claim.citations):
        return []
    figures = (read_figure(figure.value, figure.unit) for figure in claim.figures)
    return [figure for figure in figures if figure and claim.citations]


def _is_assumed(number: str, given: Sequence[Quantity], *, is_data: bool) -> bool:
    """Return whether an unquoted number of an expression is an assumed figure: no constant, or a rate that the sentence gives."""
    rates = [q for q in _list_used(number, [given]) if q.unit == PERCENT]
    return not is_constant(float(number), is_data=is_data) or (float(number) != 100 and bool(rates))


def _read_in_sentence(used: Used, stated: Sequence[Quantity], *, is_alone: bool) -> Used:
    """Return what each number of an expression may be, read in its own sentence where no quote has it.

    If a sentence quotes nothing, its reading counts beside that of what it rests on: its 30 days are not
    the 30 % of another sentence.
    """
    own = {number: _list_used(number, [stated]) for number in used}
    return {n: own[n] | dict(found) if is_alone else found or own[n] for n, found in used.items()}


def _list_results(
    expression: str, value: float, used: Used, *, is_vague: bool, is_data: bool
) -> list[Quantity]:
    """Return an expression's value as a figure of each unit that it may have, in its possible scales.

    Raises:
        ToolFailed: The expression adds figures of unlike units or scales.
    """
    numbers = {float(n): {*chain.from_iterable(found.values())} for n, found in used.items()}
    factors = {measure.factor for found in numbers.values() for measure in found}
    for number, found in numbers.items():
        if number in THOUSANDS & factors:
            found.clear()  # the head `Millions of USD` names the factor of the amounts below it
        if not found or is_constant(number, is_data=is_data):
            found.add(Measure(FREE, number))
    measured = list_measures(parse(expression), numbers)
    if not measured:
        raise ToolFailed(Problem.at("expression", "sum-unlike", text=expression))
    scales: dict[tuple[str, float], set[float]] = {}
    for unit, factor in measured:
        for name, times in _SHOWN_IN.get(unit, ((unit, 1.0),)):
            free = _COUNTED_IN if is_vague else (1.0 if unit == FREE else factor,)
            scales.setdefault((name, times), set()).update(free)
    return [
        Quantity("", (times * abs(value),), scales=tuple(sorted(found)), unit=unit)
        for (unit, times), found in scales.items()
    ]


def _list_used(number: str, quotes: Sequence[Sequence[Quantity]]) -> dict[Quantity, set[Measure]]:
    """Return the quoted figures that a number in an expression may refer to, with the measures that it may have.

    The number may be rounded if it keeps three digits. A rate may be written as a share or a growth factor:
    0.05 and 1.05 both mean 5 %.
    """
    value, written = float(number), Decimal(number.replace("_", ""))
    is_telling = len(written.as_tuple().digits) >= TELLING_DIGITS
    step = float(Decimal(10) ** int(written.as_tuple().exponent)) if is_telling else 0.0
    used: dict[Quantity, set[Measure]] = {}
    for quantity in (quantity for quote in quotes for quantity in quote):
        counts = {
            scale
            for scale in (*_COUNTED_IN, quantity.scale)
            if agrees_with_any(Quantity("", (value * scale,), step * scale), quantity.values)
        }
        if value in _POWERS:
            # 1,000,000 is not a thousand thousands, and the 100 of a percentage not 100,000; but it is that of 100 billion
            counts &= {1.0, quantity.scale}
        measures = {Measure(quantity.unit.removesuffix("th"), scale) for scale in counts}
        shares = (100 * value, 100 * abs(value - 1)) if quantity.unit == PERCENT else (100 * value,)
        if any(math.isclose(share, said) for share in shares for said in quantity.values):
            measures.add(Measure(RATIO, 1.0))
        if measures:
            used[quantity] = measures
    return used


def _may_be_amount(number: float, quotes: Sequence[Sequence[Quantity]]) -> bool:
    """Return whether a number that converts units may as well be a quoted amount: a thousand, of a billion in millions."""
    larger = [number * scale for scale in _COUNTED_IN[1:] if number in THOUSANDS]
    return any(agrees_with_any(quantity, larger) for quote in quotes for quantity in quote)
