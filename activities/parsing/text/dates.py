"""The date that a document states as its own."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from domain.evidence.figures.notation.dates import parse_dates

PUBLISHED = (
    "date|published|publish_?date|pub_?date|publication date|date published|first published|posted|released|issued"
    "|created|written|datum|veröffentlicht|erschienen|date de publication|publié|publiée|fecha|publicado|publicada|data"
    "|pubblicato"
)
UPDATED = (
    "(?:last |date )?(?:updated|modified|revised|revision|reviewed)|last_?mod(?:ified)?|stand"
    "|(?:zuletzt )?aktualisiert|mis à jour|mise à jour|(?:última )?actualización|actualizado|aggiornato|atualizado"
)
_MAX_DAY_CHARS = 60
_LINE = re.compile(
    rf"^[*_>#| \t-]{{0,9}}(?:(?P<published>{PUBLISHED})|(?P<updated>{UPDATED}))"
    rf"[*_]{{0,3}}(?:[ \t]?[:=]|[ \t](?:on|am|le|el|il|em)\b|(?=[ \t]\d))[*_ \t\"']{{0,9}}(?P<day>[^\n]{{6,{_MAX_DAY_CHARS}}})$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that only contains a date; other dates in a text are about its content."""
TIME = re.compile(
    r"[tT, \t]{0,3}(?:at )?\d{1,2}:\d{2}[\d:.]{0,12}\s?(?:[ap]m\b)?\s?(?:(?:z|utc|gmt|uhr|(?-i:[A-Z]{2,4}))\b)?"
    r"\s?(?:[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
COVERS = re.compile(
    r"(?:\b(?:ended|ending|as of|as at|outstanding|zum|per|bis|clos le|arrêtée? au)|\b(?:record date|stichtag):?)\W*\Z",
    re.IGNORECASE,
)
"""Words before dates that a document covers, such as the end of a fiscal year or a record date."""
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
"""Days with dots have the month in the middle; with slashes that is not known."""
_REST = " \t*_.\"'|()"


def find_latest_day() -> date:
    """Return the day that it is where days begin first (UTC+14): a document can be of that day."""
    return (datetime.now(UTC) + timedelta(hours=14)).date()


def find_stated_day(text: str) -> str | None:
    """Return the date in a line such as `Published: 2 May 2024`, else in one about an update."""
    updated = None
    for found in _LINE.finditer(text):
        day = read_day(found["day"])
        if day and found["published"]:
            return day
        updated = updated or day
    return updated


def read_day(text: str) -> str | None:
    """Parse a text that is a date, optionally with a time, to `2024-05-02`; None for future dates."""
    days, rest = split_days(TIME.sub(" ", re.sub(r"(?<=\d)T(?=\d\d:)", " ", text)))
    if len(days) != 1 or rest.strip(_REST):
        return None
    return days[0].isoformat() if days[0] <= find_latest_day() else None


def split_days(text: str) -> tuple[list[date], str]:
    """Return the days that a text names in full, and the text without its dates."""
    ordered = _DOTTED.sub(lambda found: f"{found[3]}-{found[2]:0>2}-{found[1]:0>2}", text)
    dates, rest = parse_dates(ordered)
    days = []
    for each in dates:
        parts = {part[0]: part[1:] for part in each.parts}
        with suppress(KeyError, ValueError):
            days.append(date(int(parts["y"]), int(parts["m"]), int(parts["d"])))
    return days, rest


def mentions_new_year(text: str, year: str) -> bool:
    """Return whether a text names the first of January of a year, in figures or in words."""
    ordered = rf"{year}[-/.]?0?1[-/.]?0?1(?!\d)|(?<!\d)0?1[-/.]0?1[-/.]{year}"
    worded = rf"(?<!\d)0?1(?:st|\.|er)?\s(?:of\s)?jan[^\W\d_]{{0,9}}\.?,?\s{year}|\bjan[^\W\d_]{{0,9}}\.?\s0?1(?:st)?,?\s{year}"
    return bool(re.search(f"{ordered}|{worded}", text, re.IGNORECASE))
