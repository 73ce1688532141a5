"""Quantities: figures in a comparable form, and which of those that a sentence states are quoted."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, permutations, product
from typing import Self

from contracts.words import Language, say
from domain.evidence.figures.dates import parse_dates
from domain.evidence.figures.figure_parser import TextFigure, parse_figures
from domain.evidence.figures.units import BASE_UNITS, CURRENCIES, SCALES, THOUSANDS
from domain.evidence.normal_forms import normalize

PERCENT, POINTS = "%", "points"
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)")
_CONSTANTS = frozenset({24, 52, 60, 100, 360, 365, 365.25, 1_440, 3_600, 86_400, 1e4, *THOUSANDS})
COUNTED_IN = (1.0, 1e3, 1e6, 1e9, 1e12)
"""What an expression may count its amounts in, whatever their quotes do: 90.5 for 90,500 million."""
_MISREAD = (1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9)
_TELLING_DIGITS = 3
_MIN_INPUTS, _MAX_INPUTS = 2, 16
"""Figures from which another one may be worked out, and values from which any other may be, by chance."""
_COUNTS = range(2, 13)
"""What an amount may be divided by that is only counted, as years or shops are."""
_MAX_COUNT = 12
"""A count up to this is left to a reader: it may be counted instead of quoted."""
_ROUGH_DIGITS, _ROUGH_SLACK = 2, 0.05
"""A figure of so few digits may be a rough one, as in "about 45" for 46.1."""
_SIMPLE_SHARES = (2, 3, 4, 5)
"""Percentages that are a number of halves, thirds, quarters or fifths are said in words in many languages."""
_RATES = frozenset({PERCENT, POINTS, "basis points"})
_MONEY = frozenset(CURRENCIES.values())
_CODE = re.compile(
    r"\b\d{1,2}-[A-Z]\b|\b[A-Z]{1,3}-?\d+\b"
    r"|\b(?i:exhibit|appendix|annex|section|item|chapter|rule)\s\d{1,3}(?:\.\d{1,3})*+(?!\d|\s?%)"
)


@dataclass(frozen=True)
class Quantity:
    """A figure as written: its possible absolute numbers, the weight of its last digit, its unit.

    `scale` is the word behind its digits, as in `3.8 billion`. `scales` are what its number may have to be
    multiplied by: in a table, what the header says.
    """

    shown: str
    numbers: tuple[float, ...]
    step: float = 0.0
    unit: str = ""
    scales: tuple[float, ...] = (1.0,)
    scale: float = 1.0
    is_tabular: bool = False

    @property
    def values(self) -> list[float]:
        """Its possible values."""
        return [number * scale for scale in self.scales for number in self.numbers]

    @property
    def as_rounded(self) -> Self:
        """The figure as one that is rounded by no more than a twentieth: 500,000 is not 458,000."""
        return replace(self, step=min(self.step, max(self.scale, min(self.numbers) / 10)))

    def has_digits_of(self, other: "Quantity") -> bool:
        """Return whether both figures have the same digits, ignoring scale and unit."""
        own, others = ({n / q.scale for n in q.numbers} for q in (self, other))
        return bool(own & others)

    def agrees_with_any(self, values: Sequence[float]) -> bool:
        """Tell whether one of some values rounds to what is shown."""
        return any(map(self.agrees_with, values))

    def agrees_with(self, value: float, slack: float = 0.0) -> bool:
        """Tell whether a value rounds to what is shown, or differs from it by no more than a share of it."""
        return any(
            abs(own - abs(value)) <= max(self.step / 2, slack * own) + own * 1e-9
            for own in self.values
        )


def read_quantities(text: str) -> list[Quantity]:
    """Return the figures of a text; codes such as `Q3`, `8-K` or `Exhibit 99.1` are none."""
    figures = parse_figures(_blank_codes(text))
    return [quantity for figure in figures if (quantity := _to_quantity(figure))]


def read_claimed(text: str) -> Iterator[Quantity]:
    """Yield the figures of a sentence that its evidence must carry.

    Number words, ordinals and small counts are left to a reader: `the three`, `2nd`; years stand apart.
    """
    plain = _blank_codes(text)
    for figure in parse_figures(plain):
        quantity = _to_quantity(figure)
        if not quantity or figure.year or not any(map(str.isdigit, figure.shown)):
            continue
        is_count = not quantity.unit and quantity.step >= 1 and quantity.numbers[0] <= _MAX_COUNT
        if not is_count and quantity.unit != "th":
            yield quantity


def read_figure(value: str, unit: str) -> Quantity | None:
    """Return a figure whose number and unit are given apart, as in `48.2` and `€ million`; None of no number.

    The unit may repeat what the value has already. Scales come before the unit, and a currency's sign before
    all, as figures of texts are read.
    """
    value = normalize(value)
    own = parse_figures(value)
    if len(own) == 1 and not own[0].unit and own[0].scale == 1:
        words = normalize(unit).split()
        signs = [word for word in words if word in CURRENCIES and not word.isalpha()]
        scales = [word for word in words if word.casefold() in SCALES]
        rest = [word for word in words if word not in {*signs, *scales}]
        value = " ".join([*signs, value, *scales, *rest])
    return next(iter(read_quantities(value)), None)


def make_result(
    value: float, tenfold: float, scales: Set[float], converted: float = 1.0
) -> Quantity:
    """Return a computed value as a figure, in the scales of the amounts it was computed from.

    `tenfold` is what comes out when those amounts are ten times as large: the same of a share, whose
    scales cancel out, and ten times as much of a sum, which may be `converted` from its amounts' scale, or be meant as it is written.
    """
    if math.isclose(tenfold, value, abs_tol=1e-12):
        scales = {1.0} if scales else {1.0, max(1.0, 1 / converted)}
    elif math.isclose(tenfold, 10 * value) and converted != 1:
        scales = {
            1.0,
            *(scale / converted for scale in scales),
        }  # or as it is written, with its magnitudes
    elif not math.isclose(tenfold, 10 * value):
        scales = {1.0, *scales}
    return Quantity("", (abs(value), 100 * abs(value)), scales=tuple(scales))


def list_used(number: str, quotes: Sequence[Sequence[Quantity]]) -> dict[Quantity, set[float]]:
    """Return the quoted figures that a number of an expression may be, and what it may count them in.

    It may be rounded, as three digits or more still tell a figure; a rate may be a share or a growth
    factor: 0.05 and 1.05 are 5 %.
    """
    value, written = float(number), Decimal(number.replace("_", ""))
    is_telling = len(written.as_tuple().digits) >= _TELLING_DIGITS
    step = float(Decimal(10) ** int(written.as_tuple().exponent)) if is_telling else 0.0
    used: dict[Quantity, set[float]] = {}
    for quantity in (quantity for quote in quotes for quantity in quote):
        counts = {
            scale
            for scale in (*COUNTED_IN, quantity.scale)
            if Quantity("", (value * scale,), step * scale).agrees_with_any(quantity.values)
        }
        shares = (100 * value, 100 * abs(value - 1)) if quantity.unit == PERCENT else (100 * value,)
        if any(math.isclose(share, said) for share in shares for said in quantity.values):
            counts.add(1.0)
        if value in THOUSANDS:
            counts &= {1.0}  # a million is no thousand thousands
        if counts:
            used[quantity] = counts
    return used


def may_be_amount(number: float, quotes: Sequence[Sequence[Quantity]]) -> bool:
    """Tell whether a number that converts units may as well be a quoted amount: a thousand, of a billion in millions."""
    larger = [number * scale for scale in COUNTED_IN[1:] if number in THOUSANDS]
    return any(quantity.agrees_with_any(larger) for quote in quotes for quantity in quote)


def is_constant(number: float) -> bool:
    """Tell whether a number of an expression needs no quote: a small count, a hundred, a day's seconds."""
    return number in _CONSTANTS or (number == int(number) and number <= _MAX_COUNT)


