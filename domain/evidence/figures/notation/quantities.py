"""Quantities: the figures of a text in a form that can be compared."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Self

from domain.evidence.figures.notation.figure_parser import TextFigure, parse_figures
from domain.evidence.figures.notation.units import CURRENCIES, SCALES
from domain.evidence.normal_forms import normalize

PERCENT, POINTS = "%", "points"
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)")
TELLING_DIGITS = 3
"""Number of digits from which two equal figures are taken to be the same one; shorter figures may be equal by chance."""
MAX_COUNT = 12
"""Counts up to this may have been counted by the writer, and are left to the judge."""
RATES = frozenset({PERCENT, POINTS, "basis points"})
_CODE = re.compile(
    r"\b\d{1,2}-[A-Z]\b|\b[A-Z]{1,3}-?\d+\b"
    r"|\b(?i:exhibit|appendix|annex|section|item|chapter|rule)\s\d{1,3}(?>(?:\.\d{1,3})*)(?!\d|\s?%)"
)


@dataclass(frozen=True)
class Quantity:
    """A figure as written: its possible absolute values, the weight of its last digit, its unit.

    `scale` is the word after its digits, as in `3.8 billion`. `scales` are further possible factors, such as
    those in a table's header.
    """

    shown: str
    numbers: tuple[float, ...]
    step: float = 0.0
    steps: tuple[float, ...] = ()
    """The weight of the last digit in each reading, where `1.419` may be a thousand or one; empty: `step` in all."""
    unit: str = ""
    scales: tuple[float, ...] = (1.0,)
    scale: float = 1.0
    is_tabular: bool = False

    @property
    def values(self) -> list[float]:
        """Its possible values."""
        return [number * scale for scale in self.scales for number in self.numbers]

    @property
    def rounded_values(self) -> list[tuple[float, float]]:
        """Its possible values, each with the weight of its last digit."""
        steps = self.steps or (self.step,) * len(self.numbers)
        read = list(zip(self.numbers, steps, strict=True))
        return [(number * scale, step) for scale in self.scales for number, step in read]

    @property
    def as_rounded(self) -> Self:
        """The figure as one that is rounded by no more than a twentieth: 500,000 is not 458,000."""
        least = min(self.step, max(self.scale, min(self.numbers) / 10))
        return replace(self, step=least, steps=())

    def rounded_by(self, share: float) -> Self:
        """Return the figure with a last digit that weighs no more than a share of it: 100 is not 140."""
        steps = self.steps or (self.step,) * len(self.numbers)
        least = tuple(min(s, share * n) for s, n in zip(steps, self.numbers, strict=True))
        return replace(self, step=min(least), steps=least)

    def has_digits_of(self, other: "Quantity") -> bool:
        """Return whether both figures have the same digits, ignoring scale and unit."""
        own, others = ({n / q.scale for n in q.numbers} for q in (self, other))
        return bool(own & others)

    @property
    def digit_count(self) -> int:
        """The number of digits as written."""
        return sum(map(str.isdigit, self.shown))


_VERSION = re.compile(r"(?<![\w.,])v?(\d{1,4}\.\d{1,4})(?:\.\d{1,4}){1,2}(?![\w.]*\d)")
"""A version of three or four parts, and its first two."""


def read_quantities(text: str) -> list[Quantity]:
    """Return the figures of a text, without codes such as `Q3`, `8-K` or `Exhibit 99.1`."""
    figures = parse_figures(_blank_codes(text))
    return [quantity for figure in figures if (quantity := _to_quantity(figure))]


def list_versions(text: str) -> set[str]:
    """Return the short forms of versions, such as `2.15` for `2.15.0`, which sentences use."""
    return {*_VERSION.findall(text)}


def read_claimed(text: str) -> Iterator[Quantity]:
    """Yield the figures of a sentence that its evidence must carry.

    Number words, ordinals and small counts are left to a reader (`the three`, `2nd`); years are separate.
    """
    plain = _blank_codes(text)
    for figure in parse_figures(plain):
        quantity = _to_quantity(figure)
        if not quantity or figure.year or not any(map(str.isdigit, figure.shown)):
            continue
        is_count = not quantity.unit and quantity.step >= 1 and quantity.numbers[0] <= MAX_COUNT
        if not is_count and quantity.unit != "th":
            yield quantity


def read_figure(value: str, unit: str) -> Quantity | None:
    """Read a figure whose number and unit are separate, such as `48.2` and `€ million`; None if there is no number.

    The unit may repeat parts of the value. As in prose, a currency sign comes first and scales precede the
    unit.
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


def list_inputs(quoted: Iterable[Quantity]) -> list[Quantity]:
    """Return the figures that something may be worked out from, each value once: no years and no ordinals."""
    known = {
        (q.numbers, q.unit): q for q in quoted if q.unit != "th" and not YEAR.fullmatch(q.shown)
    }
    return [*known.values()]


def _blank_codes(text: str) -> str:
    return _CODE.sub(lambda match: "x" * len(match.group()), text)


def _to_quantity(figure: TextFigure) -> Quantity | None:
    numbers = [value for value in figure.values if isinstance(value, Decimal)]
    if not numbers:
        return None
    exponents = [int(n.normalize().as_tuple().exponent) if n else 0 for n in numbers]
    steps = tuple(float(Decimal(10) ** exponent * figure.scale) for exponent in exponents)
    values = tuple(abs(float(n * figure.scale)) for n in numbers)
    own = steps if len(set(steps)) > 1 else ()
    scale = float(figure.scale)
    return Quantity(figure.shown, values, min(steps), own, figure.unit, scale=scale)
