"""The walk over a report's document that its formats share: each says only how a form is drawn."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Generic, TypeVar

from contracts.report import document as doc
from contracts.words import say
from domain.report.parts.links import ARTIFACTS
from domain.report.parts.tables import name_column

_PIECES = re.compile(r"`([^`|\s](?:[^`|\n]*[^`|\s])?)`|([^`]+|`)")
"""Code between backticks, in which a pipe would end a cell in Markdown, or other text."""
T = TypeVar("T")
"""A drawn part of a line, or a drawn block."""


class Drawing(ABC, Generic[T]):
    """Renders one document; the rendering of an empty text is falsy."""

    def __init__(self, document: doc.Document) -> None:
        self.document = document

    @abstractmethod
    def text(self, words: str) -> T:
        """Return untrusted text on one line, escaped."""

    @abstractmethod
    def join(self, parts: Iterable[T], between: str = " ") -> T:
        """Return the parts of one line; `between` is a sign that needs no escape."""

    @abstractmethod
    def strong(self, shown: T) -> T:
        """Return words in bold."""

    @abstractmethod
    def code(self, words: str) -> T:
        """Return untrusted words as code: a name of a command or a setting."""

    @abstractmethod
    def emphasize(self, shown: T, look: doc.Look | None = None) -> T:
        """Return words in italics, or in a look where the format has looks."""

    @abstractmethod
    def link(self, words: str, address: str) -> T:
        """Return words that lead to an address; without one they are words alone."""

    @abstractmethod
    def cite(self, shown: T, numbers: Sequence[int], before: str = "", after: str = "") -> T:
        """Return text with the numbers of its notes, those in a row as a range, between words about them."""

    @abstractmethod
    def heading(self, level: int, shown: T) -> T:
        """Return a block: a heading of a level from 1."""

    @abstractmethod
    def paragraph(self, shown: T) -> T:
        """Return a block of one line."""

    @abstractmethod
    def callout(self, title: T, lines: Sequence[T]) -> T:
        """Return a block: lines that are set off, below a title in bold if there is one."""

    @abstractmethod
    def list_items(self, items: Iterable[T], *, is_ordered: bool = False) -> T:
        """Return a block: a list with bullets or numbers."""

    @abstractmethod
    def table(self, table: doc.Table, heads: Sequence[T], rows: Sequence[Sequence[T]]) -> T:
        """Return a block: a table under its caption, from its drawn heads and cells."""

    @abstractmethod
    def image(self, name: str, artifact: str) -> T | None:
        """Return a chart, or None if its drawing is not available."""

    @abstractmethod
    def begin_part(self, title: T) -> T:
        """Return a block that begins a separate part, on a new page if the format has pages."""

    def write_document(self) -> Iterator[T]:
        """Yield the rendering below the title: head, main part, and the appendix as a separate part."""
        document = self.document
        yield from self.write_blocks([*document.opening, *document.blocks])
        if document.appendix:
            yield self.begin_part(self.text(say(document.language, "appendix")))
            yield from self.write_blocks(document.appendix)

    def link_artifact(self, words: str, artifact: str) -> T:
        """Return words that lead to an artifact of the run."""
        return self.link(words, f"{ARTIFACTS}/{artifact}" if artifact else "")

    def write_notes(self) -> Iterator[T]:
        """Yield the list of all notes, numbered."""
        yield self.list_items(map(self.write_note, self.document.notes), is_ordered=True)

    def write_blocks(self, blocks: Iterable[doc.Block]) -> Iterator[T]:
        """Yield the rendering of each block, in one or more pieces."""
        return chain.from_iterable(map(self._write_block, blocks))

    def _write_block(self, block: doc.Block) -> Iterator[T]:
        match block:
            case doc.DocumentHeading():
                yield self.heading(block.level, self.text(block.text))
            case doc.Paragraph():
                yield self.paragraph(self.join(map(self.write_sentence, block.sentences)))
            case doc.Remark():
                yield self._remark(self.text(block.text))
            case doc.Callout():
                yield self.callout(self.text(block.title), list(map(self.text, block.lines)))
            case doc.Table():
                yield self._write_table(block)
                if block.remark:
                    yield self._remark(self.link_artifact(block.remark, block.artifact))
            case doc.Exhibit():
                image = self.image(block.name, block.artifact)
                yield self.paragraph(image or self.strong(self.text(block.name)))
                if block.remark:
                    yield self._remark(self.text(block.remark))
            case doc.NoteList():
                yield from self.write_notes()
            case _:
                yield self._write_list(block)

    def _write_list(self, block: doc.ItemList | doc.QuoteList | doc.SourceList) -> T:
        match block:
            case doc.ItemList():
                items = map(self.write_sentence, block.items)
                return self.list_items(items, is_ordered=block.is_ordered)
            case doc.QuoteList():
                return self.list_items(map(self.write_note, block.quotes))
            case doc.SourceList():
                sources = (self.document.sources[number - 1] for number in block.numbers)
                return self.list_items(map(self.write_source, sources))

    def _remark(self, shown: T) -> T:
        return self.paragraph(self.emphasize(shown, "plain"))

    def _write_table(self, table: doc.Table) -> T:
        heads = [self.text(name_column(column)) for column in table.columns]
        rows = [
            [self.write_sentence(cell) if cell else self.text("–") for cell in row]
            for row in table.rows
        ]
        return self.table(table, heads, rows)

    def write_sentence(self, sentence: doc.Sentence) -> T:
        """Return a sentence with the numbers of its notes and words about these, and its marks in their colour."""
        about = {mark.position: mark.label for mark in sentence.marks}
        before, after = about.get("before_notes", ""), about.get("after_notes", "")
        text = self.write_words(sentence.text)
        shown = self.strong(text) if sentence.opens else text
        parts = [self.cite(shown, sentence.notes, before, after)]
        if sentence.lead:
            parts.insert(0, self.strong(self.text(sentence.lead)))
        told = [mark for mark in sentence.marks if mark.label and mark.position == "behind"]
        if told:
            marks = [
                self.cite(self.text(mark.label), [mark.note] if mark.note else []) for mark in told
            ]
            label = [self.text("("), self.join(marks, "; "), self.text(")")]
            parts.append(self.emphasize(self.join(label, ""), sentence.look))
        return self.join(filter(None, parts))

    def write_words(self, words: str) -> T:
        """Return a sentence's words, those between backticks as code."""
        if "`" not in words:
            return self.text(words)
        shown, is_apart = self.text(""), False
        for code, text in _PIECES.findall(words):
            drawn = self.code(code) if code else self.text(text)
            between = " " * (is_apart or text[:1].isspace())
            shown = self.join(filter(None, [shown, drawn]), between)
            is_apart = text[-1:].isspace()
        return shown

    def write_note(self, note: doc.Note) -> T:
        """Return the text of a note: of a quote with its source's title, which leads to it, publisher, day and page."""
        match note:
            case doc.Working():
                return self.cite(self.text(f"{note.label}: {note.expression}"), note.quotes)
            case doc.Basis():
                return self.join([self.text(f"{note.label}:"), *self._name_sentences(note)])
            case doc.Doubt():
                return self.text(f"{note.label}: {note.text}")
            case doc.Reference():
                return self.write_source(self.document.sources[note.source - 1])
            case doc.Quote():
                language, sources = self.document.language, self.document.sources
                text = self.text(note.lead + say(language, "quoted", text=note.text))
                if not 0 < note.source <= len(sources):
                    return self.join(
                        [text, self.text(say(language, "source", n=note.source))], " — "
                    )
                source = sources[note.source - 1]
                where = [self.link(source.title, source.address), *map(self.text, source.about)]
                if note.place:
                    where.append(self.link(note.place, note.address))
                shown = self.join([text, self.join(where, ", ")], " — ")
                return self.join([shown, self.text(f"({note.remark})")]) if note.remark else shown

    def _name_sentences(self, basis: doc.Basis) -> Iterator[T]:
        """Yield the note numbers of a basis, and in full its sentences without notes or with doubts."""
        plain = [each for each in basis.sentences if each.notes and each.look != "doubtful"]
        if numbers := sorted({number for each in plain for number in each.notes}):
            yield self.cite(self.text(""), numbers)
        for sentence in basis.sentences:
            if not (sentence.notes and sentence.look != "doubtful"):
                yield self.write_sentence(sentence)

    def write_source(self, source: doc.DocumentSource) -> T:
        """Return a source's title, publisher and day, its address or path, and what speaks against it."""
        about = f" — {', '.join(source.about)}" if source.about else ""
        parts = [
            self.text(f"{source.title}{about}:"),
            self.link(source.path or source.address, source.address),
        ]
        if source.doubts:
            parts.append(self.emphasize(self.text(f"({'; '.join(source.doubts)})")))
        return self.join(parts)


def group_numbers(numbers: Iterable[int]) -> list[list[int]]:
    """Return numbers as runs of consecutive ones, for `[1, 3–5]`; two in a row stay two."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [part for run in runs for part in ([run] if len(run) > 2 else [[n] for n in run])]


def join_signs(before: str, signs: str, after: str) -> str:
    """Return the numbers of notes between words about them: “from 2–4, with an assumption”."""
    return ", ".join(filter(None, [" ".join(filter(None, [before, signs])), after]))


def list_ends(run: Sequence[int]) -> list[int]:
    """Return the first and the last number of a run, or its only one."""
    return [*dict.fromkeys([run[0], run[-1]])]
