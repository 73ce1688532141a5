"""The lines of a report on what was not found, and what a check of them came to."""

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, chain, groupby, zip_longest
from types import MappingProxyType

from contracts.evidence.claims import Citation, Claim, RefusedClaim
from contracts.evidence.reasons import Reason
from contracts.evidence.sources import FoundPage, Source
from contracts.report.additions import LookupHint
from contracts.report.checks import (
    Gap,
    GapRuling,
    LinePhrases,
    PagePassage,
    PassagesFound,
    RefusedCell,
    Unanswered,
)
from contracts.report.patches import Patch
from contracts.report.report import Report, Section
from domain.evidence.claims import find_numbers, list_figures
from domain.evidence.figures.notation.dates import blank_dates
from domain.evidence.not_found import is_shorter_form, says_not_found
from domain.evidence.quotes import Span
from domain.report.changes.patches import build_grid
from domain.report.claims.report_claims import list_claims, list_placed, name_cell, replace_claims
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
Labels = Mapping[str, Claim | PagePassage | FoundPage]
"""What the judge of gaps may name, by label."""
MAX_HINTS = 12
"""Phrases that hints add to a line."""
WOULD_CHANGE = "what would change the conclusion"
"""The place of such lines."""
ALIKE = 0.5
"""Part of a line's words that another has to have, to be sought by the same phrases."""
TELLING_DIGITS = 4
"""Digits by which a figure is known again elsewhere."""
_WORD = re.compile(r"\w+")


def list_gaps(report: Report, listing: Container[str] = ()) -> list[Gap]:
    """Return a report's lines on what was not found, with the results of earlier checks.

    Include claims that only state a gap, unless a section has the same line, remarks under the headings
    in `listing`, and what would change the conclusion where it says that something was not found.
    """
    known = {(gap.place, gap.printed): gap for gap in report.gaps}
    lines = [
        (section.heading, line)
        for section in report.sections
        for line in dict.fromkeys(list_lines(section, section.heading in listing))
    ]
    listed = {line for _, line in lines}
    asked = [Gap(place=place, line=line) for place, line in lines]
    asked += (gap for gap in _read_sentences(report) if gap.line not in listed)
    changes = filter(says_not_found, report.would_change)
    asked += (Gap(place=WOULD_CHANGE, line=line) for line in changes)
    left = [known.get((gap.place, gap.line), gap) for gap in asked]
    return [*(gap for gap in report.gaps if not gap.printed), *left]


def _read_sentences(report: Report) -> Iterator[Gap]:
    """Yield the claims that only state a gap, those of a text with the sentence before, which may name their subject."""
    before, former = "", ""
    for place, row, claim in list_placed(report):
        if claim.kind == "not_found":
            after = before if place == former and not row else ""
            yield Gap(place=place, line=claim.text, after=after)
        before, former = claim.text, place


def list_lines(section: Section, is_listing: bool = False) -> list[str]:
    """Return a section's gaps, each line a question; of one that only lists what was not found, its remarks too."""
    lines = [line.strip() for line in section.missing.splitlines()]
    return [*filter(None, lines), *(section.remarks if is_listing else ())]


def apply_gaps(report: Report, gaps: Sequence[Gap]) -> Report:
    """Remove the lines and claims that a page answers after all, and add the results of the check to others.

    A cell that says that nothing was found counts as judged only if its line was checked.
    """
    claims = list_claims(report)
    texts = {line: g.printed for g in gaps for line in (g.line, g.printed)}
    rows = report.comparison.rows if report.comparison else ()
    cells = {cell.text for row in rows for cell in row.cells if cell and not cell.citations}
    unchecked = {gap.line for gap in gaps if gap.verdict is None} & cells

    def apply_claim(claim: Claim) -> Claim | None:
        if claim.kind != "not_found":
            return claim
        if (
            claim.text in unchecked and claim.is_supported
        ):  # the judge of sentences sees no such cell
            return claim.rule(None, Reason(code="judge-silent"))
        text = texts.get(claim.text, claim.text)
        return claim.model_copy(update={"text": text}) if text else None

    report = replace_claims(report, map(apply_claim, claims))
    printed = {(g.place, line): g.printed for g in gaps for line in (g.line, g.printed)}

    def apply(section: Section, lines: Sequence[str]) -> list[str]:
        kept = (printed.get((section.heading, line.strip()), line) for line in lines)
        return list(filter(None, kept))

    sections = [
        section.model_copy(
            update={
                "missing": "\n".join(apply(section, list_lines(section))),
                "remarks": apply(section, section.remarks),
            }
        )
        for section in report.sections
    ]
    changes = (printed.get((WOULD_CHANGE, line), line) for line in report.would_change)
    told = {"sections": sections, "gaps": list(gaps), "would_change": [*filter(None, changes)]}
    return report.model_copy(update=told)


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
        if not any(c.source == part.source and _overlap(c, part) for c in cited)
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


