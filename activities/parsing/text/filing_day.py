"""The day a filing or an annual report was published: when it was filed or signed, never a day that it covers."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice

from activities.parsing.text.dates import COVERS, find_latest_day, split_days

MAX_COVER_CHARS = 12_000
_COMMISSION = re.compile(
    r"SECURITIES\s+AND\s+EXCHANGE\s+COMMISSION|(?i:securities\s+and\s+exchange\s+commission\W{1,20}washington)"
)
"""As covers write it; in sentences the commission's name is not in capitals."""
FORM = re.compile(r"\bFORM\s+(10-KT|10-K|10-Q|8-K|20-F|40-F|6-K|11-K)(/A)?(?![\w-])", re.IGNORECASE)
NEAR = 250
"""A date on a cover belongs to a word that ends at most this many characters before."""
MADE_WITHIN = timedelta(weeks=8)
"""A file made so soon after the report was signed is the report as it was published."""
REPORTED_WITHIN = timedelta(days=120)
"""A file made so soon after the end of the period is the report as it was filed."""
_MAX_HEAD_CHARS = 3_000
_DUE_CHARS = 1_200
_REPORT = re.compile(
    r"annual\s+(?:financial\s+)?report|integrated\s+report|geschäftsbericht|jahres(?:finanz)?(?:bericht|abschluss)|"
    r"konzernabschluss|halbjahres(?:finanz)?bericht|quartals(?:mitteilung|bericht)|zwischenbericht|rapport\s+(?:financier\s+)?"
    r"(?:annuel|semestriel|financier|intégré)|document\s+d.enregistrement\s+universel|universal\s+registration\s+document|"
    r"comptes\s+consolidés|informe\s+anual|relazione\s+(?:finanziaria\s+)?annuale|jaarverslag",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:(?:year|quarter|quarterly\s+period|period|months)\s+ended|geschäftsjahr\s+(?:zum|bis)|\w{0,20}abschluss\s+zum|clos\s+le)\W{1,9}",
    re.IGNORECASE,
)
_FILED = re.compile(
    r"\bas\s+filed\s+with\s+the\s+securities\s+and\s+exchange\s+commission\s+on\W|"
    r"\b(?:filing|publication|issue)\s+date\W|\bdate\s+of\s+(?:filing|publication|issue)\W|\bdate\s+de\s+publication\W|"
    r"\bveröffentlichungs(?:datum|tag)\W|\b(?:tag|datum)\s+der\s+veröffentlichung\W|"
    r"^\W{0,9}(?:published|issued|released|veröffentlicht|erschienen|publiée?)(?:\s+(?:on|am|le))?\W|"
    r"\bdéposée?\s+(?:auprès\s+de\s+l.(?:AMF|autorité\s+des\s+marchés\s+financiers)\s+)?le\W",
    re.IGNORECASE | re.MULTILINE,
)
_REPORTED = re.compile(r"date\s+of\s+(?:earliest\s+event\s+reported|report)", re.IGNORECASE)
_DULY = re.compile(r"\bduly\s+caused\b", re.IGNORECASE)
_YEAR_LAST = re.compile(r"(?:19|20)\d\d\.?$", re.MULTILINE)
_MAX_LINE, _MAX_LINES, _MAX_SIGNATURES = 90, 5_000, 100
_SIGNER = re.compile(
    r"/s/|accounting\s+firm|\bauditors?\b|chartered\s+accountants|board\s+of\s+directors|on\s+behalf\s+of\s+the\s+board|"
    r"chief\s+executive|vorstand|geschäftsführ|wirtschaftsprüf|commissaires?\s+aux\s+comptes|conseil\s+d.administration|"
    r"directeur\s+général|président|directoire|KPMG|Deloitte|Ernst\s+&\s+Young|Pricewaterhouse|Mazars|BDO|Grant\s+Thornton",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:[^\W\d_]+(?:[ ,.'’/&()-]+[^\W\d_]+){0,9})?[ ,.:]*")
_COVERED = re.compile(
    r"\b(?:as\s+(?:of|at)|ended|ending|since|until|from|to|effective|zum|per|bis|ab|vom|seit|au|clos|depuis)\b",
    re.IGNORECASE,
)
SIGNER_CHARS = 300
"""Search for the signer's name within this many characters of a signing line."""


def is_filing(text: str) -> bool:
    """Return whether a text begins with the cover of a filing with the SEC."""
    form = FORM.search(text, 0, MAX_COVER_CHARS)
    return bool(form and _COMMISSION.search(text, 0, form.end() + NEAR))


def find_publication(text: str, made: str | None) -> str | None:
    """Return the publication date of a filing or annual report; for other documents, the day they were made.

    A stated filing date comes first, then a filing's signature. A report is published when it or its audit is
    signed, or soon afterwards; the file's date is used if it is within some weeks of that.
    """
    filing = is_filing(text)
    if not filing and not _REPORT.search(text, 0, _MAX_HEAD_CHARS):
        return made
    end = next(_list_after(_PERIOD, text), None)
    reported = None if end or not filing else next(_list_after(_REPORTED, text), None)
    after = end or (reported or date.min.replace(day=2)) - timedelta(days=1)
    filed = _find_filed(text, after) or (_find_signature(text, after) if filing else None)
    if filed:
        return filed.isoformat()
    earliest = _find_signed(text, after) or reported
    file_day = date.fromisoformat(made[:10]) if made else None
    if earliest:
        soon = file_day and earliest <= file_day <= earliest + MADE_WITHIN
        return made if soon else earliest.isoformat()
    if filing:
        soon = file_day and end and end < file_day <= end + REPORTED_WITHIN
        return made if soon else None
    return None if file_day == end else made


def _find_filed(text: str, after: date) -> date | None:
    """Return the day that a cover states the filing or the publication for."""
    return next((day for day in _list_after(_FILED, text, chars=60) if day > after), None)


def _find_signature(text: str, after: date) -> date | None:
    """Return the day a filing was signed for the company."""
    for found in islice(_DULY.finditer(text), _MAX_SIGNATURES):
        for day in split_days(text[found.end() : found.end() + _DUE_CHARS])[0]:
            if after < day <= find_latest_day():
                return day
    return None


def _find_signed(text: str, after: date) -> date | None:
    """Return the day on which most of those who sign a report, or its audit, signed it."""
    latest = find_latest_day()
    days = Counter(day for day in _list_signed(text) if after < day <= latest)
    return max(days, key=lambda day: (days[day], day), default=None)


def _list_signed(text: str) -> Iterator[date]:
    """Yield the dates on lines with only a date, or a place and a date, near a signer's name."""
    for found in islice(_YEAR_LAST.finditer(text), _MAX_LINES):
        start = text.rfind("\n", max(found.start() - _MAX_LINE, 0), found.start()) + 1
        if not start and found.start() > _MAX_LINE:
            continue
        days, rest = split_days(text[start : found.end()])
        covers = _COVERED.search(rest) or COVERS.search(text, max(start - _MAX_LINE, 0), start)
        if len(days) != 1 or covers or not _PLACE.fullmatch(rest.strip()):
            continue
        if _SIGNER.search(text, max(start - SIGNER_CHARS, 0), found.end() + SIGNER_CHARS):
            yield days[0]


def _list_after(pattern: re.Pattern[str], text: str, chars: int = NEAR) -> Iterator[date]:
    """Yield the dates on a cover that follow the pattern."""
    for found in pattern.finditer(text, 0, MAX_COVER_CHARS):
        yield from split_days(text[found.end() : found.end() + chars])[0]
