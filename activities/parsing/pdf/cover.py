"""What a document is called: a filing by its cover, any other by its own title or its largest words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from activities.parsing.document import first_line, line
from activities.parsing.pdf.glyphs import HYPHEN
from activities.parsing.pdf.paragraphs import Part
from activities.parsing.properties import clean_title

_COMMISSION = re.compile(r"SECURITIES\s+AND\s+EXCHANGE\s+COMMISSION", re.IGNORECASE)
_FORM = re.compile(r"\bFORM\s+(10-KT|10-K|10-Q|8-K|20-F|40-F|6-K|11-K)(/A)?\b", re.IGNORECASE)
_CHARTER = re.compile(r"\(\s*Exact name of (?:the )?registrants?\b", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:commission\s+file|or\Z|form\s|for the |from |washington|\(|☐|☒|i\.?r\.?s\.?\s|\d[\d-]*\Z)",
    re.IGNORECASE,
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
_SMALL = {"OF", "AND", "THE", "FOR", "IN", "&"}
_SHORTENED = {"CORP", "LTD", "CO", "BROS"}
_ACRONYMS = {
    "PLC",
    "LLC",
    "LP",
    "L.P.",
    "N.V.",
    "S.A.",
    "AG",
    "SE",
    "USA",
    "U.S.",
    "US",
    "IBM",
    "AES",
}
_STOP = {
    *(
        "index",
        "contents",
        "table of contents",
        "inhalt",
        "inhaltsverzeichnis",
        "cover",
        "pdf",
        "print",
    ),
    *("united", "united states", "united states of america", "washington, d.c. 20549", "anonymous"),
    *("united states securities and exchange commission", "securities and exchange commission"),
    *(
        "form 10-k",
        "form 10-q",
        "form 8-k",
        "form 20-f",
        "annual report",
        "blank page",
        "unspecified",
    ),
}
_ARTIFACT = re.compile(
    r"(?:Exhibit|EX)[-. ]?\d|(?:10-K|10-Q|8-K)\b|https?:|[\w.-]*[_\d][\w.-]*\Z", re.IGNORECASE
)
"""A title that names a file, or a filing's part by its number."""
_SOFTWARE = re.compile(
    r"EDGAR|Donnelley|\bDFIN\b|Workiva|Wdesk|Toppan|Merrill Corp|Certent|Broadridge|M2 Compliance"
    r"|\bAdobe\b|Acrobat|Quartz|LaTeX|wkhtmlto|Chrome|Skia|ReportLab|Writer\Z|Ghostscript|\biText|PDFlib"
    r"|InDesign|FrameMaker|QuarkXPress|Crystal Reports",
    re.IGNORECASE,
)
"""Programs, and the agents that file for companies."""
_CONVERTERS = re.compile(
    r"EDGAR|wkhtmlto|Skia|Chrome|iLovePDF|Smallpdf|Sejda|PDF24|Online2PDF|Ghostscript|\bPDFium",
    re.IGNORECASE,
)
"""Programs that make a PDF of what was written elsewhere and earlier."""
_LARGE = 1.12
MAX_COVER_CHARS = 12_000


@dataclass(frozen=True)
class Cover:
    """What a filing's cover says: its title, and the last day that it names."""

    title: str
    published: str | None


def read_cover(text: str) -> Cover | None:
    """Return the title and day of a filing with the SEC; None for any other document."""
    text = text[:MAX_COVER_CHARS].replace("## ", "")
    form, charter = _FORM.search(text), _CHARTER.search(text)
    if not (form and charter and _COMMISSION.search(text)):
        return None
    name = _read_name(text[: charter.start()])
    if not name:
        return None
    about = _describe_period(form[1].upper(), text)
    title = ", ".join(filter(None, (name, f"Form {form[1].upper()}{form[2] or ''}", about)))
    days = [day for match in _DAY.finditer(text) if (day := _to_day(match)) and day <= _today()]
    return Cover(line(title), max(days).isoformat() if days else None)


