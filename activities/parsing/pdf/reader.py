"""Reading of a PDF: its pages in order, what it is called, its sections, and what of it is not read."""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import pypdfium2 as pypdfium
import pypdfium2.raw as pdfium

from activities.parsing.document import (
    MAX_TEXT_CHARS,
    Parsed,
    Unreadable,
    bounded,
    line,
)
from activities.parsing.pdf import headings, pdf_metadata
from activities.parsing.pdf.cover import read_title
from activities.parsing.pdf.directions import LEFTWARD, arrange_directions
from activities.parsing.pdf.drawings import Drawn, Eye, drop_struck
from activities.parsing.pdf.form_fields import add_annotations, list_attachments, list_comments
from activities.parsing.pdf.glyphs import TextPage
from activities.parsing.pdf.layout import list_rows, order
from activities.parsing.pdf.lines import Line
from activities.parsing.pdf.paragraphs import (
    TextPart,
    carry_sentences,
    clean_part,
    close_hyphens,
    find_edges,
    join_lines,
)
from activities.parsing.pdf.tables import read_tables
from activities.parsing.text.dates import find_stated_day
from activities.parsing.text.filing_day import find_publication
from contracts.documents import PAGE_BREAK, UnreadPart
from contracts.media_types import PDF

MAX_PAGES = 3_000
MAX_CPU_SECONDS = 8.0
"""After this, no further page is begun; the process itself may run longer."""
MAX_OUTLINE = 2_000
_MAX_NAMES = 20
_COVER_PAGES = 3
_JOINED = f"\n{PAGE_BREAK}\n"
_MIN_SHAPES = 10
"""Shapes of a page without text that make a picture, and no frame."""
_SPACES = re.compile(r"\W+")


@dataclass
class _Pages:
    """The lines of the pages that were read, and the numbers of those that show no text."""

    lines: list[list[Line]] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    comments: list[list[str]] = field(default_factory=list)


def read_pdf(body: bytes) -> Parsed:
    """Extract a PDF's text by page, with headings, tables, and a list of what was not read."""
    try:
        document = pypdfium.PdfDocument(body)
    except pypdfium.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise Unreadable("encrypted", format="pdf") from error
        raise
    with document:
        if document.get_formtype() != pdfium.FORMTYPE_NONE:
            document.init_forms()
        count = len(document)
        read = _read_pages(document, count)
        if not any(read.lines):
            raise Unreadable("scanned")
        return _compose(document, read, count)


def _read_pages(document: pypdfium.PdfDocument, count: int) -> _Pages:
    """Return the lines of a document's pages, up to the bounds of pages, time and text."""
    read, eye, chars = _Pages(), Eye(), 0
    latest = time.process_time() + MAX_CPU_SECONDS
    for number in range(1, min(count, MAX_PAGES) + 1):
        lines, drawn, comments = _read_page(document, number - 1, eye)
        chars += sum(len(each.text) + 2 for each in lines) + sum(map(len, comments))
        if number > 1 and (chars > MAX_TEXT_CHARS or time.process_time() > latest):
            break
        shows_picture = not lines and (bool(drawn.pictures) or drawn.shapes > _MIN_SHAPES)
        if shows_picture:
            read.pictures.append(number)
        read.lines.append(lines)
        read.comments.append(comments)
    return read


def _read_page(
    document: pypdfium.PdfDocument, index: int, eye: Eye
) -> tuple[list[Line], Drawn, list[str]]:
    page = document[index]
    chars = TextPage(page.raw)
    try:
        drawn = eye.read_drawn(page.raw)
        lines = eye.drop_unseen(page, chars, _crop(page, chars.read_lines()), drawn)
        form = document.formenv.raw if document.formenv else None
        add_annotations(page.raw, form, lines, drawn.rules)
        drawn.rules.sort()
        lines = drop_struck(lines, drawn.rules)
        if LEFTWARD.search(chars.text):
            arrange_directions(lines, on_leftward=chars.is_leftward)
        arranged = _arrange(chars, lines, drawn)
        return arranged, drawn, list_comments(page.raw)
    finally:
        chars.close()
        page.close()


def _crop(page: pypdfium.PdfPage, lines: Iterable[Line]) -> list[Line]:
    """Return the lines within the visible part of a page."""
    left, bottom, right, top = page.get_bbox()
    kept = []
    for each in lines:
        if not each.turn:
            if not -top - 1 <= each.y - 0.3 * each.height <= -bottom:
                continue
            if each.left < left or each.right > right:
                each.keep([w for w in each.words if left <= (w[0] + w[1]) / 2 <= right])
        if each.words:
            kept.append(each)
    return kept


def _arrange(chars: TextPage, lines: Iterable[Line], drawn: Drawn) -> list[Line]:
    """Return a page's lines in reading order; of those that may be headings it is seen whether they are bold."""
    arranged: list[Line] = []
    rules = [y for y, left, right in drawn.rules if right - left > 60]
    for number, rows in enumerate(order(list_rows(lines))):
        block = read_tables(rows, rules)
        left = min(each.left for each in block)
        width = max(each.right for each in block) - left
        for each in block:
            each.block, each.width = number, width
            if not each.is_row and len(each.text) <= headings.MAX_HEADING_CHARS:
                each.is_bold = chars.is_bold(each.first)
            each.words = each.cells = []  # its text stays
        arranged += block
    return arranged


