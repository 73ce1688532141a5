"""What the holder of a share link sees of private sources: the passages that are cited."""

from contracts.documents import PAGE_BREAK
from contracts.evidence.sources import Source
from contracts.report.report import Report
from domain.evidence.claims import find_claims

GAP = "[…]"


def hide_document(source: Source) -> Source:
    """Return a source without the text that its record repeats of a user's own document."""
    return (
        source.model_copy(update={"snippet": "", "sections": []}) if source.is_private else source
    )


def keep_cited(text: str, number: int, report: Report) -> str:
    """Return a source's text with all but the cited passages blanked, each at its old offset."""
    cited = sorted(
        (citation.start, citation.end)
        for claim in find_claims(report.model_dump(mode="json"))
        for citation in claim.citations
        if citation.source == number and citation.start >= 0
    )
    shown, at = [], 0
    for start, end in cited:
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
