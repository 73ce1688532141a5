"""Selects the passages for judging a line: all of a short page, the most relevant ones of a long page."""

import heapq
import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from itertools import zip_longest

from contracts.evidence.claims import CitablePage
from contracts.report.checks import MAX_WHOLE_CHARS, KnownClaim, PagePassage, PassagesFound
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot, Span
from domain.text_matching.word_stems import MIN_WORD_CHARS, list_stems

BEST, NEAR = 10, 2
"""Maximum number of passages for a line: the best by words, and those quoted by the nearest claims."""
MIN_FOUND_CHARS, LINE_CHARS, MAX_FOUND_CHARS = 6_000, 1_000, 30_000
"""Characters of the passages of longer pages together, more for many lines: the best of every line come first."""
SHORTEST_CHARS = 24_000
"""Characters of the shortest pages that are shown whole although not all pages are."""
MAX_PAGE_CHARS = 1_000_000
"""Characters of a page that are searched; of a longer one, no line counts as found nowhere."""
MAX_NEAR_CHARS = 600_000
"""Characters of pages that are searched for what is near a line, so that many long pages delay no judge."""
_MIN_CHARS, _MAX_CHARS = 120, 600
"""Sentences are joined up to the first length; a longer one is cut at the second."""
_MIN_CUT = 400
"""A long sentence is cut at a line end or a space after this many characters, if there is one."""
_WORD = re.compile(r"\w+")
_NAME_CHARS = 4
"""Letters of a name in a title, at least."""
_LIKENESS = 0.5
"""Part of the words of two titles that documents of one kind have in common, as reports of two companies do."""
_SPACE = re.compile(r"\s")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"”’)\]]{0,3}\s{1,9}|(?<=[。！？])")


Place = tuple[int, Span]
"""A page's number and a span of it."""


def search_pages(
    pages: Sequence[tuple[CitablePage, str]],
    lines: Sequence[Sequence[str]],
    claims: Sequence[KnownClaim],
) -> PassagesFound:
    """Return the passages that bear most on each line, of pages with their texts."""
    read = {page.number: CitedPage(page.title, Snapshot(text)) for page, text in pages}
    return find_passages(read, lines, claims)


def find_passages(
    pages: Mapping[int, CitedPage], lines: Sequence[Sequence[str]], claims: Sequence[KnownClaim]
) -> PassagesFound:
    """Return the passages of short pages, and for each line the passages that share its rarest words.

    A line comes with the phrases in which a page may state it; all wordings count equally.

    A line that names the subject of one of several similar documents gets no passages of the others. Passages
    quoted by the nearest claims are added, because they may be in another language than the line. Passages
    are ordered by page, so that short pages read as a whole.
    """
    places = _list_places(pages)
    texts = [pages[number].snapshot.text[start:end] for number, (start, end) in places]
    # Headings are shown above their passages instead of being ranked.
    titles = {number: page.title for number, page in pages.items()}
    others = [_find_others(line[0], titles) for line in lines]
    left_out = [{n for n, at in enumerate(places) if at[0] in each} for each in others]
    ranked = rank_texts(["" if t.startswith("#") else t for t in texts], lines, BEST, left_out)
    related = rank_texts([claim.text for claim in claims], lines, NEAR, [set()] * len(lines))
    wanted = [
        [
            *(places[n] for n in best),
            *(at for n in near for at in _locate(claims[n], places) if at[0] not in other),
        ]
        for best, near, other in zip(ranked, related, others, strict=True)
    ]
    whole = _choose_whole({number: page.snapshot.text for number, page in pages.items()})
    chosen = {place for place in places if place[0] in whole}
    chosen |= _choose(wanted, pages, chosen)
    order = sorted(chosen)
    numbers = {place: n for n, place in enumerate(order)}
    return PassagesFound(
        passages=[_show(number, span, pages[number]) for number, span in order],
        unsearched=[
            number
            for number, page in sorted(pages.items())
            if len(page.snapshot.text) > MAX_PAGE_CHARS
        ],
        by_line=[list(dict.fromkeys(numbers[p] for p in each if p in chosen)) for each in wanted],
    )


def find_near(
    pages: Mapping[int, CitedPage], lines: Sequence[str], most: int
) -> list[list[PagePassage]]:
    """Return for each line the passages that share its rarest words, or words of their page's title, best first.

    Of long pages only what agents were shown is searched, and of many pages the shortest ones, up to
    `MAX_NEAR_CHARS` together.
    """
    places = _list_shown_places(pages)
    texts = [pages[number].snapshot.text[slice(*span)] for number, span in places]
    titled = [
        f"{pages[number].title}\n{text}" for (number, _), text in zip(places, texts, strict=True)
    ]
    ranked = rank_texts(titled, [[line] for line in lines], most, [set()] * len(lines))

    def show(n: int) -> PagePassage:
        number, (start, end) = places[n]
        page = pages[number].snapshot.find_page(start)
        return PagePassage(source=number, start=start, end=end, text=texts[n].strip(), page=page)

    return [[*map(show, best)] for best in ranked]


