"""The scales that a page states, as `in millions`, and which of them governs a figure."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Literal, NamedTuple

from domain.evidence.figures.notation.dates import parse_dates
from domain.evidence.figures.notation.units import SCALES

_SCALE = "|".join(sorted((w for w in SCALES if len(w) > 1), key=len, reverse=True))
_SIGN = r"[€$£¥₹]|\b(?:us\$|usd|eur|gbp|chf|jpy|cny|rmb|inr|sek|nok|dkk|aud|cad|hkd|sgd)"
_BRIEF = {"k": 3, "t": 3, "000": 3, "miles": 3, "m": 6, "mm": 6, "b": 9, "md": 9, "tn": 12}
_LETTERS = "mm|mn|md|bn|tn|k|m|b"
_CELL_END = r"\.?[^\S\n]{0,20}(?:[|),;:\]]|$)"
"""A scale of one or two letters next to a currency ends its cell or its bracket: `€m`, `EUR k`, `(T€)`."""
_STATED = re.compile(
    rf"\b(?:in|en|em)\s(?:[^\W\d]\w*\s(?:of\s)?)?(?P<a>{_SCALE})\b"
    rf"|(?:[(,$€£¥]|\b(?:usd|eur|gbp|chf|jpy|cny|inr))\s?(?P<b>{_SCALE})\b"
    rf"|(?:^\|?|[(,;])[^\S\n]{{0,20}}(?P<c>{_SCALE})\.?\s(?:of\s|d[e'’]\s?|di\s)?"
    r"(?:u\.?s\.?\s|canadian\s|australian\s)?"
    r"(?:dollars?|euros?|eur|€|pounds|yen|yuan|francs?|chf|usd|rupees)"
    r"|\((?:[^()\n\d]{0,40}[\s-])?(?P<d>cents?|pence)\b"
    rf"|(?:(?:{_SIGN})\s?\(?|\b(?:in|en)\s)['’]?(?P<e>000)['’]?s?(?![\d.,]*\d)"
    rf"|(?<!\d)(?<!\d\s)(?:{_SIGN})\s?(?P<f>{_LETTERS})(?={_CELL_END})"
    rf"|(?<![\w.,])(?<!\d\s)(?P<g>{_LETTERS}|t)(?:€|eur|\$|usd|£|gbp|chf)(?={_CELL_END})"
    rf"|(?<=\|)[^\S\n]{{0,20}}(?P<h>{_SCALE})[^\S\n]{{0,20}}(?=\|)"
    r"|\ben\s(?P<i>miles)\sde\b",
    re.IGNORECASE | re.MULTILINE,
)
_WORD_OF_SCALE = re.compile(rf"\b(?:{_SCALE})\b", re.IGNORECASE)
_FACTORS = {**SCALES, "pence": SCALES["cents"], **{k: 10**n for k, n in _BRIEF.items()}}
_OF_SHARES = re.compile(r"(?<!and )\bshares,?\s[^().;\n]*\Z", re.IGNORECASE)
_CELLS = re.compile(r"(?>(?:[^()\n]{0,60}\))?)([\W\d_]{0,400})")
"""Text after a stated scale: the rest of its bracket, and cells up to the next word."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CELL_FIGURE = re.compile(r"\d[.,]\d|\d\s?%|(?<![\d(])\d{2,3}(?![\d)])")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FIGURE = re.compile(r"\d[\d.,]*")
_MARK = re.compile(
    r"[|\s]{0,9}(?:\(?[a-z\d]{1,2}\)|\[[a-z\d]{1,2}\]|[*†‡§]{1,3})\s?", re.IGNORECASE
)
"""A footnote's mark at the beginning of its line."""
_OF_EVERYTHING = re.compile(
    r"\b(?:otherwise|tabular|tables|all\s(?:\w+\s){0,2}?(?:amounts|figures|dollars|numbers)"
    r"|nicht\sanders|anders\sangegeben|alle\s(?:beträge|angaben|zahlen)|tabellen"
    r"|indication\scontraire|sauf\smention|tableaux|salvo|contrario|contraria|tablas)\b",
    re.IGNORECASE,
)
"""Words of a scale that holds for more than the next table."""
_OF_TABLES = re.compile(r"\b(?:tabular|tables|tabellen|tableaux|tablas)\b", re.IGNORECASE)
_OF_AMOUNTS = re.compile(
    r"\b(?:amounts?|figures?|dollars?|euros?|presented|expressed|stated|reported|shown|rounded"
    r"|beträge|angaben|zahlen|montants|chiffres|cifras|importes|importi|valores)\b",
    re.IGNORECASE,
)
"""Words that show that a scale applies to amounts; otherwise it counts something, as in `used in millions of homes`."""
_TABLE = re.compile(r"^\|[^\n]{0,2000}\n\|[\s:-]{0,20}-", re.MULTILINE)
_BREAK = re.compile(r"^#{1,6}[ \t]|^(?!\|)(?:[^\W\d_]{2,40}[^\w\n|]{1,3}){9}", re.MULTILINE)
"""A heading, or a line that begins as prose."""
_HEADING = re.compile(r"^(#{1,6})[ \t]", re.MULTILINE)
_PROSE_WORDS = 9
_LINE_CHARS, _HEAD_LINES = 400, 3
_NOTE_REACH = 3_000
"""Characters between a row and a footnote of its table that states a scale."""

