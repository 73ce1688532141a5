"""Footnotes in Word: a note becomes a footnote where it is first cited, or part of the first one that names it."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from contracts.report import document as doc


@dataclass(frozen=True)
class Place:
    """A footnote's number in Word, and the note's position below the footnote's own text; 0 means that text."""

    footnote: int
    part: int = 0


def place_notes(document: doc.Document) -> dict[int, Place]:
    """Return the place of each note by number; notes that no sentence cites become footnotes at the end."""
    places: dict[int, Place] = {}
    cited = dict.fromkeys(chain.from_iterable(map(_list_cited, _list_sentences(document))))
    places.update((number, Place(n)) for n, number in enumerate(cited, start=1))
    for number in cited:
        _place_named(number, places, document)
    count = len(cited)
    for number in range(1, len(document.notes) + 1):
        if number not in places:
            places[number] = Place(count := count + 1)
            _place_named(number, places, document)
    return places


def _place_named(number: int, places: dict[int, Place], document: doc.Document) -> None:
    """Place the notes that only notes name in the footnote that leads to them."""
    footnote, part = places[number].footnote, 0
    todo = deque([number])
    while todo:
        for named in _list_named(document.notes[todo.popleft() - 1]):
            if named not in places:
                places[named] = Place(footnote, part := part + 1)
                todo.append(named)


def _list_sentences(document: doc.Document) -> Iterator[doc.Sentence]:
    """Yield the sentences of a document as they are drawn."""
    for block in [*document.opening, *document.blocks, *document.appendix]:
        match block:
            case doc.Paragraph(sentences=sentences) | doc.ItemList(items=sentences):
                yield from sentences
            case doc.Table(rows=rows):
                yield from (cell for row in rows for cell in row if cell)
            case _:
                pass


def _list_cited(sentence: doc.Sentence) -> Iterator[int]:
    """Yield the note numbers that a sentence cites, then those that its marks cite."""
    yield from sentence.notes
    yield from (mark.note for mark in sentence.marks if mark.label and mark.note)


def _list_named(note: doc.Note) -> Iterable[int]:
    """Return the numbers of the notes that a note names."""
    match note:
        case doc.Working(quotes=quotes):
            return quotes
        case doc.Basis(sentences=sentences):
            return chain.from_iterable(map(_list_cited, sentences))
        case _:
            return ()
