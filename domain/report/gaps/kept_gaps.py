"""The lines on what was not found that a report keeps: researchers' gaps and what its plan does not hold, each said once."""

from collections.abc import Iterable, Sequence

from contracts.report.checks import Gap
from contracts.report.patches import Patch
from contracts.report.report import Report, Section
from domain.evidence.normal_forms import spell_words
from domain.report.claims.report_claims import list_claims
from domain.report.gaps.listed_gaps import list_gaps, list_lines


def keep_gaps(report: Report, gaps: Sequence[str], place: str) -> Report:
    """List the gaps that the report does not list yet, unchanged, under a heading of their own."""
    listed = (gap.line for gap in list_gaps(report))
    return _add_lines(report, list_new_lines(gaps, listed), place)


def list_new_lines(gaps: Iterable[str], listed: Iterable[str]) -> list[str]:
    """Return each line of the gaps once that none of the listed lines says in the same words."""
    found = {spell_words(line): "" for line in listed}
    for line in (line.strip() for gap in gaps for line in gap.splitlines()):
        found.setdefault(spell_words(line), line)
    return [*filter(None, found.values())]


def keep_not_held(report: Report, lines: Sequence[str], place: str) -> Report:
    """List what the plan expects no source to tell, but for lines that the report has to the letter."""
    listed = {gap.line for gap in list_gaps(report)}
    told = dict.fromkeys(" ".join(line.split()) for line in lines)
    return _add_lines(report, [line for line in told if line and line not in listed], place)


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
        lines = list_lines(section)
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