Kind = Literal["row", "footnote", "table", "section"]
"""The extent of a scale: its own row, marked cells of the table above, the next table, or everything that follows."""


class StatedScale(NamedTuple):
    """A scale that a page states: its position, factor and extent.

    In a row's label, as in `Volumes (Billions) 15.2 14.1`, it applies to the row's figures up to `end`.
    """

    start: int
    end: int
    factor: float
    kind: Kind
    of_shares: bool = False
    of_tables: bool = False
    """Whether only the section's tables are in this scale, not the amounts of its sentences."""
    is_caption: bool = False
    """Whether it is a separate line that captions a chart or the lines below, and not all amounts."""
    until: float = math.inf
    """Where it ends; a caption ends at the next scale or the next heading of at least its section's level."""


class PageScales:
    """The scales of one page, by what they are stated for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stated = [*_end_captions(text, list_scales(text))]

    @cached_property
    def _of_amounts(self) -> dict[Kind, list[StatedScale]]:
        kinds: tuple[Kind, ...] = ("row", "footnote", "table", "section")
        return {k: [s for s in self._stated if s.kind == k and not s.of_shares] for k in kinds}

    def find_governing(self, at: int) -> StatedScale | None:
        """Return the scale of the table at an offset: its own header's, else its section's.

        Without a section, use the last header above, or else the first one below.
        """
        tables, sections = self._of_amounts["table"], self._of_amounts["section"]
        own, section = _find_last(tables, at), self.find_of_section(at)
        if own and section and section.start < own.start and self._is_over(own, at):
            return section
        found = [scale for scale in (own, section) if scale]
        first = sorted([*tables[:1], *(s for s in sections[:1] if at < s.until)])[:1]
        return max(found, default=None) or next(iter(first), None)

    def find_of_prose(self, at: int) -> StatedScale | None:
        """Return what amounts in sentences are in, by the head of the section at an offset."""
        section = self.find_of_section(at)
        return None if section is None or section.of_tables else section

    def find_of_section(self, at: int) -> StatedScale | None:
        """Return what the head of the section at an offset says that its figures are in."""
        sections = self._of_amounts["section"]
        return _find_last([s for s in sections if at < s.until], at)

    def find_of_row(self, start: int, end: int) -> float | None:
        """Return the scale stated by the row's label: 0 if the labels contradict each other, None without any."""
        rows = (s for s in self._stated if s.kind == "row")
        own = {s.factor for s in rows if s.start < end and start < s.end}
        return min(own) if len(own) == 1 else 0.0 if own else None

    def find_of_shares(self, at: int) -> StatedScale | None:
        """Return what the last header above an offset, or else the first below, counts shares in."""
        shares = [s for s in self._stated if s.of_shares and s.kind in {"table", "section"}]
        return _find_last(shares, at) or next(iter(shares), None)

    def list_of_footnotes(self, at: int) -> list[float]:
        """Return the scales in footnotes of the table at an offset: its marked cells are in them."""
        notes = self._of_amounts["footnote"]
        near = notes[bisect_right(notes, at, key=attrgetter("start")) :][:4]
        below = (s for s in near if s.start - at < _NOTE_REACH)
        return [s.factor for s in below if not _TABLE.search(self._text, at, s.start)]

    def list_cited(self, start: int, end: int) -> list[float]:
        """Return the scales of headers within a quote."""
        headers = (s for s in self._stated if s.kind in {"table", "section"} and not s.of_shares)
        return [s.factor for s in headers if start <= s.start < end]

    def _is_over(self, own: StatedScale, at: int) -> bool:
        """Return True if the table below a scale ends before an offset, because a heading or prose follows it."""
        table = _TABLE.search(self._text, self._text.rfind("\n", 0, own.start) + 1, at)
        return bool(table and _BREAK.search(self._text, table.end(), at))


def find_scale_word(label: str) -> str:
    """Return the first word of scale in the label of a row or column, such as `billion`; an empty text if there is none."""
    found = _WORD_OF_SCALE.search(label)
    return found.group() if found else ""


def list_scales(text: str) -> list[StatedScale]:
    """Return the scales that a page states, in their order: `in millions`, `(US cents)`."""
    return [*_read_scales(text)]


