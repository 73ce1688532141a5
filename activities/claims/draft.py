"""Reads the Markdown of a drafted text as numbered sentences, each with its paragraph, item or table row."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, zip_longest

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from contracts.evidence.claims import BETWEEN_CELLS, DraftPart
from contracts.report.draft import DraftSentence, TextDraft
from domain.evidence.sentences import split_sentences

LEAD_WORDS = 5
"""Words in bold up to which they name what follows; more are a sentence of their own."""
LABEL_WORDS = 14
"""Words on a line of their own, in bold or before a colon, up to which they are the label of a list or table."""
EMPTY_CELL = "–"
CELL_WORDS = 6
"""Words that a cell of a comparison has at most, mostly."""

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_LISTS = {"bullet_list": "item", "ordered_list": "step"}


def read_draft(text: str) -> TextDraft:
    """Return the sentences of a draft in reading order, then the cells of the table that compares.

    A row of any other table is one claim. Headings of the first level are left out, lower ones than the second
    begin their paragraph.
    """
    nodes = SyntaxTreeNode(_MARKDOWN.parse(text)).children
    reader = _DraftReader(_find_comparison(nodes))
    reader.read(nodes)
    return TextDraft(sentences=[*reader.sentences, *reader.cells])


class _DraftReader:
    """Collects the sentences below each heading."""

    def __init__(self, comparison: SyntaxTreeNode | None) -> None:
        self._comparison = comparison
        self.sentences: list[DraftSentence] = []
        self.cells: list[DraftSentence] = []
        self._heading = self._begins_with = self._label = ""
        self._numbers = count(1)

    def read(self, nodes: Sequence[SyntaxTreeNode]) -> None:
        """Read blocks in their order."""
        for node, following in zip_longest(nodes, nodes[1:]):
            self._label = self._take_label(node)
            if node.type == "heading":
                self._read_heading(node)
            elif node.type == "paragraph":
                text, bold = _read_bold(node)
                is_alone = bold == len(text) or text.endswith(":")
                if is_alone and _is_label(text) and _has_parts(following):
                    self._begins_with = text
                else:
                    self._add(self._split(text, bold), "paragraph")
            elif node.type in _LISTS:
                for item in node.children:
                    self._add_whole(*_read_bold(item), _LISTS[node.type])
            elif node.type == "table":
                is_comparison = node is self._comparison
                read = self._read_comparison if is_comparison else self._read_table
                read(_read_rows(node))
            elif node.type == "blockquote":
                self.read(node.children)

    def _read_heading(self, node: SyntaxTreeNode) -> None:
        text = _read_text(node)
        if node.tag == "h2":
            self._heading, self._begins_with = text, ""
        elif node.tag != "h1":
            self._begins_with = text

    def _take_label(self, node: SyntaxTreeNode) -> str:
        """Return the words that stand above a list or table; those with a figure, or above anything else, begin it."""
        label = self._begins_with
        if not (_has_parts(node) and _is_label(label)):
            return ""
        self._begins_with = ""
        return label

    def _split(self, text: str, bold: int) -> Iterator[DraftSentence]:
        """Yield the sentences of a paragraph, of which the first `bold` characters are in bold."""
        lead = text[:bold].strip()
        if lead and (text == lead or len(lead.split()) > LEAD_WORDS):
            yield DraftSentence(text=lead, opens=True)
            lead, text = "", text[bold:]
        first, *others = split_sentences(text[len(lead) :]) or [""]
        whole = f"{lead} {first}".strip()
        if whole:
            yield DraftSentence(text=whole, lead_chars=len(lead))
        yield from (DraftSentence(text=other) for other in others)

    def _add_whole(
        self, text: str, lead_chars: int, form: str, columns: Sequence[str] = ()
    ) -> None:
        """Add an item or a row, which is one claim however many sentences it has."""
        if lead_chars >= len(text):
            lead_chars = 0
        self._add([DraftSentence(text=text, lead_chars=lead_chars)] if text else [], form, columns)

    def _add(
        self, sentences: Iterable[DraftSentence], form: str, columns: Sequence[str] = ()
    ) -> None:
        """Add the sentences of one part; a lower heading above it becomes its lead."""
        part = DraftPart.model_validate(
            {
                "number": next(self._numbers),
                "form": form,
                "columns": columns,
                "label": self._label,
            }
        )
        for n, sentence in enumerate(sentences):
            update: dict[str, object] = {"heading": self._heading, "part": part}
            if self._begins_with and not n:
                lead = f"{self._begins_with.rstrip('.:')}:"
                update |= {"text": f"{lead} {sentence.text}", "lead_chars": len(lead)}
                self._begins_with = ""
            self.sentences.append(sentence.model_copy(update=update))

    def _read_comparison(self, rows: Sequence[Sequence[str]]) -> None:
        head, *body = rows
        self.cells = [
            DraftSentence(text=value, row=_name(row[0]), column=_name(column))
            for row in body
            for column, value in zip(head[1:], row[1:], strict=False)
            if value
        ]

    def _read_table(self, rows: Sequence[Sequence[str]]) -> None:
        head, *body = rows or [[]]
        head = [*map(_name, head)]
        for name, *values in body:
            lead = f"{name.rstrip('.:')}:" if name else ""
            cells = BETWEEN_CELLS.join(value.replace("|", "/") or EMPTY_CELL for value in values)
            self._add_whole(f"{lead} {cells}".strip(), len(lead), "row" if values else "item", head)


def _has_parts(node: SyntaxTreeNode | None) -> bool:
    """Return whether a block is a list or a table."""
    return node is not None and node.type in {*_LISTS, "table"}


def _is_label(text: str) -> bool:
    """Return whether words are few and state no figure, so that they only name what follows."""
    return 0 < len(text.split()) <= LABEL_WORDS and not any(map(str.isdigit, text))


def _find_comparison(nodes: Sequence[SyntaxTreeNode]) -> SyntaxTreeNode | None:
    """Return the comparison table: it has three columns or more, and short cells.

    If several tables qualify, prefer the first in the answer's section, then one that is alone under its heading,
    then the first in the text. A worked example may precede the comparison.
    """
    sections: list[list[SyntaxTreeNode]] = [[]]
    for node in nodes:
        if node.tag == "h2":
            sections.append([])
        elif node.tag != "h1":
            sections[-1].append(node)
    found = [
        (0 if place < 2 else 1 if len(section) == 1 else 2, node)
        for place, section in enumerate(sections)
        for node in section
        if node.type == "table" and _compares(_read_rows(node))
    ]
    return min(found, key=lambda each: each[0], default=(0, None))[1]


def _compares(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows have three columns or more, and most cells are figures or a few words."""
    head, *body = rows
    cells = [cell for _, *cells in body for cell in cells]
    return len(head) > 2 and 2 * sum(len(c.split()) <= CELL_WORDS for c in cells) > len(cells)


