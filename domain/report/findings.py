"""The findings of a living report, as the writer of its text is shown them."""

from collections.abc import Iterable, Sequence

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.report.report import Report


def list_findings(report: Report) -> list[Json] | None:
    """Return the findings of a report grouped by heading, or None if there are none.

    Each finding has its id and its text; a partly supported one ends with the reason in brackets.
    """
    found: list[Json] = [
        {"heading": section.heading, "sentences": [*map(_show, section.claims)]}
        for section in report.sections
        if section.is_detail and section.claims
    ]
    return found or None


def _show(claim: Claim) -> Json:
    doubt = f" [in part: {claim.reason}]" if claim.verdict == "partly" else ""
    return {"id": claim.id, "text": f"{claim.text}{doubt}"}


def list_quoted_pages(sources: Sequence[Source], claims: Iterable[Claim]) -> list[Json] | None:
    """Return the pages that sentences quote, each passage once, under the numbers by which they are cited."""
    quotes: dict[int, dict[str, None]] = {}
    for citation in (citation for claim in claims for citation in claim.citations):
        quotes.setdefault(citation.source, {})[citation.quote] = None
    return [
        {
            "source": number,
            "title": source.title,
            **({"published": source.published} if source.published else {}),
            "quotes": [*quotes[number]],
        }
        for number, source in enumerate(sources, start=1)
        if number in quotes
    ] or None
