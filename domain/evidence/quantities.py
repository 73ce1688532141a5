"""Quantities: figures in a comparable form, and what follows from quoted ones by arithmetic."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import permutations

from text_to_num import alpha2digit

from domain.evidence.figures import TextFigure, parse_figures
from domain.evidence.units import BASE_UNITS, CURRENCIES, SCALES

PERCENT, POINTS = "%", "points"
MAX_FIGURES = 24
"""Figures of a quote that arithmetic is tried on, so that a long table stays cheap."""

_MONEY = frozenset(CURRENCIES.values())
_CONSTANTS = frozenset({24, 52, 60, 100, 360, 365, 1e3, 1e6, 1e9, 1e12})
_MAX_COUNT = 12
"""A count up to this is left to a reader: it may be counted instead of quoted."""
_MIN_SCALED = 1_000.0
"""Money from here on is in its table's scale; less may be an amount per share."""
_ROUGH_SLACK = 0.05
_LANGUAGES = ("de", "es", "fr", "it", "pt")
_NUMBERED = ("en", *_LANGUAGES)
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
_FRACTION = re.compile(
    r"\b(?:half|halv\w+|thirds?|quarters?|fifths?|tenths?|doubl\w+|tripl\w+|twice|hälfte|halb\w*|"
    r"drittel|viertel|fünftel|zehntel|verdoppel\w+|moitié|tiers|quarts?|mitad|tercios?|cuartos?|"
    r"metà|metade)\b",
    re.IGNORECASE,
)
_CELL_EDGES = re.compile(r"[|\s]+")
_BETWEEN_FIGURES = re.compile(r"(?<=[\d)%])\s{0,9}\|[\s|]*(?=[-(\d$€£¥])")
"""`93 | 838` is two figures, `93 838` may be one."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_CODE = re.compile(r"\b\d{1,2}-[A-Z]\b|\b[A-Z]{1,3}-?\d+\b")
_SCALE = "|".join([*sorted((w for w in SCALES if len(w) > 1), key=len, reverse=True), "tsd"])
_STATED_SCALE = re.compile(
    rf"\b(?:in|en|em)\s(?:\w+\s(?:of\s)?)?(?P<a>{_SCALE})\b"
    rf"|(?:[(,$€£¥]|\b(?:usd|eur|gbp|chf|jpy|cny|inr))\s?(?P<b>{_SCALE})\b"
    rf"|(?:^|[(,;])\s*(?P<c>{_SCALE})\.?\s(?:of\s|d[e'’]\s?|di\s)?"
    r"(?:u\.?s\.?\s|canadian\s|australian\s)?"
    r"(?:dollars?|euros?|eur|€|pounds|yen|yuan|francs?|chf|usd|rupees)",
    re.IGNORECASE | re.MULTILINE,
)
_OF_SHARES = re.compile(r"(?<!and )\bshares,?\s[^().;\n]*\Z", re.IGNORECASE)


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

    def agrees_with(self, value: float, slack: float = 0.0) -> bool:
        """Tell whether a value rounds to what is shown, or lies within its slack."""
        share = max(slack, self.slack)
        return any(
            abs(own - abs(value)) <= max(self.step / 2, share * own) + own * 1e-9
            for own in self.values
        )


def read_quantities(text: str) -> list[Quantity]:
    """Return the figures of a text; codes such as `Q3` or `8-K` are none."""
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


@lru_cache(maxsize=1_000)  # a quote is read for its sentence, its cell and the summary
def read_quoted(quote: str, scale: float) -> tuple[Quantity, ...]:
    """Return the figures of a quote; in a row of a table they may be in what its header says.

    `scale` is 0 where the page states none: a row's figures may then be of any magnitude.
    """
    text = _CELL_EDGES.sub(" ", _BETWEEN_FIGURES.sub("; ", quote))
    found = read_quantities(text)
    if len(found) > 1 and len(_LETTERS.findall(text)) <= 3 * len(found) + 3:
        return tuple(_place_in_row(quantity, scale) for quantity in found)
    known = {(quantity.numbers, quantity.unit) for quantity in found}
    texts = {alpha2digit(text, language) for language in _LANGUAGES} - {text}
    said = (quantity for other in texts for quantity in read_quantities(other))
    return (*found, *(q for q in said if (q.numbers, q.unit) not in known))


def _place_in_row(quantity: Quantity, scale: float) -> Quantity:
    """Return a figure with what the header of its table may multiply it by.

    The header's scale counts for amounts; counts, rates and amounts per share stand beside them.
    """
    scales: tuple[float, ...] = (1.0,)
    if quantity.scale == 1 and quantity.unit in {"", *_MONEY}:
        scales = (1.0, scale) if scale else (1.0, 1e3, 1e6, 1e9)
        if scale and quantity.unit and max(quantity.numbers) >= _MIN_SCALED:
            scales = (scale,)
    return replace(quantity, scales=scales, is_tabular=True)


def list_scales(text: str) -> list[tuple[int, float]]:
    """Return where a page states what its tables count in, and the factor: `in millions`.

    What it says of numbers of shares is left out: `shares, which are reflected in thousands`.
    """
    return [
        (
            found.start(),
            float(SCALES.get((found["a"] or found["b"] or found["c"]).casefold(), 1_000)),
        )
        for found in _STATED_SCALE.finditer(text)
        if not _OF_SHARES.search(text, max(found.start() - 50, 0), found.start())
    ]


def make_result(value: float, used: Sequence[Quantity]) -> Quantity:
    """Return a computed value as a figure in any scale that the figures it was computed from are in."""
    scales = {scale for quantity in used for scale in (quantity.scale, *quantity.scales)}
    return Quantity("", (abs(value), 100 * abs(value)), scales=tuple({1.0, *scales}))


def list_used(number: float, quotes: Sequence[Sequence[Quantity]]) -> list[Quantity]:
    """Return the quoted figures that a number of an expression may be, also as a share of one."""
    return [
        quantity
        for quote in quotes
        for quantity in quote
        if any(
            math.isclose(number * factor, said * scale, rel_tol=1e-9)
            for said in quantity.numbers
            for scale in (1.0, 1 / quantity.scale, *quantity.scales)
            for factor in (1, 100)
        )
    ]


def is_constant(number: float) -> bool:
    """Tell whether a number of an expression needs no quote: a small count, a hundred, days of a year."""
    return number in _CONSTANTS or (number == int(number) and number <= _MAX_COUNT)


def is_quoted(claimed: Quantity, quoted: Sequence[Quantity], slack: float = 0.0) -> bool:
    """Tell whether one of the quoted figures is what is claimed, with its unit and magnitude."""
    return any(
        claimed.agrees_with(value * factor, slack)
        for other in quoted
        if (factor := _find_factor(other.unit, claimed.unit))
        for value in other.values
    )


def has_number_words(text: str) -> bool:
    """Tell whether a text has a figure in words: `twice`, `a third`, `twelve`."""
    return bool(_FRACTION.search(text)) or any(alpha2digit(text, n) != text for n in _NUMBERED)


def follows(
    claimed: Quantity, text: str, quotes: Sequence[Sequence[Quantity]], passages: str
) -> bool:
    """Tell whether a figure follows from quoted ones: a sum, difference, share, growth or rate."""
    if claimed.unit == PERCENT and _FRACTION.search(passages):
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
                yield from _derive_amount(a, b, is_per=is_per)
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
        if are_rows and min(len(one), len(other)) > 3:
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
    if unit == POINTS:
        yield abs(a - b)
    elif kinds != {PERCENT} and 0 < b != 100:
        yield from (a * b / 100, a / (b / 100), a / (1 + b / 100), a / (1 - b / 100))


def _derive_amount(a: float, b: float, *, is_per: bool) -> Iterator[float]:
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