def _read_scales(text: str) -> Iterator[StatedScale]:
    for found in _STATED.finditer(text):
        word = next(filter(None, found.groups())).casefold()
        start = found.start()
        cells = _CELLS.match(text, found.end())
        end = cells.end() if cells else found.end()
        values = found.end()
        if text.startswith("|", text.rfind("\n", max(start - _LINE_CHARS, 0), start) + 1):
            reach = min(found.end() + _LINE_CHARS, len(text))
            line_end = max(text.find("\n", found.end(), reach), 0) or reach
            end = min(end, line_end)
            values = max(text.find("|", found.end(), line_end), found.end())
            cells = _CELLS.match(text, values, line_end)
            end = max(end, cells.end() if cells else end)
        kind, sentence = _classify(text, start, found.end(), text[values:end])
        if kind:
            of_shares = bool(_OF_SHARES.search(text, max(start - 50, 0), start))
            of_tables = kind == "section" and bool(_OF_TABLES.search(sentence))
            is_caption = kind == "section" and _is_caption(text, start, sentence)
            factor = float(_FACTORS[word])
            yield StatedScale(start, end, factor, kind, of_shares, of_tables, is_caption)


def _classify(text: str, start: int, end: int, cells: str) -> tuple[Kind | None, str]:
    """Return the extent of a scale (None if it is not one), and the sentence or line that states it."""
    low, high = max(start - _LINE_CHARS, 0), end + _LINE_CHARS
    first = text.rfind("\n", low, start) + 1 or low
    last = text.find("\n", end, high)
    last = last if last >= 0 else min(high, len(text))
    _, figures = parse_dates(cells)
    label = text[max(start - 80, first) : start]
    if _WORD.search(label) and _CELL_FIGURE.search(_YEAR.sub("", figures)):
        return "row", label
    sentence = text[max(start - 150, first) : min(end + 100, last)]
    is_cell = text.startswith("|", first)
    above, below = text[low:first].rstrip(), text[last:high].lstrip()
    is_title = below.startswith("|") and not text[first:last].rstrip().endswith(".")
    is_apart = is_cell or is_title or _is_bracketed(text, first, start)
    is_apart = is_apart or not text[first:start].strip(" (")
    if not is_apart and is_prose(text[first:last]) and not _OF_AMOUNTS.search(sentence):
        return None, sentence
    if _is_footnote(text[first:last], above):
        return "footnote", sentence
    if _OF_EVERYTHING.search(sentence) and not below.startswith("|"):
        return "section", sentence
    return ("table" if is_cell or _precedes_table(below) else "section"), sentence


def _is_caption(text: str, start: int, sentence: str) -> bool:
    """Return whether a line in brackets, or outside prose, states a scale only for what is below it."""
    first = text.rfind("\n", 0, start) + 1
    is_apart = _is_bracketed(text, first, start) or not is_prose(sentence)
    return is_apart and not _OF_EVERYTHING.search(sentence)


def _end_captions(text: str, stated: Sequence[StatedScale]) -> Iterator[StatedScale]:
    """Yield scales with the ends of the captions among them."""
    headings = [(match.start(), len(match[1])) for match in _HEADING.finditer(text)]
    for n, scale in enumerate(stated):
        if not scale.is_caption:
            yield scale
            continue
        k = bisect_right(headings, (scale.start, 0))
        level = headings[k - 1][1] if k else 0
        ends = [at for at, own in headings[k:] if own <= level][:1]
        ends += [s.start for s in stated[n + 1 :] if s.kind in {"table", "section"}][:1]
        yield scale._replace(until=min(ends, default=math.inf))


def _is_footnote(line: str, above: str) -> bool:
    """Return whether a line is a table's footnote: marked, and a full sentence or next to a row or footnote."""
    mark = _MARK.match(line)
    if not mark:
        return False
    others = line[mark.end() :].split("|")[1:]
    if line.startswith("|"):
        return not any(_WORD.search(cell) or _CELL_FIGURE.search(cell) for cell in others)
    before = above[above.rfind("\n") + 1 :]
    return line.rstrip().endswith(".") or before.startswith("|") or bool(_MARK.match(before))


def _precedes_table(below: str) -> bool:
    """Return whether a table follows, possibly after headings and short header lines, but no prose."""
    lines = [line for line in below.splitlines() if line.strip()][:_HEAD_LINES]
    begin = next((n for n, line in enumerate(lines) if line.startswith("|") or is_prose(line)), -1)
    return begin < 0 or lines[begin].startswith("|")


def is_prose(line: str) -> bool:
    """Return whether a line has many words, few of them figures."""
    words, figures = len(_WORD.findall(line)), len(_FIGURE.findall(line))
    return words >= _PROSE_WORDS + 3 * figures and not line.startswith("|")


def _is_bracketed(text: str, first: int, start: int) -> bool:
    """Return whether a place of a line is within a bracket that begins on it."""
    return text.rfind("(", first, start + 1) > text.rfind(")", first, start)


def _find_last(scales: Sequence[StatedScale], at: int) -> StatedScale | None:
    n = bisect_right(scales, at, key=attrgetter("start"))
    return scales[n - 1] if n else None
