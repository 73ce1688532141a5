"""The text of a report's sections: paragraphs, lists and tables of sentences, and the sentences left for the appendix."""

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, repeat

from contracts.evidence.claims import BETWEEN_CELLS, Claim
from contracts.report.document import (
    Block,
    Callout,
    Column,
    DocumentHeading,
    ItemList,
    Paragraph,
    Remark,
    Sentence,
    Table,
)
from contracts.report.report import Report, Section
from contracts.words import say
from domain.report.claims.report_claims import list_claims
from domain.report.context import ReportContext
from domain.report.findings_for_writer import group_by_measure
from domain.report.parts.details import Details
from domain.report.parts.gap_lines import GapBlocks
from domain.report.parts.notes_and_marks import NoteBook
from domain.report.parts.paragraphs import split_paragraphs, split_parts, split_text

FIRST_WORDS = 8
"""Number of words by which the appendix names a sentence of the main part."""


class SectionText:
    """Builds sections in reading order, and keeps the sentences that it leaves out of them."""

    def __init__(
        self,
        report: Report,
        context: ReportContext,
        book: NoteBook,
        gap_lines: GapBlocks,
        opening: Section | None,
    ) -> None:
        self._report = report
        self._book = book
        self._gap_lines = gap_lines
        self._language = context.language
        self._is_whole = report.searches is None or report.has_findings
        table = None if report.searches is None else report.comparison
        self._details = Details(table, list_claims(report), context.sources)
        self._opens_with = {claim.key for claim in opening.claims} if opening else set[str]()
        """The keys of the claims in the opening, which no section repeats."""
        above = [part for part in report.sections if not part.is_detail]
        above += [opening] if opening else []
        self._told = {claim.text for part in above for claim in part.claims}
        """The sentences of the text and of the opening."""
        self._left: dict[str, list[Claim]] = {}
        """Sentences that the text leaves to the appendix, by heading."""

    def build_body(self, section: Section) -> Iterator[Block]:
        """Yield a section without the sentences that the table has, which are left for the appendix, or the opening."""
        new = [c for c in section.claims if not self._opens_with or c.key not in self._opens_with]
        part = section.model_copy(update={"claims": new})
        claims, leads, details = (new, (), ()) if self._is_whole else self._details.split(part)
        if details:
            self._left.setdefault(section.heading, []).extend(details)
        yield from self.build_section(part, claims, leads)
        if not claims and section.claims and not (section.account or section.remarks):
            yield Remark(text=say(self._language, "stands-in-table" if details else "stands-above"))

    def build_section(
        self, section: Section, claims: Sequence[Claim], leads: Sequence[str] = ()
    ) -> Iterator[Block]:
        """Yield a section's heading, its agent's account, claims as sentences or items, and its remarks."""
        yield DocumentHeading(text=section.heading)
        if lines := [line for line in section.account.splitlines() if line.strip()]:
            yield Callout(lines=lines)
        yield from self._build_claims(claims, leads, is_list=section.is_list)
        yield from self._gap_lines.build_remarks(section)

    def _build_claims(
        self,
        claims: Sequence[Claim],
        leads: Sequence[str] = (),
        *,
        is_list: bool = False,
        is_appendix: bool = False,
    ) -> Iterator[Block]:
        """Yield claims as paragraphs or as a numbered list."""
        built = [self._book.build_sentence(claim) for claim in claims]
        if is_appendix:
            built = [*map(self._name_told, claims, built)]
        sentences = [
            each.model_copy(update={"lead": lead}) if lead else each
            for each, lead in zip(built, leads or repeat(""), strict=False)
        ]
        if any(claim.part for claim in claims):
            yield from self._build_parts(claims, sentences)
            return
        if is_list and sentences:
            yield ItemList(is_ordered=True, items=sentences)
            return
        is_text = any(part.is_detail for part in self._report.sections)
        is_text = is_text or any(claim.opens for claim in claims)
        parts = split_text(claims) if is_text else split_paragraphs(claims, leads, self._details)
        for numbers in parts:
            yield Paragraph(sentences=[sentences[n] for n in numbers])

    def _build_parts(
        self, claims: Sequence[Claim], sentences: Sequence[Sentence]
    ) -> Iterator[Block]:
        """Yield a drafted text in its own paragraphs, lists and tables; what has no part joins the one before."""
        for (form, columns, label), parts in groupby(
            split_parts(claims), key=lambda part: (part[0].form, part[0].columns, part[0].label)
        ):
            if label:
                yield _introduce(label)
            blocks = [[sentences[n] for n in numbers] for _, numbers in parts]
            items = list(chain.from_iterable(blocks))
            match form:
                case "paragraph":
                    yield from (Paragraph(sentences=block) for block in blocks)
                case "row" if len(columns) > 1:
                    heads = [Column(label=label) for label in columns]
                    rows = [_split_row(item, len(columns)) for item in items]
                    yield Table(columns=heads, rows=rows)
                case _:
                    yield ItemList(is_ordered=form == "step", items=items)

    def build_details(self) -> Iterator[Block]:
        """Yield the sentences that the text left out, and those of detail sections, under their headings."""
        left = [*self._left.items()]
        left += [
            (part.heading, claims)
            for part in self._report.sections
            if part.is_detail and (claims := self._list_unsaid(part))
        ]
        if left:
            yield DocumentHeading(text=say(self._language, "details"))
        for heading, claims in left:
            yield DocumentHeading(level=3, text=heading)
            for measure, group in group_by_measure(claims).items():
                lead = f"{measure}:" if measure else ""
                leads = [lead, *[""] * (len(group) - 1)]
                yield from self._build_claims(group, leads, is_appendix=True)

    def _list_unsaid(self, part: Section) -> list[Claim]:
        """Return a detail section's claims; of what the text does not say, without those that it says to the letter.

        One on which the next rests stays, and is named by its beginning.
        """
        others = (each for each in self._report.sections if not each.is_beyond)
        said = {claim.text for each in others for claim in each.claims} if part.is_beyond else set()
        following = [*(claim.rests_on for claim in part.claims[1:]), []]
        pairs = zip(part.claims, following, strict=False)  # a section may have no claims
        return [claim for claim, bases in pairs if claim.text not in said or claim.id in bases]

    def _name_told(self, claim: Claim, sentence: Sentence) -> Sentence:
        """Return a sentence of the appendix that stands above to the letter as its first words."""
        if claim.text not in self._told:
            return sentence
        words = claim.text.split()
        if len(words) <= FIRST_WORDS:
            return sentence
        begins = " ".join(words[:FIRST_WORDS])
        text = say(self._language, "told-above", begins=begins)
        return sentence.model_copy(update={"text": text, "marks": [], "number": None, "edit": None})


def _introduce(label: str) -> Block:
    """Return the words above a list or table: before a colon they are a sentence, else a heading."""
    if label.endswith(":"):
        return Paragraph(sentences=[Sentence(text=label)])
    return DocumentHeading(level=3, text=label)


def _split_row(row: Sentence, count: int) -> list[Sentence | None]:
    """Return a drafted row's `count` cells, of which the last that has words carries its marks and notes."""
    *cells, last = map(_end_cell, row.text.split(BETWEEN_CELLS, count - 2))
    whole = row.model_copy(update={"text": last, "lead": ""})
    empty = [Sentence(text="")] * (count - 2 - len(cells))
    return [*(Sentence(text=text) for text in (row.lead.rstrip(":"), *cells)), whole, *empty]


def _end_cell(text: str) -> str:
    """Return a cell's words; a single sentence has no full stop there."""
    return text if ". " in text else text.removesuffix(".")
