"""A report to hand on: what is read, with its sources as notes, without the appendix."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from contracts.report import document as doc
from contracts.words import say

MAX_NOTES = 200
"""Notes that are followed from one sentence to its sources: conclusions may rest on one another without end."""
MAX_CITED_BY_ADVICE, MAX_CITED_BY_CONCLUSION = 4, 2
"""Sources that an item of advice cites, such as a next step, and a conclusion without a figure; from more it follows as a whole."""
_FIGURE = re.compile(r"\d")
ASSUMED = "†"
"""Behind a sentence that rests on an assumption, in the place of words."""


def leave_out_appendix(document: doc.Document) -> doc.Document:
    """Return a document of what is read alone, whose sentences cite numbered sources in the place of their evidence.

    It begins with how many sentences rest on more than is followed, if any do.
    """
    copy = _Copy(document)
    blocks = [copy.rewrite(block) for block in document.blocks]
    if not copy.shows_assumed:
        blocks = [b for b in blocks if not (isinstance(b, doc.Remark) and b.explains_assumed)]
    notes = [doc.Reference(source=number) for number in copy.sources]
    if copy.cut:
        told = say(document.language, "copy-sources-cut", n=copy.cut, most=MAX_NOTES)
        blocks.insert(0, doc.Callout(title="", lines=[told]))
    blocks = [
        doc.NoteList() if notes and isinstance(block, doc.SourceList) else block for block in blocks
    ]
    update = {"blocks": blocks, "appendix": [], "notes": notes}
    return document.model_copy(update=update)


class _Copy:
    """Numbers the sources of a document as its sentences cite them."""

    def __init__(self, document: doc.Document) -> None:
        self._notes = document.notes
        self.sources: dict[int, int] = {}
        """The sources that sentences cite, with their numbers in the copy."""
        self.shows_assumed = False
        self.cut = 0
        """How many sentences rest on more notes than are followed."""

    def rewrite(self, block: doc.Block) -> doc.Block:
        """Return a block whose sentences cite sources by their numbers in the copy."""
        match block:
            case doc.Paragraph(sentences=sentences):
                told = _cite_once([*map(self._cite, sentences)])
                return block.model_copy(update={"sentences": told})
            case doc.ItemList(items=items):
                told = [self._cite(item, is_item=True) for item in items]
                return block.model_copy(update={"items": told})
            case doc.Table(rows=rows):
                cited = [
                    _cite_row_once([cell and self._cite(cell) for cell in row]) for row in rows
                ]
                return block.model_copy(update={"rows": cited})
            case _:
                return block

    def _cite(self, sentence: doc.Sentence, *, is_item: bool = False) -> doc.Sentence:
        """Return a sentence with the numbers of the sources that its notes come down to.

        The point that opens a paragraph has none, nor has a conclusion or an item of advice from more than a few.
        """
        is_concluded = any(mark.position == "before_notes" for mark in sentence.marks)
        found = dict.fromkeys(self._find_sources(sentence.notes))
        has_figure = bool(_FIGURE.search(sentence.text))
        most = MAX_CITED_BY_ADVICE if has_figure else MAX_CITED_BY_CONCLUSION
        is_free = is_concluded and (is_item or not has_figure)
        if (is_concluded and sentence.opens and not has_figure) or (is_free and len(found) > most):
            found = {}
        numbers = sorted(self.sources.setdefault(n, len(self.sources) + 1) for n in found)
        is_advice = is_concluded and (is_item or sentence.opens)
        marks = [_shorten(mark, is_advice=is_advice) for mark in sentence.marks]
        self.shows_assumed |= any(mark.label == ASSUMED for mark in marks)
        return sentence.model_copy(update={"notes": numbers, "marks": marks})

    def _find_sources(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield the sources of notes and of the notes that these name, of so many notes at most."""
        seen, todo = set[int](), [*reversed([*numbers])]
        while todo and len(seen) < MAX_NOTES:
            if (number := todo.pop()) in seen:
                continue
            seen.add(number)
            match self._notes[number - 1]:
                case doc.Quote(source=source):
                    yield source
                case doc.Working(quotes=quotes):
                    todo += reversed(quotes[: MAX_NOTES + 1])
                case doc.Basis(sentences=sentences):
                    named = (number for sentence in sentences for number in sentence.notes)
                    todo += reversed([*islice(named, MAX_NOTES + 1)])
                case _:
                    pass
        self.cut += any(number not in seen for number in todo)


def _cite_once(sentences: Sequence[doc.Sentence]) -> list[doc.Sentence]:
    """Return the sentences of a paragraph, where the last one in a row on the same sources alone has their numbers."""
    after: list[doc.Sentence | None] = [*sentences[1:], None]
    return [
        each.model_copy(update={"notes": []})
        if following and each.notes == following.notes
        else each
        for each, following in zip(sentences, after, strict=True)
    ]


def _cite_row_once(row: Sequence[doc.Sentence | None]) -> list[doc.Sentence | None]:
    """Return a table's row, whose label has the numbers of its cells if these all have the same."""
    label, *cells = row
    noted = [cell for cell in cells if cell and cell.notes]
    if not label or len(noted) < 2 or any(cell.notes != noted[0].notes for cell in noted):
        return [*row]
    told = [cell and cell.model_copy(update={"notes": []}) for cell in cells]
    return [label.model_copy(update={"notes": noted[0].notes}), *told]


def _shorten(mark: doc.Mark, *, is_advice: bool) -> doc.Mark:
    """Return a mark as the copy shows it: of what a sentence is concluded from nothing, of an assumption a sign.

    Advice and the point that opens a paragraph have none: what they follow from has it.
    """
    if mark.code == "judged_assumed" and mark.position != "before_notes":  # in a table
        return mark.model_copy(
            update={"note": None, "label": ASSUMED, "position": "after_notes", "code": "assumed"}
        )
    shown = {"before_notes": "", "after_notes": "" if is_advice else ASSUMED}
    label = shown.get(mark.position, mark.label)
    return mark.model_copy(update={"note": None, "label": label})
