"""The claims of a report: the comparison's first, in reading order."""

from collections.abc import Iterable, Sequence

from contracts.evidence.claims import Claim
from contracts.report.research import Report


def list_claims(report: Report) -> list[Claim]:
    """Return every claim of a report."""
    rows = report.comparison.rows if report.comparison else []
    compared = [claim for row in rows for claim in row.cells if claim]
    return compared + [claim for section in report.sections for claim in section.claims]


def replace_claims(report: Report, claims: Iterable[Claim | None]) -> Report:
    """Return a report with other claims, or none, in the places of its own."""
    left = iter(claims)
    table = report.comparison
    rows = [
        row.model_copy(update={"cells": [claim and next(left) for claim in row.cells]})
        for row in (table.rows if table else [])
    ]
    sections = [
        section.model_copy(update={"claims": [new for _ in section.claims if (new := next(left))]})
        for section in report.sections
    ]
    comparison = table and table.model_copy(update={"rows": rows})
    return report.model_copy(update={"comparison": comparison, "sections": sections})


def withdraw_contradicted(report: Report, refused: Sequence[Claim]) -> Report:
    """Return a report without the claims that its sources contradict; they are listed as dropped.

    So are those that were refused before, unless a claim on the same passage was written after all.
    """
    claims = list_claims(report)
    held = [claim for claim in claims if claim.verdict != "contradicted"]
    passages = {(c.source, c.quote) for claim in held for c in claim.citations}
    gone = [claim for claim in claims if claim.verdict == "contradicted"]
    gone += [c for c in refused if not passages & {(q.source, q.quote) for q in c.citations}]
    dropped = {claim.text: claim for claim in (*report.dropped, *gone)}
    left = [None if claim.verdict == "contradicted" else claim for claim in claims]
    return replace_claims(report, left).model_copy(update={"dropped": list(dropped.values())})


def count_claims(report: Report, *, is_judged: bool) -> Report:
    """Return a report with the counts of its claims; without a judge none of them is unjudged."""
    claims = list_claims(report)
    unjudged = sum(claim.verdict is None for claim in claims)
    counts = {
        "claims_total": len(claims),
        "claims_unsupported": len(claims) - unjudged - sum(c.is_supported for c in claims),
        "claims_unjudged": unjudged if is_judged else None,
    }
    return report.model_copy(update=counts)


def find_last_source(report: Report) -> int:
    """Return the highest number of a source that a report cites; 0 if it cites none."""
    cited = (c.source for claim in list_claims(report) for c in claim.citations)
    return max(cited, default=0)
