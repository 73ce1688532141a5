"""The claims of a report: the comparison's first, in reading order."""

from collections.abc import Iterable

from contracts.evidence.claims import Claim
from contracts.report.research import Report


def list_claims(report: Report) -> list[Claim]:
    """Return every claim of a report."""
    rows = report.comparison.rows if report.comparison else []
    compared = [claim for row in rows for claim in row.cells if claim]
    return compared + [claim for section in report.sections for claim in section.claims]


def list_sentences(report: Report) -> list[str]:
    """Return the sentence of each claim; a cell's figure stands with what it is said of."""
    compared = report.comparison
    cells = [
        f"{row.label}, {column}: {claim.text}"
        for row in (compared.rows if compared else [])
        for column, claim in zip(compared.columns if compared else [], row.cells, strict=True)
        if claim
    ]
    return cells + [claim.text for section in report.sections for claim in section.claims]


def replace_claims(report: Report, claims: Iterable[Claim]) -> Report:
    """Return a report with other claims in the places of its own."""
    left = iter(claims)
    table = report.comparison
    rows = [
        row.model_copy(update={"cells": [claim and next(left) for claim in row.cells]})
        for row in (table.rows if table else [])
    ]
    sections = [
        section.model_copy(update={"claims": [next(left) for _ in section.claims]})
        for section in report.sections
    ]
    comparison = table and table.model_copy(update={"rows": rows})
    return report.model_copy(update={"comparison": comparison, "sections": sections})


def find_last_source(report: Report) -> int:
    """Return the highest number of a source that a report cites; 0 if it cites none."""
    cited = (c.source for claim in list_claims(report) for c in claim.citations)
    return max(cited, default=0)