def _read_name(text: str) -> str:
    """Return the registrant's name: the last line before what explains it."""
    for each in reversed(text[-600:].splitlines()):
        cells = [cell.strip(" *_") for cell in each.strip().strip("|").split("|")]
        names = [
            cell for cell in cells if sum(map(str.isalpha, cell)) > 1 and not _NO_NAME.match(cell)
        ]
        if names and len(names[-1]) <= 100:
            return _write_name(names[-1])
    return ""


def _write_name(name: str) -> str:
    """Return a name in capitals as it is written in a sentence."""
    if name.upper() != name:
        return name
    words = [_write_word(word, is_first=n == 0) for n, word in enumerate(name.split())]
    return " ".join(words)


def _write_word(word: str, *, is_first: bool) -> str:
    bare = word.strip(",()")
    has_vowel = any(sign in "AEIOUY" for sign in bare)
    if bare in _SMALL and not is_first:
        return word.lower()
    if bare in _ACRONYMS or any(map(str.isdigit, bare)) or (not has_vowel and len(bare) > 1):
        return word.capitalize() if bare.rstrip(".") in _SHORTENED else word
    return "-".join(part.capitalize() for part in word.split("-"))


def _describe_period(form: str, text: str) -> str:
    if form.startswith("10-Q"):
        ended = _find_day(_QUARTER_ENDED, text)
        return f"quarter ended {_write_day(ended)}" if ended else ""
    if form in ("8-K", "6-K"):
        day = _find_day(_REPORTED, text)
        return _write_day(day) if day else ""
    ended = _find_day(_YEAR_ENDED, text)
    if ended is None:
        return ""
    if ended.month < 3:  # companies differ in which year they name it after
        return f"fiscal year ended {_write_day(ended)}"
    return f"fiscal year {ended.year}"


def _find_day(before: re.Pattern[str], text: str) -> date | None:
    found = before.search(text)
    day = _DAY.search(text, found.end(), found.end() + 200) if found else None
    return _to_day(day) if day else None


def _to_day(match: re.Match[str]) -> date | None:
    try:
        return date(int(match[3]), _MONTHS.index(match[1].lower()) + 1, int(match[2]))
    except ValueError:
        return None


def _write_day(day: date) -> str:
    return f"{_MONTHS[day.month - 1].capitalize()} {day.day}, {day.year}"


def _today() -> date:
    return datetime.now(UTC).date()


def choose_title(stated: str, made_by: Sequence[str], parts: Sequence[Part], usual: float) -> str:
    """Return a document's title: its own if that is none of a file or a program, else its largest words."""
    own = clean_title(line(stated))
    if _says_something(own) and not _ARTIFACT.match(own) and own not in made_by:
        return own
    shown = [part for part in parts if not part.is_edge and not part.line.is_row]
    shown = [part for part in shown if _says_something(line(part.text)) and len(part.text) <= 300]
    if not shown:
        return first_line("\n".join(part.text for part in parts).replace("|", " "))
    largest = max(part.line.height for part in shown)
    if largest >= _LARGE * usual:
        return line(_join_equal(shown, largest))
    return line(shown[0].line.text.rstrip(HYPHEN))


def _join_equal(parts: Sequence[Part], height: float) -> str:
    """Return the first of the largest parts, with what follows it in the same size."""
    first = next(n for n, part in enumerate(parts) if part.line.height == height)
    words = [parts[first].text]
    for part in parts[first + 1 : first + 3]:
        if abs(part.line.height - height) > 0.02 * height:
            break
        words.append(part.text)
    return " ".join(words)


def _says_something(title: str) -> bool:
    bare = title.casefold().strip(" .:-–*#()")
    is_number = _ARTIFACT.match(bare) and len(bare) < 20
    return sum(map(str.isalpha, title)) > 2 and bare not in _STOP and not is_number


def choose_author(stated: str, made_by: Sequence[str]) -> str:
    """Return a document's author, if that is a person or a body and no program or agent."""
    author = line(stated)
    return "" if author in made_by or _SOFTWARE.search(author) else author


def is_converted(made_by: Sequence[str]) -> bool:
    """Tell whether a program made the file of what was written elsewhere: its day is not the document's."""
    return any(_CONVERTERS.search(program) for program in made_by)
