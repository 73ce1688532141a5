"""The cover of a company's filing: company, form and period."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import date

from activities.parsing.document import line
from activities.parsing.text.filing_day import FORM, MAX_COVER_CHARS, NEAR, is_filing

_CHARTER = re.compile(r"\(?\s?exact\s+name\s+of\s+(?:the\s+)?registrants?\b", re.IGNORECASE)
_FILE_NUMBER = re.compile(r"\bcommission\s+file\s+(?:number|no)\b", re.IGNORECASE)
_NO_NAME = re.compile(
    r"commission\b|or\Z|form\s|for the |from\b|to\b|washington|\(|☐|☒|i\.?r\.?s\.?\s|(?:united states )?securities|"
    r"(?:of )?the securities|united states|state\b|table of|index\b|date of|annual|quarterly|current|transition|[x¨ýþ]\s|\d[\d-]*\Z",
    re.IGNORECASE,
)
"""Beginnings of lines on a cover that are not a company's name."""
_COMPANY = re.compile(
    r"\b(?:The\s)?(?:[A-Z][\w&.'’-]{0,30}\s){1,5}(?:Company|Corporation|Incorporated|Inc\.|Co\.|PLC|plc|Ltd\.)"
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAY = re.compile(rf"\b({'|'.join(_MONTHS)})\s+(\d{{1,2}}),?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_YEAR_ENDED = re.compile(r"for\s+the\s+(?:fiscal\s+)?year\s+ended:?\s", re.IGNORECASE)
_QUARTER_ENDED = re.compile(
    r"for\s+the\s+(?:fiscal\s+)?quarter(?:ly\s+period)?\s+ended:?\s", re.IGNORECASE
)
_REPORTED = re.compile(r"date\s+of\s+(?:earliest\s+event\s+reported|report)", re.IGNORECASE)
_SMALL = re.compile(r"(?:OF|AND|THE|FOR|IN|&)\Z")
_SHORTENED = re.compile(r"(?:CORP|LTD|CO|BROS)\.?\Z")
_ACRONYM = re.compile(r"(?:PLC|LLC|LP|AG|SE|USA?|IBM|AES|(?:[A-Z]\.){2,})\Z|[^AEIOUY]+\Z|.*\d")


def read_title(text: str) -> str:
    """Return a filing's title: company, form and period; empty for other documents."""
    text = text[:MAX_COVER_CHARS].replace("## ", "")
    if not is_filing(text) or not (form := FORM.search(text)):
        return ""
    kind = form[1].upper()
    is_event = kind in ("8-K", "6-K")
    pattern = _REPORTED if is_event else _QUARTER_ENDED if kind == "10-Q" else _YEAR_ENDED
    day = _find_day(pattern, text)
    about = _describe(day, kind) if day else ""
    return line(", ".join(filter(None, (_find_name(text), f"Form {kind}{form[2] or ''}", about))))


def _find_name(text: str) -> str:
    """Return the registrant's name: between the file's number and what explains it, or else the commonest name."""
    charter, number = _CHARTER.search(text), _FILE_NUMBER.search(text)
    names: list[str] = []
    if number and (not charter or number.start() < charter.start()):
        end = charter.start() if charter else number.end() + NEAR
        names = [*_list_names(text[number.start() : end])]
    if not names and charter:
        names = [*_list_names(text[max(charter.start() - 600, 0) : charter.start()])][-1:]
    if names:
        return _write_name(names[0])
    common = Counter(match.group() for match in _COMPANY.finditer(text)).most_common(1)
    return common[0][0] if common else ""


def _list_names(text: str) -> Iterator[str]:
    """Yield the lines and cells that may be a name."""
    for each in re.split(r"[\n|]", text):
        name = each.strip(" *_")
        if sum(map(str.isalpha, name)) > 1 and len(name) <= 100 and not _NO_NAME.match(name):
            yield name


def _write_name(name: str) -> str:
    """Return a name in capitals in title case; any other name unchanged."""
    if name.upper() != name:
        return name
    return " ".join(_write_word(word, is_first=n == 0) for n, word in enumerate(name.split()))


def _write_word(word: str, *, is_first: bool) -> str:
    bare = word.strip(",()")
    if _SMALL.match(bare) and not is_first:
        return word.lower()
    if _ACRONYM.match(bare) and not _SHORTENED.match(bare):
        return word
    return "-".join(part.capitalize() for part in word.split("-"))


def _describe(day: date, kind: str) -> str:
    if kind in ("8-K", "6-K"):
        return _write_day(day)
    if kind == "10-Q":
        return f"quarter ended {_write_day(day)}"
    if day.month < 3:  # companies differ in which year they name it after
        return f"fiscal year ended {_write_day(day)}"
    return f"fiscal year {day.year}"


def _find_day(before: re.Pattern[str], text: str) -> date | None:
    found = before.search(text)
    days = _list_days(text[found.end() : found.end() + NEAR]) if found else iter(())
    return next(days, None)


def _list_days(text: str) -> Iterator[date]:
    for match in _DAY.finditer(text):
        with suppress(ValueError):
            yield date(int(match[3]), _MONTHS.index(match[1].lower()) + 1, int(match[2]))


def _write_day(day: date) -> str:
    return f"{_MONTHS[day.month - 1].capitalize()} {day.day}, {day.year}"
