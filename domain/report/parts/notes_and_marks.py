"""Notes of a report: each quote, computation, basis and doubt once, numbered as they are first named."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.evidence.reasons import join_reasons
from contracts.media_types import PDF
from contracts.report.document import (
    LOOKS,
    Basis,
    Doubt,
    Mark,
    MarkCode,
    Note,
    Quote,
    Sentence,
    Working,
)
from contracts.report.report import Report
from contracts.words import Language, say, write_digits
from domain.evidence.sentences import points_back
from domain.report.changes.patches import build_grid
from domain.report.context import ReportContext
from domain.report.parts.source_links import find_page_address

ENDS = frozenset(".!?…:;。！？…：；।؟۔”\"'")
"""Characters that end a sentence."""
DOUBTS: dict[Verdict | None, MarkCode] = {
    "partly": "partly",
    "not_shown": "not_shown",
    "contradicted": "contradicted",
    None: "not_judged",
}
"""Mark codes by verdict. A supported claim has no mark."""
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_TIMES = re.compile(r"(?<!\*)\*(?!\*)")


class NoteBook:
    """Builds the sentences of a report, and numbers what they rest on in reading order.

    The notes that a note names come right behind it, so that footnotes have the same numbers.
    """

    def __init__(self, report: Report, context: ReportContext) -> None:
        self.notes: list[Note] = []
        self.cited: set[int] = set()
        """The numbers of the sources that are quoted."""
        self.names_sheets = False
        """Whether a quote is told to be on a page of a PDF."""
        self._sources = context.sources
        self._language = context.language
        self._numbers: dict[object, int] = {}
        self._is_judged = report.claims_unjudged is not None
        claims = [*_name_cells(report), *(c for part in report.sections for c in part.claims)]
        counts = Counter(claim.id for claim in claims)
        self._named = {claim.id: claim for claim in claims if claim.id and counts[claim.id] == 1}

    def build_sentence(self, claim: Claim) -> Sentence:
        """Return a claim as a sentence of a paragraph, with its end."""
        text = claim.text.rstrip()
        whole = text if text[-1:] in ENDS else f"{text}."
        return self.build_cell(claim.model_copy(update={"text": whole}))

    def build_cell(self, claim: Claim) -> Sentence:
        """Return a claim as it is written, with its quotes and marks."""
        quotes = [] if claim.working else self._number_quotes(claim)
        return Sentence(text=claim.text, notes=quotes, marks=list(self._mark(claim)))

    def _mark(self, claim: Claim) -> Iterator[Mark]:
        if claim.kind == "concluded":
            yield self.mark("judged", self._number_basis(claim))
        if claim.working:
            rests = claim.citations or claim.rests_on
            yield self.mark("computed" if rests else "assumed", self._number_working(claim))
        doubt = DOUBTS.get(claim.verdict)
        if doubt and (claim.verdict or self._is_judged):
            yield self.mark(doubt, self._number_doubt(doubt, self._tell_reason(claim)))

    def mark(self, code: MarkCode, note: int | None = None) -> Mark:
        """Return a mark with its label."""
        label = label_mark(code, self._language)
        return Mark(code=code, look=LOOKS[code], label=label, note=note)

    def build_quote(self, citation: Citation) -> Quote:
        """Return a quote; its source counts as cited."""
        number, page = citation.source, citation.page
        self.cited.add(number)
        is_known = 0 < number <= len(self._sources)
        is_paged = is_known and page is not None
        self.names_sheets |= is_paged and self._sources[number - 1].content_type == PDF
        return Quote(
            source=number,
            text=_part_cells(citation.quote),
            above=list(map(_part_cells, citation.above)),
            start=citation.start,
            end=citation.end,
            page=page,
            place=say(self._language, "page", n=page) if page is not None else "",
            address=find_page_address(number, self._sources[number - 1], page or 1)
            if is_paged
            else "",
        )

    def _number_quotes(self, claim: Claim) -> list[int]:
        """Return the numbers of a claim's quotes; the same passage has one."""
        quotes = list(map(self.build_quote, claim.citations))
        numbers = (
            self._number((q.source, q.text, q.page, q.lead), partial(_keep, q)) for q in quotes
        )
        return list(dict.fromkeys(numbers))

    def _number_working(self, claim: Claim) -> int:
        """Return the number of a computed figure's arithmetic, with the quotes it is from."""
        code: MarkCode = "computed" if claim.citations or claim.rests_on else "assumed"

        def build() -> Working:
            return Working(
                label=capitalize(label_mark(code, self._language)),
                expression=write_working(claim.working, self._language),
                quotes=self._number_quotes(claim),
            )

        return self._number(("working", claim.working, str(claim.citations)), build)

    def _number_basis(self, claim: Claim) -> int | None:
        """Return the number of the note that lists the premises of a conclusion, or None without premises."""
        basis = [self._named[name] for name in claim.rests_on if name in self._named]

        def build() -> Basis:
            sentences = [
                self.build_sentence(one).model_copy(update={"lead": self._name_source(one)})
                for one in basis
            ]
            return Basis(label=say(self._language, "basis"), sentences=sentences)

        return self._number(("basis", claim.text, *claim.rests_on), build) if basis else None

    def _name_source(self, claim: Claim) -> str:
        """Return the title of a claim's source if its first word points to a sentence that is not shown with it."""
        numbers = {citation.source for citation in claim.citations}
        if not points_back(claim.text) or len(numbers) != 1:
            return ""
        named = [source.title for n, source in enumerate(self._sources, 1) if n in numbers]
        return f"{named[0]}:" if named and named[0] else ""

    def _tell_reason(self, claim: Claim) -> str:
        """Return why a claim does not hold, in the report's language; as it was written where no code says it."""
        return join_reasons(claim.doubts, self._language) or claim.reason

    def _number_doubt(self, code: MarkCode, reason: str) -> int | None:
        label = capitalize(label_mark(code, self._language))
        doubt = Doubt(code=code, label=label, text=reason)
        return self._number((code, reason), partial(_keep, doubt)) if reason.strip() else None

    def _number(self, key: object, build: Callable[[], Note]) -> int:
        """Return a note's number, which comes before the numbers of those that it names itself."""
        if key not in self._numbers:
            self.notes.append(_PENDING)
            number = self._numbers[key] = len(self.notes)
            self.notes[number - 1] = build()
        return self._numbers[key]


