"""The passages of pages that bear most on a line, by the rarest words that both have."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from contracts.evidence.claims import CitablePage
from contracts.report.checks import KnownClaim, PagePassage, PassagesFound
from domain.evidence.cited_page import CitedPage
from domain.evidence.quotes import Snapshot, Span
from domain.passages import MIN_WORD_CHARS, list_stems

BEST, NEAR = 5, 2
"""Passages returned for a line: the best by words, and claims whose quotes bear on it."""
MAX_FOUND_CHARS = 40_000
"""Characters of all passages together: the best of every line come first."""
MAX_PAGE_CHARS = 1_000_000
"""Characters of a page that are searched."""
_MIN_CHARS, _MAX_CHARS = 120, 600
"""Sentences are joined up to the first length; a longer one is cut at the second."""
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"”’)\]]{0,3}\s{1,9}|(?<=[。！？])")


def search_pages(
    pages: Sequence[tuple[CitablePage, str]], lines: Sequence[str], claims: Sequence[KnownClaim]
) -> PassagesFound:
    """Return the passages that bear most on each line, of pages with their texts."""
    read = {page.number: CitedPage(page.title, Snapshot(text)) for page, text in pages}
    return find_passages(read, lines, claims)


def find_passages(
    pages: Mapping[int, CitedPage], lines: Sequence[str], claims: Sequence[KnownClaim]
) -> PassagesFound:
    """Return for each line the passages of all pages that share its rarest words.

    The passages that the claims nearest to a line quote are added: they may be in another language
    than the line.
    """
    places = [
        (number, span)
        for number, page in pages.items()
        for span in split_spans(page.snapshot.text[:MAX_PAGE_CHARS])
    ]
    texts = [pages[number].snapshot.text[start:end] for number, (start, end) in places]
    ranked = rank_texts(texts, lines, BEST)
    related = rank_texts([claim.text for claim in claims], lines, NEAR)
    wanted = [
        [
            *(places[n] for n in best),
            *(place for n in near for place in _locate(claims[n], pages)),
        ]
        for best, near in zip(ranked, related, strict=True)
    ]
    return _collect(wanted, pages)


def split_spans(text: str) -> Iterator[Span]:
    """Yield the spans of a text's passages: rows of tables, and sentences joined to a useful length."""
    first = at = last = 0
    for line in text.splitlines(keepends=True):
        bare, end = line.strip(), at + len(line.rstrip())
        stands_alone = not bare or bare.startswith(("|", "#"))
        if stands_alone and last > first:
            yield from _split_sentences(text, first, last)
        if stands_alone:
            if any(map(str.isalnum, bare)):
                yield at, min(end, at + _MAX_CHARS)
            first = last = at + len(line)
        else:
            last = end
        at += len(line)
    if last > first:
        yield from _split_sentences(text, first, last)


def _split_sentences(text: str, first: int, last: int) -> Iterator[Span]:
    ends = [match.end() for match in _SENTENCE_END.finditer(text, first, last)]
    for end in (*ends, last):
        while end - first > _MAX_CHARS:
            yield first, first + _MAX_CHARS
            first += _MAX_CHARS
        if end - first >= _MIN_CHARS or (end == last and end > first):
            yield first, end
            first = end


def rank_texts(texts: Sequence[str], queries: Sequence[str], most: int) -> list[list[int]]:
    """Return for each query the positions of the texts that share its rarest words, best first.

    A word is found by its beginning, and a longer one within a word as well, as in a compound.
    """
    holding: dict[str, dict[int, None]] = {}
    for n, text in enumerate(texts):
        for word in _WORD.findall(text.casefold()):
            holding.setdefault(word, {})[n] = None
    found: dict[str, set[int]] = {}
    for stem in {stem for query in queries for stem in list_stems(query)}:
        is_long = len(stem) > MIN_WORD_CHARS
        words = [w for w in holding if w.startswith(stem) or (is_long and stem in w)]
        found[stem] = {n for word in words for n in holding[word]}
    return [_rank({s: found[s] for s in list_stems(query)}, len(texts), most) for query in queries]


def _rank(found: Mapping[str, set[int]], count: int, most: int) -> list[int]:
    scores: dict[int, float] = {}
    for texts in found.values():
        weight = math.log(1 + count / len(texts)) if texts else 0
        for n in texts:
            scores[n] = scores.get(n, 0) + weight
    return sorted(scores, key=lambda n: (-scores[n], n))[:most]


def _locate(claim: KnownClaim, pages: Mapping[int, CitedPage]) -> Iterator[tuple[int, Span]]:
    """Yield where a claim's quotes stand, widened to whole lines."""
    for number, start, end in claim.places:
        if number in pages and start >= 0:
            yield number, pages[number].widen(start, end)


def _collect(
    wanted: Sequence[Sequence[tuple[int, Span]]], pages: Mapping[int, CitedPage]
) -> PassagesFound:
    """Return the passages, each once, with as many of each line as there is room for."""
    numbers: dict[tuple[int, Span], int] = {}
    passages: list[PagePassage] = []
    by_line: list[list[int]] = [[] for _ in wanted]
    room = MAX_FOUND_CHARS
    for rank in range(max(map(len, wanted), default=0)):
        for line, places in enumerate(wanted):
            if rank >= len(places):
                continue
            place = places[rank]
            if place not in numbers:
                passage = _show(place[0], place[1], pages[place[0]])
                room -= len(passage.text) + len(passage.above)
                if room < 0:
                    return PassagesFound(passages=passages, by_line=by_line)
                numbers[place] = len(passages)
                passages.append(passage)
            if numbers[place] not in by_line[line]:
                by_line[line].append(numbers[place])
    return PassagesFound(passages=passages, by_line=by_line)


def _show(number: int, span: Span, page: CitedPage) -> PagePassage:
    start, end = span
    text = page.snapshot.text[start:end]
    start, end = start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))
    above = dict.fromkeys([page.find_heading(start), *page.find_headers(start, end)])
    told = [line for line in above if line and line not in text]
    return PagePassage(
        source=number, start=start, end=end, text=text.strip(), above=" / ".join(told)
    )