def rule_gaps(
    gaps: Sequence[Gap], rulings: Sequence[GapRuling], labels: Labels, *, is_searched: bool = True
) -> list[Gap]:
    """Apply a judge's rulings to gaps; the judge must name the passages that answer a line by label.

    A line stays unchecked if the judge skips it, calls it answered without naming a passage, or finds nothing
    while pages were not searched to their end. If it is partly answered, the remaining line must state no figure
    and no fact that the line does not.
    """
    by_number = {ruling.line: ruling for ruling in rulings}
    ruled = [
        _rule(gap, by_number[n], labels) if n in by_number else gap
        for n, gap in enumerate(gaps, start=1)
    ]
    is_open = (not is_searched and gap.verdict == "not_told" for gap in ruled)
    return [
        before if open_still else gap
        for before, gap, open_still in zip(gaps, ruled, is_open, strict=True)
    ]


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


def _rule(gap: Gap, ruling: GapRuling, labels: Labels) -> Gap:
    named = [labels[label] for label in dict.fromkeys(ruling.by) if label in labels]
    unopened = [part for part in named if isinstance(part, FoundPage)]
    if ruling.verdict == "not_opened" and unopened:
        return gap.model_copy(update={"verdict": "not_opened", "not_opened": unopened})
    if ruling.verdict in {"not_told", "not_opened"}:
        return gap.model_copy(update={"verdict": "not_told"})
    named = [part for part in named if not isinstance(part, FoundPage)]
    if not named:
        return gap
    told = [c for claim in named if isinstance(claim, Claim) for c in claim.citations]
    passages = [part for part in named if isinstance(part, PagePassage)]
    found = [
        Citation(
            source=part.source,
            quote=part.text,
            start=part.start,
            end=part.end,
            page=part.page,
            above=part.heads,
        )
        for part in passages
        if not any(c.source == part.source and _overlap(c, part) for c in told)
    ]
    left = ruling.left.strip()
    texts = (part.text for part in named if not isinstance(part, FoundPage))
    heads = (head for part in passages for head in (part.above, *part.heads))
    quotes = (citation.quote for citation in told)
    is_kept = (
        ruling.verdict == "partly"
        and spell_line(left) != spell_line(gap.line)
        and find_numbers(left) <= find_numbers(gap.line)
        and is_shorter_form(left, gap.line, " ".join((*texts, *heads, *quotes)))
    )
    kept = left if is_kept else ""
    return gap.model_copy(update={"verdict": ruling.verdict, "left": kept, "found": found})


def list_unanswered(
    report: Report, refused: Sequence[RefusedClaim], patches: Iterable[Patch] = ()
) -> list[Unanswered]:
    """Return the sections and rows of a report in which nothing is left of what was written.

    A row that its writer took out, by one of the `patches`, is no longer asked for.
    """
    grid = build_grid(report.comparison)
    dropped = {
        cell.row
        for patch in patches
        if not patch.is_ruling
        for cell in patch.cells
        if not cell.after
    } - grid.keys()
    rows = {name_cell(row, column): row for row, cells in grid.items() for column in cells}
    told = {section.heading for section in report.sections if section.claims}
    empty = {section.heading for section in report.sections} - told  # text and findings share one
    lost = [Unanswered(kind="section", name=one.place) for one in refused if one.place in empty]
    fallen = filter(None, (one.row or rows.get(one.place) for one in refused))
    lost += [
        Unanswered(kind="row", name=row)
        for row in fallen
        if row not in dropped and not any(grid.get(row, {}).values())
    ]
    return list({(one.kind, one.name): one for one in lost}.values())


