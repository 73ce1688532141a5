"""The parser of figures in text, into value and unit: `1,030` is `1 030`, `42 %` is `42 percent`."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from domain.evidence.figures.notation.suffixes import (
    LETTER,
    MONEY_SIGNS,
    ONE,
    SCALED_AFTER,
    SIGN,
    find_money,
    parse_suffix,
)
from domain.evidence.figures.notation.units import (
    CURRENCIES,
    METRES_OR_MILLIONS,
    PARTS,
    POINT_SCALES,
    SCALES,
    TENS,
    WORDS,
)
from domain.evidence.normal_forms import read_digits

Value = Decimal | str
MAX_DIGITS = 40
"""A longer number is compared as written."""

BLANKS = " \u00a0\u2000-\u200a\u202f\u205f"
"""The blanks that part the groups of a figure's digits, as in a character class."""
_APOSTROPHE_SIGNS = "'’‘′ʼ"
_GAPS = re.compile(f"[{BLANKS}{_APOSTROPHE_SIGNS}]")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?>(?:,\d{3})+)|[1-9]\d?(?:,\d{2})+,\d{3}")
_APOSTROPHES = re.compile(
    rf"\d{{1,3}}[{_APOSTROPHE_SIGNS}]\d{{3}}(?>(?:[.,{_APOSTROPHE_SIGNS}]\d{{3}})+)"
)
_POINT = re.compile(r"\d++\.\d++")
_SWAPPED = str.maketrans(",.", ".,")
_WINDOW = 60
_TENS = "|".join(TENS)
_ONES = "|".join(sorted(WORDS.keys() - TENS - {"a", "an"}, key=len, reverse=True))
_COUNT = rf"(?:(?:{_TENS})(?>(?:[\s-](?:{_ONES}))?)|{_ONES})"
_AMBIGUOUS = re.compile(
    r"m\b(?!\s(?:wide|long|high|tall|deep|thick|above|below|away|apart|breit|lang|hoch|tief|x|×|sprint|race|run|dash)\b)"
)
"""`m` after a number, which may mean million, unless the next word shows that it means metre."""
_FRACTION = re.compile(r"\s?([¼-¾⅐-⅞])|\s([1-7])/([2-8])(?![\d/])")
_PARTS = "|".join(sorted(PARTS, key=len, reverse=True)).replace(" ", r"[\s-]")
_BIG = "hundred|dozen|thousand|million|billion|trillion"
_TOKEN = re.compile(
    rf"(?<![{LETTER}])(?P<code>(?!{SIGN}\d|(?:TEUR|MEUR|KEUR|kEUR|TUSD|MUSD|kUSD|TCHF|MCHF)\d)[{LETTER}]++-?\d(?>(?:[.-]?\w)*))"
    rf"|(?<!\d)(?P<digits>\d{{1,3}}(?>(?:[{BLANKS}]\d{{3}}(?!\d))+)(?>(?:[.,]\d++)?)"
    rf"|\d++(?>(?:[.,{_APOSTROPHE_SIGNS}]\d++)*))"
    rf"|(?<!\w)(?P<part>{_PARTS})(?=\s(?:{'|'.join(SCALES)}|dozen|percentage|per\s?cent|point)\b)"
    rf"|(?<!\w)(?P<lone>[¼-¾⅐-⅞])(?!\w)"
    rf"|(?<!\w)(?P<words>{_COUNT}(?:[\s-]hundred(?:\s(?:and\s)?{_COUNT})?)?(?:\sand\sa\shalf)?"
    rf"|(?<!half )an?(?=\s(?:{_BIG})\b))(?!\w)",
    re.IGNORECASE,
)
_GLUED = re.compile(rf"[{LETTER}][{LETTER}\d]*+")
_WORD = re.compile(r"[^\W\d_]+")
_RAISED = re.compile(r"\^([+-]?\d{1,2})(?!\d)")
_NEGATIVE = re.compile(r"(?:\A|[\s(])[-−]\Z")
_RANGE = re.compile(
    rf"\s?(?:[-–—−]|\b(?:to|and|or|bis|a|à|y|et|und)\b)\s?(?:{MONEY_SIGNS})?", re.IGNORECASE
)
_COMMA = re.compile(r",\s")
_LAST = re.compile(r",?\s(?:and|or|und|oder|et|ou|y|o|e)\s", re.IGNORECASE)
"""Before the last figure of a list such as `462, 927 and 868 million`."""
_BESIDE = re.compile(
    rf"\s?\b(?:of|out\sof|against|after|von|gegen|nach)\b\s?(?:{MONEY_SIGNS})?", re.IGNORECASE
)
"""Between two amounts in one scale, as in `336.1 of 623.3 million`; a whole number before it may count something else."""
_DASHED = re.compile(r"\d\s?[-–—−]\s?\d")


