"""The findings of a living report, as the writer of its text is shown them."""

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.report.report import Report


def list_findings(report: Report) -> list[Json] | None:
    """Return the findings of a report grouped by heading, or None if there are none.

    Each finding has its id, its text, the numbers of the pages it cites and, if it is only partly supported,
    the reason.
    """
    found: list[Json] = [
        {"heading": section.heading, "sentences": [*map(_show, section.claims)]}
        for section in report.sections
        if section.is_detail and section.claims
    ]
    return found or None


def _show(claim: Claim) -> Json:
    shown: Json = {"id": claim.id, "text": claim.text}
    shown["pages"] = [*dict.fromkeys(citation.source for citation in claim.citations)]
    return shown | ({"in_part": claim.reason} if claim.verdict == "partly" else {})