def _read_rows(table: SyntaxTreeNode) -> list[list[str]]:
    """Return a table's cells by rows, its head first."""
    return [_read_cells(row) for part in table.children for row in part.children]


def _read_bold(node: SyntaxTreeNode) -> tuple[str, int]:
    """Return the text of a block on one line, and how many characters at its beginning are in bold."""
    inline = next(_find_inline(node), None)
    first = (
        next((child for child in inline.children if _read_text(child).strip()), None)
        if inline
        else None
    )
    lead = _read_text(first) if first is not None and first.type == "strong" else ""
    text = " ".join(filter(None, (_read_text(part).strip() for part in _find_inline(node))))
    rest = text[len(lead) :].lstrip()
    lead = " ".join(lead.split())
    if lead and rest[:1] in {":", ",", ";", "."}:  # the sign behind a name in bold belongs to it
        lead, rest = f"{lead}{rest[0]}", rest[1:].lstrip()
    return f"{lead} {rest}".strip(), len(lead)


def _find_inline(node: SyntaxTreeNode) -> Iterator[SyntaxTreeNode]:
    return (part for part in node.walk() if part.type == "inline")


def _name(text: str) -> str:
    """Return the name of a row or column, in which nothing is set as code."""
    return text.replace("`", "")


def _read_cells(row: SyntaxTreeNode) -> list[str]:
    return [_read_text(cell) for cell in row.children]


def _read_text(node: SyntaxTreeNode) -> str:
    """Return what a node shows, on one line."""
    parts = (_show(part) for part in node.walk())
    return " ".join("".join(parts).split())


def _show(node: SyntaxTreeNode) -> str:
    """Return what a node shows, code between backticks, as every format draws it."""
    if node.type in {"softbreak", "hardbreak"}:
        return " "
    if node.type == "code_inline":
        return f"`{node.content.replace('`', '')}`"
    return node.content if node.type == "text" else ""
