"""The findings of a living report by the plan's measures, and as the writer of its text is shown them."""

from collections.abc import Sequence

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.report.report import Report
from domain.report.claims.report_claims import list_claims


def group_by_measure(claims: Sequence[Claim]) -> dict[str, list[Claim]]:
    """Return findings by the measure that they give; those of none come last, under an empty text."""
    groups: dict[str, list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: not claim.measure):
        groups.setdefault(claim.measure, []).append(claim)
    return groups


def list_findings(report: Report) -> list[Json] | None:
    """Return the findings of a report by measure and subject, or None if there are none.

    Those of one measure are listed together, in the subjects' order. Each finding has its id, its text, the numbers of
    the pages it cites and, if it is only partly supported, the reason.
    """
    details = [section for section in report.sections if section.is_detail]
    groups = {section.heading: group_by_measure(section.claims) for section in details}
    found: list[Json] = [
        {"measure": measure, "subject": subject, "sentences": [*map(_show, own[measure])]}
        for measure in group_by_measure([c for section in details for c in section.claims])
        for subject, own in groups.items()
        if measure in own
    ]
    return [{name: part for name, part in each.items() if part} for each in found] or None


def _show(claim: Claim) -> Json:
    shown: Json = {"id": claim.id, "text": claim.text}
    shown["pages"] = [*dict.fromkeys(citation.source for citation in claim.citations)]
    return shown | ({"in_part": claim.reason} if claim.verdict == "partly" else {})


def list_without_row(report: Report, measures: Sequence[str]) -> list[str]:
    """Return the measures with findings of which no cell of a report's comparison rests on one.

    A cell may rest on a finding by way of other sentences, or cite its passage: one that repeats a finding gets that in
    place of its id. A report without a comparison lacks no row.
    """
    claims = {claim.id: claim for claim in list_claims(report) if claim.id}
    rows = report.comparison.rows if report.comparison else []
    cells = [cell for row in rows for cell in row.cells if cell]
    cited = {(c.source, c.quote) for cell in cells for c in cell.citations}
    todo = [name for cell in cells for name in cell.rests_on]
    bases = set[str]()
    while todo:
        if (name := todo.pop()) in claims and name not in bases:
            bases.add(name)
            todo += claims[name].rests_on
    found = {claim.measure for claim in claims.values()}
    shown = {claims[name].measure for name in bases}
    shown |= {
        claim.measure
        for claim in claims.values()
        if any((c.source, c.quote) in cited for c in claim.citations)
    }
    return [each for each in measures if rows and each in found and each not in shown]