def is_quoted(claimed: Quantity, quoted: Sequence[Quantity], slack: float = 0.0) -> bool:
    """Tell whether one of the quoted figures is what is claimed, with its unit and magnitude."""
    return any(
        claimed.agrees_with(value * factor, slack)
        for other in quoted
        if (factor := _find_factor(other.unit, claimed.unit))
        for value in other.values
    )


def find_different(
    claimed: Quantity, quoted: Sequence[Quantity], *, is_declared: bool = False
) -> Quantity | None:
    """Return a quoted figure that has the digits of what is claimed, with another scale or unit: $ for €.

    Beside several figures two digits count only for another scale of one currency, or of a figure that its
    sentence says is quoted: one that was worked out may have them by chance.
    """
    alike = [q for q in quoted if _are_of_one_kind(claimed, q)]
    digits, is_money = _count_digits(claimed), claimed.unit in _MONEY
    is_sure = is_declared or digits >= _TELLING_DIGITS or len(list_inputs(quoted)) < _MIN_INPUTS
    same = (q for q in alike if claimed.has_digits_of(q) and (is_sure or _is_rescaled(claimed, q)))
    if claimed.unit in _RATES or digits < (2 if is_money else _TELLING_DIGITS):
        return next(same, None)
    bare = replace(claimed, unit="")
    near = (
        q
        for q in alike
        if is_quoted(bare, [replace(q, scales=_MISREAD)]) and not _is_chance(claimed, q)
    )
    return next(same, None) or next(near, None)


def _is_rescaled(claimed: Quantity, quoted: Quantity) -> bool:
    """Tell whether an amount of money has another word of scale than the quoted one, or is in cents there."""
    is_money = claimed.unit in _MONEY and quoted.unit in {claimed.unit, ""}
    return is_money and claimed.scale != quoted.scale and _count_digits(claimed) > 1


