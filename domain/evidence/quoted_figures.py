"""The figures of quotes: in prose also those in words; in a table row with the scale of its label or header."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from text_to_num import alpha2digit

from domain.evidence.dates import parse_dates
from domain.evidence.figures import parse_figures
from domain.evidence.quantities import FRACTIONS, Quantity, read_quantities
from domain.evidence.units import CURRENCIES, SCALES

_MONEY = frozenset(CURRENCIES.values())
_MAGNITUDES = (1.0, 1e3, 1e6, 1e9)
_MIN_SCALED = 1_000.0
"""Money from here on is in its table's scale; less may be an amount per share."""
_LANGUAGES = ("de", "es", "fr", "it", "pt")
_NUMBERED = ("en", *_LANGUAGES)
_CELL_EDGES = re.compile(r"[|\s]+")
_BETWEEN_FIGURES = re.compile(r"(?<=[\d)%])\s{0,9}\|[\s|]*(?=[-(\d$€£¥])")
"""`93 | 838` is two figures, `93 838` may be one."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SCALE = "|".join([*sorted((w for w in SCALES if len(w) > 1), key=len, reverse=True), "tsd"])
_STATED_SCALE = re.compile(
    rf"\b(?:in|en|em)\s(?:\w+\s(?:of\s)?)?(?P<a>{_SCALE})\b"
    rf"|(?:[(,$€£¥]|\b(?:usd|eur|gbp|chf|jpy|cny|inr))\s?(?P<b>{_SCALE})\b"
    rf"|(?:^|[(,;])[^\S\n]{{0,20}}(?P<c>{_SCALE})\.?\s(?:of\s|d[e'’]\s?|di\s)?"
    r"(?:u\.?s\.?\s|canadian\s|australian\s)?"
    r"(?:dollars?|euros?|eur|€|pounds|yen|yuan|francs?|chf|usd|rupees)"
    r"|\((?:[^()\n]{0,40}[\s-])?(?P<d>cents?|pence)\b",
    re.IGNORECASE | re.MULTILINE,
)
_OF_SHARES = re.compile(r"(?<!and )\bshares,?\s[^().;\n]*\Z", re.IGNORECASE)


_FACTORS = {**SCALES, "tsd": SCALES["tausend"], "pence": SCALES["cents"]}
_CELLS = re.compile(r"(?:[^()\n]{0,60}\))?+([\W\d_]{0,400})")
"""What follows a stated scale: the rest of its bracket, and cells up to the next word."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CELL_FIGURE = re.compile(r"\d[.,]\d|\d\s?%|(?<![\d(])\d{2,3}(?![\d)])")
_NEXT_CELL = re.compile(r"[ \t\n|$€£¥(%)–-]{1,20}\d")
_MORE_CELLS = re.compile(r"[\W\d_]{0,400}(?<=[\d)%])")
_CELL_LINE = re.compile(
    r"[ \t]{0,40}+(?:[^\W\d_][^\s.!?;]{0,40}+[ \t]{1,40}+){1,6}[\d$€£¥(][\d$€£¥().,% \t–-]{0,200}+(?:\n|\Z)"
)
"""A line of a table without rules: a short label, then figures alone."""


_UNREAD = re.compile(
    "[〇零一二三四五六七八九十百千两兩壹贰叁肆伍陆柒捌玖拾点點][〇零一二三四五六七八九十百千万萬亿億兆点點拾佰仟]"
    "|(?:令和|平成|昭和|民[国國])\\s?[\\d元]"
    "|\\d\\s?[백천만억조]|[일이삼사오육칠팔구십백천만억조]{2}"
    "|[\u0530-\u08ff\u0900-\u0eff\u1000-\u109f\u10d0-\u10ff\u1200-\u137f\u1780-\u17ff]"
    "|\\b(?i:дв[аеух]|тр[иеё]|четыр|пят|шест|сем[ьи]|вос[еь]м|девят|десят|двадцат|сорок|двест|трист)[а-яё]*"
)
"""Numerals, years of eras, and scripts whose number words are not known."""


class StatedScale(NamedTuple):
    """A scale that a page states: where, by which factor, and for what.

    In the label of a row, `Volumes (Billions) 15.2 14.1`, it counts for the row's own figures, up to `end`.
    """

    start: int
    end: int
    factor: float
    of_shares: bool
    is_row: bool


def list_scales(text: str) -> list[StatedScale]:
    """Return the scales that a page states, in their order: `in millions`, `(US cents)`."""
    return [*_read_scales(text)]


def _read_scales(text: str) -> Iterator[StatedScale]:
    for found in _STATED_SCALE.finditer(text):
        word = next(filter(None, found.groups())).casefold()
        start = found.start()
        before = text[max(start - 80, 0) : start].rpartition("\n")[2]
        cells = _CELLS.match(text, found.end())
        _, figures = parse_dates(cells[1] if cells else "")
        is_row = _LETTERS.search(before) and _CELL_FIGURE.search(_YEAR.sub("", figures))
        yield StatedScale(
            start,
            cells.end() if cells else found.end(),
            float(_FACTORS[word]),
            of_shares=bool(_OF_SHARES.search(text, max(start - 50, 0), start)),
            is_row=bool(is_row),
        )