def _list_shown_places(pages: Mapping[int, CitedPage]) -> list[Place]:
    """Return the passages of what agents were shown of pages, of the shortest ones while there is room."""
    shown = {
        number: list(page.snapshot.shown) or [(0, len(page.snapshot.text))]
        for number, page in pages.items()
    }
    sizes = {number: sum(end - start for start, end in spans) for number, spans in shown.items()}
    places, room = list[Place](), MAX_NEAR_CHARS
    for number in sorted(sizes, key=lambda n: (sizes[n], n)):
        room -= sizes[number]
        if room < 0:
            break
        text = pages[number].snapshot.text
        for first, last in shown[number]:
            places += [(number, (first + a, first + z)) for a, z in split_spans(text[first:last])]
    return places


def _find_others(line: str, titles: Mapping[int, str]) -> set[int]:
    """Return the documents that a line is not about, because it names the subject of a similar document.

    A name is a capitalized word that the similar document's title lacks, such as a company in the title of an
    annual report.
    """
    words = {n: {*_WORD.findall(title)} for n, title in titles.items()}
    said = {word for word in _WORD.findall(line) if word[0].isupper() and len(word) >= _NAME_CHARS}

    def is_alike(one: int, other: int) -> bool:
        common, all_words = words[one] & words[other], min(len(words[one]), len(words[other]))
        return one != other and len(common) >= _LIKENESS * max(all_words, 1)

    return {
        other
        for other in titles
        if any(
            is_alike(one, other)
            and said & words[one] - words[other]
            and not said & words[other] - words[one]
            for one in titles
        )
    }


def _list_places(pages: Mapping[int, CitedPage]) -> list[Place]:
    """Return the passages of pages without duplicates; a repeated passage belongs to the shortest page.

    A short passage is a duplicate only under the same heading of the same page; a table row never is, as its
    header differs.
    """
    places: dict[object, Place] = {}
    for number in sorted(pages, key=lambda n: (len(pages[n].snapshot.text), n)):
        page = pages[number]
        text = page.snapshot.text
        for span in split_spans(text[:MAX_PAGE_CHARS]):
            words = " ".join(text[slice(*span)].split())
            key: object = words
            if words.startswith("|"):
                key = (number, span)
            elif len(words) < _MIN_CHARS:
                key = (number, page.find_heading(span[0]), words)
            places.setdefault(key, (number, span))
    return sorted(places.values())


def _choose_whole(texts: Mapping[int, str]) -> set[int]:
    """Return the pages that are shown whole: all if they fit their room, else the shortest ones in a smaller room.

    Lines have phrases where not all pages fit, so that the passages that bear on them are found in the others.
    """
    fits = sum(map(len, texts.values())) <= MAX_WHOLE_CHARS
    whole, room = set(), MAX_WHOLE_CHARS if fits else SHORTEST_CHARS
    for number in sorted(texts, key=lambda n: (len(texts[n]), n)):
        room -= len(texts[number])
        if room < 0:
            break
        whole.add(number)
    return whole


def split_spans(text: str) -> Iterator[Span]:
    """Yield the spans of a text's passages: rows of tables, and sentences joined to a useful length.

    Together they are the whole text, as a judge must be able to be shown any of it; the passages of a search
    (`domain/retrieval/row_passages.py`) are chosen from single sentences instead.
    """
    first = at = last = 0
    for line in text.splitlines(keepends=True):
        bare, end = line.strip(), at + len(line.rstrip())
        stands_alone = not bare or bare.startswith(("|", "#"))
        if stands_alone and last > first:
            yield from _join_sentences(text, first, last)
        if stands_alone:
            if any(map(str.isalnum, bare)):
                yield from _cut_long(text, at, end)
            first = last = at + len(line)
        else:
            last = end
        at += len(line)
    if last > first:
        yield from _join_sentences(text, first, last)


