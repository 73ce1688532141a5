"""Dates in text, by their parts: a claim may be less precise than its quote, not more."""

import re
from dataclasses import dataclass

from domain.evidence.figures.notation.units import MONTHS
from domain.evidence.normal_forms import normalize

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_OF = r"(?:(?:of|de|del)\s)?"
_DATE = re.compile(
    rf"(?<!\w)(?<!\d[.,])(?P<d1>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s{_OF}(?P<m1>{_MONTH})\b\.?"
    rf"(?:,?\s{_OF}(?P<y1>\d{{4}})(?!\w))?"
    rf"|(?<!\w)(?P<m2>{_MONTH})\b\.?\s(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\w)"
    r"(?:,?\s(?P<y2>\d{4})(?!\w))?"
    rf"|(?<!\w)(?P<m3>{_MONTH})\b\.?,?\s{_OF}(?P<y3>\d{{4}})(?!\w)"
    r"|(?<!\w)(?P<y4>\d{4})(?P<s4>[-/])(?P<m4>\d{2})(?P=s4)(?P<d4>\d{2})"
    r"(?:T\d{2}(?:[:-]\d{2}){1,2}(?:\.\d{1,9})?Z?)?(?!\w)"
    r"|(?<!\w)(?P<d5>\d{1,2})(?P<s5>[./-])(?P<m5>\d{1,2})(?P=s5)(?P<y5>\d{4})(?!\w)"
    r"|(?<![\w.])(?P<d6>\d{2})(?P<s6>[./])(?P<m6>\d{2})(?P=s6)(?P<y6>\d{2})(?!\w|[./]\d)"
    r"|(?<!\w)(?P<d7>\d{1,2})\.\s?(?P<m7>I{1,3}|I?[VX]|VI{1,3}|XI{1,2})\.\s?(?P<y7>\d{4})(?!\w)",
    re.IGNORECASE,
)

_ROMAN = {
    n: i
    for i, n in enumerate(
        ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"], start=1
    )
}
_CENTURY = 50
"""The first year in two digits that is of the last century."""


@dataclass(frozen=True)
class Date:
    """A date as written, and its known parts."""

    shown: str
    parts: frozenset[str]

    @property
    def day(self) -> frozenset[str]:
        """Its parts without the year."""
        return frozenset(part for part in self.parts if part[0] != "y")

    @property
    def year(self) -> str:
        """Its year, or an empty text."""
        return next((part[1:] for part in self.parts if part[0] == "y"), "")

    @property
    def readings(self) -> list[frozenset[str]]:
        """What its parts may mean: day and month of 3/4/2021 either way."""
        either = next((part for part in self.parts if "/" in part), "")
        if not either:
            return [self.parts]
        one, other = either.split("/")
        rest = self.parts - {either}
        return [rest | {f"d{one}", f"m{other}"}, rest | {f"d{other}", f"m{one}"}]

    @property
    def is_day(self) -> bool:
        """Return whether it names a day of a month."""
        return {part[0] for part in self.parts} >= {"d", "m"}


def parse_dates(text: str) -> tuple[list[Date], str]:
    """Return the dates of a text and the text with them blanked out; a year alone is a figure."""
    found: list[Date] = []

    def take(match: re.Match[str]) -> str:
        parts = _parts(match)
        if not parts:
            return match.group()
        found.append(Date(match.group(), parts))
        return " " * len(match.group())

    return found, _DATE.sub(take, text)


def _parts(match: re.Match[str]) -> frozenset[str]:
    """Return e.g. `y2021 m3 d12`; day and month of 3/4/2021 stay ambiguous."""
    year, month, day = (
        next(filter(None, (match.groupdict().get(f"{letter}{i}") for i in range(1, 8))), "")
        for letter in "ymd"
    )
    number = MONTHS.get(month.casefold()) or _ROMAN.get(month.casefold())
    if not (number or month.isdecimal()):  # a dotless ı matches the i of a name as well
        return frozenset()
    number = number or int(month)
    year = complete_year(year) if match["y6"] else year
    separator = match["s5"] or match["s6"]
    if separator and number > 12:
        number, day = int(day), month
    if not 1 <= number <= 12 or not 1 <= int(day or 1) <= 31:
        return frozenset()
    if separator and int(day) <= 12:
        return frozenset({f"y{year}", f"{int(day)}/{number}"})
    known = {f"y{year}": year, f"m{number}": month, f"d{int(day or 0)}": day}
    return frozenset(part for part, text in known.items() if text)


def complete_year(short: str) -> str:
    """Return a year of two digits in four."""
    return f"{'20' if int(short) < _CENTURY else '19'}{short}"


def blank_dates(text: str) -> str:
    """Return a text without its dates, and without the gaps that they leave, as quotes are read."""
    return normalize(parse_dates(normalize(text))[1])
