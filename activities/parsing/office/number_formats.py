"""Values of a workbook's cells as they are shown: by their number format, and days unambiguously.

Source: ECMA-376, part 1, 18.8.30 and 18.8.31.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne

_ACCOUNTING = '_(* #,##0{0}_);_(* (#,##0{0});_(* "-"??_);_(@_)'
_DAY = "yyyy-mm-dd"
BUILT_IN: dict[int, str] = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    5: '"$"#,##0;("$"#,##0)',
    6: '"$"#,##0;("$"#,##0)',
    7: '"$"#,##0.00;("$"#,##0.00)',
    8: '"$"#,##0.00;("$"#,##0.00)',
    12: "# ?/?",
    13: "# ??/??",
    14: _DAY,
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm",
    19: "h:mm:ss",
    20: "h:mm",
    21: "h:mm:ss",
    22: f"{_DAY} h:mm",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    41: _ACCOUNTING.format(""),
    43: _ACCOUNTING.format(".00"),
    42: _ACCOUNTING.format("").replace("* ", '* "$"'),
    45: "mm:ss",
    46: "[h]:mm:ss",
    44: _ACCOUNTING.format(".00").replace("* ", '* "$"'),
    47: "mm:ss",
    48: "##0.0E+0",
    49: "@",
    **dict.fromkeys([*range(27, 37), *range(50, 59)], _DAY),
}
"""Formats that a workbook does not spell out, by their ids; days and money are of no country."""
_TOKEN = re.compile(
    r'"([^"]*)"?|\\(.)|_(?:.)|\*(?:.)|\[\$([^\]-]{0,60})(?:-[^\]]{0,60})?\]|\[([hms]{1,9})\]|\[[^\]]{0,60}\]'
    r"|(General)|(AM/PM|A/P)|(E[+-]0+)|(0*[.]?[0#?][0#?,.]*|[.,][0#?][0#?,.]*)|(y+|m+|d+|h+|s+(?:\.0+)?)|(.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"^(?:\[[^\]]*\])*?\[(<=|>=|<>|<|>|=)(-?[\d.]+)\]")
_COLOR = re.compile(r"\[(?:red|rot|rouge|rojo|color ?\d|blue|green|magenta)", re.IGNORECASE)
_SIGN = re.compile(r"[-−–(\"▼▽↓]")
_BRACKETED = re.compile(r"\[[^\[\]]*\]")
"""A negative number that only its color distinguishes from a positive one is shown with a minus."""
_OPERATORS = {"<": lt, ">": gt, "=": eq, "<=": le, ">=": ge, "<>": ne}
_MAX_SERIAL = 2_958_466
_LEAP_BUG = 60
"""Excel counts a 29 February 1900, which never was: days before it are one off."""
_SHOWN_DIGITS = 15
_MAX_DENOMINATOR_DIGITS = 3


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


@lru_cache(maxsize=500)
def _split(code: str) -> tuple[str, ...]:
    """Return the sections of a format: for positive and negative numbers, zero and text."""
    sections, start, quoted, at = [], 0, False, 0
    while at < len(code):
        sign = code[at]
        if sign == '"':
            quoted = not quoted
        elif sign == "\\" and not quoted:
            at += 1
        elif sign == ";" and not quoted:
            sections.append(code[start:at])
            start = at + 1
        at += 1
    return (*sections, code[start:])


@lru_cache(maxsize=500)
def _tokenize(section: str) -> tuple[_Token, ...]:
    names = ("literal", "literal", "literal", "elapsed", "general", "half", "exponent", "digits")
    found = []
    for match in _TOKEN.finditer(section):
        group = match.lastindex
        if group:
            name = (*names, "time", "literal")[group - 1]
            found.append(_Token("text" if match[0] == "@" else name, match[group]))
    return tuple(found)


def show_text(text: str, code: str) -> str:
    """Return a text as its format shows it."""
    sections = _split(code)
    section = sections[3] if len(sections) > 3 else sections[0]
    if "@" not in section:
        return text if len(sections) < 4 else ""
    tokens = _tokenize(section)
    return "".join(text if each.kind == "text" else each.text for each in tokens)


def show_number(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return a number as its format shows it; a full day is as in 2024-05-03, a time as in 14:30."""
    section, number = _choose(value, _split(code or "General"))
    tokens = _tokenize(section)
    kinds = {each.kind for each in tokens}
    if kinds & {"time", "elapsed"}:
        return _show_moment(value, tokens, since_1904=since_1904)
    if not section.strip() and section != code:
        return ""
    if "digits" not in kinds:
        shown = _show_general(number)
        if "general" not in kinds and "text" not in kinds:
            return "".join(each.text for each in tokens).strip() or (shown if not section else "")
        return "".join(shown if e.kind in {"general", "text"} else e.text for e in tokens).strip()
    try:
        return _show_digits(Decimal(repr(number)), tokens)
    except InvalidOperation:
        return _show_general(number)


