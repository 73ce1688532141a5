"""Cells of a comparison that repeat sentences which hold: settled by code where row and column are unmistakable."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from contracts.evidence.checks import Check
from domain.evidence.claims import find_numbers, list_figures
from domain.evidence.figures.figure_agreement import is_quoted
from domain.evidence.figures.notation.quantities import YEAR, read_quantities
from domain.evidence.normal_forms import normalize
from domain.evidence.pages.cited_page import CitedPage

_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")
_SIGNED = re.compile(r"[-+<>≤≥~]\W?\d")
_ENDING = re.compile(r"(?<=\w{4})(?:es|en|[ens])\Z")
_SIGNS_BEFORE = re.compile(r"(?:\A|[\w,.;:|\"“„»])[\s$€£¥]*\Z")
_SIGNS_AFTER = re.compile(r"\s?[%$€£¥]?(?:\s|[.,;:|\"”“«](?!\d)|\Z)")
"""What may touch a figure: no sign that bounds it, negates it or makes it the end of a range."""
_QUESTION = re.compile(r"[?？؟]")
_NEUTRAL = frozenset(
    [
        "a",
        "about",
        "am",
        "an",
        "and",
        "area",
        "areas",
        "are",
        "around",
        "at",
        "be",
        "been",
        "das",
        "dem",
        "den",
        "der",
        "die",
        "ein",
        "eine",
        "etwa",
        "had",
        "has",
        "hat",
        "hatte",
        "have",
        "im",
        "in",
        "is",
        "ist",
        "it",
        "its",
        "lag",
        "liegt",
        "of",
        "on",
        "rate",
        "rund",
        "roughly",
        "s",
        "sind",
        "that",
        "the",
        "und",
        "war",
        "waren",
        "was",
        "were",
        "amounts",
        "amounted",
        "beträgt",
        "betrug",
        "level",
        "bei",
    ]
)
"""Words that join a figure to its subject, or call it rounded. One that is missing here costs a judge's look, and no more."""


class ComparedCell(NamedTuple):
    """A cell as code checked it, with the labels of its row and column; empty labels: a sentence."""

    row: str
    column: str
    check: Check


def find_settled_cells(
    checks: Sequence[Check],
    labels: Sequence[tuple[str, str]],
    pages: Mapping[int, CitedPage],
    *,
    has_judge: bool,
) -> Set[int]:
    """Return the positions of the checks that settle a cell; `labels` has each one's row and column, empty for a sentence.

    A cell that only says that nothing was found is left to the check of such lines, which every report with a
    judge has.
    """
    cells = [ComparedCell(*named, check) for named, check in zip(labels, checks, strict=False)]
    lacks = {n for n, cell in enumerate(cells) if has_judge and _is_lack(cell)}
    return lacks | _list_repeats(cells, pages)


def _is_lack(cell: ComparedCell) -> bool:
    claim = cell.check.claim
    return bool(cell.row) and claim.kind == "not_found" and not claim.citations


def _list_repeats(cells: Sequence[ComparedCell], pages: Mapping[int, CitedPage]) -> set[int]:
    """Return the positions of cells that need no judge, as each repeats the only figure of a sentence or quote.

    The sentences are supported and contain the figures digit by digit, in the same unit. If a sentence has
    several figures, a quote with only one of them is used. The sentence or quote names the cell's row and
    column, and no other row or column as well.
    """
    rows, columns = ({getattr(cell, name) for cell in cells} for name in ("row", "column"))

    def is_of(cell: ComparedCell, subject: str, around: str) -> bool:
        own = " ".join([cell.row, cell.column, cell.check.claim.text])
        return (
            {*YEAR.findall(subject)} <= {*YEAR.findall(own)}
            and _names(cell.row, rows, _split(subject))
            and _names(cell.column, columns, _split(subject, around))
        )

    def is_repeated(cell: ComparedCell) -> bool:
        words = _split(cell.row, cell.column, cell.check.claim.text)
        return all(
            any(
                is_of(cell, subject, around) and _says_only(figure, subject, words)
                for subject, around in _find_subjects(figure, cell, pages)
            )
            for figure in list_figures(cell.check.claim.text)
        )

    return {
        n
        for n, cell in enumerate(cells)
        if cell.row and cell.column and _repeats(cell.check) and is_repeated(cell)
    }


def _repeats(check: Check) -> bool:
    """Return whether a claim only repeats figures of supported sentences, in their words and units."""
    claim, bases = check.claim, check.bases
    if claim.expression or not claim.rests_on or len(bases) < len(claim.rests_on):
        return False
    text, told = normalize(claim.text), normalize(" ".join(base.text for base in bases))
    quoted = read_quantities(told)
    return (
        all(base.is_supported for base in bases)
        and bool(list_figures(text))
        and find_numbers(text) <= find_numbers(told)
        and all(is_quoted(quantity, quoted) for quantity in read_quantities(text))
        and not _SIGNED.search(text)
        and {*_LETTERS.findall(text.casefold())} <= {*_LETTERS.findall(told.casefold())}
    )


def _find_subjects(
    figure: str, cell: ComparedCell, pages: Mapping[int, CitedPage]
) -> Iterator[tuple[str, str]]:
    """Yield the sentences and quotes whose only figure is this one, each with the text that names its subject.

    Figures in the cell's row and column, as in "Children under 15", belong to the subject.
    """
    own = list_figures(" ".join([cell.row, cell.column, cell.check.claim.text]))
    for base in cell.check.bases:
        told = list_figures(base.text)
        if figure not in told:
            continue
        if told <= own:
            yield base.text, " ".join(pages[citation.source].title for citation in base.citations)
            continue
        for citation in base.citations:
            quoted = list_figures(citation.quote)
            if figure in quoted and quoted & told <= own:
                yield citation.quote, f"{base.text} {pages[citation.source].title}"


def _says_only(figure: str, text: str, words: Set[str]) -> bool:
    """Return True if a text has a figure without signs around it, and no words but neutral ones and `words`.

    "fell 0.7 percent", "they deny that it is 5 %" and "unlike Chad, Kenya has 5 %" say something else than the cell.
    """
    places = [*re.finditer(rf"(?<![\w.,]){re.escape(figure)}(?![.,]?\w)", text)]
    return (
        bool(places)
        and not _QUESTION.search(text)
        and all(_SIGNS_BEFORE.search(text[: place.start()]) for place in places)
        and all(_SIGNS_AFTER.match(text, place.end()) for place in places)
        and all(
            word.casefold() in _NEUTRAL or _stem(word) in words for word in _LETTERS.findall(text)
        )
    )


def _names(label: str, labels: set[str], words: set[str]) -> bool:
    """Return whether words contain a whole label, and less of every other label."""
    share = _share(label, words)
    return share == 1 and all(_share(other, words) < share for other in labels - {label})


def _share(label: str, words: set[str]) -> float:
    told = {_stem(word) for word in _WORD.findall(label) if word.casefold() not in _NEUTRAL}
    return len(told & words) / max(len(told), 1)


def _split(*texts: str) -> set[str]:
    return {_stem(word) for text in texts for word in _WORD.findall(text)}


def _stem(word: str) -> str:
    """Return a word in lower case without the ending of a plural."""
    return _ENDING.sub("", word.casefold())
