"""Writes a document as Markdown: all text in it is escaped, and links lead to the web, to mail or into its folder."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import count

from contracts.report import document as doc
from contracts.report.report import Report
from contracts.words import say
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.drawing import Drawing, group_numbers, join_signs, list_ends
from domain.report.parts.links import ARTIFACTS, is_kept

REPORT_FILE = "report.md"
_NUMBER = re.compile(r"\d+")
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")
_ITEM = re.compile(r"(\d{1,9}(?=[.)](?:\s|\Z))|(?=[-+](?:\s|\Z)))")
"""Begins a text that would be read as an item of a list; its sign is escaped."""


def render(report: Report, context: ReportContext) -> str:
    """Return a report as Markdown, without a head."""
    return write_markdown(build_document(report, context))


def write_markdown(document: doc.Document) -> str:
    """Return a document as Markdown; `[1, 3–5]` are numbers of its notes, any other bracket is escaped."""
    return _write(_Markdown(document))


def write_folder_markdown(
    document: doc.Document, pages: Set[int], exhibits: Mapping[str, str]
) -> str:
    """Write a document as Markdown whose notes link to the source pages in the same folder.

    `exhibits` are the files of tables and charts by their paths in the run.
    """
    return _write(_FolderMarkdown(document, pages, exhibits))


def _write(writer: "_Markdown") -> str:
    document = writer.document
    title = [writer.heading(1, writer.text(document.title))] if document.title else []
    return "\n\n".join(filter(None, [*title, *writer.write_document()])) + "\n"


@lru_cache(maxsize=4_000)  # each patch of a report carries a hash of the whole report
def escape_markdown(text: str) -> str:
    """Escape untrusted text and put it on one line."""
    words = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
    item = _ITEM.match(words)
    return f"{item[0]}\\{words[item.end() :]}" if item else words


class _Markdown(Drawing[str]):
    """Draws each form in Markdown."""

    def text(self, words: str) -> str:
        return escape_markdown(words)

    def join(self, parts: Iterable[str], between: str = " ") -> str:
        return between.join(parts)

    def strong(self, shown: str) -> str:
        return f"**{shown}**"

    def code(self, words: str) -> str:
        return f"`{words}`"

    def emphasize(self, shown: str, look: doc.Look | None = None) -> str:
        return f"*{shown}*"

    def link(self, words: str, address: str) -> str:
        """Return a link, or only its text if it leads to something the run keeps, which a file cannot reach."""
        if not address or is_kept(address):
            return self.text(words)
        return f"<{address}>" if words == address else f"[{self.text(words)}](<{address}>)"

    def link_artifact(self, words: str, artifact: str) -> str:
        shown = self.text(words)
        return f"[{shown}]({ARTIFACTS}/{artifact})" if artifact else shown

    def cite(self, shown: str, numbers: Sequence[int], before: str = "", after: str = "") -> str:
        signs = ", ".join(
            "–".join(map(self.refer, list_ends(run))) for run in group_numbers(numbers)
        )
        signs = join_signs(before, signs, after)
        return " ".join(filter(None, [shown, signs and f"[{signs}]"]))

    def refer(self, number: int) -> str:
        """Return the number of a note."""
        return str(number)

    def begin_part(self, title: str) -> str:
        return f"---\n\n# {title}"

    def heading(self, level: int, shown: str) -> str:
        return f"{'#' * level} {shown}"

    def paragraph(self, shown: str) -> str:
        return shown

    def callout(self, title: str, lines: Sequence[str]) -> str:
        if not title:
            return "\n>\n".join(f"> {line}" for line in lines)
        items = "\n".join(f"> - {line}" for line in lines)
        return "\n>\n".join(filter(None, [f"> **{title}**", items]))

    def list_items(self, items: Iterable[str], *, is_ordered: bool = False) -> str:
        marks = (f"{n}." if is_ordered else "-" for n in count(1))
        return "\n".join(f"{mark} {item}" for mark, item in zip(marks, items, strict=False))

    def table(self, table: doc.Table, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        sides = ["---:" if column.is_figure else "---" for column in table.columns]
        drawn = "\n".join(f"| {' | '.join(row)} |" for row in [heads, sides, *rows])
        return f"**{self.text(table.caption)}**\n\n{drawn}" if table.caption else drawn

    def image(self, name: str, artifact: str) -> str | None:
        return f"![{self.text(name)}]({ARTIFACTS}/{artifact})" if artifact else None


class _FolderMarkdown(_Markdown):
    """Draws links between the notes and the pages stored with the report."""

    def __init__(
        self, document: doc.Document, pages: Set[int], exhibits: Mapping[str, str]
    ) -> None:
        super().__init__(document)
        self._pages = pages
        self._exhibits = exhibits

    def refer(self, number: int) -> str:
        return f"[{number}](#{name_anchor(number)})"

    def write_notes(self) -> Iterator[str]:
        notes = enumerate(self.document.notes, start=1)
        yield self.list_items((self._write_item(*each) for each in notes), is_ordered=True)

    def _write_item(self, number: int, note: doc.Note) -> str:
        text = f"{write_anchor(number)}{self.write_note(note)}"
        if not isinstance(note, doc.Quote) or note.source not in self._pages or note.start < 0:
            return text
        return f"{text} {self._link_page(note.source, name_anchor(number))}"

    def _link_page(self, source: int, anchor: str = "") -> str:
        words = self.text(say(self.document.language, "stored-page"))
        return f"([{words}]({name_page(source)}{anchor and f'#{anchor}'}))"

    def write_source(self, source: doc.DocumentSource) -> str:
        shown = super().write_source(source)
        is_stored = source.number in self._pages
        return f"{shown} {self._link_page(source.number)}" if is_stored else shown

    def link(self, words: str, address: str) -> str:
        """Return a link; one to a document that the run keeps leads to its page in the folder."""
        kept = _NUMBER.search(address.partition("#")[0]) if is_kept(address) else None
        if kept and int(kept[0]) in self._pages:
            return f"[{self.text(words)}]({name_page(int(kept[0]))})"
        return super().link(words, address)

    def link_artifact(self, words: str, artifact: str) -> str:
        path = self._exhibits.get(f"{ARTIFACTS}/{artifact}")
        return f"[{self.text(words)}]({path})" if path else self.text(words)

    def image(self, name: str, artifact: str) -> str | None:
        path = self._exhibits.get(f"{ARTIFACTS}/{artifact}")
        return f"![{self.text(name)}]({path})" if path else None


def write_anchor(note: int) -> str:
    """Return an HTML anchor for a note, because Markdown has none."""
    return f'<a id="{name_anchor(note)}"></a>'


def name_anchor(note: int) -> str:
    """Return the name of a note's place, in the report and in the page that it quotes."""
    return f"note-{note}"


def name_page(source: int) -> str:
    """Return the path of a source's page in the folder."""
    return f"pages/{source}.md"
