"""The passages of a row that answer a query best: whole sentences, lines or rows of a table."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from domain.evidence.quotes import Span
from domain.retrieval.document_rows import Row
from domain.retrieval.search_words import Query, list_terms

PASSAGE_CHARS = 400
WRAPPED_CHARS = 60
"""Length of a line from which it may go on in the next one."""
HEADING_CHARS = 120
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)\]]{0,3}\s{1,9}(?=[^\s\da-z])|(?<=[。！？])")
_RULE = re.compile(r"\|(?:[\s:]{0,9}-{3,}[\s:]{0,9}\|)")
_CUTS = (("\n|",), ("; ", ";\n"), (", ", ",\n"), (" ", "\n"))
"""Where a long sentence is cut, the best places first."""
_HEAD_CHARS = 300
"""Length of a table's head that is shown above a passage from within the table, at most."""
_LINE_END = frozenset(".!?:;|%)。！？")
_ITEM = re.compile(r"\s*(?:[|#•*·▪–-]|\d{1,2}[.)]\s|\(\w{1,3}\))")


@dataclass(frozen=True)
class RowPassage:
    """A stretch of a document that begins and ends with a sentence, a line or a row of a table."""

    start: int
    end: int
    page: int | None
    heading: str
    """The first words of its row, or its headings."""
    text: str
    """Its words with single spaces; lines stay lines. Rows of a table follow the table's header."""


def find_passages(
    row: Row,
    query: Query,
    most: int = 1,
    *,
    weigh: Callable[[str], float] | None = None,
    name: Container[str] = (),
) -> list[RowPassage]:
    """Return the passages of a row that have the most of a query's terms, best first, without duplicates.

    `weigh` gives a term's weight in the corpus; without it, a term is weighed by its rarity in the row. Terms
    of the document's `name` are ignored, because any passage may have them. A row without other terms returns
    its beginning.
    """
    units = list(split_units(row.text))
    wanted = {term for term in query.terms if term not in name}
    terms = [frozenset(list_terms(row.text[a:b])) & wanted for a, b in units]
    counts = Counter(term for each in terms for term in each)
    weights = {
        term: query.terms[term] * (weigh(term) if weigh else 1 / count)
        for term, count in counts.items()
    }
    windows = _list_windows(row.text, units)
    found: list[RowPassage] = []
    taken: list[range] = []
    for _ in range(most):
        free = [w for w in windows if not any(w.start < t.stop and t.start < w.stop for t in taken)]
        best = max(free, key=lambda w: _score(terms[w.start : w.stop], weights), default=None)
        if best is None or (found and not _score(terms[best.start : best.stop], weights)):
            break
        taken.append(best)
        found.append(_make_passage(row, units[best.start][0], units[best.stop - 1][1]))
    return found


def split_units(text: str) -> Iterator[Span]:
    """Yield the spans of a text's sentences, lines and rows, joining lines that were wrapped at the page's width.

    A table's head and first row form one unit.
    """
    start = at = 0
    lines = text.splitlines(keepends=True)
    for n, line in enumerate(lines):
        at += len(line)
        following = lines[n + 1] if n + 1 < len(lines) else ""
        if _RULE.match(following) or (_RULE.match(line) and following.startswith("|")):
            continue
        if not _goes_on(line, following):
            yield from _split_sentences(text, start, at)
            start = at


def _goes_on(line: str, following: str) -> bool:
    bare = line.strip()
    is_cut = len(bare) >= WRAPPED_CHARS and bare[-1] not in _LINE_END and not bare[-1].isdigit()
    return is_cut and bool(following.strip()) and not _ITEM.match(following)


def _split_sentences(text: str, start: int, end: int) -> Iterator[Span]:
    is_row = text.startswith("|", start)
    ends = [] if is_row else [m.end() for m in _SENTENCE_END.finditer(text, start, end)]
    for last in (*ends, end):
        for span in _split_long(text, start, last):
            bare = text[slice(*span)]
            if any(map(str.isalnum, bare)):
                first = span[0] + len(bare) - len(bare.lstrip())
                yield first, first + len(bare.strip())
        start = last


def _split_long(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the parts of a sentence that is too long for a passage, cut after rows, clauses, else words."""
    while end - start > PASSAGE_CHARS:
        low, high = start + PASSAGE_CHARS // 2, start + PASSAGE_CHARS
        ends = (max(text.rfind(mark, low, high) for mark in marks) for marks in _CUTS)
        cut = next((at for at in ends if at >= 0), high - 1) + 1
        yield start, cut
        start = cut
    yield start, end


def _list_windows(text: str, units: Sequence[Span]) -> list[range]:
    """Return for each unit the longest run from it that fits a passage and does not end with a heading."""
    windows = []
    stop = 0
    for first, (start, _) in enumerate(units):
        stop = max(stop, first + 1)
        while stop < len(units) and units[stop][1] - start <= PASSAGE_CHARS:
            stop += 1
        last = stop
        while last > first + 1 and text.startswith("#", units[last - 1][0]):
            last -= 1
        windows.append(range(first, last))
    return windows


def _score(terms: Sequence[frozenset[str]], weights: dict[str, float]) -> float:
    """Return the weight of the distinct terms of a window; repeated ones and a first unit that has some add little."""
    *_, all_terms = accumulate(terms, frozenset.union, initial=frozenset[str]())
    repeated = sum(weights[term] for each in terms for term in each) / 20
    return sum(weights[term] for term in all_terms) + repeated + 0.01 * bool(terms[0])


def _find_head(text: str, start: int) -> str:
    """Return the head of the table within which a passage begins, and its rule; empty if it begins elsewhere."""
    at = start
    while text.startswith("|", at):
        end = at - 1
        at = text.rfind("\n", 0, max(end, 0)) + 1
        if _RULE.match(text, at) and at < start:
            head = text[text.rfind("\n", 0, at - 1) + 1 : end + 1]
            return head if len(head) <= _HEAD_CHARS and at else ""
        if end <= 0:
            break
    return ""


def _make_passage(row: Row, start: int, end: int) -> RowPassage:
    part = f"{_find_head(row.text, start)}{row.text[start:end]}"
    text = "\n".join(" ".join(line.split()) for line in part.splitlines())
    heading = row.head[:HEADING_CHARS]
    heading = (
        heading if len(row.head) <= HEADING_CHARS else f"{heading.rpartition(' ')[0] or heading} …"
    )
    return RowPassage(row.start + start, row.start + end, row.page, heading, text)
