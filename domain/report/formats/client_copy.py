"""A copy of a report for clients: the main part, with sources as notes and without appendix."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from contracts.report import document as doc
from contracts.words import say

MAX_NOTES = 200
"""Notes that are followed from one sentence to its sources: conclusions may rest on one another without end."""
MAX_CITED = 4
"""Sources that a conclusion cites; from more it follows as a whole."""
_ASSUMED: Set[doc.MarkCode] = {"assumed", "judged_assumed", "assumption"}
"""Marks of assumptions and of sentences that rest on one."""
_COMPUTED: Mapping[doc.MarkCode, str] = {"computed": "computed-from", "assumed": "computed-assumed"}
"""The words before the sources of a computed figure, by its mark."""


def leave_out_appendix(document: doc.Document) -> doc.Document:
    """Remove a document's appendix, and let sentences cite numbered sources instead of their evidence.

    A mark before the numbers says that a figure was computed, with a star if an assumption had a part in it. The list of
    assumptions begins with those that sentences rest on. If sentences rest on more than `MAX_NOTES` notes,
    the document begins with their number.
    """
    copy = _Copy(document)
    blocks = [*copy.list_assumptions([copy.rewrite(block) for block in document.blocks])]
    notes = [doc.Reference(source=number) for number in copy.sources]
    if copy.cut:
        told = say(document.language, "copy-sources-cut", n=copy.cut, most=MAX_NOTES)
        blocks.insert(0, doc.Callout(title="", lines=[told]))
    blocks = [
        doc.NoteList() if notes and isinstance(block, doc.SourceList) else block for block in blocks
    ]
    update = {"blocks": blocks, "appendix": [], "notes": notes}
    return document.model_copy(update=update)


@dataclass
class _Evidence:
    """The sources and assumptions that a sentence's notes lead to, in order."""

    sources: dict[int, None] = field(default_factory=dict)
    """The sources' numbers."""
    assumed: dict[str, None] = field(default_factory=dict)
    """The assumptions' texts."""
    is_cut: bool = False
    """Whether there are more notes than `MAX_NOTES`."""


