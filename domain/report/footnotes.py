"""Footnotes of a report: each quote, computation and doubt once, by the number of its citations."""

from collections import Counter

from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.report.research import Report
from domain.report.inline import cite_source, escape_markdown
from domain.report.report_claims import list_claims

ENDS = frozenset(".!?…:;。！？…：；।؟۔”\"'")
"""Characters that end a sentence."""


MARKS = {"partly": "partly shown", "not_shown": "not shown", "contradicted": "contradicted"}
"""What a verdict is called; a supported claim carries no mark."""


class Footnotes:
    """Numbers what claims rest on, in the order in which they are rendered."""

    def __init__(self, report: Report, sources: list[Source]) -> None:
        self.cited: set[int] = set()
        """The numbers of the sources that are quoted."""
        self._sources = sources
        self._numbers: dict[str, int] = {}
        self._is_judged = report.claims_unjudged is not None
        claims = list_claims(report)
        counts = Counter(claim.id for claim in claims)
        self._named = {claim.id: claim for claim in claims if claim.id and counts[claim.id] == 1}

    def list_notes(self) -> list[str]:
        """Return the notes in the order of their numbers."""
        return list(self._numbers)

    def render_sentence(self, claim: Claim) -> str:
        """Return a claim as a sentence of a paragraph."""
        text = claim.text.rstrip()
        whole = text if text[-1:] in ENDS else f"{text}."
        return self.render_claim(claim.model_copy(update={"text": whole}))

    def render_claim(self, claim: Claim) -> str:
        """Return a claim with the numbers of its notes; what is no quote's word is marked."""
        quotes = self._quote(claim)
        asides = []
        if claim.kind == "concluded":
            basis = dict.fromkeys(mark for c in self._find_basis(claim) for mark in self._quote(c))
            asides.append(" ".join(["judgement", *(["from", *basis] if basis else [])]))
        if claim.working:
            working = f"Computed from {' '.join(quotes)}: {escape_markdown(claim.working)}"
            asides.append(f"computed {self._number(working)}")
        doubt = MARKS.get(claim.verdict or "", "")
        if claim.verdict is None and self._is_judged:
            doubt = "not judged"
        if doubt:
            reason = escape_markdown(claim.reason)
            note = self._number(f"{doubt.capitalize()}: {reason}") if reason else ""
            asides.append(f"{doubt} {note}".rstrip())
        marked = f"*({'; '.join(asides)})*" if asides else ""
        return " ".join(filter(None, [escape_markdown(claim.text), *quotes, marked]))

    def _quote(self, claim: Claim) -> list[str]:
        """Return the numbers of a claim's quotes."""
        marks = []
        for citation in claim.citations:
            number = citation.source
            self.cited.add(number)
            is_known = 0 < number <= len(self._sources)
            where = cite_source(self._sources[number - 1]) if is_known else f"source {number}"
            marks.append(self._number(f"“{escape_markdown(citation.quote)}” — {where}"))
        return list(dict.fromkeys(marks))

    def _find_basis(self, claim: Claim) -> list[Claim]:
        """Return the claims that a conclusion follows from, those of its own conclusions too."""
        found: dict[str, Claim] = {}
        left = list(claim.rests_on)
        while left:
            name = left.pop(0)
            if name not in found and name in self._named:
                found[name] = self._named[name]
                left += found[name].rests_on
        return list(found.values())

    def _number(self, note: str) -> str:
        return f"[{self._numbers.setdefault(note, len(self._numbers) + 1)}]"
