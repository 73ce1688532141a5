"""The answer that opens a report, made of the report's own claims."""

from contracts.evidence.claims import Claim
from contracts.report.research import Report, Section

IN_SHORT = "In short"
MAX_CLAIMS = 5
FEW = 2
"""A report of so few sections needs nothing in short."""


def choose_answer(report: Report) -> Section | None:
    """Return the report's conclusions, then what its sections begin with; None if it opens so itself."""
    sections = [section for section in report.sections if section.claims]
    if len(sections) <= FEW or _sums_up(sections[0], sections[1:]):
        return None
    claims = [claim for section in sections for claim in section.claims if _stands(claim)]
    concluded = [claim for claim in claims if claim.kind == "concluded"]
    leading = [next(filter(_stands, section.claims), None) for section in sections]
    chosen = {claim.text: claim for claim in (*concluded, *leading) if claim}
    return Section(heading=IN_SHORT, claims=list(chosen.values())[:MAX_CLAIMS]) if chosen else None


def split_opening(report: Report) -> tuple[Section | None, list[Section]]:
    """Return the section that opens a report, before its comparison, and the others."""
    if report.answer:
        return report.answer, report.sections
    written = [section for section in report.sections if section.claims or section.remarks]
    return next(iter(written), None), [s for s in report.sections if s not in written[:1]]


def _stands(claim: Claim) -> bool:
    return claim.verdict in {None, "supported"}


def _sums_up(section: Section, others: list[Section]) -> bool:
    """Tell whether a section concludes, or says again what others say: its quotes stand there too."""
    concludes = any(claim.kind == "concluded" for claim in section.claims)
    return concludes or _list_quotes([section]) <= _list_quotes(others)


def _list_quotes(sections: list[Section]) -> set[tuple[int, str]]:
    claims = [claim for section in sections for claim in section.claims]
    return {(c.source, c.quote) for claim in claims for c in claim.citations}
