"""Quantities: figures in a comparable form, and what follows from quoted ones by arithmetic."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import permutations

from domain.evidence.dates import parse_dates
from domain.evidence.figures import TextFigure, parse_figures
from domain.evidence.normal_forms import normalize
from domain.evidence.units import BASE_UNITS, THOUSANDS

PERCENT, POINTS = "%", "points"
MAX_FIGURES = 24
"""Figures of a quote that arithmetic is tried on, so that a long table stays cheap."""

_CONSTANTS = frozenset({24, 52, 60, 100, 360, 365, 365.25, 1_440, 3_600, 86_400, 1e4, *THOUSANDS})
COUNTED_IN = (1.0, 1e3, 1e6, 1e9, 1e12)
"""What an expression may count its amounts in, whatever their quotes do: 90.5 for 90,500 million."""
_MISREAD = (1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9)
_TELLING_DIGITS = 3
_MAX_COUNT = 12
"""A count up to this is left to a reader: it may be counted instead of quoted."""
_ROUGH_SLACK = 0.05
_ROUGH = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|some|circa|close to|under|below|over|"
    r"above|more than|less than|at least|up to|~|≈|etwa|rund|knapp|fast|gut|über|mehr als|environ|"
    r"près de|presque|plus de|moins de|unos|cerca de|casi|más de|quase|mais de)\s*[^\w\s]?\s*\Z",
    re.IGNORECASE,
)
_PER = re.compile(
    r"\b(?:per|each|every|average|mean|pro|je|par|por)\b|\bdurchschnitt"
    r"|\b(?:an?|al|im)\s(?:year|quarter|month|week|day|hour|head|person|share|store|customer|"
    r"employee|household|unit|piece|tonne?|año|mes|día|jahr|monat|tag)\b",
    re.IGNORECASE,
)
FRACTIONS = {
    percent: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for percent, words in {
        100.0: r"doubl\w+|tripl\w+|twice|verdoppel\w+",
        50.0: r"half|halv\w+|hälfte|halb\w*|moitié|mitad|metà|metade",
        100 / 3: r"thirds?|drittel|tiers|tercios?",
        25.0: r"quarters?|viertel|quarts?|cuartos?",
        20.0: r"fifths?|fünftel",
        10.0: r"tenths?|zehntel",
    }.items()
}
"""Fractions in words, by the per cent that one of them is."""
_CODE = re.compile(
    r"\b\d{1,2}-[A-Z]\b|\b[A-Z]{1,3}-?\d+\b"
    r"|\b(?i:exhibit|appendix|annex|section|item|chapter|rule)\s\d{1,3}(?:\.\d{1,3})*+(?!\d|\s?%)"
)


@dataclass(frozen=True)
class Quantity:
    """A figure as written: its possible absolute numbers, the weight of its last digit, its unit.

    `scale` is the word behind its digits, as in `3.8 billion`. `scales` are what its number may have to be
    multiplied by: in a table, what the header says. `slack` is the share by which a rough figure may be off.
    """

    shown: str
    numbers: tuple[float, ...]
    step: float = 0.0
    unit: str = ""
    scales: tuple[float, ...] = (1.0,)
    slack: float = 0.0
    scale: float = 1.0
    is_tabular: bool = False

    @property
    def values(self) -> list[float]:
        """Its possible values."""
        return [number * scale for scale in self.scales for number in self.numbers]

    def agrees_with_any(self, values: Sequence[float]) -> bool:
        """Tell whether one of some values rounds to what is shown."""
        return any(map(self.agrees_with, values))

    def agrees_with(self, value: float, slack: float = 0.0) -> bool:
        """Tell whether a value rounds to what is shown, or lies within its slack."""
        share = max(slack, self.slack)
        return any(
            abs(own - abs(value)) <= max(self.step / 2, share * own) + own * 1e-9
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
            is_rough = _ROUGH.search(plain, max(0, figure.start - 20), figure.start)
            yield replace(quantity, slack=_ROUGH_SLACK) if is_rough else quantity


def make_result(
    value: float, tenfold: float, scales: Set[float], converted: float = 1.0
) -> Quantity:
    """Return a computed value as a figure, in the scales of the amounts it was computed from.

    `tenfold` is what comes out when those amounts are ten times as large: the same of a share, whose
    scales cancel out, and ten times as much of a sum, which may be `converted` from its amounts' scale.
    """
    if math.isclose(tenfold, value, abs_tol=1e-12):
        scales = {1.0} if scales else {1.0, max(1.0, 1 / converted)}
    elif math.isclose(tenfold, 10 * value) and converted != 1:
        scales = {scale / converted for scale in scales}
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


def find_different(claimed: Quantity, quoted: Sequence[Quantity]) -> Quantity | None:
    """Return a quoted figure that has the digits of what is claimed, with another scale or unit: $ for €."""
    digits = {number / claimed.scale for number in claimed.numbers}
    same = (q for q in quoted if digits & {number / q.scale for number in q.numbers})
    bare = replace(claimed, unit="")
    is_telling = _is_telling(claimed)
    near = (q for q in quoted if is_telling and is_quoted(bare, [replace(q, scales=_MISREAD)]))
    return next(same, None) or next(near, None)


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
    return next((q for q, other in misread if is_quoted(claimed, [other])), None)


def _is_telling(claimed: Quantity) -> bool:
    return sum(map(str.isdigit, claimed.shown)) >= _TELLING_DIGITS and claimed.unit != PERCENT


def list_unfounded(text: str, known: Iterable[str]) -> list[str]:
    """Return the figures and days of a text that stand in none of those that are known, each as it is written."""
    said, rest = parse_dates(normalize(text))
    others = [normalize(other) for other in known]
    days = [day.parts for other in others for day in parse_dates(other)[0]]
    told = [quantity for other in others for quantity in read_quantities(other)]
    new = [day.shown for day in said if not any(day.parts <= known_day for known_day in days)]
    new += [quantity.shown for quantity in read_claimed(rest) if not is_quoted(quantity, told)]
    return list(dict.fromkeys(new))


def name_unfounded(text: str, known: Sequence[str]) -> str:
    """Return a text that cites nothing, with its figures and days that stand in nothing known named as such."""
    lines = text.splitlines()
    marked = (
        f"{line} (no source is quoted for {', '.join(new)})"
        if (new := list_unfounded(line, known))
        else line
        for line in lines
    )
    return "\n".join(marked)


def follows(
    claimed: Quantity, text: str, quotes: Sequence[Sequence[Quantity]], passages: str
) -> bool:
    """Tell whether a figure follows from quoted ones: a sum, difference, share, growth or rate."""
    if claimed.unit == PERCENT and claimed.agrees_with_any(
        [
            percent * n
            for percent, word in FRACTIONS.items()
            if word.search(passages)
            for n in range(1, int(300 / percent) + 1)
        ]
    ):
        return True
    is_per = bool(_PER.search(text))
    return any(map(claimed.agrees_with, _derive(claimed.unit, quotes, is_per=is_per)))


def _derive(unit: str, quotes: Sequence[Sequence[Quantity]], *, is_per: bool) -> Iterator[float]:
    rows = [[q for q in quote if q.unit != "th"][:MAX_FIGURES] for quote in quotes]
    for one, other in _pair(rows):
        kinds = {one.unit, other.unit}
        for a, b in _align(one, other):
            if unit == PERCENT:
                yield from _derive_percent(kinds, a, b)
            elif PERCENT in kinds:
                yield from _derive_from_rate(unit, kinds, a, b)
            else:
                is_alike = all(_find_factor(*pair) for pair in permutations({*kinds, unit}, 2))
                yield from _derive_amount(a, b, is_alike=is_alike, is_per=is_per)
    alike = [[q for q in row if _find_factor(q.unit, unit)] for row in rows]
    for row in (*alike, [q for part in alike for q in part][:10]):
        terms = [q.values[-1] for q in row]
        for size in range(3, min(len(terms), 6) + 1):
            sums = [sum(terms[n : n + size]) for n in range(len(terms) - size + 1)]
            yield from (*sums, *(total / size for total in sums))
    if is_per:
        values = (value for row in alike for q in row for value in q.values)
        yield from (value / n for value in values for n in range(2, _MAX_COUNT + 1))


def _pair(rows: Sequence[Sequence[Quantity]]) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield the pairs that make sense: in one quote, in one column of two rows, or of few figures."""
    for row in rows:
        yield from permutations(row, 2)
    for one, other in permutations(rows, 2):
        are_rows = bool(one and other and one[0].is_tabular and other[0].is_tabular)
        if are_rows and (len(one) == len(other) > 1 or min(len(one), len(other)) > 3):
            yield from zip(one, other, strict=False)
        else:
            yield from ((a, b) for a in one for b in other)


