"""The figures of quotes: in prose also those in words; in a table row with the scale of its label or header."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from text_to_num import alpha2digit

from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.figures.notation.quantities import PERCENT, Quantity, read_quantities
from domain.evidence.figures.notation.units import MONEY, WORDS

_MAGNITUDES = (1.0, 1e3, 1e6, 1e9)
_CENTS = 100.0
"""Factor of amounts per share in a table that counts in cents without saying so: 0.14 may be shown as 14."""
_MIN_SCALED = 1_000.0
"""Money from here on is in its table's scale; less may be an amount per share."""
_LANGUAGES = ("de", "es", "fr", "it", "pt")
_CELL_EDGES = re.compile(r"[|\s]+")
_BETWEEN_FIGURES = re.compile(
    r"(?:(?<=[\d)%])|(?<=\d\s[A-Z]{3})|(?<=illion\s[A-Z]{3}))\s{0,9}\|[\s|]*(?=[-(\d$€£¥])"
)
"""`93 | 838` is two figures, `93 838` may be one; in `18 million USD | 3.1%` the currency is of the first."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_EACH = re.compile(
    r"\b(?:(?:per|each|je|pro|par|por)\s(?:\w+\s){0,2}?"
    r"(?:shares?|units?|ads|adr|aktien?|anteil|actions?|acción|acciones)|a\sshare)\b",
    re.IGNORECASE,
)
_EACH_LABEL = re.compile(
    rf"[^\d(]{{0,200}}?(?:{_EACH.pattern}|\b(?:percent|percentage|prozent|pourcentage|porcentaje)\b|\(?%)",
    re.IGNORECASE,
)
"""A row's label that says that its figures are per share, or percentages."""
_NEXT_CELL = re.compile(r"[ \t\n|$€£¥(%)–-]{1,20}\d")
_MORE_CELLS = re.compile(r"[\W\d_]{0,400}(?<=[\d)%])")
_CELL_LINE = re.compile(
    r"[ \t]{0,40}+(?:[^\W\d_][^\s.!?;]{0,40}+[ \t]{1,40}+){1,6}[\d$€£¥(][\d$€£¥().,% \t–-]{0,200}+(?:\n|\Z)"
)
"""A line of a table without rules: a short label, then figures alone."""


_NUMERALS = re.compile(
    "[〇零一二三四五六七八九十百千两兩壹贰叁肆伍陆柒捌玖拾点點][〇零一二三四五六七八九十百千万萬亿億兆点點拾佰仟]"
    "|(?:令和|平成|昭和|民[国國])\\s?[\\d元]"
    "|\\d\\s?[백천만억조]|[일이삼사오육칠팔구십백천만억조]{2}"
    "|\\b(?i:дв[аеух]|тр[иеё]|четыр|пят|шест|сем[ьи]|вос[еь]м|девят|десят|двадцат|сорок|двест|трист)[а-яё]*"
)
"""Numerals, number words and years of eras that are not read."""
_ONE_IN = re.compile(
    r"(?<![\w.,$€£¥])(\w+)\s(in(?:\severy)?|out\sof(?:\severy)?)\s(\w+)\b(?![.,]\d)", re.IGNORECASE
)
_MOST_IN = 100
"""The largest total that a bare `in` may divide, as in one in eight; `950 in 2024` is not a share."""
_UNREAD_SCRIPT = re.compile(
    "[\u0530-\u08ff\u0900-\u0eff\u1000-\u109f\u10d0-\u10ff\u1200-\u137f\u1780-\u17ff]"
)
"""Letters of scripts whose number words are not parsed, such as Arabic, Devanagari and Thai."""


