"""The figures of quotes: in prose also those in words, in a table's row what its header makes of them."""

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from text_to_num import alpha2digit

from domain.evidence.figures import parse_figures
from domain.evidence.quantities import FRACTIONS, Quantity, read_quantities
from domain.evidence.units import CURRENCIES

_MONEY = frozenset(CURRENCIES.values())
_MIN_SCALED = 1_000.0
"""Money from here on is in its table's scale; less may be an amount per share."""
_LANGUAGES = ("de", "es", "fr", "it", "pt")
_NUMBERED = ("en", *_LANGUAGES)
_CELL_EDGES = re.compile(r"[|\s]+")
_BETWEEN_FIGURES = re.compile(r"(?<=[\d)%])\s{0,9}\|[\s|]*(?=[-(\d$€£¥])")
"""`93 | 838` is two figures, `93 838` may be one."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")


@lru_cache(maxsize=1_000)  # a quote is read for its sentence, its cell and the summary
def read_quoted(quote: str, scale: float, of_shares: float = 0.0) -> tuple[Quantity, ...]:
    """Return the figures of a quote; in a row of a table they may be in what its header says.

    `scale` is 0 where the page states none: a row's figures may then be of any magnitude. `of_shares`
    is what the table counts shares in, where that is something else.
    """
    text = _CELL_EDGES.sub(" ", _BETWEEN_FIGURES.sub("; ", quote))
    found = read_quantities(text)
    is_terse = len(_LETTERS.findall(text)) <= 3 * len(found) + 3
    ends = pairwise(parse_figures(text))
    if is_terse and any(not _LETTERS.search(text, one.end, other.start) for one, other in ends):
        if any(quantity.scale > 1 for quantity in found):
            scale = 1.0  # who writes `408.6 billion (408,625,000,000)` leaves nothing to a header
        return tuple(_place_in_row(quantity, scale, of_shares) for quantity in found)
    known = {(quantity.numbers, quantity.unit) for quantity in found}
    words = _blank_digits(text)  # of `605 million` the million alone would be read as a figure
    texts = {alpha2digit(words, language) for language in _LANGUAGES} - {words}
    said = (quantity for other in texts for quantity in read_quantities(other))
    return (*found, *(q for q in said if (q.numbers, q.unit) not in known))


def _place_in_row(quantity: Quantity, scale: float, of_shares: float) -> Quantity:
    """Return a figure with what the header of its table may multiply it by.

    The header's scale counts for amounts; counts, rates and amounts per share stand beside them.
    """
    scales: tuple[float, ...] = (1.0,)
    if quantity.scale == 1 and quantity.unit in {"", *_MONEY}:
        scales = (1.0, scale) if scale else (1.0, 1e3, 1e6, 1e9)
        scales += (of_shares,) if of_shares and not quantity.unit else ()
        if scale and quantity.unit and max(quantity.numbers) >= _MIN_SCALED:
            scales = (scale,)
    return replace(quantity, scales=scales, is_tabular=True)


def has_number_words(text: str) -> bool:
    """Tell whether a text has a figure in words: `twice`, `a third`, `twelve`."""
    return any(word.search(text) for word in FRACTIONS.values()) or any(
        alpha2digit(text, n) != text for n in _NUMBERED
    )


def _blank_digits(text: str) -> str:
    """Return a text without the figures that stand in it in digits."""
    for figure in parse_figures(text):
        if any(map(str.isdigit, figure.shown)):
            text = text[: figure.start] + "x" * (figure.end - figure.start) + text[figure.end :]
    return text
