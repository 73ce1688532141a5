"""What became of findings that a human approved step by step: kept, reworded or left out of the report."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Report
from domain.evidence.sentences import end_sentence
from domain.report.claims.report_claims import list_claims

Outcome = Literal["kept", "reworded", "left_out"]


class Approved(NamedTuple):
    """An approved finding and what became of it."""

    finding: Claim
    outcome: Outcome
    sentence: str = ""
    """The report's sentence on the same passage or the finding itself; empty if it was left out."""


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
    index = _SentenceIndex(list_claims(report))
    seen: set[str] = set()
    steps: list[ApprovedStep] = []
    for step in report.approved:
        new = {claim.text: claim for claim in step.findings if claim.text not in seen}
        seen |= new.keys()
        found = [*map(index.follow, new.values())]
        steps.append(ApprovedStep(step.number, step.name, step.summary, found))
    return steps


class _Passage(NamedTuple):
    end: int
    text: str


class _SentenceIndex:
    """The sentences of a report by their words, by what they rest on, and by the passages that they cite."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._texts = {end_sentence(claim.text) for claim in claims}
        self._resting = {name: claim.text for claim in claims for name in claim.rests_on}
        self._quotes = {
            (c.source, c.quote): claim.text for claim in claims for c in claim.citations
        }
        places: dict[int, list[tuple[int, _Passage]]] = {}
        for claim in claims:
            for cited in claim.citations:
                if cited.start >= 0:
                    place = cited.start, _Passage(cited.end, claim.text)
                    places.setdefault(cited.source, []).append(place)
        self._passages = {source: _order(found) for source, found in places.items()}

    def follow(self, finding: Claim) -> Approved:
        """Return what became of a finding."""
        if end_sentence(finding.text) in self._texts:
            return Approved(finding, "kept", finding.text)
        if told := self._find(finding):
            return Approved(finding, "reworded", told)
        return Approved(finding, "left_out")

    def _find(self, finding: Claim) -> str:
        if finding.id in self._resting:
            return self._resting[finding.id]
        return next(filter(None, map(self._find_passage, finding.citations)), "")

    def _find_passage(self, cited: Citation) -> str:
        """Return a sentence that cites a passage overlapping this one; empty without one."""
        if same := self._quotes.get((cited.source, cited.quote)):
            return same
        starts, furthest = self._passages.get(cited.source, ([], []))
        before = bisect_left(starts, cited.end) if cited.start >= 0 else 0
        if before and furthest[before - 1].end > cited.start:
            return furthest[before - 1].text
        return ""


def _order(found: Iterable[tuple[int, _Passage]]) -> tuple[list[int], list[_Passage]]:
    """Return the starts of passages in order, and for each the passage so far that ends last."""
    ordered = sorted(found, key=lambda each: each[0])
    passages = [passage for _, passage in ordered]
    return [start for start, _ in ordered], [*accumulate(passages, _choose_last)]


def _choose_last(one: _Passage, other: _Passage) -> _Passage:
    return other if other.end > one.end else one