class _Copy:
    """Numbers the sources of a document and lists its assumptions, in the order in which sentences cite them."""

    def __init__(self, document: doc.Document) -> None:
        self._notes = document.notes
        self._language = document.language
        self.sources: dict[int, int] = {}
        """The sources that sentences cite, with their numbers in the copy."""
        self._assumed: dict[str, None] = {}
        """The texts of the assumptions that sentences rest on."""
        self.cut = 0
        """The number of sentences that rest on more notes than are followed."""

    def rewrite(self, block: doc.Block) -> doc.Block:
        """Return a block whose sentences cite sources by their numbers in the copy."""
        match block:
            case doc.Paragraph(sentences=sentences):
                return block.model_copy(update={"sentences": [*self._cite_paragraph(sentences)]})
            case doc.ItemList(items=items):
                told = [self._cite(item, is_item=True) for item in items]
                return block.model_copy(update={"items": told})
            case doc.Table(rows=rows):
                return block.model_copy(update={"rows": [*map(self._cite_row, rows)]})
            case _:
                return block

    def list_assumptions(self, blocks: Sequence[doc.Block]) -> Iterator[doc.Block]:
        """Yield the blocks with the list of assumptions updated: those that sentences rest on come first.

        An empty list is omitted.
        """
        first = [doc.Sentence(text=text) for text in self._assumed]
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            own = block if isinstance(block, doc.DocumentHeading) else None
            listed = following if own else block
            if isinstance(listed, doc.ItemList) and listed.has_assumptions:
                items = [*first, *(one for one in listed.items if one.text not in self._assumed)]
                if items:
                    yield own or block.model_copy(update={"items": items})
            else:
                yield block

    def _cite_paragraph(self, sentences: Sequence[doc.Sentence]) -> Iterator[doc.Sentence]:
        """Yield a paragraph's sentences; a conclusion cites nothing if the preceding sentences cite all its sources."""
        cited = set[int]()
        for sentence in sentences:
            told = self._cite(sentence, cited=cited)
            cited.update(told.notes)
            yield told

    def _cite(
        self, sentence: doc.Sentence, *, is_item: bool = False, cited: Set[int] = frozenset()
    ) -> doc.Sentence:
        """Return a sentence with the numbers of its notes' sources, and its marks in the copy.

        Advice and the point that opens a paragraph have no numbers: the sentences they follow from do.
        `cited` are numbers that a conclusion need not repeat.
        """
        evidence = self._follow(sentence.notes)
        self.cut += evidence.is_cut
        is_concluded = any(mark.position == "before_notes" for mark in sentence.marks)
        is_advice = is_concluded and (is_item or sentence.opens)
        is_known = all(self.sources.get(n) in cited for n in evidence.sources)
        is_bare = is_advice or (is_concluded and (is_known or len(evidence.sources) > MAX_CITED))
        found = () if is_bare else evidence.sources
        numbers = sorted(self.sources.setdefault(n, len(self.sources) + 1) for n in found)
        codes = {mark.code for mark in sentence.marks}
        texts = [sentence.text] if "assumption" in codes else evidence.assumed
        self._assumed.update(dict.fromkeys(texts if codes & _ASSUMED and not is_advice else ()))
        marks = [
            mark.model_copy(update={"note": None}) for mark in self._list_marks(sentence, numbers)
        ]
        return sentence.model_copy(update={"notes": numbers, "marks": marks})

    def _list_marks(self, sentence: doc.Sentence, numbers: Sequence[int]) -> Iterator[doc.Mark]:
        """Yield a sentence's marks: how it comes from its sources, if it cites any, and whether it is assumed."""
        is_judged = _is_judged(sentence)
        for mark in sentence.marks:
            if mark.code in _COMPUTED and numbers and not is_judged:
                label = say(self._language, _COMPUTED[mark.code])
                yield mark.model_copy(update={"label": label, "position": "before_notes"})
            elif mark.position == "before_notes" and not numbers:
                continue
            elif mark.code not in _ASSUMED or mark.position == "before_notes":
                yield mark
        shown: Set[doc.MarkCode] = {"assumption"} if numbers else {"assumed", "assumption"}
        if any(mark.code in shown for mark in sentence.marks) and not is_judged:
            label = say(self._language, "assumed-in-copy")
            yield doc.Mark(code="assumed", label=label, position="after_notes")

    def _cite_row(self, row: Sequence[doc.Sentence | None]) -> list[doc.Sentence | None]:
        """Return a table row; if all cells have the same notes and marks, they move to the label."""
        label, *cells = row
        own = [mark for mark in label.marks if mark.code not in _ASSUMED] if label else []
        head = label and label.model_copy(update={"marks": own})  # its cells say what is assumed
        return _cite_row_once([cell and self._cite(cell) for cell in (head, *cells)])

    def _follow(self, numbers: Iterable[int]) -> _Evidence:
        """Return what notes, and the notes that these name, come down to; at most `MAX_NOTES` are followed."""
        evidence = _Evidence()
        seen, todo = set[int](), [*reversed([*numbers])]
        while todo and len(seen) < MAX_NOTES:
            if (number := todo.pop()) in seen:
                continue
            seen.add(number)
            match self._notes[number - 1]:
                case doc.Quote(source=source):
                    evidence.sources[source] = None
                case doc.Working(quotes=quotes):
                    todo += reversed(quotes[: MAX_NOTES + 1])
                case doc.Basis(sentences=sentences):
                    assumed = (each.text for each in sentences if _is_assumption(each))
                    evidence.assumed.update(dict.fromkeys(assumed))
                    named = (number for sentence in sentences for number in sentence.notes)
                    todo += reversed([*islice(named, MAX_NOTES + 1)])
                case _:
                    pass
        evidence.is_cut = any(number not in seen for number in todo)
        return evidence


def _is_assumption(sentence: doc.Sentence) -> bool:
    return any(mark.code == "assumption" for mark in sentence.marks)


def _is_judged(sentence: doc.Sentence) -> bool:
    return any(mark.code == "judged_assumed" for mark in sentence.marks)


def _cite_row_once(row: Sequence[doc.Sentence | None]) -> list[doc.Sentence | None]:
    """Return a table row; if all cells have the same numbers and marks, these move to the label."""
    label, *cells = row
    noted = [cell for cell in cells if cell and cell.notes]
    if not label or len(noted) < 2 or any(_list_signs(c) != _list_signs(noted[0]) for c in noted):
        return [*row]
    shared = [mark for mark in noted[0].marks if mark.position == "before_notes"]
    told = [
        cell.model_copy(update={"notes": [], "marks": [m for m in cell.marks if m not in shared]})
        if cell
        else None
        for cell in cells
    ]
    update = {"notes": noted[0].notes, "marks": [*label.marks, *shared]}
    return [label.model_copy(update=update), *told]


def _list_signs(cell: doc.Sentence) -> tuple[list[int], list[doc.Mark]]:
    return cell.notes, [mark for mark in cell.marks if mark.position == "before_notes"]
