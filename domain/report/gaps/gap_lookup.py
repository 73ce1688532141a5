"""What is looked up for lines on what was not found: phrases, passages that bear on them, and pages that nobody opened."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, zip_longest
from types import MappingProxyType

from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import FoundPage, Source
from contracts.report.additions import LookupHint
from contracts.report.checks import (
    Gap,
    LinePhrases,
    PagePassage,
    PassagesFound,
)
from contracts.report.patches import Patch
from domain.evidence.quotes import Span
from domain.sources.urls import compute_url_key
from domain.text_matching.word_stems import list_stems

MAX_MERGED_PHRASES = 12
"""Maximum number of phrases for a line that replaces several others; each of these contributes some."""
MAX_PHRASES, MAX_PHRASE_CHARS = 5, 200
"""Search phrases per line, and the length to which each is cut."""
MAX_PASSAGES, MAX_PASSAGES_CHARS = 3, 4_500
"""Limits of what the final editor is shown: passages per line, and characters of all passages."""
LINE_WORDS, PHRASE_WORDS = 1 / 3, 1 / 2
"""Minimum share of a line's words, or of one of its phrases' words, that a passage must contain.

Of tests/fixtures/not_found each line's decisive passage has more, and three of four other passages have less.
"""
MAX_UNOPENED = 10
"""Maximum number of unopened pages shown to the judge of gaps."""
MAX_HINTS = 12
"""Phrases that hints add to a line."""
ALIKE = 0.5
"""Part of a line's words that another has to have, to be sought by the same phrases."""
_WORD = re.compile(r"\w+")


def add_hints(gap: Gap, hints: Sequence[LookupHint]) -> Gap:
    """Return a gap with the phrases of the hints that its words touch."""
    found = [
        phrase
        for hint in hints
        if re.search(rf"\b(?:{hint.asked})", gap.line, re.IGNORECASE)
        for phrase in hint.phrases
    ]
    more = [*dict.fromkeys(phrase for phrase in found if phrase not in gap.phrases)][:MAX_HINTS]
    return gap.model_copy(update={"phrases": [*gap.phrases, *more]}) if more else gap


def phrase_gaps(gaps: Sequence[Gap], phrases: Sequence[LinePhrases]) -> list[Gap]:
    """Return gaps with the phrases in which a page may state what they miss, each once."""
    by_number: dict[int, list[str]] = {}
    for one in phrases:
        by_number.setdefault(one.line, []).extend(one.phrases)
    return [
        gap.model_copy(update={"phrases": _clean_phrases(by_number.get(n, []))})
        for n, gap in enumerate(gaps, start=1)
    ]


def reuse_phrases(
    gaps: Sequence[Gap], known: Sequence[Gap], patches: Sequence[Patch] = ()
) -> list[Gap]:
    """Give each gap the phrases of the known gaps that it replaces; fall back to the known gap with the most shared words.

    Words of a line that no replaced line has form a phrase of their own, which comes first.
    `known` holds the lines of one model call, at most `MAX_LINES`.
    """
    replaced = _list_replaced(patches)
    phrases = {gap.line: gap.phrases for gap in known}
    found = list[Gap]()
    for gap in gaps:
        before = replaced.get(gap.line, [])
        merged = [phrases.get(line, []) for line in before]
        added = _list_new_words(gap.line, before) if before else ""
        in_turn = filter(None, chain([added], chain.from_iterable(zip_longest(*merged))))
        own = [*dict.fromkeys(in_turn)][:MAX_MERGED_PHRASES]
        alike = None if own else find_alike(gap, known)
        own = own or (alike.phrases if alike else gap.phrases)
        found.append(gap.model_copy(update={"phrases": own}))
    return found


def _list_new_words(line: str, replaced: Sequence[str]) -> str:
    """Return the words of a line, in its order, that none of the lines that it replaces has."""
    known = list_stems(" ".join(replaced))
    return " ".join(w for w in _WORD.findall(line) if list_stems(w) - known)[:MAX_PHRASE_CHARS]


def _list_replaced(patches: Sequence[Patch]) -> dict[str, list[str]]:
    """Return the lines that new lines on what was not found say in other words, by the new ones."""
    replaced: dict[str, list[str]] = {}
    for patch in patches:
        before = {*patch.missing_before.splitlines()}
        for line in patch.missing.splitlines():
            if patch.replaces and line.strip() not in before:
                replaced.setdefault(line.strip(), []).extend(patch.replaces)
    return replaced


def find_alike(gap: Gap, known: Sequence[Gap]) -> Gap | None:
    """Return the known gap that has most of a gap's words, if it has half of them."""
    wanted = list_stems(gap.line)
    shares = [
        (len(wanted & list_stems(other.line)) / max(len(wanted), 1), other) for other in known
    ]
    share, alike = max(shares, key=lambda each: each[0], default=(0.0, gap))
    return alike if share >= ALIKE else None


