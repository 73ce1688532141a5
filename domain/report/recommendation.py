"""A recommendation as the opening of a report: what to do, for and against, and what limits it."""

from contracts.evidence.claims import Claim
from contracts.phases.generate import Recommendation
from contracts.report.research import Report, Section


def add_recommendation(said: Recommendation, report: Report) -> Report:
    """Return a report that opens with a recommendation."""
    first = [
        Section(heading=f"Decision: {said.action}", remarks=[*_terms(said)]),
        Section(heading="What speaks for it", claims=said.rationale, remarks=_none(said.rationale)),
        Section(heading="What speaks against it", claims=said.risks, remarks=_none(said.risks)),
    ]
    if said.what_would_change:
        first.append(Section(heading="What would change it", remarks=said.what_would_change))
    if said.caveats:
        first.append(Section(heading="What to bear in mind", remarks=said.caveats))
    notes = [*report.notes, *filter(None, [said.disclaimer])]
    return report.model_copy(update={"sections": [*first, *report.sections], "notes": notes})


def _terms(said: Recommendation) -> list[str]:
    return [f"Confidence: {said.confidence:.0%}", f"Horizon: {said.horizon}"]


def _none(claims: list[Claim]) -> list[str]:
    return [] if claims else ["Nothing that was read."]
