"""A document's metadata, without the defaults of the program that made it."""

import dataclasses
import re
from contextlib import suppress
from datetime import date

from activities.parsing.document import Parsed, first_line
from activities.parsing.text.dates import find_latest_day

_MADE_BY = re.compile(
    r"^(?:microsoft (?:office )?(?:word|excel|powerpoint|publisher|outlook)|word|powerpoint|excel) [-–—] (.*)",
    re.IGNORECASE,
)
"""Prefix that a printer driver adds to a document's name."""
_FILE_NAME = re.compile(
    r"^[^\n]{1,250}\.(?:docx?|docm|dot[xm]?|xls[xmb]?|xlt[xm]?|csv|ppt[xm]?|pps[xm]?|pot[xm]?|pdf|rtf|od[tsp]|"
    r"pages|numbers|key|indd|qxd|pub|tex|dvi|e?ps|ai|html?|xhtml|aspx?|php|txt|md|eml|msg|epub|tmp)$",
    re.IGNORECASE,
)
_DEFAULT_TITLE = re.compile(
    r"^[\W_]*(?:untitled|no title|none|null|title|unbenannt|ohne titel|sans titre|sin título|senza titolo|"
    r"bez názvu|naamloos|без названия|无标题|無題|제목 없음|word[- ]document|microsoft word[- ]document|"
    r"(?:pptx|powerpoint)[- ]pr[äae]sentation|pr[ée]sentation powerpoint|presentaci[óo]n de powerpoint|"
    r"(?:(?:new|neues|nouveau) )?(?:untitled )?(?:document|dokument|documento|presentation|präsentation|présentation|"
    r"presentación|book|workbook|mappe|arbeitsmappe|classeur|libro|spreadsheet|slide|folie|page))[\W_]*\d*[\W_]*$",
    re.IGNORECASE,
)
_CHECKSUM = re.compile(r"^\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$", re.IGNORECASE)
_DEFAULT_AUTHOR = re.compile(
    r"python-docx|openpyxl|xlsxwriter|pptxgenjs|apache poi|docx4j|php(?:word|spreadsheet|office)|aspose|sheetjs"
    r"|libreoffice|openoffice\.org|microsoft(?: office)?(?: user)?|office user|google|adobe|windows[- ](?:user|benutzer)"
    r"|benutzer|user(?:name)?|usuario|utilisateur|utente|пользователь|用户|ユーザー|un-?named|unknown|anonym(?:ous)?"
    r"|author|owner|admin(?:istrator)?|root|guest|default|none|null|hp|dell|lenovo|acer|asus|toshiba|sony|pc|laptop|me",
    re.IGNORECASE,
)
_TEMPLATE_DAYS = frozenset(
    [
        *("2013-12-23", "2013-01-27"),  # defaults of python-docx and python-pptx
        *("2006-09-16", "2006-09-13", "2015-06-05"),  # Excel's defaults, copied by libraries
        *(
            "1970-01-01",
            "1980-01-01",
            "1601-01-01",
            "1899-12-30",
            "1899-12-31",
            "1900-01-01",
            "0001-01-01",
        ),
    ]
)
"""Days on which the templates of libraries were made, and zeros of calendars."""
_TEMPLATE_AUTHORS = frozenset([("steve canny", "2013-01-27")])


def drop_defaults(parsed: Parsed) -> Parsed:
    """Return a document without a title, an author or a day that its program made; its first line may name it."""
    author = parsed.author.strip()
    made_by_template = (author.casefold(), parsed.published) in _TEMPLATE_AUTHORS
    if _DEFAULT_AUTHOR.fullmatch(author.strip("()[]")) or made_by_template:
        author = ""
    title = clean_title(parsed.title)
    return dataclasses.replace(
        parsed,
        title=title or (parsed.title and first_line(parsed.text)),
        author=author,
        published=_clean_day(parsed.published),
    )


def clean_title(title: str) -> str:
    """Return a title; empty if it is a program's default, a file name, or meaningless."""
    if made := _MADE_BY.match(title):
        title = made[1].strip()
    says_nothing = not any(map(str.isalpha, title))
    patterns = (_FILE_NAME, _DEFAULT_TITLE, _CHECKSUM)
    return "" if says_nothing or any(pattern.match(title) for pattern in patterns) else title


def _clean_day(day: str | None) -> str | None:
    """Return a date unless it is a template's or in the future in every time zone."""
    with suppress(ValueError):
        if day and day not in _TEMPLATE_DAYS:
            return day if date.fromisoformat(day) <= find_latest_day() else None
    return None
