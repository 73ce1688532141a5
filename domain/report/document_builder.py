"""Builds the document of a report: decides its order; `parts/` builds what stands there, `parts/notes_and_marks.py` numbers the notes."""

from collections.abc import Iterator, Sequence
from itertools import chain

from contracts.agents.calculations_and_charts import Artifact
from contracts.evidence.sources import Source
from contracts.notices import Notice, Told
from contracts.report import document as doc
from contracts.report.patches import TABLE
from contracts.report.price_table import UNCHOSEN
from contracts.report.report import Report, Section
from contracts.words import Language, say
from domain.evidence.sentences import end_sentence
from domain.report.claims.approved_findings import follow_approved
from domain.report.claims.report_claims import list_claims, promote_findings
from domain.report.context import ReportContext
from domain.report.formats.client_copy import leave_out_appendix
from domain.report.parts.answer import find_summary, split_opening
from domain.report.parts.approved_steps import build_approved_notice, build_approved_steps
from domain.report.parts.evidence import build_evidence, build_sources
from domain.report.parts.gap_lines import GapBlocks
from domain.report.parts.head import (
    build_opening,
    build_warnings,
    describe_facts,
    describe_limits,
    write_note,
)
from domain.report.parts.links import find_kept
from domain.report.parts.notes_and_marks import (
    NoteBook,
    capitalize,
    label_mark,
)
from domain.report.parts.section_text import SectionText
from domain.report.parts.source_links import describe_source
from domain.report.parts.tables import build_comparison, build_tables


def build_document(
    report: Report, context: ReportContext, head: doc.ReportHead | None = None
) -> doc.Document:
    """Build the document of a report. A report without `searches` is a draft, whose gaps may still be filled."""
    report = promote_findings(report)
    builder = _Builder(report, context, head)
    is_bare = head is not None and head.is_all
    summary = find_summary(head, report) if head else ""
    blocks = [] if is_bare else [*builder.build()]
    appendix = [] if is_bare else [*builder.build_appendix()]
    if summary and any(claim.edit for claim in list_claims(report)):
        blocks.insert(0, doc.Callout(title=say(context.language, "summary-before-edits")))
    titles = [source.title for source in context.sources]
    cited, others = build_sources(titles, builder.book, context.language)
    document = doc.Document(
        language=context.language,
        title=report.title,
        opening=builder.build_opening(summary) if head else [],
        summary=summary,
        blocks=[*blocks, *cited],
        appendix=[*appendix, *others, *builder.build_about()],
        notes=builder.book.notes,
        sources=[
            describe_source(number, source, _list_doubts(report, number, source, context.language))
            for number, source in enumerate(context.sources, start=1)
        ],
    )
    return document if context.has_appendix else leave_out_appendix(document)


def pin_notes(report: Report, context: ReportContext) -> Report:
    """Return a report that keeps the numbers of its notes whatever is edited in it."""
    builder = _Builder(promote_findings(report), context, None)
    for _ in chain(builder.build(), builder.build_appendix()):
        pass
    return report.model_copy(update={"note_order": builder.book.order})


def _list_doubts(report: Report, number: int, source: Source, language: Language) -> list[str]:
    """Return the warnings about a source; a report that is still being written shows none."""
    if report.searches is None:
        return []
    found = [*source.notes, *report.source_notes.get(number, [])]
    return [note.say(language) for note in found]