def find_row(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the table row that contains a quote, or None outside a table.

    A line is a row if it begins with a bar; if its figures follow one another without words between them, on
    one or several lines; or if it has a label and figures and so does the line above or below.
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


class QuoteScales(NamedTuple):
    """The possible scales of a quote's figures, as its page states them; 0 is an unknown scale."""

    header: float = 0.0
    """The scale of the table or section; 0 if unknown, which allows any magnitude."""
    own: float | None = None
    """The scale that the row label states, which overrides the header. None if the label has no scale."""
    of_shares: float = 0.0
    """The scale of rows with counts of shares, if it differs."""
    others: tuple[float, ...] = ()
    """The scales of its table's footnotes and of quoted headers: cells may be in them as well."""
    of_prose: tuple[float, ...] = ()
    """The scales of amounts of money in sentences."""


@lru_cache(maxsize=1_000)  # a quote is read for its sentence, its cell and the summary
def read_quoted(quote: str, scales: QuoteScales, *, in_row: bool = False) -> tuple[Quantity, ...]:
    """Return the figures of a quote; in a row of a table they may be in what its label or header says.

    `in_row` is True if a quote with one figure, or with a long label, is part of a row on its page.
    """
    text = _CELL_EDGES.sub(" ", _BETWEEN_FIGURES.sub("; ", quote))
    found = read_quantities(text)
    ends = pairwise(parse_figures(text))
    in_cells = any(not _LETTERS.search(text, one.end, other.start) for one, other in ends)
    if _is_terse(text, len(found)) and (in_cells or in_row):
        return tuple(_place_in_row(found, scales, text, is_strict=in_cells))
    if not (in_row and "|" in quote):
        return tuple(_read_prose(text, scales))
    parts = [_part_cell(cell) for cell in quote.split("|")]
    bare = read_quantities("; ".join(figure for figure, _ in parts if figure))
    told = " ".join(words for _, words in parts if words)
    placed = _place_in_row(bare, scales, told, is_strict=len(bare) > 1)
    return (*placed, *_read_prose(_CELL_EDGES.sub(" ", told), scales))


def _part_cell(cell: str) -> tuple[str, str]:
    """Return the figures of a cell without words, or the one before its words if that has no unit, and its words."""
    if not _LETTERS.search(cell):
        return cell, ""
    found = parse_figures(cell)
    if not found or cell[: found[0].start].strip() or found[0].year:
        return "", cell
    if found[0].unit or found[0].scale != 1:
        return "", cell
    return cell[: found[0].end], cell[found[0].end :]


def _read_prose(text: str, scales: QuoteScales) -> Iterator[Quantity]:
    """Yield the figures of a sentence, and those in its words."""
    found = read_quantities(text)
    for quantity in found:
        is_bare = quantity.scale == 1 and quantity.unit in MONEY and not _EACH.search(text)
        others = (s for s in scales.of_prose if is_bare)
        yield replace(quantity, scales=(1.0, *others))
    yield from _read_shares(text)
    known = {(quantity.numbers, quantity.unit) for quantity in found}
    words = _blank_digits(
        text
    )  # otherwise "million" in `605 million` would be read as a figure of its own
    texts = {alpha2digit(words, language) for language in _LANGUAGES} - {words}
    said = (quantity for other in texts for quantity in read_quantities(other))
    yield from (q for q in said if (q.numbers, q.unit) not in known)


def _read_shares(text: str) -> Iterator[Quantity]:
    """Yield the percentages that one in eight, or 3 out of 40, make."""
    for match in _ONE_IN.finditer(text):
        part, whole = (WORDS.get(n.casefold()) or _count(n) for n in match.group(1, 3))
        if 0 < part < whole and (whole <= _MOST_IN or match[2].casefold() != "in"):
            yield Quantity(match.group(), (100 * part / whole,), unit=PERCENT)


def _count(digits: str) -> int:
    return int(digits) if digits.isdecimal() and len(digits) < 10 else 0


def _place_in_row(
    found: Sequence[Quantity], scales: QuoteScales, text: str, *, is_strict: bool
) -> Iterator[Quantity]:
    """Yield a row's figures with their possible factors.

    A scale in the row's label takes precedence. The header's scale does not apply to amounts per share or
    percentages.
    """
    header, others, is_each = scales.header, scales.others, bool(_EACH_LABEL.match(text))
    if any(quantity.scale > 1 for quantity in found):
        header, others = (
            1.0,
            (),
        )  # in `408.6 billion (408,625,000,000)` the header's scale does not apply
    for quantity in found:
        factors: tuple[float, ...] = (1.0,)
        if quantity.scale == 1 and quantity.unit in {"", *MONEY}:
            if scales.own is not None:
                factors = _list_labelled(quantity, scales.own)
            elif is_each:
                factors = (1.0,) if quantity.unit else (1.0, _CENTS)
            else:
                shares = scales.of_shares if not quantity.unit else 0.0
                factors = _list_factors(quantity, header, shares, is_strict=is_strict)
                factors = tuple(dict.fromkeys((*factors, *others)))
        yield replace(quantity, scales=factors, is_tabular=True)


def _list_labelled(quantity: Quantity, own: float) -> tuple[float, ...]:
    """Return the scale of a row's label; a figure without a currency may also be unscaled."""
    if own >= 1 and quantity.unit:
        return (own,)
    return (1.0, own) if own else _MAGNITUDES


def _list_factors(
    quantity: Quantity, header: float, of_shares: float, *, is_strict: bool
) -> tuple[float, ...]:
    """Return the factors that a table's header may imply for a figure.

    The header's scale applies to amounts, but not to counts, rates and amounts per share in the same table.
    With `is_strict`, a large amount of money certainly has that scale.
    """
    if is_strict and header and quantity.unit and max(quantity.numbers) >= _MIN_SCALED:
        return (header,)
    factors = (1.0, header) if header else _MAGNITUDES
    return (*factors, of_shares) if of_shares else factors


def has_unread_numbers(text: str, *, in_digits: bool = False) -> bool:
    """Return whether a text may contain figures in words or numerals that Greenlight cannot read, as in Chinese.

    With `in_digits`, the text states such figures in digits, so words of unread scripts are ignored.
    """
    return bool(_NUMERALS.search(text) or (not in_digits and _UNREAD_SCRIPT.search(text)))


def _blank_digits(text: str) -> str:
    """Return a text without the figures that it has in digits."""
    for figure in parse_figures(text):
        if any(map(str.isdigit, figure.shown)):
            text = text[: figure.start] + "x" * (figure.end - figure.start) + text[figure.end :]
    return text
