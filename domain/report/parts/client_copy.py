"""A report to hand on: what is read, with its sources as notes, without the appendix."""

from collections.abc import Iterable, Iterator

from contracts.report import document as doc


def leave_out_appendix(document: doc.Document) -> doc.Document:
    """Return a document of what is read alone, whose sentences cite numbered sources in the place of their evidence."""
    copy = _Copy(document)
    blocks = [copy.rewrite(block) for block in document.blocks]
    notes = [doc.Reference(source=number) for number in copy.sources]
    blocks = [
        doc.NoteList() if notes and isinstance(block, doc.SourceList) else block for block in blocks
    ]
    update = {"blocks": blocks, "appendix": [], "notes": notes}
    return document.model_copy(update=update)


class _Copy:
    """Numbers the sources of a document as its sentences cite them."""

    def __init__(self, document: doc.Document) -> None:
        self._notes = document.notes
        self.sources: list[int] = []

    def rewrite(self, block: doc.Block) -> doc.Block:
        """Return a block whose sentences cite sources by their numbers in the copy."""
        match block:
            case doc.Paragraph(sentences=sentences):
                return block.model_copy(update={"sentences": [*map(self._cite, sentences)]})
            case doc.ItemList(items=items):
                return block.model_copy(update={"items": [*map(self._cite, items)]})
            case doc.Table(rows=rows):
                cited = [[cell and self._cite(cell) for cell in row] for row in rows]
                return block.model_copy(update={"rows": cited})
            case _:
                return block

    def _cite(self, sentence: doc.Sentence) -> doc.Sentence:
        """Return a sentence with the numbers of the sources that its notes come down to."""
        found = dict.fromkeys(self._find_sources(sentence.notes, set()))
        self.sources += [source for source in found if source not in self.sources]
        numbers = sorted(self.sources.index(source) + 1 for source in found)
        marks = [mark.model_copy(update={"note": None}) for mark in sentence.marks]
        return sentence.model_copy(update={"notes": numbers, "marks": marks})

    def _find_sources(self, numbers: Iterable[int], seen: set[int]) -> Iterator[int]:
        for number in numbers:
            if number in seen:
                continue
            seen.add(number)
            match self._notes[number - 1]:
                case doc.Quote(source=source):
                    yield source
                case doc.Working(quotes=quotes):
                    yield from self._find_sources(quotes, seen)
                case doc.Basis(sentences=sentences):
                    for sentence in sentences:
                        yield from self._find_sources(sentence.notes, seen)
                case _:
                    pass