def _choose(value: float, sections: tuple[str, ...]) -> tuple[str, float]:
    """Return the section that is for a number, and the number that it shows."""
    conditions = [_CONDITION.match(each) for each in sections]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=True):
            if condition is None or _OPERATORS[condition[1]](value, float(condition[2])):
                return section, abs(value) if condition and value < 0 else value
        return "General", value
    if value < 0 and len(sections) > 1:
        is_colored = _COLOR.search(sections[1]) and not _SIGN.search(
            _BRACKETED.sub("", sections[1])
        )
        return sections[1], value if is_colored else -value
    if value == 0 and len(sections) > 2:
        return sections[2], value
    return sections[0], value


def _show_general(value: float) -> str:
    shown = f"{value:.{_SHOWN_DIGITS}g}"
    if "e" in shown and abs(value) < 10**21 and value == int(value):
        return str(int(value))
    return shown.replace("e", "E")


def _show_digits(value: Decimal, tokens: tuple[_Token, ...]) -> str:
    pattern = "".join(each.text for each in tokens if each.kind == "digits")
    texts = [each.text if each.kind == "literal" else "" for each in tokens]
    value *= Decimal(100) ** "".join(texts).count("%")
    sign, value = ("-" if value < 0 else ""), abs(value)
    if any(each.kind == "exponent" for each in tokens):
        shown = f"{value:.{len(pattern.partition('.')[2])}E}"
    elif "/" in texts:
        shown = _show_fraction(value, tokens)
        return f"{sign}{shown}"
    else:
        shown = _show_decimal(value, pattern)
    if not any(char in "123456789" for char in shown):
        sign = ""
    first = next(n for n, each in enumerate(tokens) if each.kind == "digits")
    last = max(n for n, each in enumerate(tokens) if each.kind == "digits")
    between = "".join(texts[first:last])
    if between.strip() and "." not in pattern and "," not in pattern:
        return sign + _fill(shown, tokens)
    if between and not between.strip():  # thousands that a space divides
        shown = re.sub(r"\d+", lambda found: _group(found[0], " "), shown, count=1)
    return f"{sign}{''.join(texts[:first])}{shown}{''.join(texts[last + 1 :])}".strip()


def _show_decimal(value: Decimal, pattern: str) -> str:
    whole, _, part = pattern.partition(".")
    digits = whole.rstrip(",")
    scale = len(whole) - len(digits) + len(part) - len(part.rstrip(","))
    part = part.rstrip(",")
    value /= Decimal(1000) ** scale
    shown = f"{value.quantize(Decimal(1).scaleb(-len(part)), ROUND_HALF_UP):f}"
    before, _, behind = shown.partition(".")
    least = len(part.rstrip("#?"))
    behind = behind[:least] + behind[least:].rstrip("0")
    before = before.lstrip("0").rjust(digits.count("0"), "0")
    if "," in digits:
        before = _group(before, ",")
    return f"{before}.{behind}" if behind else before


def _group(digits: str, mark: str) -> str:
    """Return digits with a mark between groups of three, counted from the last one."""
    first = len(digits) % 3
    groups = [digits[at : at + 3] for at in range(first, len(digits), 3)]
    return mark.join([digits[:first], *groups] if first else groups)


def _show_fraction(value: Decimal, tokens: tuple[_Token, ...]) -> str:
    at = next(n for n, each in enumerate(tokens) if each.text == "/" and each.kind == "literal")
    below = "".join(each.text for each in tokens[at + 1 :])
    fixed = re.match(r"[1-9]\d{0,3}", below)
    whole = int(value)
    rest = Fraction(value - whole)
    if fixed:
        count, of = round(rest * int(fixed[0])), int(fixed[0])
    else:
        digits = min(max(sum(sign in "0#?" for sign in below), 1), _MAX_DENOMINATOR_DIGITS)
        found = rest.limit_denominator(10**digits - 1)
        count, of = found.numerator, found.denominator
    if count == of:
        whole, count = whole + 1, 0
    if not count:
        return str(whole)
    return f"{whole} {count}/{of}" if whole else f"{count}/{of}"