class _Builder:
    """Builds a report's blocks in reading order, so that notes are numbered by their first sentence."""

    def __init__(self, report: Report, context: ReportContext, head: doc.ReportHead | None) -> None:
        self.book = NoteBook(report, context)
        self._report = report
        self._context = context
        self._head = head
        self._language = context.language
        self._is_draft = report.searches is None
        self._is_copy = not context.has_appendix
        self._is_decided = report.opens_with_decision and not (report.changes or self._is_draft)
        codes = {note.code for note in report.notes if isinstance(note, Notice)}
        self._is_by_table = self._is_decided and UNCHOSEN not in codes
        self._warnings = build_warnings(head, context.language) if head else []
        self._approved = [] if self._is_draft else follow_approved(report)
        opening, sections = split_opening(report)
        if self._is_draft:
            opening, sections = None, [part for part in report.sections if not part.is_detail]
        self._opening, self._sections = opening, sections
        self._gap_lines = GapBlocks(report, context, self.book)
        self._text = SectionText(report, context, self.book, self._gap_lines, opening)

    def build_opening(self, summary: str) -> list[doc.Block]:
        """Return the head's blocks; the warnings of a report that opens with a decision follow that."""
        head = build_opening(self._head, summary, self._language) if self._head else []
        return head if self._is_decided else [*self._warnings, *head]

    def build(self) -> Iterator[doc.Block]:
        """Yield the main part: answer, table, sections, gaps and assumptions."""
        report, opening = self._report, self._opening
        yield from self._build_limits()
        urgent, quiet = self._split_notes()
        yield from self._build_decision(opening, [*report.losses, *urgent], quiet)
        yield from self._build_changes()
        yield from build_approved_notice(self._approved, self._language)
        if opening and not self._is_decided:
            yield from self._text.build_section(opening, opening.claims)
        if report.comparison:
            yield from build_comparison(report.comparison, self.book)
        notes = [section for section in self._sections if section.is_note]
        beside = [each for each in self._sections if each.is_beside_decision and self._is_decided]
        for section in (each for each in self._sections if each not in (*notes, *beside)):
            if section.is_written:
                yield from self._text.build_body(section)
            elif self._is_draft and not section.missing:
                yield doc.DocumentHeading(text=section.heading)
                yield doc.Remark(text=self._say("not-written"))
        yield from self._explain_marks()
        yield from self._build_list("would-change", report.would_change)
        if self._is_decided:
            yield from (doc.Remark(text=self._write(note)) for note in quiet)
        yield from self._build_exhibits()
        for section in notes:
            yield from self._text.build_body(section)
        if not self._says_gaps:
            yield from self._build_terms()

    def _build_terms(self) -> Iterator[doc.Block]:
        """Yield what was not found, what was assumed, and the caveats that are not among the report's notes or losses."""
        yield from self._gap_lines.build_list()
        yield from self._build_assumptions()
        report = self._report
        above = [*report.notes, *report.losses]
        caveats = dict.fromkeys(self._write(each) for each in report.caveats if each not in above)
        yield from self._build_list("caveats", [*caveats])

    @property
    def _says_gaps(self) -> bool:
        """Whether the text itself lists what its answer lacks, so that the other gaps go to the appendix."""
        claims = chain.from_iterable(part.claims for part in self._report.sections)
        return not self._is_copy and any(claim.part and claim.not_found for claim in claims)

    def _build_decision(
        self, opening: Section | None, urgent: Sequence[Told], quiet: Sequence[Told]
    ) -> Iterator[doc.Block]:
        """Yield a decision with what warns of it as one block; without one, each warning and note as a block."""
        if not (opening and self._is_decided):
            yield from (doc.Callout(title=self._write(each)) for each in (*urgent, *quiet))
            return
        yield from self._text.build_section(opening, opening.claims)
        if assumed := self.book.list_assumed(opening.claims):
            lead = f"{capitalize(label_mark('assumption', self._language))}:"
            yield doc.ItemList(items=[doc.Sentence(lead=lead, text=text) for text in assumed])
        yield from self._warnings
        if told := list(map(self._write, urgent)):
            yield doc.Callout(title=told[0], lines=told[1:])
        for section in (each for each in self._sections if each.is_beside_decision):
            yield from self._text.build_body(section)
        for exhibit in self._list_exhibits(is_beside=True):
            yield from self._build_exhibit(exhibit)

    def _explain_marks(self) -> Iterator[doc.Block]:
        """Yield what the notes of conclusions mean, in a copy also those of computations."""
        if self.book.has_conclusions or (self._is_copy and self.book.has_computations):
            in_copy = "conclusions-in-copy"
            if self.book.has_assumptions:
                in_copy = "conclusions-in-copy-starred"
            code = in_copy if self._is_copy else "conclusions-explained"
            yield doc.Remark(text=self._say(code))

    def _split_notes(self) -> tuple[list[Told], list[Told]]:
        """Return the notes that warn, then the others, without the one that the line on limits covers."""
        told = [n for n in self._report.notes if isinstance(n, str) or n.code != "searched-only"]
        urgent = [n for n in told if isinstance(n, Notice) and n.severity == "warning"]
        return [*urgent], [n for n in told if n not in urgent]

    def _build_limits(self) -> Iterator[doc.Block]:
        """Yield the day and what was searched in one line."""
        report = self._report
        limits = [n for n in report.notes if isinstance(n, Notice) and n.code == "searched-only"]
        if not self._is_draft and (report.unanswered or any(s.missing for s in report.sections)):
            limits.append(Notice.of("not-found-below"))
        offline, language = self._context.offline, self._language
        if told := describe_limits(self._head, limits, offline=offline, language=language):
            yield doc.Remark(text=told)

    def build_appendix(self) -> Iterator[doc.Block]:
        """Yield the appendix: other gaps of a text that says its own, sentences left out of it, uncited passages, evidence."""
        if self._says_gaps:
            yield from self._build_terms()
        yield from self._text.build_details()
        yield from build_approved_steps(self._approved, self._language, self.book.build_sentence)
        yield from self._gap_lines.build_passages()
        yield from build_evidence(self._report, self.book, self._language)

    def build_about(self) -> Iterator[doc.Block]:
        """Yield what the run took."""
        if self._head:
            yield doc.DocumentHeading(text=self._say("about"))
            yield doc.Remark(text=describe_facts(self._head, self._language))

    def _build_changes(self) -> Iterator[doc.Callout]:
        """Yield what a follow-up changed: new sentences by number, those that left in their words."""
        changes = self._report.changes
        if changes is None:
            return
        lines = []
        for part in changes.sections:
            place = self._say("changed-table") if part.section == TABLE else part.section
            lines += [self._say("changed-new", section=place, n=part.added)] if part.added else []
            lines += [self._say("changed-out", section=place, text=text) for text in part.removed]
        for remark in changes.unheeded:
            lines.append(self._say(f"changed-not-{remark.kind}", text=remark.sentence))
        yield doc.Callout(title=self._say("changed"), lines=lines or [self._say("changed-nothing")])

    def _say(self, code: str, **params: str | int) -> str:
        return say(self._language, code, **params)

    def _write(self, told: Told) -> str:
        return write_note(told, self._language)

    def _build_exhibits(self) -> Iterator[doc.Block]:
        exhibits = self._list_exhibits(is_beside=False)
        if not exhibits:
            return
        yield doc.DocumentHeading(text=self._say("exhibits"))
        if any(exhibit.is_account for exhibit in exhibits):
            yield doc.Remark(text=self._say("exhibits-unchecked"))
        for exhibit in exhibits:
            yield from self._build_exhibit(exhibit)

    def _list_exhibits(self, *, is_beside: bool) -> list[Artifact]:
        """Return the tables and charts that are shown next to the decision, or all others.

        If the report has no decision, or one by no cell of a table, none is shown next to it.
        """
        shown = set(self._report.exhibits)
        return [
            each
            for each in self._context.artifacts
            if each.id in shown
            and each.kind in {"table", "chart"}
            and (each.is_beside_decision and self._is_by_table) == is_beside
        ]

    def _build_exhibit(self, exhibit: Artifact) -> Iterator[doc.Block]:
        """Yield a chart, or the parts of a table with what explains it."""
        if exhibit.kind == "chart":
            name, kept = exhibit.name, find_kept(exhibit)
            yield doc.Exhibit(name=name, artifact=kept, remark=exhibit.note)
            return
        yield from build_tables(exhibit, self._language)
        yield from [doc.Remark(text=exhibit.note)] * bool(exhibit.note)

    def _build_list(self, code: str, items: Sequence[str]) -> Iterator[doc.Block]:
        if items:
            yield doc.DocumentHeading(text=self._say(code))
            yield doc.ItemList(items=[doc.Sentence(text=item) for item in items])

    def _build_assumptions(self) -> Iterator[doc.Block]:
        """Yield what was assumed, for the plan and in the text; a copy adds the assumptions that its sentences name.

        A row of a drafted table says in its place what of it is assumed.
        """
        texts = [assumed.say(self._language) for assumed in self._report.assumptions]
        written = (part.claims for part in self._report.sections if not part.is_detail)
        own = (c for c in chain.from_iterable(written) if c.kind == "assumed" and c.is_usable)
        sentences = [c.text for c in own if not (c.part and c.part.form == "row")]
        texts += [] if self._is_copy else sentences
        if texts or (self._is_copy and self.book.has_assumptions):
            items = [doc.Sentence(text=text) for text in dict.fromkeys(map(end_sentence, texts))]
            yield doc.DocumentHeading(text=self._say("assumed"))
            yield doc.ItemList(has_assumptions=True, items=items)