def find_row(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the table row that a quote is part of on its page; None outside a table.

    A row's line begins with a bar; or its figures follow one another without a word between, on one line or on
    several; or it is a line with a label and figures above or below another one.
    """
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = last if last >= 0 else len(text)
    if text.startswith("|", first):
        return first, last
    quote = text[start:end]
    if not _is_terse(quote, len(parse_figures(quote))):
        return None
    if quote.rstrip(" |)%$€£¥")[-1:].isdigit() and _NEXT_CELL.match(text, end):
        cells = _MORE_CELLS.match(text, end)
        return first, cells.end() if cells else end
    above = text.rfind("\n", 0, max(first - 1, 0)) + 1
    is_beside = _CELL_LINE.match(text, above) if first else None
    is_beside = is_beside or _CELL_LINE.match(text, last + 1)
    return (first, last) if _CELL_LINE.match(text, first) and is_beside else None


def _is_terse(text: str, figures: int) -> bool:
    return len(_LETTERS.findall(text)) <= 3 * figures + 3


@lru_cache(maxsize=1_000)  # a quote is read for its sentence, its cell and the summary
def read_quoted(
    quote: str,
    scale: float,
    of_shares: float = 0.0,
    own: float | None = None,
    *,
    in_row: bool = False,
) -> tuple[Quantity, ...]:
    """Return the figures of a quote; in a row of a table they may be in what its label or header says.

    `scale` is what the header states, 0 where the page states none: a row's figures may then be of any
    magnitude. `own` is what the row's label states, which wins. `of_shares` is what the table counts shares in,
    where that differs. `in_row` tells that a quote with one figure is part of a row on its page.
    """
    text = _CELL_EDGES.sub(" ", _BETWEEN_FIGURES.sub("; ", quote))
    found = read_quantities(text)
    is_terse = _is_terse(text, len(found))
    ends = pairwise(parse_figures(text))
    in_cells = any(not _LETTERS.search(text, one.end, other.start) for one, other in ends)
    if is_terse and own is not None and (in_cells or in_row):
        return tuple(_place_in_labelled_row(quantity, own) for quantity in found)
    if is_terse and (in_cells or in_row):
        if any(quantity.scale > 1 for quantity in found):
            scale = 1.0  # who writes `408.6 billion (408,625,000,000)` leaves nothing to a header
        return tuple(_place_in_row(q, scale, of_shares, is_strict=in_cells) for q in found)
    known = {(quantity.numbers, quantity.unit) for quantity in found}
    words = _blank_digits(text)  # of `605 million` the million alone would be read as a figure
    texts = {alpha2digit(words, language) for language in _LANGUAGES} - {words}
    said = (quantity for other in texts for quantity in read_quantities(other))
    return (*found, *(q for q in said if (q.numbers, q.unit) not in known))


def _place_in_labelled_row(quantity: Quantity, own: float) -> Quantity:
    """Return a figure with the scale of its row's label; one without a currency may also stand for itself."""
    scales: tuple[float, ...] = (1.0,)
    if quantity.scale == 1 and quantity.unit in {"", *_MONEY}:
        scales = (1.0, own) if own else _MAGNITUDES
        if own >= 1 and quantity.unit:
            scales = (own,)
    return replace(quantity, scales=scales, is_tabular=True)


def _place_in_row(
    quantity: Quantity, scale: float, of_shares: float, *, is_strict: bool
) -> Quantity:
    """Return a figure with what the header of its table may multiply it by.

    The header's scale counts for amounts; counts, rates and amounts per share stand beside them. In a row that
    is quoted with several figures a large amount of money is certainly in that scale.
    """
    scales: tuple[float, ...] = (1.0,)
    if quantity.scale == 1 and quantity.unit in {"", *_MONEY}:
        scales = (1.0, scale) if scale else _MAGNITUDES
        scales += (of_shares,) if of_shares and not quantity.unit else ()
        if is_strict and scale and quantity.unit and max(quantity.numbers) >= _MIN_SCALED:
            scales = (scale,)
    return replace(quantity, scales=scales, is_tabular=True)


def has_number_words(text: str) -> bool:
    """Tell whether a text has a figure in words: `twice`, `a third`, `twelve`."""
    return any(word.search(text) for word in FRACTIONS.values()) or any(
        alpha2digit(text, n) != text for n in _NUMBERED
    )


def has_unread_numbers(text: str) -> bool:
    """Tell whether a text may have figures in words or signs that are not read, as in Chinese or Arabic."""
    return bool(_UNREAD.search(text))


def _blank_digits(text: str) -> str:
    """Return a text without the figures that stand in it in digits."""
    for figure in parse_figures(text):
        if any(map(str.isdigit, figure.shown)):
            text = text[: figure.start] + "x" * (figure.end - figure.start) + text[figure.end :]
    return text