@dataclass(frozen=True)
class TextFigure:
    """A number as written, in ASCII digits, with its possible values, scale and unit."""

    shown: str
    values: frozenset[Value]
    scale: Decimal
    unit: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        """Return True if the figure has a numeric value, unlike a code such as `Q3`."""
        return any(isinstance(value, Decimal) for value in self.values)

    @property
    def has_fraction(self) -> bool:
        """Return whether it is a number that counts nothing by ones, such as 336.1."""
        return all(
            isinstance(value, Decimal) and value != value.to_integral_value()
            for value in self.values
        )

    @property
    def year(self) -> str:
        """Return the figure if it may be a year, else an empty text."""
        is_year = (
            not self.unit and self.scale == 1 and re.fullmatch(r"(?:1[5-9]|20|21)\d\d", self.shown)
        )
        return self.shown if is_year else ""


def parse_figures(text: str) -> list[TextFigure]:
    """Return the figures of a text in order, without exponents and indices, as in `v^2`."""
    text = read_digits(text)
    found: list[TextFigure] = []
    end = 0
    for match in _TOKEN.finditer(text):
        is_part = match.start() < end or text[match.start() - 1 : match.start()] in {"^", "_"}
        if not is_part and (figure := _parse_figure(text, match)):
            found.append(figure)
            end = figure.end
    for i in range(1, len(found)):
        left, right = found[i - 1 : i + 1]
        is_range = not left.year and _RANGE.fullmatch(text, left.end, right.start)
        if is_range or (left.has_fraction and _BESIDE.fullmatch(text, left.end, right.start)):
            found[i - 1 : i + 1] = _join_range(left, right)
    _join_lists(text, found)
    return found


def splits_figure(text: str, at: int) -> bool:
    """Return whether a cut at an offset splits a figure."""
    low = max(0, at - _WINDOW)
    spans = _find_unbreakable(text[low : at + _WINDOW])
    return any(start < at - low < end for start, end in spans)


@lru_cache(maxsize=2_000)  # the ends of a quote are checked for each sentence that cites it
def _find_unbreakable(window: str) -> list[tuple[int, int]]:
    spans = [(figure.start, figure.end) for figure in parse_figures(window)]
    return spans + [match.span() for match in _DASHED.finditer(window)]


def _join_range(left: TextFigure, right: TextFigure) -> tuple[TextFigure, TextFigure]:
    """Give both ends of a range such as `$3 to 5 million` one scale and unit; `6 % or $3 million` is not a range."""
    is_money = left.unit in CURRENCIES.values()
    if left.unit and not (is_money and right.unit in {"", left.unit}):
        return left, right
    scale = right.scale if left.scale == 1 else left.scale
    unit = left.unit or right.unit
    return replace(left, scale=scale, unit=unit), replace(right, unit=unit)


def _join_lists(text: str, found: list[TextFigure]) -> None:
    """Give each figure of a list the scale and unit that its last one alone states, as in `462, 927 and 868 million USD`."""
    for last in range(2, len(found)):
        end, first = found[last], last - 1
        if (end.scale == 1 and not end.unit) or not _is_between(_LAST, text, found, last):
            continue
        while first and _is_between(_COMMA, text, found, first) and not found[first - 1].year:
            first -= 1
        if first == last - 1:
            continue
        for n in range(first, last):
            if found[n].scale == 1 and not found[n].unit and not found[n].year:
                found[n] = replace(found[n], scale=end.scale, unit=end.unit)


def _is_between(
    pattern: re.Pattern[str], text: str, found: Sequence[TextFigure], right: int
) -> bool:
    return bool(pattern.fullmatch(text, found[right - 1].end, found[right].start))


