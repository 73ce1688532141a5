"""The parts of private sources visible through a share link: the cited passages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from contracts.documents import PAGE_BREAK
from contracts.evidence.sources import Source
from contracts.report.report import Report
from domain.evidence.claims import find_claims

GAP = "[…]"
Passage = tuple[int, int]
"""Where a quote begins and ends in its source."""


def hide_document(source: Source) -> Source:
    """Remove the text of a user's document that a source's record repeats."""
    return (
        source.model_copy(update={"snippet": "", "sections": []}) if source.is_private else source
    )


def list_passages(report: Report) -> Mapping[int, list[Passage]]:
    """Return the cited passages of a report by the number of their source."""
    passages = defaultdict[int, list[Passage]](list)
    for claim in find_claims(report.model_dump(mode="json")):
        for citation in claim.citations:
            if citation.start >= 0:
                passages[citation.source].append((citation.start, citation.end))
    return passages


def keep_cited(text: str, passages: Iterable[Passage]) -> str:
    """Return a source's text with all but its cited passages blanked, each at its old offset."""
    shown, at = [], 0
    for start, end in sorted(passages):
        if start > at:
            shown.append(_blank(text[at:start]))
        shown.append(text[max(start, at) : end])
        at = max(at, end)
    if at < len(text):
        shown.append(GAP[: len(text) - at])
    return "".join(shown)


def _blank(text: str) -> str:
    """Return the sign of a gap, as long as a text, with its page breaks: quotes keep their offsets and pages."""
    first, *others = text.split(PAGE_BREAK)
    parts = [GAP[: len(first)].ljust(len(first)), *(" " * len(other) for other in others)]
    return PAGE_BREAK.join(parts)