def _fill(shown: str, tokens: tuple[_Token, ...]) -> str:
    """Return digits set into a pattern with signs between, as of telephone numbers."""
    left, written = [*shown], ""
    places = [each for each in tokens if each.kind in {"digits", "literal"}]
    for token in reversed(places):
        if token.kind == "literal":
            written = token.text + written
            continue
        for sign in reversed(token.text):
            if left:
                written = left.pop() + written
            elif sign == "0":
                written = "0" + written
    return "".join(left) + written


def _show_moment(value: float, tokens: tuple[_Token, ...], *, since_1904: bool) -> str:
    if not 0 <= value < _MAX_SERIAL:
        return _show_general(value)
    seconds = round(value * 86_400)
    if elapsed := next((each for each in tokens if each.kind == "elapsed"), None):
        return _show_elapsed(seconds, elapsed.text.lower(), tokens)
    if since_1904:
        start = datetime(1904, 1, 1)  # noqa: DTZ001 - a cell has no zone
    else:
        start = datetime(1899, 12, 31 if value < _LEAP_BUG else 30)  # noqa: DTZ001
    moment = start + timedelta(seconds=seconds)
    letters = _name_minutes(tokens)
    date = [letter for letter in letters if letter[:1] in "ymd" and letter]
    clock = any(letter[:1] in {"h", "M", "s"} for letter in letters)
    time = f"{moment:%H:%M:%S}" if any(each[:1] == "s" for each in letters) else f"{moment:%H:%M}"
    if {each[0] for each in date} >= {"y", "m", "d"}:
        return f"{moment:%Y-%m-%d} {time}" if clock else f"{moment:%Y-%m-%d}"
    if not date:
        return time
    shown = "".join(
        _show_part(moment, letter) if letter else each.text
        for letter, each in zip(letters, tokens, strict=True)
        if each.kind in {"time", "literal"}
    )
    return shown.strip()


def _name_minutes(tokens: tuple[_Token, ...]) -> list[str]:
    """Return the letters of each token, with M for the m that are minutes: by an hour or a second."""
    letters = [each.text.lower() if each.kind == "time" else "" for each in tokens]
    places = [n for n, letter in enumerate(letters) if letter]
    for index, at in enumerate(places):
        if letters[at][0] != "m" or len(letters[at]) > 2:
            continue
        before = letters[places[index - 1]] if index else ""
        after = letters[places[index + 1]] if index + 1 < len(places) else ""
        if before[:1] == "h" or after[:1] == "s":
            letters[at] = letters[at].upper()
    return letters


def _show_part(moment: datetime, letters: str) -> str:
    kind, length = letters[0], len(letters)
    if kind == "y":
        return f"{moment:%Y}" if length > 2 else f"{moment:%y}"
    if kind == "m":
        name = calendar.month_name[moment.month]
        return {1: str(moment.month), 2: f"{moment:%m}", 3: name[:3], 5: name[:1]}.get(length, name)
    if kind == "d":
        name = calendar.day_name[moment.weekday()]
        return {1: str(moment.day), 2: f"{moment:%d}", 3: name[:3]}.get(length, name)
    clock = {"h": moment.hour, "M": moment.minute, "s": moment.second}[kind]
    return str(clock).zfill(min(length, 2))


def _show_elapsed(seconds: int, unit: str, tokens: tuple[_Token, ...]) -> str:
    """Format a duration such as 26:30, starting with the given largest unit."""
    letters = {each.text.lower()[0] for each in tokens if each.kind == "time"}
    hours, rest = divmod(seconds, 3_600)
    minutes, left = divmod(rest, 60)
    if unit[0] == "s":
        return str(seconds)
    if unit[0] == "m":
        total = seconds // 60
        return f"{total}:{left:02}" if "s" in letters else str(total)
    shown = str(hours)
    if "m" in letters:
        shown += f":{minutes:02}"
    return f"{shown}:{left:02}" if "s" in letters else shown
