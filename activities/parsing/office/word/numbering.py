"""Numbers of a Word document's lists, headings and clauses, as they are shown: `4.1`, `(b)`, `Article IV`."""

import re
from dataclasses import dataclass
from typing import Any

from activities.parsing.numerals import GREATEST_ROMAN, write_roman
from activities.parsing.office.package import is_on, read_int
from activities.parsing.office.word.styles import Styles, W, get_value

MAX_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_CHINESE = "〇一二三四五六七八九"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"
_REPEATED_LETTERS = 100


@dataclass(frozen=True)
class Level:
    """The numbering of one level of a list."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None
    is_legal: bool = False
    style: str = ""


class Numbering:
    """The lists of a document, counted in the order in which `next_label` is called."""

    def __init__(self, root: Any, styles: Styles) -> None:
        self._lists: dict[str, dict[int, Level]] = {}
        self._numbers: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
        self._counters: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()
        links = {}
        for each in () if root is None else root.iter(f"{W}abstractNum"):
            name = each.get(f"{W}abstractNumId")
            self._lists[name] = dict(map(_read_level, each.iter(f"{W}lvl")))
            links[name] = get_value(each, "numStyleLink")
        for each in () if root is None else root.iter(f"{W}num"):
            levels = each.iter(f"{W}lvl")
            starts = {
                read_int(own.get(f"{W}ilvl"), 0): read_int(get_value(own, "startOverride"), 1)
                for own in each.iter(f"{W}lvlOverride")
                if get_value(own, "startOverride") is not None
            }
            name = get_value(each, "abstractNumId") or ""
            self._numbers[each.get(f"{W}numId")] = (name, dict(map(_read_level, levels)), starts)
        for name, style in links.items():
            if style and (linked := self._numbers.get(styles.get(style).num_id)):
                self._lists[name] = self._lists.get(linked[0], {})

    def next_label(self, num_id: str, level: int, style: str) -> str:
        """Return the label of the next paragraph of a list; a dash for a bullet."""
        if num_id not in self._numbers:
            return ""
        name, own, starts = self._numbers[num_id]
        levels = self._lists.get(name, {}) | own
        level = next((n for n, each in levels.items() if style and each.style == style), level)
        level = min(max(level, 0), MAX_LEVELS - 1)
        counters = self._counters.setdefault(name, {})
        if num_id not in self._begun:
            self._begun.add(num_id)
            counters.update({n: start - 1 for n, start in starts.items()})
        counters[level] = counters.get(level, levels.get(level, Level()).start - 1) + 1
        for deeper in [n for n in counters if n > level]:
            restart = levels.get(deeper, Level()).restart
            if restart is None or (restart > 0 and level < restart):
                del counters[deeper]
        return _write_label(levels, level, counters)


def _read_level(element: Any) -> tuple[int, Level]:
    kind = element.find(f".//{W}numFmt")
    restart = get_value(element, "lvlRestart")
    legal = element.find(f"{W}isLgl")
    return read_int(element.get(f"{W}ilvl"), 0), Level(
        start=read_int(get_value(element, "start"), 1),
        format=(kind.get(f"{W}format") or kind.get(f"{W}val") or "")
        if kind is not None
        else "decimal",
        text=get_value(element, "lvlText") or "",
        restart=None if restart is None else read_int(restart, 0),
        is_legal=legal is not None and is_on(legal.get(f"{W}val")),
        style=get_value(element, "pStyle") or "",
    )


def _write_label(levels: dict[int, Level], level: int, counters: dict[int, int]) -> str:
    shown = levels.get(level, Level(text=f"%{level + 1}."))
    if shown.format == "bullet":
        return "-"

    def write(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        each = levels.get(at, Level())
        kind = "decimal" if shown.is_legal else each.format
        return write_number(counters.setdefault(at, each.start), kind)

    return _PLACE.sub(write, shown.text).strip()


def write_number(number: int, kind: str) -> str:
    """Return a number in one of Word's formats; as digits in those that are rare."""
    if kind in {"none", "bullet"}:
        return ""
    if kind in {"lowerRoman", "upperRoman"} and 0 < number <= GREATEST_ROMAN:
        return write_roman(number) if kind == "lowerRoman" else write_roman(number).upper()
    if kind in {"lowerLetter", "upperLetter"} and number > 0:
        return _write_letters(number, "abcdefghijklmnopqrstuvwxyz", kind)
    if kind in {"russianLower", "russianUpper"} and number > 0:
        return _write_letters(number, _RUSSIAN, kind)
    if kind == "ordinal":
        return f"{number}{_find_ending(number)}"
    if kind == "decimalEnclosedCircle" and 0 < number <= 20:
        return chr(0x2460 + number - 1)
    if kind.startswith(("chinese", "ideograph", "japanese", "taiwanese")) and 0 < number < 100:
        return _write_chinese(number)
    if re.fullmatch(r"0+[01],.*", kind) or kind == "decimalZero":  # as in "001, 002, 003, ..."
        return str(number).zfill(2 if kind == "decimalZero" else len(kind.partition(",")[0]))
    return str(number)


def _write_letters(number: int, alphabet: str, kind: str) -> str:
    """Return a, b … z, aa, bb … zz, aaa."""
    times, place = divmod(number - 1, len(alphabet))
    letters = alphabet[place] * min(times + 1, _REPEATED_LETTERS)
    return letters if kind.endswith(("lowerLetter", "Lower")) else letters.upper()


def _find_ending(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _write_chinese(number: int) -> str:
    tens, ones = divmod(number, 10)
    head = ("" if tens == 1 else _CHINESE[tens]) + "十" if tens else ""
    return head + (_CHINESE[ones] if ones or not tens else "")