def _join_sentences(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield sentences joined until they have `_MIN_CHARS`; one beyond `_MAX_CHARS` is cut."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text, first, last)]
    for end in (*ends, last):
        if end - first > _MAX_CHARS:
            *pieces, (first, _) = _cut_long(text, first, end)
            yield from pieces
        if end - first >= _MIN_CHARS or (end == last and end > first):
            yield first, end
            first = end


def _cut_long(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield the pieces of a long sentence or row, cut between lines, else between words."""
    while last - first > _MAX_CHARS:
        low, high = first + _MIN_CUT, first + _MAX_CHARS
        spaces = (space.end() for space in _SPACE.finditer(text, low, high))
        end = text.rfind("\n", low, high) + 1 or max(spaces, default=high)
        yield first, end
        first = end
    yield first, last


def rank_texts(
    texts: Sequence[str],
    lines: Sequence[Sequence[str]],
    most: int,
    left_out: Sequence[Set[int]],
) -> list[list[int]]:
    """Return for each line the positions of the most relevant texts, best first, without those in `left_out`.

    For each wording of a line, texts are ranked by the rare words they share. The best texts of each wording
    alternate, so that a poor wording displaces none of another's.
    """
    found = _find_stems(texts, {s for line in lines for query in line for s in list_stems(query)})
    return [
        _interleave(
            [
                _rank({s: found[s] - without for s in list_stems(query)}, len(texts), most)
                for query in line
            ],
            most,
        )
        for line, without in zip(lines, left_out, strict=True)
    ]


def _find_stems(texts: Sequence[str], stems: Set[str]) -> dict[str, set[int]]:
    """Return the positions of the texts that have a word of each stem.

    A word is found by its beginning, and a longer one within a word as well, as in a compound.
    """
    holding: dict[str, dict[int, None]] = {}
    for n, text in enumerate(texts):
        for word in _WORD.findall(text.casefold()):
            holding.setdefault(word, {})[n] = None
    words = "\n".join(["", *holding, ""])
    return {stem: {n for word in _list_words(words, stem) for n in holding[word]} for stem in stems}


def _list_words(words: str, stem: str) -> Iterator[str]:
    """Yield the words, of lines of one each, that begin with a stem, or have a longer one anywhere."""
    wanted = stem if len(stem) > MIN_WORD_CHARS else f"\n{stem}"
    at = words.find(wanted)
    while at >= 0:
        end = words.index("\n", at + 1)
        yield words[words.rindex("\n", 0, at + 1) + 1 : end]
        at = words.find(wanted, end)


def _rank(found: Mapping[str, set[int]], count: int, most: int) -> list[int]:
    scores: dict[int, float] = {}
    for texts in found.values():
        weight = math.log(1 + count / len(texts)) if texts else 0
        for n in texts:
            scores[n] = scores.get(n, 0) + weight
    return heapq.nsmallest(most, scores, key=lambda n: (-scores[n], n))


def _interleave(rankings: Sequence[Sequence[int]], most: int) -> list[int]:
    """Return the first items of some rankings, each ranking's best in turn."""
    turns = (n for turn in zip_longest(*rankings) for n in turn if n is not None)
    return [*dict.fromkeys(turns)][:most]


def _locate(claim: KnownClaim, places: Sequence[Place]) -> Iterator[Place]:
    """Yield the passages that contain a claim's quotes."""
    for source, first, last in claim.places:
        for number, (start, end) in places:
            if number == source and start < last and 0 <= first < end:
                yield number, (start, end)


def _choose(
    wanted: Sequence[Sequence[Place]], pages: Mapping[int, CitedPage], shown: Container[Place]
) -> set[Place]:
    """Return the further passages of each line that fit the budget."""
    chosen: set[Place] = set()
    told_once: set[tuple[int, str]] = set()
    room = min(max(MIN_FOUND_CHARS, LINE_CHARS * len(wanted)), MAX_FOUND_CHARS)
    for rank in range(max(map(len, wanted), default=0)):
        for place in (places[rank] for places in wanted if rank < len(places)):
            if place in chosen or place in shown:
                continue
            passage = _show(place[0], place[1], pages[place[0]])
            once = {(place[0], told) for told in (passage.above, passage.notice)} - told_once
            room -= len(passage.text) + sum(len(told) for _, told in once)
            if room < 0:
                return chosen
            chosen.add(place)
            told_once |= once
    return chosen


def _show(number: int, span: Span, page: CitedPage) -> PagePassage:
    start, end = span
    text = page.snapshot.text[start:end]
    start, end = start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))
    above = dict.fromkeys([page.find_heading(start), *page.heads.find_headers(start, end)])
    told = [line for line in above if line and line not in text]
    notices = dict.fromkeys([*page.find_notices(start, whole=True), *page.find_notices_below(end)])
    return PagePassage(
        source=number,
        start=start,
        end=end,
        text=text.strip(),
        above=" / ".join(told),
        heads=page.list_above(start, end),
        notice=" / ".join(notices),
        page=page.snapshot.find_page(start),
    )
