"""Builds the document of a report: the one place that decides its order; `parts/notes_and_marks.py` numbers the notes."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import chain, groupby, repeat

from contracts.documents import PAGE_BREAK
from contracts.evidence.claims import BETWEEN_CELLS, KINDS, Citation, Claim
from contracts.evidence.sources import Source
from contracts.notices import Notice, Told
from contracts.report import document as doc
from contracts.report.checks import Gap
from contracts.report.patches import TABLE
from contracts.report.report import Comparison, Report, Search, Section
from contracts.words import Language, say
from domain.evidence.sentences import end_sentence
from domain.report.claims.approved_findings import follow_approved
from domain.report.claims.report_claims import list_claims, promote_findings, take_text
from domain.report.context import ReportContext
from domain.report.findings_for_writer import group_by_measure
from domain.report.gaps import WOULD_CHANGE, list_found
from domain.report.parts.alike_lines import merge_alike
from domain.report.parts.answer import find_summary, split_opening
from domain.report.parts.approved_steps import build_approved_notice, build_approved_steps
from domain.report.parts.client_copy import leave_out_appendix
from domain.report.parts.details import Details
from domain.report.parts.head import (
    build_opening,
    build_warnings,
    describe_facts,
    describe_limits,
)
from domain.report.parts.links import find_kept
from domain.report.parts.notes_and_marks import (
    PLACE,
    NoteBook,
    capitalize,
    label_mark,
    part_cells,
)
from domain.report.parts.paragraphs import split_paragraphs, split_parts, split_text
from domain.report.parts.source_links import describe_source
from domain.report.parts.tables import build_tables, describe_columns, group_columns

QUIET: Set[doc.MarkCode] = {"judged", "judged_assumed", "assumed", "assumption"}
"""Marks that describe a cell without casting doubt on it."""


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
    cited, others = builder.list_read()
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
        self._warnings = build_warnings(head, context.language) if head else []
        self._is_unchecked = not any(gap.verdict for gap in report.gaps)
        self._fallen = {part.name for part in report.unanswered if part.kind == "section"}
        """The headings of sections in which no claim was supported."""
        self._gaps: dict[str, dict[str, Gap]] = {}
        """Checked lines on what was not found, by place and line."""
        for gap in report.gaps:
            self._gaps.setdefault(gap.place, {}).setdefault(gap.printed, gap)
        self._approved = [] if self._is_draft else follow_approved(report)
        table = None if self._is_draft else report.comparison
        self._details = Details(table, list_claims(report), context.sources)
        self._opens_with = set[str]()
        """The keys of the claims in the opening."""
        self._left: dict[str, list[Claim]] = {}
        """Sentences that the text leaves to the appendix, by heading."""

    def build_opening(self, summary: str) -> list[doc.Block]:
        """Return the head's blocks; the warnings of a report that opens with a decision follow that."""
        head = build_opening(self._head, summary, self._language) if self._head else []
        return head if self._is_decided else [*self._warnings, *head]

    def build(self) -> Iterator[doc.Block]:
        """Yield the main part: answer, table, sections, gaps and assumptions."""
        report = self._report
        opening, sections = split_opening(report)
        if self._is_draft:
            opening, sections = None, [part for part in report.sections if not part.is_detail]
        self._opens_with = {claim.key for claim in opening.claims} if opening else set()
        yield from self._build_limits()
        urgent, quiet = self._split_notes()
        yield from self._build_decision(opening, [*report.losses, *urgent], quiet)
        yield from self._build_changes()
        yield from build_approved_notice(self._approved, self._language)
        if opening and not self._is_decided:
            yield from self._build_section(opening, opening.claims)
        if report.comparison:
            yield from self._build_comparison(report.comparison)
        notes = [section for section in sections if section.is_note]
        for section in (each for each in sections if not each.is_note):
            if section.is_written:
                yield from self._build_body(section)
            elif self._is_draft and not section.missing:
                yield doc.DocumentHeading(text=section.heading)
                yield doc.Remark(text=self._say("not-written"))
        yield from self._explain_marks()
        yield from self._build_list("would-change", report.would_change)
        if self._is_decided:
            yield from (doc.Remark(text=self._write(note)) for note in quiet)
        yield from self._build_exhibits()
        for section in notes:
            yield from self._build_body(section)
        if not self._says_gaps:
            yield from self._build_terms()

    def _build_terms(self) -> Iterator[doc.Block]:
        """Yield what was not found, what was assumed, and the caveats that are not among the report's notes or losses."""
        yield from self._build_missing()
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
        yield from self._build_section(opening, opening.claims)
        if assumed := self.book.list_assumed(opening.claims):
            lead = f"{capitalize(label_mark('assumption', self._language))}:"
            yield doc.ItemList(items=[doc.Sentence(lead=lead, text=text) for text in assumed])
        yield from self._warnings
        if told := list(map(self._write, urgent)):
            yield doc.Callout(title=told[0], lines=told[1:])

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

    def _build_body(self, section: Section) -> Iterator[doc.Block]:
        """Yield a section without the sentences that the table has, which are left for the appendix, or the opening."""
        new = [c for c in section.claims if not self._opens_with or c.key not in self._opens_with]
        part = section.model_copy(update={"claims": new})
        is_whole = self._is_draft or self._report.has_findings
        claims, leads, details = (new, (), ()) if is_whole else self._details.split(part)
        if details:
            self._left.setdefault(section.heading, []).extend(details)
        yield from self._build_section(part, claims, leads)
        if not claims and section.claims and not (section.account or section.remarks):
            yield doc.Remark(text=self._say("stands-in-table" if details else "stands-above"))

    def build_appendix(self) -> Iterator[doc.Block]:
        """Yield the appendix: other gaps of a text that says its own, sentences left out of it, uncited passages, evidence."""
        if self._says_gaps:
            yield from self._build_terms()
        left = [*self._left.items()]
        left += [
            (part.heading, claims)
            for part in self._report.sections
            if part.is_detail and (claims := self._list_unsaid(part))
        ]
        if left:
            yield doc.DocumentHeading(text=self._say("details"))
        for heading, claims in left:
            yield doc.DocumentHeading(level=3, text=heading)
            for measure, group in group_by_measure(claims).items():
                lead = f"{measure}:" if measure else ""
                yield from self._build_claims(group, [lead, *[""] * (len(group) - 1)])
        yield from build_approved_steps(self._approved, self._language, self.book.build_sentence)
        yield from self._build_found()
        yield from self._build_evidence()

    def _list_unsaid(self, part: Section) -> list[Claim]:
        """Return a detail section's claims; of what the text does not say, without those that it says to the letter."""
        others = (each for each in self._report.sections if not each.is_beyond)
        said = {claim.text for each in others for claim in each.claims} if part.is_beyond else set()
        return [claim for claim in part.claims if claim.text not in said]

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
        """Return a text unchanged, a notice as a sentence."""
        if isinstance(told, str):
            return told
        return _finish(told.say(self._language))

    def _build_section(
        self, section: Section, claims: Sequence[Claim], leads: Sequence[str] = ()
    ) -> Iterator[doc.Block]:
        """Yield a section's heading, its agent's account, claims as sentences or items, and its remarks."""
        yield doc.DocumentHeading(text=section.heading)
        if lines := [line for line in section.account.splitlines() if line.strip()]:
            yield doc.Callout(lines=lines)
        yield from self._build_claims(claims, leads, is_list=section.is_list)
        yield from self._build_remarks(section)

    def _build_claims(
        self, claims: Sequence[Claim], leads: Sequence[str] = (), *, is_list: bool = False
    ) -> Iterator[doc.Block]:
        """Yield claims as paragraphs or as a numbered list."""
        built = map(self.book.build_sentence, claims)
        sentences = [
            each.model_copy(update={"lead": lead}) if lead else each
            for each, lead in zip(built, leads or repeat(""), strict=False)
        ]
        if any(claim.part for claim in claims):
            yield from self._build_parts(claims, sentences)
            return
        if is_list and sentences:
            yield doc.ItemList(is_ordered=True, items=sentences)
            return
        is_text = any(part.is_detail for part in self._report.sections)
        is_text = is_text or any(claim.opens for claim in claims)
        parts = split_text(claims) if is_text else split_paragraphs(claims, leads, self._details)
        for numbers in parts:
            yield doc.Paragraph(sentences=[sentences[n] for n in numbers])

    def _build_parts(
        self, claims: Sequence[Claim], sentences: Sequence[doc.Sentence]
    ) -> Iterator[doc.Block]:
        """Yield a drafted text in its own paragraphs, lists and tables; what has no part joins the one before."""
        for (form, columns, label), parts in groupby(
            split_parts(claims), key=lambda part: (part[0].form, part[0].columns, part[0].label)
        ):
            if label:
                yield doc.DocumentHeading(level=3, text=label.rstrip(" :"))
            blocks = [[sentences[n] for n in numbers] for _, numbers in parts]
            items = list(chain.from_iterable(blocks))
            match form:
                case "paragraph":
                    yield from (doc.Paragraph(sentences=block) for block in blocks)
                case "row" if len(columns) > 1:
                    heads = [doc.Column(label=label) for label in columns]
                    rows = [_split_row(item, len(columns)) for item in items]
                    yield doc.Table(columns=heads, rows=rows)
                case _:
                    yield doc.ItemList(is_ordered=form == "step", items=items)

    def _build_comparison(self, comparison: Comparison) -> Iterator[doc.Table]:
        """Yield the comparison; its claims stay whole, and all of its columns have one side."""
        build = self.book.build_cell
        for group in group_columns(len(comparison.columns) + 1):
            rows = [
                _join_marks(
                    doc.Sentence(text=row.label),
                    [
                        build(c, row.label)
                        if (c := row.cells[n - 1])
                        else self.book.build_empty(row.label, comparison.columns[n - 1])
                        for n in group[1:]
                    ],
                )
                for row in comparison.rows
            ]
            cells = [row.cells[n - 1] for row in comparison.rows for n in group[1:]]
            [labels] = describe_columns([""], [[row.label] for row in comparison.rows])
            [values] = describe_columns([""], [[_read_value(cell)] for cell in cells])
            columns = [
                values.model_copy(update={"label": comparison.columns[n - 1], "unit": ""})
                for n in group[1:]
            ]
            yield doc.Table(columns=[labels, *columns], rows=rows)

    def _build_exhibits(self) -> Iterator[doc.Block]:
        shown = set(self._report.exhibits)
        exhibits = [
            a for a in self._context.artifacts if a.id in shown and a.kind in {"table", "chart"}
        ]
        if not exhibits:
            return
        yield doc.DocumentHeading(text=self._say("exhibits"))
        if any(exhibit.is_account for exhibit in exhibits):
            yield doc.Remark(text=self._say("exhibits-unchecked"))
        for exhibit in exhibits:
            if exhibit.kind == "chart":
                name, kept = exhibit.name, find_kept(exhibit)
                yield doc.Exhibit(name=name, artifact=kept, remark=exhibit.note)
            else:
                yield from build_tables(exhibit, self._language)
                yield from [doc.Remark(text=exhibit.note)] * bool(exhibit.note)

    def _build_list(self, code: str, items: Sequence[str]) -> Iterator[doc.Block]:
        if items:
            yield doc.DocumentHeading(text=self._say(code))
            yield doc.ItemList(items=[doc.Sentence(text=item) for item in items])

    def _build_assumptions(self) -> Iterator[doc.Block]:
        """Yield what was assumed; a copy adds the assumptions that its sentences name."""
        if self._report.assumptions or (self._is_copy and self.book.has_assumptions):
            texts = [assumed.say(self._language) for assumed in self._report.assumptions]
            items = [doc.Sentence(text=end_sentence(text)) for text in texts]
            yield doc.DocumentHeading(text=self._say("assumed"))
            yield doc.ItemList(has_assumptions=True, items=items)

    def _build_missing(self) -> Iterator[doc.Block]:
        """Yield what was not found, as one list, and for empty sections the searches that failed or found nothing."""
        report = self._report
        gaps = [gap for section in report.sections for gap in self._list_gaps(section)]
        if not (gaps or report.unanswered):
            return
        yield doc.DocumentHeading(text=self._say("not-found"))
        if report.unanswered:
            names = ", ".join(part.name for part in report.unanswered)
            lost = doc.Sentence(lead=f"{self._say('unanswered')}:", text=names)
            gaps = [lost, *gaps]
        if self._is_unchecked and any(section.missing.strip() for section in report.sections):
            yield doc.Remark(text=self._say("gaps-unchecked"))
        is_empty = any(not (part.is_written or part.is_detail) for part in report.sections)
        searches = report.searches
        if searches and self._is_copy:  # the lines below cover searches without results
            searches = [search for search in searches if search.error] or None
        if is_empty and (told := describe_searches(searches, self._language)):
            yield doc.Remark(text=told)
        yield doc.ItemList(items=merge_alike(gaps))

    def _list_gaps(self, section: Section) -> Iterator[doc.Sentence]:
        lines = list(filter(None, map(str.strip, section.missing.splitlines())))
        yield from (self._build_gap(section.heading, line) for line in lines)
        is_left = section.is_detail or section.is_written or section.heading in self._fallen
        is_told = "" in self._gaps.get(
            section.heading, {}
        )  # its gap is described under another heading
        if not (self._is_draft or lines or is_left or is_told):
            yield doc.Sentence(lead=f"{section.heading}:", text=self._say("no-evidence"))

    def _build_gap(self, place: str, line: str) -> doc.Sentence:
        """Return a line on what was not found, with a mark if a page may answer it, answers a part, or it alone was not checked."""
        gap = self._gaps.get(place, {}).get(line)
        if gap and gap.verdict == "not_opened":
            return doc.Sentence(text=line, marks=[self._mark_unopened(gap)])
        verdict = gap.verdict if gap else None
        is_shortened = bool(gap and gap.printed != gap.line)
        if verdict in {"told", "not_told"} or is_shortened or self._is_unchecked:
            return doc.Sentence(text=line)
        code: doc.MarkCode = "gap_partly" if verdict == "partly" else "gap_unchecked"
        left = self._say("gap-left", text=gap.left) if gap and gap.left else ""
        return doc.Sentence(text=line, marks=[self.book.mark_doubt(code, left)])

    def _mark_unopened(self, gap: Gap) -> doc.Mark:
        """Return the mark of a gap that an unopened page may fill, with the URLs of such pages."""
        pages = (
            f"{page.title} ({page.url})" if page.title else page.url for page in gap.not_opened
        )
        return self.book.mark_doubt("not_opened", "; ".join(pages))

    def _build_remarks(self, section: Section) -> Iterator[doc.Block]:
        """Yield a section's remarks; those that state a gap are marked like gaps."""
        listed = self._gaps.get(section.heading, {})
        if self._is_unchecked and not listed.keys().isdisjoint(section.remarks):
            yield doc.Remark(text=self._say("gaps-unchecked"))
        if section.remarks:
            yield doc.ItemList(
                items=[
                    self._build_gap(section.heading, line)
                    if line in listed
                    else doc.Sentence(text=line)
                    for line in section.remarks
                ]
            )

    def _build_found(self) -> Iterator[doc.Block]:
        """Yield the passages that answer lines of a "not found" list, with the sections that lack them."""
        if found := list_found(self._report):
            yield doc.DocumentHeading(text=self._say("found-unused"))
            yield doc.QuoteList(quotes=[self._build_answer(*one) for one in found])

    def _name_place(self, place: str) -> str:
        return self._say("would-change") if place == WOULD_CHANGE else place

    def _build_answer(self, passage: Citation, places: Sequence[str]) -> doc.Quote:
        breaks = passage.quote.count(PAGE_BREAK)
        place, address = self.book.place_passage(passage.source, passage.page, breaks)
        return doc.Quote(
            text=part_cells(passage.quote),
            above=list(map(part_cells, passage.above)),
            place=place,
            address=address,
            remark=", ".join(self._say("bears-on", place=self._name_place(p)) for p in places),
            **passage.model_dump(include=PLACE),
        )

    def _build_evidence(self) -> Iterator[doc.Block]:
        notes = self.book.build_notes()
        yield doc.DocumentHeading(text=self._say("evidence"))
        yield doc.Remark(text=" ".join(self._describe_evidence()))
        if edited := sum(claim.edit is not None for claim in list_claims(self._report)):
            yield doc.Remark(text=self._say("edited-count", n=edited))
        if any(section.account for section in self._report.sections):
            yield doc.Remark(text=self._say("accounts"))
        if self.book.names_sheets:
            yield doc.Remark(text=self._say("sheets"))
        if notes:
            yield doc.NoteList()

    def _describe_evidence(self) -> Iterator[str]:
        """Yield how many claims are marked, and how many the judge left unjudged if there was one."""
        report = self._report
        total, bad, left = report.claims_total, report.claims_unsupported, report.claims_unjudged
        if report.searches is None:
            yield self._say("draft" if self.book.notes else "draft-empty")
        elif not total:
            yield self._say("no-claims")
        else:
            share = round(100 * bad / total)
            code = "claims-marked" if bad else "claims-found"
            yield self._say(code, n=total, bad=bad, share=share)
            if left is not None:
                code = "judged-none" if left == total else "judged-some" if left else "judged-all"
                yield self._say(code, left=left, share=round(100 * left / total))
            yield self._write(self._count_kinds())

    def _count_kinds(self) -> Notice:
        """Return how many claims are quoted, computed, judgements, assumptions, and about what was not found."""
        claims = list_claims(take_text(self._report))
        counts = Counter("computed" if claim.working else claim.kind for claim in claims)
        kinds = [
            Notice.of(f"claims-{kind}", "info", n=counts[kind]) for kind in KINDS if counts[kind]
        ]
        return Notice.of("claims-by-kind", "info", kinds=kinds)

    def list_read(self) -> tuple[list[doc.Block], list[doc.Block]]:
        """Return the cited sources in order of citation, then the other pages read, by title.

        The sources' own order only reflects which agent read a page first.
        """
        sources = self._context.sources
        cited = [number for number in self.book.cited if 0 < number <= len(sources)]
        others = [number for number in range(1, len(sources) + 1) if number not in self.book.cited]
        others.sort(key=lambda number: sources[number - 1].title)
        shown = doc.SourceList(numbers=cited)
        none = doc.Remark(text=self._say("no-page-cited"))
        read: list[doc.Block] = []
        if others:
            read = [
                doc.DocumentHeading(text=self._say("also-read")),
                doc.SourceList(numbers=others),
            ]
        return [doc.DocumentHeading(text=self._say("sources")), shown if cited else none], read