def list_refused_cells(report: Report, refused: Sequence[RefusedClaim]) -> list[RefusedCell]:
    """Return the empty cells of a report for which something was written that did not hold, with the last reason."""
    reasons = {one.place: one.claim for one in refused if one.row}
    return [
        RefusedCell(row=row, column=column, reason=claim.reason, doubts=claim.doubts)
        for row, cells in build_grid(report.comparison).items()
        for column, cell in cells.items()
        if cell is None and (claim := reasons.get(name_cell(row, column)))
    ]


def list_found(report: Report) -> list[tuple[Citation, list[str]]]:
    """Return each passage that answers a line on what was missing, with the sections that lack it.

    What a claim quotes whole is left out, of a passage of several lines each such line, and so is a line with a figure
    that a claim quotes elsewhere: pages repeat their figures.
    """
    known = frozenset[str]()
    if any(gap.found for gap in report.gaps):
        quotes = (c.quote for claim in list_claims(report) for c in claim.citations)
        known = known.union(*map(_list_telling, dict.fromkeys(quotes)))
    cited: dict[int, list[tuple[int, int]]] = {}
    for claim in list_claims(report):
        for c in claim.citations:
            if c.start >= 0:
                cited.setdefault(c.source, []).append((c.start, c.end))
    starts = {source: sorted(start for start, _ in spans) for source, spans in cited.items()}
    ends = {
        source: [*accumulate((end for _, end in sorted(spans)), max)]
        for source, spans in cited.items()
    }
    """By source and start, the maximum end of all quotes up to each."""

    def is_cited(part: Citation) -> bool:
        before = bisect_right(starts.get(part.source, ()), part.start)
        is_quoted = before > 0 and part.end <= ends[part.source][before - 1]
        return is_quoted or not known.isdisjoint(_list_telling(part.quote))

    found: dict[tuple[int, int, int, str], tuple[Citation, list[str]]] = {}
    for gap in report.gaps:
        for part in gap.found:
            for left in _leave_out_cited(part, is_cited):
                key = (left.source, left.start, left.end, left.quote)
                found.setdefault(key, (left, []))[1].append(gap.place)
    return [(part, [*dict.fromkeys(places)]) for part, places in found.values()]


def _leave_out_cited(part: Citation, is_cited: Callable[[Citation], bool]) -> Iterator[Citation]:
    """Yield what a claim does not quote of a passage: each run of its lines that are not quoted whole."""
    if part.end - part.start != len(part.quote):  # its places are not those of its characters
        yield from [] if is_cited(part) else [part]
        return
    at = part.start
    lines = list[Citation]()
    for line in part.quote.splitlines(keepends=True):
        start = at + len(line) - len(line.lstrip())
        place = {"start": start, "end": start + len(line.strip())}
        lines.append(part.model_copy(update={**place, "quote": line.strip()}))
        at += len(line)
    for cited, run in groupby((line for line in lines if line.quote), key=is_cited):
        if not cited:
            left = [*run]
            first, last = left[0], left[-1]
            quote = part.quote[first.start - part.start : last.end - part.start]
            yield first.model_copy(update={"end": last.end, "quote": quote})


def _list_telling(text: str) -> set[str]:
    """Return the digits of a text's figures of several digits, without zeros at the ends: 11.526 billion is 11,526 million."""
    digits = (re.sub(r"[.,]", "", each).strip("0") for each in list_figures(blank_dates(text)))
    return {each for each in digits if len(each) >= TELLING_DIGITS}


def _overlap(cited: Citation, part: PagePassage) -> bool:
    return 0 <= cited.start < part.end and part.start < cited.end


def spell_line(text: str) -> set[str]:
    """Return the different words of a line."""
    return set(_WORD.findall(text.casefold()))