def _compose(document: pypdfium.PdfDocument, read: _Pages, count: int) -> Parsed:
    find_edges(read.lines)
    ranker = headings.Ranker(read.lines)
    pages = [join_lines(lines, ranker.rank_on(lines)) for lines in read.lines]
    carry_sentences(pages)
    close_hyphens([part for parts in pages for part in parts])
    text, starts, found = _write(pages, read.comments)
    about = document.get_metadata_dict()
    made_by = [line(about[name]) for name in ("Producer", "Creator") if about[name]]
    cover = text[: starts[min(_COVER_PAGES, len(starts) - 1)]]
    filing = read_title(cover)
    outline = _read_outline(document, text, starts)
    first = next(filter(None, pages), [])
    return Parsed(
        text,
        PDF,
        title=filing or pdf_metadata.choose_title(about["Title"], made_by, first, ranker.usual),
        author="" if filing else pdf_metadata.choose_author(about["Author"], made_by),
        published=_find_day(text, cover, about, made_by),
        sections=bounded(headings.choose([*outline, *found], len(text)), len(text)),
        unread=_list_unread(document, read, count),
    )


def _find_day(
    text: str, cover: str, about: Mapping[str, str], made_by: Sequence[str]
) -> str | None:
    """Return the date that a document states, else the day a report was signed or the file was made."""
    if filed := pdf_metadata.find_filed(about["Subject"]):
        return filed
    made, stated = pdf_metadata.choose_day(about["CreationDate"], made_by), find_stated_day(cover)
    if stated and (not made or stated <= made):  # a later date lies ahead, such as a meeting's
        made = stated
    return find_publication(text, made)


def _write(
    pages: Sequence[Sequence[TextPart]], comments: Sequence[Sequence[str]]
) -> tuple[str, list[int], list[headings.Heading]]:
    """Return a document's text, a page's comments below it, where each of its pages begins and ends, and its headings."""
    written: list[str] = []
    starts = [0]
    found: list[headings.Heading] = []
    offset = 0
    for number, parts in enumerate(pages):
        if number:
            written.append(_JOINED)
            offset += len(_JOINED)
            starts.append(offset)
        above: TextPart | None = None
        for part in parts:
            part.text = clean_part(part.text)
            if not part.text:
                continue
            if above:
                gap = "\n" if _is_dense(above, part) else "\n\n"
                written.append(gap)
                offset += len(gap)
            if part.level:
                found.append(headings.Heading(part.text, part.level, offset))
            written.append(part.shown)
            offset += len(part.shown)
            above = part
        for comment in map(clean_part, comments[number]):
            written.append(f"\n\n{comment}")
            offset += len(written[-1])
    text = "".join(written)[:MAX_TEXT_CHARS]
    return text, [*starts, len(text)], [each for each in found if each.start < len(text)]


def _is_dense(above: TextPart, part: TextPart) -> bool:
    """Return whether two parts are set without an empty line between: rows, and lines of an address."""
    if above.level or part.level or above.line.is_row != part.line.is_row:
        return False
    if above.line.is_row:
        return not part.text.partition("\n")[2].startswith("|---")
    gap = part.line.y - above.line.y
    return (
        above.line.block == part.line.block
        and 0 < gap < 3 * above.line.height
        and len(above.text) < 200
    )


def _read_outline(
    document: pypdfium.PdfDocument, text: str, starts: Sequence[int]
) -> Iterator[headings.Heading]:
    """Yield the outline's entries: where the page has them as words, else where their page begins."""
    for entry in islice(document.get_toc(), MAX_OUTLINE):
        place = entry.get_dest()
        number = place.get_index() if place else None
        title = line(entry.get_title())
        if number is None or not title or number >= len(starts) - 1:
            continue
        start, end = starts[number], starts[number + 1]
        words = r"\W{1,9}".join(map(re.escape, _SPACES.sub(" ", title).split()))
        shown = re.compile(rf"^[^\w\n]{{0,9}}{words}", re.IGNORECASE | re.MULTILINE).search(
            text, start, end
        )
        yield headings.Heading(title, entry.level + 1, shown.start() if shown else start)


def _list_unread(
    document: pypdfium.PdfDocument, read: _Pages, count: int
) -> tuple[UnreadPart, ...]:
    """Return what of a document its text does not hold."""
    unread = []
    if read.pictures:
        names = [str(number) for number in read.pictures[:_MAX_NAMES]]
        unread.append(
            UnreadPart(
                code="pages_without_text", count=len(read.pictures), of=len(read.lines), names=names
            )
        )
    if cut := count - len(read.lines):
        unread.append(UnreadPart(code="pages_cut", count=cut, of=count))
    if attached := list_attachments(document.raw):
        names = [line(name) for name in attached[:_MAX_NAMES]]
        unread.append(UnreadPart(code="attachments", count=len(attached), names=names))
    return tuple(unread)
