"""Joins lines to paragraphs, also across pages, apart from running heads."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from statistics import median

from activities.parsing.document import clean
from activities.parsing.pdf.glyphs import HYPHEN
from activities.parsing.pdf.lines import Line

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"\W{0,9}(?:page|seite|p\.)?\s{0,9}(?:[A-Z]-)?(?:\d{1,4}|[ivxl]{1,6})(?:\s{0,9}(?:of|/|von|de)\s{0,9}\d{1,4})?\W{0,9}\Z",
    re.IGNORECASE,
)
_MIN_SHARE = 0.15
"""Share of a document's pages that have a running head at the same place."""
_EDGE_LINES = 3
"""Lines at the top and at the bottom of a page that may be running heads."""
_ITEM = re.compile(
    r"(?:[•●▪■◦·‣☐☒☑✓✔þ]|[–—*-]\s|\(?\d{1,3}[.)]\s|\([a-zA-Z]\)\s|\(?[ivx]{1,6}[.)]\s|\[\w{1,3}\]\s)"
)
_WIDE_GAP, _SHORT = 1.4, 0.86
"""A gap that divides paragraphs, in usual ones; and how far a line reaches, at most, that ends one."""
_MAX_HEADING_LINES = 3
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Za-z])(?<!\b(?:Co|Dr|Mr|Ms|No|St|vs))(?<!\b(?:Inc|Ltd|Mrs|Nos))(?<!\bCorp)"
    r"[.!?][\"'”’»)\]]{0,3}(?=\s{1,9}[^\sa-z,;:)]|\s{0,9}\Z)"
)
"""The end of a sentence, and of no initial or abbreviation."""
_UNFINISHED = re.compile(
    r"(?:[\w,;%)\]’'”\"–—-]|(?:\b[A-Za-z]|\b(?:Co|Inc|Ltd|Corp|No|Nos|vs|approx))\.)\Z"
)
_OPEN = re.compile(
    r"(?:,|\b(?:a|an|and|as|at|by|for|from|in|its|of|on|or|our|that|the|to|with"
    r"|das|dem|den|der|des|die|für|mit|oder|und|von|de|du|en|et|la|le|les|ou|el|los|y))\Z"
)
"""The end of a line that continues with any beginning of the next one."""
MAX_CARRIED_CHARS = 800
"""Maximum rest of a sentence that moves to the page on which the sentence begins."""
_LIGATURES = dict(
    zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)
)
_UNUSUAL = re.compile("[\ufb00-\ufb06\U000e0000-\U000e01ef]")


@dataclass(slots=True)
class TextPart:
    """A paragraph, a heading or a row of a table."""

    text: str
    line: Line
    level: int = 0
    """Rank of a heading, from 1; 0 of anything else."""

    @property
    def shown(self) -> str:
        """Return its text as written into the document's text: a heading after `## `."""
        return f"## {self.text}" if self.level else self.text


def find_edges(pages: Sequence[Sequence[Line]]) -> None:
    """Mark the lines that are running heads or page numbers."""
    found: list[tuple[Line, str, int]] = []
    for lines in pages:
        ordered = sorted(lines, key=attrgetter("y"))
        for n, line in enumerate(ordered):
            if min(n, len(ordered) - 1 - n) < _EDGE_LINES:
                found.append((line, _DIGITS.sub("#", line.text), round(line.y / 4)))
        for line in (*ordered[:1], *ordered[-1:]):
            line.is_edge = _is_number(line.text)
    places = Counter((text, y) for _, text, y in found)
    enough = max(2, _MIN_SHARE * len(pages))
    for line, text, y in found:
        if places[text, y] + places[text, y - 1] + places[text, y + 1] >= enough:
            line.is_edge = True


def _is_number(text: str) -> bool:
    return len(text) <= 30 and bool(_PAGE_NUMBER.match(text))


def join_lines(lines: Sequence[Line], rank: Callable[[Line], int]) -> list[TextPart]:
    """Return a page's lines as paragraphs, headings and rows."""
    gaps, widths = _measure_gaps(lines), _measure_widths(lines)
    found: list[tuple[TextPart, list[str]]] = []
    above: Line | None = None
    for line in lines:
        part = TextPart("", line, 0 if line.is_edge or line.is_row else rank(line))
        gap, width = gaps.get(line.block, 1.2), widths.get(line.block, line.width)
        if above is not None and _goes_on(found[-1], above, part, gap, width):
            found[-1][1].append(line.text)
        else:
            found.append((part, [line.text]))
        above = line
    for part, texts in found:
        joined = (text if text.endswith(HYPHEN) else f"{text} " for text in texts)
        part.text = "".join(joined).strip(" ")
    return [part for part, _ in found]


def _measure_gaps(lines: Sequence[Line]) -> dict[int, float]:
    """Return the usual distance of lines in their heights, by block."""
    gaps: dict[int, list[float]] = {}
    for above, below in pairwise(lines):
        gap = below.y - above.y
        if above.block == below.block and not above.is_row and not below.is_row and gap > 0:
            gaps.setdefault(above.block, []).append(gap / max(above.height, 0.1))
    return {block: min(median(found), 1.6) for block, found in gaps.items()}


