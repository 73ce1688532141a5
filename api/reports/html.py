"""Writes a document as a self-contained HTML page without scripts or outside resources."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

from contracts.report import document as doc
from contracts.words import say
from domain.report.document import ARTIFACTS, name_column

MAX_HINT_CHARS = 500
"""Limit of what is shown of a note where it is pointed at."""
MAX_HINTS_CHARS = 200_000
"""Limit of all that is shown so in a report, which may cite a note any number of times."""

_STYLE = Path(__file__).with_name("report.css").read_text("utf-8")
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": f"{_POLICY}; frame-ancestors 'none'; sandbox allow-popups",
}
"""Headers of a report's page, in which nothing can run, load or send anything.

The page itself states the part that a `<meta>` may, for a copy that is opened from a disk.
"""

IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"
}
"""Headers of an artifact; a chart carries its own style."""


def render_page(document: doc.Document, charts: Mapping[str, bytes] = MappingProxyType({})) -> str:
    """Return a whole page; `charts` are SVG by artifact id, and the head is a `<header>` below the title."""
    writer = _Writer(document, charts)
    title = escape(document.title)
    opening = "".join(map(writer.write_block, document.opening))
    body = "".join(map(writer.write_block, document.blocks))
    heading = f"<h1>{title}</h1>" if title else ""
    return (
        f'<!doctype html><html lang="{document.language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{heading}"
        f"{opening and f'<header>{opening}</header>'}{body}</body></html>"
    )


class _Writer:
    """Writes the blocks of one document; all text in them is escaped."""

    def __init__(self, document: doc.Document, charts: Mapping[str, bytes]) -> None:
        self._document = document
        self._charts = charts
        self._hints = [self._hint(note)[:MAX_HINT_CHARS] for note in document.notes]
        self._left = MAX_HINTS_CHARS

    def write_block(self, block: doc.Block) -> str:
        match block:
            case doc.DocumentHeading():
                return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
            case doc.Paragraph():
                return f"<p>{' '.join(map(self._write_sentence, block.sentences))}</p>"
            case doc.Remark():
                return _set_off(block.text)
            case doc.Callout():
                return _write_callout(block)
            case doc.Table():
                return "".join(self._write_table(block))
            case doc.Exhibit():
                return self._write_exhibit(block)
            case _:
                return self._write_list(block)

    def _write_list(
        self, block: doc.ItemList | doc.QuoteList | doc.NoteList | doc.SourceList
    ) -> str:
        match block:
            case doc.ItemList():
                items = [f"<li>{self._write_sentence(item)}</li>" for item in block.items]
                return _list(items, is_ordered=block.is_ordered)
            case doc.QuoteList():
                return _list([f"<li>{self._write_quote(quote)}</li>" for quote in block.quotes])
            case doc.SourceList():
                sources = (self._document.sources[number - 1] for number in block.numbers)
                return _list([f"<li>{_write_source(source)}</li>" for source in sources])
            case doc.NoteList():
                notes = enumerate(self._document.notes, start=1)
                items = [f'<li id="note_{n}">{self._write_note(note)}</li>' for n, note in notes]
                return _list(items, is_ordered=True)

    def _write_sentence(self, sentence: doc.Sentence) -> str:
        marks = "; ".join(map(self._write_mark, sentence.marks))
        lead = f"<strong>{escape(sentence.lead)}</strong>" if sentence.lead else ""
        numbers = map(self._cite, sentence.notes)
        aside = f'<em class="{sentence.look}">({marks})</em>' if marks else ""
        return " ".join(filter(None, [lead, escape(sentence.text), *numbers, aside]))

    def _write_mark(self, mark: doc.Mark) -> str:
        return escape(mark.label) + (f" {self._cite(mark.note)}" if mark.note else "")

    def _cite(self, number: int) -> str:
        """Return the number of a note, which leads to it and shows it where it is pointed at."""
        hint = self._hints[number - 1]
        self._left -= len(hint)
        shown = escape(hint) if self._left >= 0 else ""
        return f'<a href="#note_{number}" data-note="{shown}">[{number}]</a>'

    def _write_table(self, table: doc.Table) -> Iterator[str]:
        sides = [' class="figure"' if column.is_figure else "" for column in table.columns]
        yield "<table>"
        if table.caption:
            yield f"<caption><strong>{escape(table.caption)}</strong></caption>"
        heads = zip(sides, map(name_column, table.columns), strict=True)
        yield f"<thead><tr>{''.join(f'<th{side}>{escape(head)}</th>' for side, head in heads)}</tr></thead>"
        yield "<tbody>"
        for row in table.rows:
            cells = zip(sides, row, strict=True)
            written = ((side, self._write_sentence(cell) if cell else "–") for side, cell in cells)
            yield f"<tr>{''.join(f'<td{side}>{cell}</td>' for side, cell in written)}</tr>"
        yield "</tbody></table>"
        if table.remark:
            address = f"{ARTIFACTS}/{table.artifact}" if table.artifact else ""
            yield f"<p><em>{_link(table.remark, address)}</em></p>"

    def _write_exhibit(self, exhibit: doc.Exhibit) -> str:
        remark = _set_off(exhibit.remark) if exhibit.remark else ""
        svg = self._charts.get(exhibit.artifact)
        if svg is None:
            return f"<p><strong>{escape(exhibit.name)}</strong></p>{remark}"
        data_url = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
        return f'<p><img src="{data_url}" alt="{escape(exhibit.name)}" /></p>{remark}'

    def _write_note(self, note: doc.Note) -> str:
        match note:
            case doc.Quote():
                return self._write_quote(note)
            case doc.Working():
                numbers = "".join(f" {self._cite(number)}" for number in note.quotes)
                return f"{escape(note.label)}: {escape(note.expression)}{numbers}"
            case doc.Basis():
                return (
                    f"{escape(note.label)}: {' '.join(map(self._write_sentence, note.sentences))}"
                )
            case _:
                return f"{escape(note.label)}: {escape(note.text)}"

    def _write_quote(self, quote: doc.Quote) -> str:
        """Return a quote, its source's title, which leads to it, its publisher, its day and the page."""
        language, sources = self._document.language, self._document.sources
        text = escape(quote.lead + say(language, "quoted", text=quote.text))
        if not 0 < quote.source <= len(sources):
            return f"{text} — {escape(say(language, 'source', n=quote.source))}"
        source = sources[quote.source - 1]
        where = [_link(source.title, source.address), *map(escape, source.about)]
        if quote.place:
            where.append(_link(quote.place, quote.address))
        remark = f" ({escape(quote.remark)})" if quote.remark else ""
        return f"{text} — {', '.join(where)}{remark}"

    def _hint(self, note: doc.Note) -> str:
        """Return a note's beginning as plain text."""
        match note:
            case doc.Quote():
                known = self._document.sources[note.source - 1 : note.source]
                return " — ".join(
                    [f"{note.lead}“{note.text}”", *(source.title for source in known)]
                )
            case doc.Working():
                return f"{note.label}: {note.expression}"
            case doc.Basis():
                return f"{note.label}: {' '.join(each.text for each in note.sentences)}"
            case _:
                return f"{note.label}: {note.text}"