def _are_of_one_kind(claimed: Quantity, quoted: Quantity) -> bool:
    """Tell whether two units are both of money, both of rates, both of other things, or one is none.

    Cents of a dollar may be per cent.
    """
    units = claimed.unit, quoted.unit
    kinds = [0 if unit in _MONEY else 1 if unit in _RATES else 2 for unit in units]
    return kinds[0] == kinds[1] if all(units) else not (claimed.scale < 1 and kinds[1] == 1)


def list_inputs(quoted: Iterable[Quantity]) -> list[Quantity]:
    """Return the figures that something may be worked out from, each value once: no years and no ordinals."""
    known = {
        (q.numbers, q.unit): q for q in quoted if q.unit != "th" and not YEAR.fullmatch(q.shown)
    }
    return [*known.values()]


def may_be_worked_out(claimed: Quantity, inputs: Sequence[Quantity]) -> bool:
    """Tell whether a figure that is not quoted may follow from others in some way; only the judge knows in which.

    Any rate follows from two amounts in some way, and anything from many figures. Of others code tries every
    product and quotient of two, and every sum and difference of up to three. A simple share may be quoted in words.
    """
    is_rate = claimed.unit in _RATES
    amounts = [quantity for quantity in inputs if quantity.unit not in _RATES]
    is_free = len(amounts) > 1 or (len(inputs) > 1 and claimed.unit != PERCENT)
    readings = [[*_list_readings(quantity)] for quantity in inputs]
    given = set(chain.from_iterable(readings))
    if len(given) > _MAX_INPUTS or (is_rate and is_free):
        return True
    share = claimed.numbers[0] / 100
    is_simple = any(
        round(share * n) and abs(share * n - round(share * n)) < 0.05 for n in _SIMPLE_SHARES
    )
    slack = _ROUGH_SLACK if _count_digits(claimed) <= _ROUGH_DIGITS else 0.0
    if (is_rate and is_simple) or is_quoted(claimed, inputs, slack):
        return True
    once = {value for pair in permutations(readings, 2) for value in _combine(*pair)}
    sums = (a + sign * b for a, b in product(once, given) for sign in (1, -1))
    parts = (value / n for value in given | once for n in _COUNTS if len(inputs) > 1)
    results = chain(given, once, sums, parts)
    return any(claimed.agrees_with(100 * value if is_rate else value) for value in results)


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


def find_misread(claimed: Quantity, quoted: Sequence[Quantity]) -> Quantity | None:
    """Return the quoted figure that differs from what is claimed in its scale alone: million for billion.

    Figures of fewer than three digits do not count: some agree by chance.
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
    """Tell whether a figure of one digit and zeros only rounds to another, as a budget of 3,000 euros to 3,097,965 people."""
    digits = "".join(filter(str.isdigit, claimed.shown)).strip("0")
    return len(digits) < 2 and not claimed.has_digits_of(quoted)


def _is_telling(claimed: Quantity) -> bool:
    return _count_digits(claimed) >= _TELLING_DIGITS and claimed.unit != PERCENT


def _count_digits(claimed: Quantity) -> int:
    return sum(map(str.isdigit, claimed.shown))


def list_unfounded(text: str, known: Iterable[str]) -> list[str]:
    """Return the figures and days of a text that stand in none of those that are known, each as it is written."""
    said, rest = parse_dates(normalize(text))
    others = [normalize(other) for other in known]
    days = [day.parts for other in others for day in parse_dates(other)[0]]
    told = [quantity for other in others for quantity in read_quantities(other)]
    new = [day.shown for day in said if not any(day.parts <= known_day for known_day in days)]
    new += [quantity.shown for quantity in read_claimed(rest) if not is_quoted(quantity, told)]
    return list(dict.fromkeys(new))


def name_unfounded(text: str, known: Sequence[str], language: Language) -> str:
    """Return a text that cites nothing, with its figures and days that stand in nothing known named as such."""
    lines = text.splitlines()
    marked = (
        say(language, "figures-unfounded", line=line, figures=new)
        if (new := list_unfounded(line, known))
        else line
        for line in lines
    )
    return "\n".join(marked)


def _find_factor(unit: str, into: str) -> float:
    """Return the factor from a unit to another; 0 where they do not go together."""
    if unit == into or not unit or not into:
        return 1.0
    one, other = BASE_UNITS.get(unit), BASE_UNITS.get(into)
    return one[1] / other[1] if one and other and one[0] == other[0] else 0.0


def _blank_codes(text: str) -> str:
    return _CODE.sub(lambda match: "x" * len(match.group()), text)


def _to_quantity(figure: TextFigure) -> Quantity | None:
    numbers = [value for value in figure.values if isinstance(value, Decimal)]
    if not numbers:
        return None
    exponents = [int(n.normalize().as_tuple().exponent) if n else 0 for n in numbers]
    step = min(float(Decimal(10) ** exponent * figure.scale) for exponent in exponents)
    values = tuple(abs(float(n * figure.scale)) for n in numbers)
    return Quantity(figure.shown, values, step, figure.unit, scale=float(figure.scale))