def _parse_figure(text: str, match: re.Match[str]) -> TextFigure | None:
    if match["code"]:
        return _build_code(text, *match.span())
    power = _RAISED.match(text, match.end()) if match["digits"] else None
    if power and match["digits"] != "10":
        return _build_code(text, match.start(), power.end())
    fraction = _FRACTION.match(text, match.end()) if match["digits"] else None
    behind = (power or fraction or match).end()
    money = find_money(text, match.start())
    scale, unit, end = parse_suffix(text, behind, is_money=bool(money))
    glued = _GLUED.match(text, match.end())
    is_code = glued and glued.group() not in {"x", "X"}  # `1.6x` is a multiple
    if match["digits"] and is_code and glued and end == match.end():
        return _build_code(text, match.start(), glued.end())
    if power:
        found: frozenset[Value] = frozenset({Decimal(10) ** int(power[1])})
    elif match["digits"]:
        is_foreign = has_foreign_scale(text[match.end() : end])
        is_foreign |= bool(SCALED_AFTER.match(text, behind))
        is_scaled = unit == "%" or (scale != 1 and not is_foreign)
        found = parse_digits(match["digits"], is_scaled=is_scaled, is_foreign=is_foreign)
        if fraction:
            found = frozenset(_add_fraction(value, fraction) for value in found)
        elif _AMBIGUOUS.match(text, match.end()) and unit == "m" and not money:
            scaled = {value * 10**6 for value in found if isinstance(value, Decimal)}
            found, unit = found | scaled, METRES_OR_MILLIONS
    elif match["part"] or match["lone"]:
        part = match["part"] or match["lone"]
        words = re.sub(r"[\s-]", " ", part.casefold())
        found = frozenset({PARTS[words] if match["part"] else _to_decimal(part)})
    elif match["words"].casefold() == "one" and scale == 1 and unit != "%":
        return None
    else:
        found = frozenset({parse_number_words(match["words"])})
    plain = TextFigure("", found, scale, unit, match.start(), end)
    return _add_prefix(text, plain, money)


def _build_code(text: str, start: int, end: int) -> TextFigure:
    """Return a code such as `Q3` or `1990s`, which is compared as written."""
    shown = text[start:end]
    return TextFigure(shown, frozenset({shown.casefold()}), ONE, "", start, end)


def _add_prefix(
    text: str, figure: TextFigure, money: tuple[int, Decimal, str] | None
) -> TextFigure:
    start, scale, unit = money or (figure.start, ONE, figure.unit)
    found = figure.values
    if _NEGATIVE.search(text, max(0, start - 2), start):
        start -= 1
        found = frozenset(value if isinstance(value, str) else -value for value in found)
    return TextFigure(
        text[start : figure.end], found, figure.scale * scale, unit, start, figure.end
    )


def _add_fraction(value: Value, fraction: re.Match[str]) -> Value:
    """Return a whole number with the fraction after it: 5½, 5 1/2."""
    if isinstance(value, str):
        return value
    sign, upper, lower = fraction.groups()
    return value + (_to_decimal(sign) if sign else Decimal(upper) / Decimal(lower))


def _to_decimal(sign: str) -> Decimal:
    return Decimal(str(round(unicodedata.numeric(sign), 4)))


def has_foreign_scale(text: str) -> bool:
    """Return whether a text has a scale word, such as `Mrd`, of a language that may use decimal commas."""
    return any(w in SCALES and w not in POINT_SCALES for w in _WORD.findall(text.casefold()))


def parse_digits(
    digits: str, *, is_scaled: bool = False, is_foreign: bool = False
) -> frozenset[Value]:
    """Return the possible values of digits: `1.030` is one or a thousand, but one before an English scale.

    Before a scale of another language, in which `51,566` has a comma or a group, it is both.
    """
    if _APOSTROPHES.fullmatch(digits):
        digits = re.sub(r"\D", "", digits)
    plain = _GAPS.sub("", digits)
    if len(plain) > MAX_DIGITS:
        return frozenset({plain})
    readings = {_parse_english(plain), _parse_english(plain.translate(_SWAPPED))}
    is_grouped = _GROUPED.fullmatch(plain) and not (is_foreign and plain.count(",") == 1)
    if is_grouped or (is_scaled and _POINT.fullmatch(plain)):
        readings = {_parse_english(plain)}
    found = frozenset(value for value in readings if value is not None)
    return found or frozenset({plain})


def _parse_english(plain: str) -> Decimal | None:
    whole, point, decimals = plain.partition(".")
    if "," in whole and not _GROUPED.fullmatch(whole):
        return None
    if "," in decimals or "." in decimals:
        return None
    return Decimal(whole.replace(",", "") + point + decimals)


def parse_number_words(words: str) -> Decimal:
    """Return the value of English number words below a thousand, e.g. `two hundred and five`."""
    total = 0
    for word in re.findall(r"[a-z]+", words.casefold()):
        total = total * 100 if word == "hundred" else total + WORDS.get(word, 0)
    return Decimal(total) + (Decimal("-0.5") if words.casefold().endswith("half") else 0)
