"""A PDF's title, author and date if its metadata names a program or filing agent."""

import re
from collections.abc import Sequence
from datetime import date

from activities.parsing.document import first_line, line
from activities.parsing.document_metadata import clean_title
from activities.parsing.pdf.glyphs import HYPHEN
from activities.parsing.pdf.paragraphs import TextPart

_SAYS_NOTHING = re.compile(
    r"\W{0,9}(?:(?:table of )?contents|index|inhalt(?:sverzeichnis)?|cover|pdf|print|united(?: states(?: of america)?)?|"
    r"(?:united states )?securities and exchange commission|washington,? d\.?c\.?(?: 20549)?|anonymous|"
    r"form \d{1,2}-[a-z]{1,2}|(?:current|annual|quarterly) report|\(?mark one\)?|(?:for )?immediate release|"
    r"blank page|unspecified|press release|news release|corporate participants|confidential)\W{0,9}\Z",
    re.IGNORECASE,
)
_ARTIFACT = re.compile(
    r"(?:Exhibit|EX)[-. ]?\d|(?:10-K|10-Q|8-K)\b|https?:|[A-Za-z.-]{0,80}[_\d][\w.-]{0,80}\Z",
    re.IGNORECASE,
)
"""A title that names a file, or a filing's part by its number."""
_SHORT, _MAX_TITLE = 20, 300
_BULLETS = ("•", "●", "▪", "■", "☐", "☒")
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
"""Programs that convert documents written elsewhere and earlier."""
_DAY = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)")
_FILED = re.compile(
    r"\bfiled (?:on )?(?:(?P<year>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)|(?P<month>\d\d)/(?P<day>\d\d)/(?P<of>\d{4}))\b"
)
"""A filing agent's PDF subject, such as `10-K filed on 2023-01-27` or `10-K filed 01/27/2023`."""
_LARGE = 1.12


def choose_title(
    stated: str, made_by: Sequence[str], parts: Sequence[TextPart], usual: float
) -> str:
    """Return a document's title: its metadata unless that names a file or program, else its largest words."""
    own = clean_title(line(stated))
    if _says_something(own) and not _ARTIFACT.match(own) and own not in made_by:
        return own
    shown = [part for part in parts if not part.line.is_edge and not part.line.is_row]
    shown = [part for part in shown if _says_something(line(part.text)) and len(part.text) <= 300]
    if not shown:
        return first_line("\n".join(part.text for part in parts).replace("|", " "))
    largest = max(part.line.height for part in shown)
    if largest >= _LARGE * usual:
        return line(_join_equal(shown, largest))
    return line(shown[0].line.text.rstrip(HYPHEN))


def _join_equal(parts: Sequence[TextPart], height: float) -> str:
    """Return the first part of the largest size, with the parts that follow in that size."""
    first = next(n for n, part in enumerate(parts) if part.line.height == height)
    words = [parts[first].text]
    for part in parts[first + 1 : first + 3]:
        if abs(part.line.height - height) > 0.02 * height:
            break
        words.append(part.text)
    return " ".join(words)


def _says_something(title: str) -> bool:
    letters = sum(map(str.isalpha, title))
    is_number = _ARTIFACT.match(title) and len(title) < _SHORT
    if len(title) > _MAX_TITLE or title.startswith(_BULLETS):
        return False
    is_text = letters > 2 and 2 * letters > len(title.replace(" ", ""))
    return is_text and not is_number and not _SAYS_NOTHING.match(title)


def choose_author(stated: str, made_by: Sequence[str]) -> str:
    """Return a document's author, if that is a person or a body and no program or agent."""
    author = line(stated)
    return "" if author in made_by or _SOFTWARE.search(author) else author


def choose_day(moment: str, made_by: Sequence[str]) -> str | None:
    """Parse a PDF date such as D:20240502080000Z; None if a program converted the file."""
    found = _DAY.match(moment)
    if not found or any(_CONVERTERS.search(program) for program in made_by):
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None


def find_filed(subject: str) -> str | None:
    """Return the day of filing that an agent for filings states as a PDF's subject."""
    found = _FILED.search(subject)
    if not found:
        return None
    parts = (found["year"] or found["of"], found["m"] or found["month"], found["d"] or found["day"])
    try:
        return date(*map(int, parts)).isoformat()
    except ValueError:
        return None