def _list(items: list[str], *, is_ordered: bool = False) -> str:
    tag = "ol" if is_ordered else "ul"
    return f"<{tag}>{''.join(items)}</{tag}>"


def _set_off(text: str) -> str:
    return f"<p><em>{escape(text)}</em></p>"


def _write_callout(callout: doc.Callout) -> str:
    lines = [escape(line) for line in callout.lines]
    if not callout.title:
        return f"<blockquote>{''.join(f'<p>{line}</p>' for line in lines)}</blockquote>"
    rest = _list([f"<li>{line}</li>" for line in lines]) if lines else ""
    return f"<blockquote><p><strong>{escape(callout.title)}</strong></p>{rest}</blockquote>"


def _write_source(source: doc.DocumentSource) -> str:
    """Return a source's title, publisher and day, its address or path, and what speaks against it."""
    about = ", ".join(map(escape, source.about))
    where = _link(source.path or source.address, source.address)
    doubts = f" <em>({escape('; '.join(source.doubts))})</em>" if source.doubts else ""
    return f"{escape(source.title)}{about and f' — {about}'}: {where}{doubts}"


def _link(text: str, address: str) -> str:
    """Return a link; addresses of documents lead to the web, to mail or to what the run keeps."""
    words = escape(text)
    return f'<a href="{escape(address)}">{words}</a>' if address else words
