"""Whether an unquoted figure may be derived from others in one of the simple ways that code tries."""

from collections.abc import Iterator, Sequence
from itertools import chain, permutations, product

from domain.evidence.figures.figure_agreement import agrees, is_quoted
from domain.evidence.figures.notation.quantities import PERCENT, RATES, Quantity

_MAX_INPUTS = 16
"""Values from which any other may be worked out, by chance."""
_COUNTS = range(2, 13)
"""Divisors for amounts that may be counted without a quote, such as years or shops."""
_ROUGH_DIGITS, _ROUGH_SLACK = 2, 0.05
"""A figure of so few digits may be a rough one, as in "about 45" for 46.1."""
_SIMPLE_SHARES = (2, 3, 4, 5)
"""Percentages of whole halves, thirds, quarters or fifths are written in words in many languages."""


def may_be_worked_out(claimed: Quantity, inputs: Sequence[Quantity]) -> bool:
    """Return whether an unquoted figure may be derived from others; only the judge can tell whether it is.

    Any rate may be derived from two amounts, and any figure from many. Otherwise code tries the products and
    quotients of two figures, and sums and differences of up to three. A simple share may be quoted in words.
    """
    is_rate = claimed.unit in RATES
    amounts = [quantity for quantity in inputs if quantity.unit not in RATES]
    is_free = len(amounts) > 1 or (len(inputs) > 1 and claimed.unit != PERCENT)
    readings = [[*_list_readings(quantity)] for quantity in inputs]
    given = set(chain.from_iterable(readings))
    if len(given) > _MAX_INPUTS or (is_rate and is_free):
        return True
    share = claimed.numbers[0] / 100
    is_simple = any(
        round(share * n) and abs(share * n - round(share * n)) < 0.05 for n in _SIMPLE_SHARES
    )
    slack = _ROUGH_SLACK if claimed.digit_count <= _ROUGH_DIGITS else 0.0
    if (is_rate and is_simple) or is_quoted(claimed, inputs, slack):
        return True
    once = {value for pair in permutations(readings, 2) for value in _combine(*pair)}
    sums = (a + sign * b for a, b in product(once, given) for sign in (1, -1))
    parts = (value / n for value in given | once for n in _COUNTS if len(inputs) > 1)
    results = chain(given, once, sums, parts)
    return any(agrees(claimed, 100 * value if is_rate else value) for value in results)


def _list_readings(quantity: Quantity) -> Iterator[float]:
    """Yield what a figure may enter a calculation as: a rate as a share or a factor."""
    for value in quantity.values:
        if quantity.unit == PERCENT:
            yield from (value / 100, 1 + value / 100, 1 - value / 100)
        else:
            yield value


def _combine(one: Sequence[float], other: Sequence[float]) -> Iterator[float]:
    for a, b in product(one, other):
        yield from (a + b, a - b, a * b)
        if b:
            yield a / b
