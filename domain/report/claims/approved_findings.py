"""What became of findings that a human approved step by step: kept, used or left out of the report."""

from typing import Literal, NamedTuple

from contracts.evidence.claims import Claim
from contracts.report.report import Report
from domain.evidence.sentences import end_sentence
from domain.report.claims.report_claims import list_claims

Outcome = Literal["kept", "used", "left_out"]
"""`kept`: a sentence has its exact text. `used`: the writer named its id for another sentence. `left_out`: neither."""


class Approved(NamedTuple):
    """An approved finding and what became of it."""

    finding: Claim
    outcome: Outcome
    sentence: str = ""
    """The finding itself, or the report's sentence that names it; empty if it was left out."""


class ApprovedStep(NamedTuple):
    """The findings of a step, each in the first step that has it."""

    number: int
    name: str
    summary: str
    findings: list[Approved]


def follow_approved(report: Report) -> list[ApprovedStep]:
    """Return what became of each finding that a human approved before the report was written."""
    if not report.approved:
        return []
    claims = list_claims(report)
    texts = {end_sentence(claim.text) for claim in claims}
    named = {name: claim.text for claim in reversed(claims) for name in claim.from_findings}
    seen: set[str] = set()
    steps: list[ApprovedStep] = []
    for step in report.approved:
        new = {claim.text: claim for claim in step.findings if claim.text not in seen}
        seen |= new.keys()
        found = [_follow(finding, texts, named) for finding in new.values()]
        steps.append(ApprovedStep(step.number, step.name, step.summary, found))
    return steps


def _follow(finding: Claim, texts: set[str], named: dict[str, str]) -> Approved:
    if end_sentence(finding.text) in texts:
        return Approved(finding, "kept", finding.text)
    if sentence := named.get(finding.id):
        return Approved(finding, "used", sentence)
    return Approved(finding, "left_out")
