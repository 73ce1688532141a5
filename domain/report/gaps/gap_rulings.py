"""Rulings of a judge on lines on what was not found, as they change the lines."""

import re
from collections.abc import Mapping, Sequence

from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import FoundPage
from contracts.report.checks import (
    Gap,
    GapRuling,
    PagePassage,
)
from domain.evidence.claims import find_numbers
from domain.evidence.not_found import is_shorter_form
from domain.report.gaps.gap_lookup import overlaps

Labels = Mapping[str, Claim | PagePassage | FoundPage]
"""What the judge of gaps may name, by label."""
_WORD = re.compile(r"\w+")


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
        if not any(c.source == part.source and overlaps(c, part) for c in told)
    ]
    left = ruling.left.strip()
    texts = (part.text for part in named if not isinstance(part, FoundPage))
    heads = (head for part in passages for head in (part.above, *part.heads))
    quotes = (citation.quote for citation in told)
    is_kept = (
        ruling.verdict == "partly"
        and _spell_line(left) != _spell_line(gap.line)
        and find_numbers(left) <= find_numbers(gap.line)
        and is_shorter_form(left, gap.line, " ".join((*texts, *heads, *quotes)))
    )
    kept = left if is_kept else ""
    return gap.model_copy(update={"verdict": ruling.verdict, "left": kept, "found": found})


def _spell_line(text: str) -> set[str]:
    """Return the different words of a line."""
    return set(_WORD.findall(text.casefold()))