def _finish(words: str) -> str:
    """Return words as a sentence, with a capital and an end."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "”", "“")) else ".")


def _join_marks(
    label: doc.Sentence, cells: Sequence[doc.Sentence | None]
) -> list[doc.Sentence | None]:
    """Return a row; quiet marks that all of its cells with data share are moved to its label."""
    empty = {"not_found", "refused"}
    told = [c for c in cells if c and not any(mark.code in empty for mark in c.marks)]
    marks = [[mark for mark in cell.marks if mark.label] for cell in told]
    is_shared = len(told) > 1 and all(each == marks[0] for each in marks)
    if not (is_shared and marks[0] and {mark.code for mark in marks[0]} <= QUIET):
        return [label, *cells]
    shown = [mark.model_copy(update={"look": "plain"}) for mark in marks[0]]
    quiet = (_hide_labels(cell) if cell and cell in told else cell for cell in cells)
    return [label.model_copy(update={"marks": shown}), *quiet]


def _split_row(row: doc.Sentence, count: int) -> list[doc.Sentence | None]:
    """Return a drafted row's `count` cells, of which the last that has words carries its marks and notes."""
    *cells, last = map(_end_cell, row.text.split(BETWEEN_CELLS, count - 2))
    whole = row.model_copy(update={"text": last, "lead": ""})
    empty = [doc.Sentence(text="")] * (count - 2 - len(cells))
    return [*(doc.Sentence(text=text) for text in (row.lead.rstrip(":"), *cells)), whole, *empty]


