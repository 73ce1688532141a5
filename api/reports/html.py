"""Writes a document as a self-contained HTML page without scripts or outside resources."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from types import MappingProxyType

from contracts.report import document as doc
from domain.report.formats.drawing import Drawing, group_numbers, join_signs, list_ends

MAX_HINT_CHARS = 500
"""Maximum length of the hint that is shown for a note."""
MAX_HINTS_CHARS = 200_000
"""Limit of all that is shown so in a report, which may cite a note any number of times."""

_TAG = re.compile("<[^<>]*>")
STYLE = Path(__file__).with_name("report.css").read_text("utf-8")
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()

_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": f"{_POLICY}; frame-ancestors 'none'; sandbox allow-popups",
}
"""Headers of a report's page, which may not run, load or send anything.

The page repeats the part that a `<meta>` may contain, for copies opened from disk.
"""

IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"
}
"""Headers of an artifact; charts contain their own style."""


def render_page(document: doc.Document, charts: Mapping[str, bytes] = MappingProxyType({})) -> str:
    """Return a whole page; `charts` are SVG by artifact id."""
    title = escape(document.title)
    body = "".join(draw(document, charts))
    heading = f"<h1>{title}</h1>" if title else ""
    return (
        f'<!doctype html><html lang="{document.language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body>{heading}"
        f"{body}</body></html>"
    )


def draw(
    document: doc.Document, charts: Mapping[str, bytes] = MappingProxyType({})
) -> Iterator[str]:
    """Yield the parts of a page's body, without its title."""
    yield from _Html(document, charts).write_document()


class _Html(Drawing[str]):
    """Draws each form in HTML; all text in it is escaped."""

    def __init__(self, document: doc.Document, charts: Mapping[str, bytes]) -> None:
        super().__init__(document)
        self._charts = charts
        self._left = 0
        """Remaining characters for hints."""
        self._hints = ["" for _ in document.notes]
        self._hints = [self._write_hint(note)[:MAX_HINT_CHARS] for note in document.notes]
        self._left = MAX_HINTS_CHARS

    def text(self, words: str) -> str:
        return escape(words)

    def join(self, parts: Iterable[str], between: str = " ") -> str:
        return between.join(parts)

    def strong(self, shown: str) -> str:
        return f"<strong>{shown}</strong>"

    def code(self, words: str) -> str:
        return f"<code>{escape(words)}</code>"

    def emphasize(self, shown: str, look: doc.Look | None = None) -> str:
        return f"<em{_name_class(look)}>{shown}</em>"

    def link(self, words: str, address: str) -> str:
        """Return a link; documents only link to the web, to mail addresses and to the run's own files."""
        return f'<a href="{escape(address)}">{escape(words)}</a>' if address else escape(words)

    def cite(self, shown: str, numbers: Sequence[int], before: str = "", after: str = "") -> str:
        signs = ", ".join(
            "–".join(map(self._refer, list_ends(run))) for run in group_numbers(numbers)
        )
        signs = join_signs(escape(before), signs, escape(after))
        return " ".join(filter(None, [shown, signs and f"[{signs}]"]))

    def _write_hint(self, note: doc.Note) -> str:
        """Return a note as plain text; a basis includes its sentences, because hints contain no links."""
        if isinstance(note, doc.Basis):
            return " ".join([f"{note.label}:", *(each.text for each in note.sentences)])
        return unescape(_TAG.sub("", self.write_note(note)))

    def _refer(self, number: int) -> str:
        """Return a note's number as a link with a hint."""
        hint = self._hints[number - 1]
        self._left -= len(hint)
        shown = escape(hint) if self._left >= 0 else ""
        return f'<a href="#note_{number}" data-note="{shown}">{number}</a>'

    def begin_part(self, title: str) -> str:
        return f'<h1 class="part">{title}</h1>'

    def heading(self, level: int, shown: str) -> str:
        return f"<h{level}>{shown}</h{level}>"

    def paragraph(self, shown: str) -> str:
        return f"<p>{shown}</p>"

    def callout(self, title: str, lines: Sequence[str]) -> str:
        if not title:
            return f"<blockquote>{''.join(map(self.paragraph, lines))}</blockquote>"
        rest = self.list_items(lines) if lines else ""
        return f"<blockquote>{self.paragraph(self.strong(title))}{rest}</blockquote>"

    def list_items(self, items: Iterable[str], *, is_ordered: bool = False) -> str:
        tag = "ol" if is_ordered else "ul"
        return f"<{tag}>{''.join(f'<li>{item}</li>' for item in items)}</{tag}>"

    def write_notes(self) -> Iterator[str]:
        notes = enumerate(map(self.write_note, self.document.notes), start=1)
        items = "".join(f'<li id="note_{n}">{note}</li>' for n, note in notes)
        yield f"<ol>{items}</ol>"

    def table(self, table: doc.Table, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        sides = [_name_class("figure" if column.is_figure else None) for column in table.columns]

        def write_row(cells: Sequence[str], tag: str) -> str:
            drawn = (
                f"<{tag}{side}>{cell}</{tag}>" for side, cell in zip(sides, cells, strict=True)
            )
            return f"<tr>{''.join(drawn)}</tr>"

        caption = self.strong(escape(table.caption))
        return (
            f"<table>{table.caption and f'<caption>{caption}</caption>'}"
            f"<thead>{write_row(heads, 'th')}</thead>"
            f"<tbody>{''.join(write_row(row, 'td') for row in rows)}</tbody></table>"
        )

    def image(self, name: str, artifact: str) -> str | None:
        if (svg := self._charts.get(artifact)) is None:
            return None
        data_url = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
        return f'<img src="{data_url}" alt="{escape(name)}" />'


def _name_class(name: str | None) -> str:
    return f' class="{name}"' if name else ""
