"""Writes a document as Markdown: all text in it is escaped, and links lead to the web or to mail alone."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count

from contracts.report import document as doc
from contracts.report.report import Report
from contracts.words import say
from domain.report.context import ReportContext
from domain.report.document import ARTIFACTS, build_document, name_column
from domain.report.parts.links import is_kept

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


def render(report: Report, context: ReportContext) -> str:
    """Return a report as Markdown, without a head."""
    return write_markdown(build_document(report, context))


def write_markdown(document: doc.Document) -> str:
    """Return a document as Markdown; `[n]` is its nth note, any other bracket is escaped."""
    title = f"# {escape_markdown(document.title)}" if document.title else ""
    blocks = [*document.opening, *document.blocks]
    parts = [title, *(write_block(block, document) for block in blocks)]
    return "\n\n".join(filter(None, parts)) + "\n"


def write_block(block: doc.Block, document: doc.Document) -> str:
    """Return one block."""
    match block:
        case doc.DocumentHeading():
            return f"{'#' * block.level} {escape_markdown(block.text)}"
        case doc.Paragraph():
            return " ".join(map(_write_sentence, block.sentences))
        case doc.Remark():
            return f"*{escape_markdown(block.text)}*"
        case doc.Callout():
            return "\n>\n".join(_write_callout(block))
        case doc.Table():
            return "\n\n".join(_write_table(block))
        case doc.Exhibit():
            return "\n\n".join(_write_exhibit(block))
        case _:
            return "\n".join(_write_items(block, document))


def _write_items(
    block: doc.ItemList | doc.QuoteList | doc.NoteList | doc.SourceList, document: doc.Document
) -> Iterator[str]:
    match block:
        case doc.ItemList():
            marks = (f"{n}." if block.is_ordered else "-" for n in count(1))
            items = zip(marks, map(_write_sentence, block.items), strict=False)
            yield from (f"{mark} {item}" for mark, item in items)
        case doc.QuoteList():
            yield from (f"- {_write_quote(quote, document)}" for quote in block.quotes)
        case doc.NoteList():
            notes = (_write_note(note, document) for note in document.notes)
            yield from (f"{n}. {note}" for n, note in enumerate(notes, start=1))
        case doc.SourceList():
            yield from (f"- {_list_source(document.sources[n - 1])}" for n in block.numbers)


def _write_sentence(sentence: doc.Sentence) -> str:
    marks = "; ".join(map(_write_mark, sentence.marks))
    lead = f"**{escape_markdown(sentence.lead)}**" if sentence.lead else ""
    text = escape_markdown(sentence.text)
    numbers = (f"[{number}]" for number in sentence.notes)
    return " ".join(filter(None, [lead, text, *numbers, marks and f"*({marks})*"]))


def _write_mark(mark: doc.Mark) -> str:
    return escape_markdown(mark.label) + (f" [{mark.note}]" if mark.note else "")


def _write_callout(callout: doc.Callout) -> Iterator[str]:
    lines = [escape_markdown(line) for line in callout.lines]
    if callout.title:
        yield f"> **{escape_markdown(callout.title)}**"
        if lines:
            yield "\n".join(f"> - {line}" for line in lines)
    else:
        yield from (f"> {line}" for line in lines)


def _write_table(table: doc.Table) -> Iterator[str]:
    if table.caption:
        yield f"**{escape_markdown(table.caption)}**"
    rows = ([_write_sentence(cell) if cell else "–" for cell in row] for row in table.rows)
    yield "\n".join(_write_rows(table.columns, rows))
    if table.remark:
        remark = escape_markdown(table.remark)
        yield f"*[{remark}]({ARTIFACTS}/{table.artifact})*" if table.artifact else f"*{remark}*"


def _write_rows(columns: Sequence[doc.Column], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(escape_markdown(name_column(column)) for column in columns)} |"
    yield f"| {' | '.join('---:' if column.is_figure else '---' for column in columns)} |"
    yield from (f"| {' | '.join(cells)} |" for cells in rows)


def _write_exhibit(exhibit: doc.Exhibit) -> Iterator[str]:
    name = escape_markdown(exhibit.name)
    yield f"![{name}]({ARTIFACTS}/{exhibit.artifact})" if exhibit.artifact else f"**{name}**"
    if exhibit.remark:
        yield f"*{escape_markdown(exhibit.remark)}*"


def _write_note(note: doc.Note, document: doc.Document) -> str:
    match note:
        case doc.Quote():
            return _write_quote(note, document)
        case doc.Working():
            numbers = "".join(f" [{number}]" for number in note.quotes)
            return f"{escape_markdown(note.label)}: {escape_markdown(note.expression)}{numbers}"
        case doc.Basis():
            return (
                f"{escape_markdown(note.label)}: {' '.join(map(_write_sentence, note.sentences))}"
            )
        case _:
            return f"{escape_markdown(note.label)}: {escape_markdown(note.text)}"


def _write_quote(quote: doc.Quote, document: doc.Document) -> str:
    """Return a quote, its source's title, which leads to it, its publisher, its day and the page."""
    text = escape_markdown(quote.lead + say(document.language, "quoted", text=quote.text))
    if not 0 < quote.source <= len(document.sources):
        return f"{text} — {escape_markdown(say(document.language, 'source', n=quote.source))}"
    source = document.sources[quote.source - 1]
    where = [_link(source.title, source.address), *map(escape_markdown, source.about)]
    if quote.place:
        where.append(_link(quote.place, quote.address))
    remark = f" ({escape_markdown(quote.remark)})" if quote.remark else ""
    return f"{text} — {', '.join(where)}{remark}"


def _list_source(source: doc.DocumentSource) -> str:
    """Return a source's title, publisher and day, its address or path, and what speaks against it."""
    about = ", ".join(map(escape_markdown, source.about))
    where = escape_markdown(source.path) or f"<{source.address}>"
    doubts = f" *({escape_markdown('; '.join(source.doubts))})*" if source.doubts else ""
    return f"{escape_markdown(source.title)}{about and f' — {about}'}: {where}{doubts}"


def _link(text: str, address: str) -> str:
    """Return a link; one to what the run keeps is its words alone, as it leads nowhere from a file."""
    words = escape_markdown(text)
    return f"[{words}](<{address}>)" if address and not is_kept(address) else words


@lru_cache(maxsize=4_000)  # each patch of a report is told with a hash of all of it
def escape_markdown(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
