"""Footnotes of a report: each quote, computation and doubt once, by the number of its citations."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import Source
from contracts.report.research import Report
from domain.report.inline import cite_source, escape_markdown
from domain.report.patches import build_grid

ENDS = frozenset(".!?…:;。！？…：；।؟۔”\"'")
"""Characters that end a sentence."""

MARKS = {"partly": "partly shown", "not_shown": "not shown", "contradicted": "contradicted"}
"""What a verdict is called; a supported claim carries no mark."""
_TIMES = re.compile(r"(?<!\*)\*(?!\*)")


class Footnotes:
    """Numbers what claims rest on, in the order in which they are rendered."""

    def __init__(self, report: Report, sources: list[Source]) -> None:
        self.cited: set[int] = set()
        """The numbers of the sources that are quoted."""
        self._sources = sources
        self._notes: list[str] = []
        self._numbers: dict[str, int] = {}
        self._is_judged = report.claims_unjudged is not None
        claims = [*_tell_cells(report), *(c for part in report.sections for c in part.claims)]
        counts = Counter(claim.id for claim in claims)
        self._named = {claim.id: claim for claim in claims if claim.id and counts[claim.id] == 1}

    def list_notes(self) -> list[str]:
        """Return the notes in the order of their numbers."""
        return self._notes

    def render_sentence(self, claim: Claim) -> str:
        """Return a claim as a sentence of a paragraph."""
        text = claim.text.rstrip()
        whole = text if text[-1:] in ENDS else f"{text}."
        return self.render_claim(claim.model_copy(update={"text": whole}))

    def render_claim(self, claim: Claim) -> str:
        """Return a claim with the numbers of its notes; what is no quote's word is marked."""
        asides = []
        if claim.kind == "concluded":
            asides.append(f"judgement {self._note_basis(claim)}".rstrip())
        if claim.working:
            basis = "" if claim.citations or claim.rests_on else " from assumptions"
            asides.append(f"computed{basis} {self._note_working(claim)}")
        quotes = [] if claim.working else self._quote(claim)
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
        marks = (self._number(self.render_quote(citation)) for citation in claim.citations)
        return list(dict.fromkeys(marks))

    def render_quote(self, citation: Citation) -> str:
        """Return a quote with its source, which counts as cited."""
        number = citation.source
        self.cited.add(number)
        is_known = 0 < number <= len(self._sources)
        where = f"source {number}"
        if is_known:
            where = cite_source(number, self._sources[number - 1], citation.page)
        return f"“{escape_markdown(citation.quote)}” — {where}"

    def _note_working(self, claim: Claim) -> str:
        """Return the number of a computed figure's arithmetic, with the quotes it is from."""

        def tell() -> str:
            arithmetic = escape_markdown(_TIMES.sub("×", claim.working))
            quotes = self._quote(claim) or ([] if claim.rests_on else ["assumptions"])
            basis = f" from {' '.join(quotes)}" if quotes else ""
            return f"Computed{basis}: {arithmetic}"

        return self._number(f"{claim.working} {claim.citations}", tell)

    def _note_basis(self, claim: Claim) -> str:
        """Return the number of the sentences that a conclusion follows from; empty if none is there."""
        basis = [self._named[name] for name in claim.rests_on if name in self._named]

        def tell() -> str:
            return f"Judgement from: {' '.join(map(self.render_sentence, basis))}"

        return self._number(f"{claim.text} {claim.rests_on}", tell) if basis else ""

    def _number(self, note: str, tell: Callable[[], str] | None = None) -> str:
        """Return a note's number, which comes before the numbers of those that it names itself."""
        if note not in self._numbers:
            self._notes.append(note)
            number = self._numbers[note] = len(self._notes)
            if tell:
                self._notes[number - 1] = tell()
        return f"[{self._numbers[note]}]"


def _tell_cells(report: Report) -> Iterator[Claim]:
    """Yield the claims of a report's comparison, each with what it is about."""
    for row, cells in build_grid(report.comparison).items():
        for column, claim in cells.items():
            if claim:
                yield claim.model_copy(update={"text": f"{row}, {column}: {claim.text}"})