def _align(one: Quantity, other: Quantity) -> Iterator[tuple[float, float]]:
    """Yield the values of two figures; those of two rows are in the same scale."""
    if not (one.is_tabular and other.is_tabular):
        yield from ((a, b) for a in one.values for b in other.values)
        return
    for scale in sorted(set(one.scales) & set(other.scales)) or [1.0]:
        yield from ((a * scale, b * scale) for a in one.numbers for b in other.numbers)


def _derive_percent(kinds: set[str], a: float, b: float) -> Iterator[float]:
    if kinds == {PERCENT}:
        yield a + b
    if PERCENT in kinds:
        yield from (100 - a, 100 - b)
    elif b:
        yield from (100 * a / b, abs(100 * (a / b - 1)))


def _derive_from_rate(unit: str, kinds: set[str], a: float, b: float) -> Iterator[float]:
    """Yield points between two rates, a share of an amount, and an amount before it changed."""
    if factor := unit and _find_factor(POINTS, unit):
        yield abs(a - b) * factor
    elif kinds != {PERCENT} and 0 < b != 100:
        yield from (a * b / 100, a / (b / 100), a / (1 + b / 100), a / (1 - b / 100))


def _derive_amount(a: float, b: float, *, is_alike: bool, is_per: bool) -> Iterator[float]:
    if is_alike:
        yield from (a + b, abs(a - b), (a + b) / 2)
    if b:
        yield a / b
    if is_per:
        yield a * b


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
