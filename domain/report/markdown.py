"""Writes a document as Markdown: all text in it is escaped, and links lead to the web or to mail alone."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count

from contracts.report import document as doc
from contracts.report.report import Report
from domain.report.context import ReportContext
from domain.report.document import build_document
from domain.report.parts.links import ARTIFACTS, is_kept
from domain.report.renderer import Drawing, group_numbers, join_signs, list_ends

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


def render(report: Report, context: ReportContext) -> str:
    """Return a report as Markdown, without a head."""
    return write_markdown(build_document(report, context))


def write_markdown(document: doc.Document) -> str:
    """Return a document as Markdown; `[1, 3–5]` are numbers of its notes, any other bracket is escaped."""
    writer = _Markdown(document)
    title = [writer.heading(1, writer.text(document.title))] if document.title else []
    return "\n\n".join(filter(None, [*title, *writer.write_document()])) + "\n"


@lru_cache(maxsize=4_000)  # each patch of a report is told with a hash of all of it
def escape_markdown(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


class _Markdown(Drawing[str]):
    """Draws each form in Markdown."""

    def text(self, words: str) -> str:
        return escape_markdown(words)

    def join(self, parts: Iterable[str], between: str = " ") -> str:
        return between.join(parts)

    def strong(self, shown: str) -> str:
        return f"**{shown}**"

    def emphasize(self, shown: str, look: doc.Look | None = None) -> str:
        return f"*{shown}*"

    def link(self, words: str, address: str) -> str:
        """Return a link; one to what the run keeps is its words alone, as it leads nowhere from a file."""
        if not address or is_kept(address):
            return self.text(words)
        return f"<{address}>" if words == address else f"[{self.text(words)}](<{address}>)"

    def link_artifact(self, words: str, artifact: str) -> str:
        shown = self.text(words)
        return f"[{shown}]({ARTIFACTS}/{artifact})" if artifact else shown

    def cite(self, shown: str, numbers: Sequence[int], before: str = "", after: str = "") -> str:
        signs = ", ".join("–".join(map(str, list_ends(run))) for run in group_numbers(numbers))
        signs = join_signs(before, signs, after)
        return " ".join(filter(None, [shown, signs and f"[{signs}]"]))

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