def choose_passages(
    found: PassagesFound,
    gaps: Sequence[Gap],
    claims: Sequence[Claim],
    titles: Sequence[str] = (),
    shown: Mapping[int, Sequence[Span]] = MappingProxyType({}),
) -> list[list[PagePassage]]:
    """Return for each line the most relevant passages that no claim quotes, within the budget.

    A passage within what is `shown` of its page, by the numbers of the pages, is left out: its reader sees it there, and
    another passage that shares a line's words would seem to answer it.

    A passage has a third of the line's words, or half of the words of one of its phrases, without the words of
    its page's title: all passages of a page on a country are about that country. `titles` are those of the
    sources in their order. After the best one, passages of cited pages come first, since others are often about
    another subject.
    """
    subjects = dict(enumerate(map(list_stems, titles), start=1))
    cited = [citation for claim in claims for citation in claim.citations]
    sources = {citation.source for citation in cited}

    def prefer_cited(near: list[int]) -> list[int]:
        rest = sorted(near[1:], key=lambda n: found.passages[n].source not in sources)
        return [*near[:1], *rest][:MAX_PASSAGES]

    free = {
        n
        for n, part in enumerate(found.passages)
        if not any(c.source == part.source and overlaps(c, part) for c in cited)
        and not any(a <= part.start and part.end <= z for a, z in shown.get(part.source, ()))
    }
    ranked = [
        prefer_cited([n for n in near if n in free and _bears_on(gap, found.passages[n], subjects)])
        for gap, near in zip(gaps, found.by_line, strict=True)
    ]
    chosen: list[list[PagePassage]] = [[] for _ in ranked]
    room = MAX_PASSAGES_CHARS
    for rank in range(MAX_PASSAGES):
        for n, near in enumerate(ranked):
            part = found.passages[near[rank]] if rank < len(near) else None
            if part and near[rank] in free and len(part.text) <= room:
                free.discard(near[rank])
                room -= len(part.text)
                chosen[n].append(part)
    return chosen


def leave_out_shown(claims: Iterable[Claim], passages: Iterable[PagePassage]) -> list[Claim]:
    """Return the claims that go beyond the passages: all but those that state what the passages contain."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for part in passages:
        spans.setdefault(part.source, []).append((part.start, part.end))
    for each in spans.values():
        each.sort()

    def is_shown(source: int, at: int) -> bool:
        own = spans.get(source, [])
        before = bisect_right(own, at, key=lambda span: span[0])
        return before > 0 and at < own[before - 1][1]

    def says_more(claim: Claim) -> bool:
        places = claim.as_premise.places
        is_whole = claim.kind == "stated" and 0 < len(places) == len(claim.citations)
        return not (is_whole and all(is_shown(s, a) and is_shown(s, b - 1) for s, a, b in places))

    return [claim for claim in claims if says_more(claim)]


def _bears_on(gap: Gap, passage: PagePassage, subjects: Mapping[int, Set[str]]) -> bool:
    text = f"{passage.above} {passage.text}".casefold()
    subject = subjects.get(passage.source, frozenset())

    def has(wording: str, part: float) -> bool:
        stems = list_stems(wording)
        stems = stems - subject or stems
        return bool(stems) and sum(stem in text for stem in stems) >= part * len(stems)

    return has(gap.line, LINE_WORDS) or any(has(phrase, PHRASE_WORDS) for phrase in gap.phrases)


def _clean_phrases(phrases: Sequence[str]) -> list[str]:
    cut = (" ".join(phrase.split())[:MAX_PHRASE_CHARS] for phrase in phrases)
    return [*filter(None, dict.fromkeys(cut))][:MAX_PHRASES]


def choose_unopened(
    found: Iterable[FoundPage], sources: Sequence[Source], gaps: Sequence[Gap]
) -> list[FoundPage]:
    """Return pages that a search found and nobody opened, alternating between the gaps' best ones.

    A page is relevant to a gap by the words of its title, its snippet and its search; ties are broken by
    rank. Pages that share no word with any gap come last.
    """
    opened = {compute_url_key(source.url) for source in sources}
    left = [page for page in found if compute_url_key(page.url) not in opened]
    words = {page.url: list_stems(f"{page.title} {page.about} {page.query}") for page in left}

    def rank_for(wanted: set[str]) -> list[FoundPage]:
        bearing = [page for page in left if wanted & words[page.url]]
        return sorted(bearing, key=lambda page: (-len(wanted & words[page.url]), page.rank))

    wanted = (list_stems(" ".join((gap.place, gap.line, *gap.phrases))) for gap in gaps)
    in_turn = chain.from_iterable(zip_longest(*map(rank_for, wanted)))
    chosen = {page.url: page for page in in_turn if page}
    rest = sorted(left, key=lambda page: page.rank)
    return [*(chosen | {page.url: page for page in rest if page.url not in chosen}).values()][
        :MAX_UNOPENED
    ]


def overlaps(cited: Citation, part: PagePassage) -> bool:
    """Return whether a quote and a passage of the same page share characters."""
    return 0 <= cited.start < part.end and part.start < cited.end