_PENDING = Doubt(code="not_judged", label="", text="")
"""Holds the place of a note while the notes that it names are numbered."""


def _keep(note: Note) -> Note:
    return note


def _part_cells(text: str) -> str:
    """Return a passage as it is; of a table's rows the cells alone, without the bars around them."""
    rows = [line.strip() for line in text.splitlines()]
    if not all(row.startswith("|") and row.endswith("|") for row in rows):
        return text
    return " / ".join(row.strip("| ") for row in rows)


def write_working(working: str, language: Language) -> str:
    """Return arithmetic as a language writes it; where commas are decimal, semicolons part arguments."""
    told = _TIMES.sub("×", working)
    if language == "en":
        return told
    parted = told.replace(", ", "; ")
    return _DIGITS.sub(lambda number: write_digits(language, number[0]), parted)


def label_mark(code: MarkCode, language: Language) -> str:
    """Return the words of a mark."""
    return say(language, f"mark-{code}")


def capitalize(text: str) -> str:
    """Return a text that begins with a capital; the rest stays."""
    return text[:1].upper() + text[1:]


def _name_cells(report: Report) -> Iterator[Claim]:
    """Yield the claims of a report's comparison, each with its row and column."""
    for row, cells in build_grid(report.comparison).items():
        for column, claim in cells.items():
            if claim:
                yield claim.model_copy(update={"text": f"{row}, {column}: {claim.text}"})