def _measure_widths(lines: Sequence[Line]) -> dict[int, float]:
    """Return the length of the longest line, by block."""
    widths: dict[int, float] = {}
    for line in lines:
        if not line.is_edge and not line.is_row:
            widths[line.block] = max(widths.get(line.block, 0), line.right - line.left)
    return widths


def _goes_on(
    last: tuple[TextPart, list[str]], above: Line, part: TextPart, usual: float, width: float
) -> bool:
    """Return whether a line continues the paragraph or heading above it."""
    line, (open_part, texts) = part.line, last
    if above.is_apart or line.is_apart or above.is_row or line.is_row:
        return False
    if above.is_edge != line.is_edge or open_part.level != part.level:
        return False
    if above.text.endswith(HYPHEN):
        return True
    if above.block != line.block and not part.level and line.y < above.y:  # in the next column
        return line.text[:1].islower() and bool(_UNFINISHED.search(above.text))
    if above.block != line.block or abs(above.height - line.height) > 0.12 * above.height:
        return False
    gap = (line.y - above.y) / max(above.height, 0.1)
    if not 0 < gap <= _WIDE_GAP * usual or line.is_edge:
        return False
    if part.level:
        alike = above.is_bold == line.is_bold and above.text.isupper() == line.text.isupper()
        return alike and above.text[-1:] not in ".:" and len(texts) < _MAX_HEADING_LINES
    if _ITEM.match(line.text):
        return False
    if line.text[:1].islower() and above.text[-1:] not in ".:;!?":
        return True
    return above.right - above.left > _SHORT * width


def join(above: str, below: str) -> str:
    """Return two lines as one; a hyphen at the first one's end stays marked, until the words are known."""
    return above + below if above.endswith(HYPHEN) else f"{above} {below}"


def carry_sentences(pages: Sequence[list[TextPart]]) -> None:
    """Move the rest of a sentence that continues on the next page to the page where it begins."""
    for above, below in pairwise(pages):
        last = next((part for part in reversed(above) if not part.line.is_edge), None)
        first = next((part for part in below if not part.line.is_edge), None)
        if last is None or first is None or not _carries(last, first):
            continue
        end = _SENTENCE_END.search(first.text, 0, MAX_CARRIED_CHARS)
        if end is None and len(first.text) > MAX_CARRIED_CHARS:
            continue
        cut = end.end() if end else len(first.text)
        last.text = join(last.text, first.text[:cut])
        first.text = first.text[cut:].lstrip()
        if not first.text:
            below.remove(first)


def _carries(last: TextPart, first: TextPart) -> bool:
    if last.level or first.level or last.line.is_row or first.line.is_row:
        return False
    if last.text.endswith(HYPHEN):
        return True
    if _OPEN.search(last.text) and not _ITEM.match(first.text):
        return True
    return first.text[:1].islower() and bool(_UNFINISHED.search(last.text))


def close_hyphens(parts: Sequence[TextPart]) -> None:
    """Join words hyphenated at line ends, keeping the hyphen if it belongs to the word."""
    divided = [part for part in parts if HYPHEN in part.text or "\x02" in part.text]
    if not divided:
        return
    whole = {id(part): _DIVIDED.sub(" ", part.text) for part in divided}
    asked = {
        word
        for part in divided
        for match in _DIVIDED.finditer(part.text)
        for word in _list_forms(match)
    }
    text = "\n".join(whole.get(id(part), part.text) for part in parts).lower()
    words = Counter(filter(asked.__contains__, _WORD.findall(text)))
    for part in divided:
        part.text = _DIVIDED.sub(lambda match: _close(match, words), part.text)


_WORD = re.compile(r"[^\W\d_]++(?>(?:-[^\W\d_]++)*)")
_DIVIDED = re.compile(
    r"(?<![^\W\d_])((?:[^\W\d_]++-)?[^\W\d_]*+)(\S?)[\x02\ufffe]\s{0,9}(\w{0,60})"
)


def _close(match: re.Match[str], words: Counter[str]) -> str:
    before, other, after = match.groups()
    if other or not before or not after[:1].islower():
        return f"{before}{other}-{after}"
    whole, pair, head, tail = _list_forms(match)
    if words[whole] != words[pair]:
        return f"{before}{'-' if words[pair] > words[whole] else ''}{after}"
    is_pair = words[head] > 0 and words[tail] > 0 and min(len(head), len(tail)) > 2
    return f"{before}{'-' if is_pair else ''}{after}"


def _list_forms(match: re.Match[str]) -> tuple[str, str, str, str]:
    """Return a divided word in one, with a hyphen, and its two parts."""
    before, _, after = (group.lower() for group in match.groups())
    return f"{before}{after}", f"{before}-{after}", before.rpartition("-")[2], after


def clean_part(text: str) -> str:
    """Return a part's text without control characters, and with ligatures as letters."""
    if text.isprintable() and not _UNUSUAL.search(text):
        return text
    return clean(text.translate(_LIGATURES))
