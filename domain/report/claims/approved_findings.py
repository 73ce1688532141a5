"""What became of findings that a human approved step by step: kept, reworded, used otherwise or left out of the report."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Report
from domain.evidence.claims import find_numbers, list_figures
from domain.evidence.conclusions import REPEATED_WORDS
from domain.evidence.sentences import end_sentence
from domain.report.claims.report_claims import list_claims
from domain.text_matching.word_stems import list_stems

Outcome = Literal["kept", "reworded", "used", "left_out"]
"""`reworded`: a sentence on the same passage has all its figures or, without figures, half of its words. `used`: a
sentence cites its passage or rests on it, and does not."""

MAX_COMPARED = 32
"""Sentences on a passage that a finding is compared with; the nearest ones if there are more."""


class Approved(NamedTuple):
    """An approved finding and what became of it."""

    finding: Claim
    outcome: Outcome
    sentence: str = ""
    """The finding itself, or the report's sentence on its passage or from it; empty if it was left out."""


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
        self._resting: dict[str, list[str]] = {}
        self._quotes: dict[tuple[int, str], list[str]] = {}
        places: dict[int, list[tuple[int, _Passage]]] = {}
        for claim in claims:
            for name in claim.rests_on:
                self._resting.setdefault(name, []).append(claim.text)
            for cited in claim.citations:
                self._quotes.setdefault((cited.source, cited.quote), []).append(claim.text)
                if cited.start >= 0:
                    place = cited.start, _Passage(cited.end, claim.text)
                    places.setdefault(cited.source, []).append(place)
        self._passages = {source: _order(found) for source, found in places.items()}

    def follow(self, finding: Claim) -> Approved:
        """Return what became of a finding."""
        if end_sentence(finding.text) in self._texts:
            return Approved(finding, "kept", finding.text)
        told = [text for cited in finding.citations for text in self._list_citing(cited)]
        if same := next((text for text in told if _says_the_same(finding.text, text)), ""):
            return Approved(finding, "reworded", same)
        if used := [*told[:1], *self._resting.get(finding.id, [])[:1]]:
            return Approved(finding, "used", used[0])
        return Approved(finding, "left_out")

    def _list_citing(self, cited: Citation) -> Iterator[str]:
        """Yield sentences that cite the same quote, or a passage overlapping this one."""
        yield from self._quotes.get((cited.source, cited.quote), [])[:MAX_COMPARED]
        starts, passages, furthest = self._passages.get(cited.source, ([], [], []))
        before = bisect_left(starts, cited.end) if cited.start >= 0 else 0
        if before and furthest[before - 1].end > cited.start:
            yield furthest[before - 1].text
        for passage in passages[max(0, before - MAX_COMPARED) : before]:
            if passage.end > cited.start:
                yield passage.text


def _says_the_same(finding: str, sentence: str) -> bool:
    """Return whether a sentence has all figures of a finding or, if that has none, its years and half of its words."""
    if not find_numbers(finding) <= find_numbers(sentence):
        return False
    words = list_stems(finding)
    is_near = len(words & list_stems(sentence)) >= REPEATED_WORDS * len(words)
    return bool(list_figures(finding)) or is_near


_Passages = tuple[list[int], list[_Passage], list[_Passage]]


def _order(found: Iterable[tuple[int, _Passage]]) -> _Passages:
    """Return the starts of passages in order, the passages, and for each the one up to it that ends last."""
    ordered = sorted(found, key=lambda each: each[0])
    passages = [passage for _, passage in ordered]
    return [start for start, _ in ordered], passages, [*accumulate(passages, _choose_last)]


def _choose_last(one: _Passage, other: _Passage) -> _Passage:
    return other if other.end > one.end else one