def _end_cell(text: str) -> str:
    """Return a cell's words; a single sentence has no full stop there."""
    return text if ". " in text else text.removesuffix(".")


def _hide_labels(sentence: doc.Sentence) -> doc.Sentence:
    """Return a sentence that its marks colour, without their words."""
    marks = [mark.model_copy(update={"label": ""}) for mark in sentence.marks]
    return sentence.model_copy(update={"marks": marks})


def _read_value(cell: Claim | None) -> str:
    """Return the text of a cell that has a value; a cell without data does not affect its column."""
    return cell.text if cell and cell.kind != "not_found" else ""


def name_column(column: doc.Column) -> str:
    """Return the head of a column, with the unit of its figures."""
    return f"{column.label} ({column.unit})" if column.unit else column.label


def describe_searches(searches: list[Search] | None, language: Language) -> str:
    """Describe the searches that failed or found nothing, or that none was made; empty for drafts and full success."""
    if searches is None:
        return ""
    if not searches:
        return say(language, "no-search")
    failed = [(search, search.error) for search in searches if search.error]
    empty = [search for search in searches if not search.hits and not search.error]
    told = []
    if failed:
        queries = _join_queries([search for search, _ in failed], language)
        told.append(say(language, "searches-failed", error=failed[0][1], queries=queries))
    if empty:
        told.append(say(language, "searches-empty", queries=_join_queries(empty, language)))
    return " ".join(told)


def _join_queries(searches: list[Search], language: Language) -> str:
    return ", ".join(say(language, "quoted", text=search.query) for search in searches)
