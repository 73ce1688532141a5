"""The lines on what was not found that a report keeps: researchers' gaps and what its plan does not hold, each said once."""

import math
import re
from collections.abc import Iterable, Sequence, Set
from itertools import chain, islice

from contracts.report.checks import Gap
from contracts.report.patches import Patch
from contracts.report.report import Report, Section
from domain.report.claims.claim_index import MAX_COMPARED
from domain.report.claims.report_claims import list_claims
from domain.report.gaps import list_gaps, spell_line, split_section
from domain.text_matching.word_stems import list_stems

TAKEN_OVER = 0.7
"""Share of a gap's words that a line needs in order to replace it, and all of its names and numbers."""
_NAME = re.compile(r"(?<=\s)\W{0,2}([A-ZÀ-ÖØ-Þ][\w’'-]*)")
"""A word with a capital that does not begin its line."""


def keep_gaps(report: Report, gaps: Sequence[str], place: str) -> Report:
    """List the gaps that no line of the report covers, unchanged, under a heading of their own.

    A line covers a gap if it has most of its words.
    """
    told = [line.strip() for gap in gaps for line in gap.splitlines()]
    return _add_lines(report, _read_lines(report).list_untold(told), place)


def keep_not_held(report: Report, lines: Sequence[str], place: str) -> Report:
    """List what the plan expects no source to tell, but for lines that the report has to the letter."""
    listed = {gap.line for gap in list_gaps(report)}
    told = dict.fromkeys(" ".join(line.split()) for line in lines)
    return _add_lines(report, [line for line in told if line and line not in listed], place)


def _read_lines(report: Report) -> "GapLines":
    return GapLines(gap.line for gap in list_gaps(report))


def _add_lines(report: Report, lines: Sequence[str], place: str) -> Report:
    """Return a report with further lines under a heading, which is added if it has none."""
    if not lines:
        return report
    sections = [*report.sections]
    at = next((n for n, each in enumerate(sections) if each.heading == place), len(sections))
    before = sections[at] if at < len(sections) else Section(heading=place)
    missing = "\n".join(filter(None, (before.missing, *lines)))
    sections[at : at + 1] = [before.model_copy(update={"missing": missing})]
    known = [*report.gaps, *(Gap(place=place, line=line) for line in lines)]
    return report.model_copy(update={"sections": sections, "gaps": known})


def leave_out_told(report: Report, patches: Sequence[Patch]) -> Report:
    """Remove the lines that a sentence or another section says in their place, as their writer named them.

    A line stays if that sentence or section is gone, or if the patch that wrote the section's line was reverted.
    """
    by = _list_tellers(report, patches)

    def leave_out(section: Section) -> Section:
        lines = split_section(report, section)
        own = () if section.is_detail else (section.heading,)
        kept = [line for line in lines if line not in by or by[line] in own]
        if len(kept) == len(lines):
            return section
        return section.model_copy(update={"missing": "\n".join(kept)})

    left = map(leave_out, report.sections)
    pairs = zip(report.sections, left, strict=True)
    sections = [new for old, new in pairs if new == old or new.is_written or new.missing]
    return report.model_copy(update={"sections": sections})


def _list_tellers(report: Report, patches: Sequence[Patch]) -> dict[str, str]:
    """Return the lines that something else says, each with the section that does; with "" if a sentence does."""
    undone = {patch.undoes for patch in patches}
    says = {s.heading for s in report.sections if s.missing.strip() and not s.is_detail}
    by = {
        line: patch.section
        for patch in patches
        for line in patch.replaces
        if patch.number not in undone and patch.section in says
    }
    told = (claim for claim in list_claims(report) if claim.not_found and claim.is_usable)
    return by | {line: "" for claim in told for line in claim.gaps}


class GapLines:
    """Lines on what was not found, which are looked up by their rarest words."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = [(list_stems(line), spell_line(line)) for line in dict.fromkeys(lines)]
        self._spelled = {frozenset(words) for _, words in self._lines}
        self._having: dict[str, list[int]] = {}
        """Maps a stem to the lines that contain it."""
        for n, (stems, _) in enumerate(self._lines):
            for stem in stems:
                self._having.setdefault(stem, []).append(n)

    def list_untold(self, gaps: Iterable[str]) -> list[str]:
        """Return the gaps that no line covers with most of their words, without duplicates."""
        return [gap for gap in dict.fromkeys(gaps) if gap and not self._takes_over(gap)]

    def _takes_over(self, gap: str) -> bool:
        spelled, wanted = spell_line(gap), list_stems(gap)
        if spelled in self._spelled:
            return True
        least = math.ceil(TAKEN_OVER * len(wanted))
        named = {word for name in _NAME.findall(gap) for word in spell_line(name)}
        own = {word for word in spelled if word.isdigit()} | named
        return bool(wanted) and any(
            len(stems & wanted) >= least and own <= words
            for stems, words in self._list_near(wanted, least)
        )

    def _list_near(self, wanted: Set[str], least: int) -> list[tuple[set[str], set[str]]]:
        """Return the lines that may share `least` of some stems: each has one of the rarest."""
        having = sorted((self._having.get(stem, []) for stem in wanted), key=len)
        found = chain.from_iterable(having[: len(wanted) - least + 1])
        return [self._lines[n] for n in dict.fromkeys(islice(found, MAX_COMPARED))]
