"""Builds the document of a report: the one place that decides its order, marks and notes."""

import re
from collections.abc import Iterator, Sequence
from math import ceil

from contracts.agents.workbench import Artifact
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import Source
from contracts.notices import Told
from contracts.report import document as doc
from contracts.report.checks import Gap
from contracts.report.patches import TABLE
from contracts.report.report import Comparison, Report, Search, Section
from contracts.words import Language, say, write_digits
from domain.report.context import ReportContext
from domain.report.gaps import list_found
from domain.report.parts.alike_lines import merge_alike
from domain.report.parts.answer import find_summary, split_opening
from domain.report.parts.head import build_opening
from domain.report.parts.links import is_kept
from domain.report.parts.notes_and_marks import NoteBook
from domain.report.parts.source_links import describe_source
from domain.report.parts.tables import describe_columns, strip_units
from domain.report.report_claims import list_claims

ARTIFACTS = "artifacts"
"""Path of an artifact's link: below the run's address, or beside the saved report."""
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(\.\d+)?")
"""A number as tables of ours keep it."""
MAX_COLUMNS = 12
"""Limit of a page: a wider table goes on in a further one, with its first column again."""
PARAGRAPH_CHARS, TOPIC_CHARS = 500, 200
"""A paragraph so long ends before the next sentence; a lone sentence so long on its sources stands for itself."""


def build_document(
    report: Report, context: ReportContext, head: doc.ReportHead | None = None
) -> doc.Document:
    """Return the document of a report; one without `searches` is a draft: what it lacks may still come."""
    builder = _Builder(report, context)
    is_bare = head is not None and head.is_all
    summary = find_summary(head.answer, report) if head else ""
    blocks = list(builder.list_read() if is_bare else builder.build())
    if summary and any(claim.edit for claim in list_claims(report)):
        blocks.insert(0, doc.Callout(title=say(context.language, "summary-before-edits")))
    return doc.Document(
        language=context.language,
        title=report.title,
        opening=build_opening(head, summary, context.language) if head else [],
        summary=summary,
        blocks=blocks,
        notes=builder.book.notes,
        sources=[
            describe_source(number, source, _list_doubts(report, number, source, context.language))
            for number, source in enumerate(context.sources, start=1)
        ],
    )


def _list_doubts(report: Report, number: int, source: Source, language: Language) -> list[str]:
    """Return what speaks against a source; nothing in a draft."""
    if report.searches is None:
        return []
    found = [*source.notes, *report.source_notes.get(number, [])]
    return [note.say(language) for note in found]


class _Builder:
    """Builds the blocks of one report, in their order."""

    def __init__(self, report: Report, context: ReportContext) -> None:
        self.book = NoteBook(report, context)
        self._report = report
        self._context = context
        self._language = context.language
        self._is_unchecked = not any(gap.verdict for gap in report.gaps)

    def build(self) -> Iterator[doc.Block]:
        """Yield the blocks below the title and the head."""
        report = self._report
        is_draft = report.searches is None
        opening, sections = (None, report.sections) if is_draft else split_opening(report)
        yield from (doc.Callout(title=self._write(note)) for note in report.notes)
        yield from self._build_changes()
        if self._context.offline:
            code = "offline-pages" if self._context.sources else "offline-no-page"
            yield doc.Callout(lines=[self._say(code)])
        if opening:
            yield from self._build_section(opening)
            if any(s.missing.strip() for s in report.sections) or report.unanswered:
                yield doc.Remark(text=self._say("not-found-below"))
        if report.comparison:
            yield from self._build_comparison(report.comparison)
        for section in sections:
            if section.is_written:
                yield from self._build_section(section)
            elif is_draft and not section.missing:
                yield doc.DocumentHeading(text=section.heading)
                yield doc.Remark(text=self._say("not-written"))
        yield from self._build_list("would-change", report.would_change)
        yield from self._build_exhibits()
        yield from self._build_list("assumed", report.assumptions)
        yield from self._build_list("caveats", list(map(self._write, report.caveats)))
        yield from self._build_missing()
        yield from self._build_found()
        yield from self._build_details()
        yield from self._build_evidence()
        yield from self.list_read()

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
        """Return a text as it is, a notice as a sentence."""
        if isinstance(told, str):
            return told
        words = told.say(self._language)
        return words[:1].upper() + words[1:] + ("" if words.endswith((".", "”", "“")) else ".")

    def _build_section(self, section: Section) -> Iterator[doc.Block]:
        """Yield a section's heading, its agent's account, its claims as sentences or items, and its remarks."""
        yield doc.DocumentHeading(text=section.heading)
        if lines := [line for line in section.account.splitlines() if line.strip()]:
            yield doc.Callout(lines=lines)
        sentences = [self.book.build_sentence(claim) for claim in section.claims]
        if section.is_list and sentences:
            yield doc.ItemList(is_ordered=True, items=sentences)
        else:
            yield from _split_paragraphs(section.claims, sentences)
        yield from self._build_remarks(section)

    def _build_comparison(self, comparison: Comparison) -> Iterator[doc.Table]:
        """Yield the comparison; its claims stay whole, and all of its columns have one side."""
        build = self.book.build_cell
        for group in _group_columns(len(comparison.columns) + 1):
            rows: list[list[doc.Sentence | None]] = [
                [
                    doc.Sentence(text=row.label),
                    *(build(cell) if (cell := row.cells[n - 1]) else None for n in group[1:]),
                ]
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

    def _build_details(self) -> Iterator[doc.Block]:
        """Yield the findings that the text leaves out, each with the sentence that replaces it, if one does."""
        details = [part for part in self._report.sections if part.is_detail and part.claims]
        if details:
            yield doc.DocumentHeading(text=self._say("details"), is_apparatus=True)
        for part in details:
            yield doc.DocumentHeading(level=3, text=part.heading)
            sentences = [self.book.build_sentence(claim) for claim in part.claims]
            yield from _split_paragraphs(part.claims, sentences)

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
                name, kept = exhibit.name, _find_kept(exhibit)
                yield doc.Exhibit(name=name, artifact=kept, remark=exhibit.note)
            else:
                yield from _build_tables(exhibit, self._language)

    def _build_list(self, code: str, items: Sequence[str]) -> Iterator[doc.Block]:
        if items:
            yield doc.DocumentHeading(text=self._say(code))
            yield doc.ItemList(items=[doc.Sentence(text=item) for item in items])

    def _build_missing(self) -> Iterator[doc.Block]:
        """Yield what was not found, by section; where one has nothing, the searches that failed or found nothing."""
        report = self._report
        missing: dict[str, list[doc.Sentence]] = {}
        for section in report.sections:
            if gaps := list(self._list_gaps(section)):
                missing.setdefault(section.heading, []).extend(gaps)
        if missing or report.unanswered:
            yield doc.DocumentHeading(text=self._say("not-found"))
        if report.unanswered:
            yield doc.DocumentHeading(level=3, text=self._say("unanswered"))
            yield doc.ItemList(items=[doc.Sentence(text=part.name) for part in report.unanswered])
        if self._is_unchecked and any(section.missing.strip() for section in report.sections):
            yield doc.Remark(text=self._say("gaps-unchecked"))
        is_empty = any(not section.is_written for section in report.sections)
        if missing and is_empty and (told := describe_searches(report.searches, self._language)):
            yield doc.Remark(text=told)
        for heading, gaps in missing.items():
            yield doc.DocumentHeading(level=3, text=heading)
            yield doc.ItemList(items=merge_alike(gaps))

    def _list_gaps(self, section: Section) -> Iterator[doc.Sentence]:
        lines = list(filter(None, map(str.strip, section.missing.splitlines())))
        yield from (self._build_gap(section.heading, line) for line in lines)
        fallen = {part.name for part in self._report.unanswered if part.kind == "section"}
        is_done = self._report.searches is not None
        if is_done and not (lines or section.is_written or section.heading in fallen):
            yield doc.Sentence(text=self._say("no-evidence"))

    def _build_gap(self, place: str, line: str) -> doc.Sentence:
        """Return a line on what was not found; it is marked if only others were checked, or it is told in part."""
        gaps: Sequence[Gap] = self._report.gaps
        gap = next((gap for gap in gaps if (gap.place, gap.printed) == (place, line)), None)
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
        """Return the mark of a line that a page may tell which nobody opened, with the addresses of such pages."""
        pages = (
            f"{page.title} ({page.url})" if page.title else page.url for page in gap.not_opened
        )
        return self.book.mark_doubt("not_opened", "; ".join(pages))

    def _build_remarks(self, section: Section) -> Iterator[doc.Block]:
        """Yield a section's remarks; those that say what is not known are marked as such lines are."""
        listed = {gap.printed for gap in self._report.gaps if gap.place == section.heading}
        if self._is_unchecked and listed.intersection(section.remarks):
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

    def _build_answer(self, passage: Citation, places: Sequence[str]) -> doc.Quote:
        remark = ", ".join(self._say("bears-on", place=place) for place in places)
        return self.book.build_quote(passage).model_copy(update={"remark": remark})

    def _build_evidence(self) -> Iterator[doc.Block]:
        notes = self.book.build_notes()
        yield doc.DocumentHeading(text=self._say("evidence"), is_apparatus=True)
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

    def list_read(self) -> Iterator[doc.Block]:
        """Yield the sources in the order in which they are cited, then those that were read besides by title.

        Which of several agents read a page first, and so the sources' own order, says nothing to a reader.
        """
        sources = self._context.sources
        cited = [number for number in self.book.cited if 0 < number <= len(sources)]
        others = [number for number, _ in enumerate(sources, start=1) if number not in cited]
        others.sort(key=lambda number: sources[number - 1].title)
        yield doc.DocumentHeading(text=self._say("sources"), is_apparatus=True)
        yield (
            doc.SourceList(numbers=cited) if cited else doc.Remark(text=self._say("no-page-cited"))
        )
        if others:
            yield doc.DocumentHeading(level=3, text=self._say("also-read"))
            yield doc.SourceList(numbers=others)


def _read_value(cell: Claim | None) -> str:
    """Return the text of a cell that has a value; one without data leaves its column as it is."""
    return cell.text if cell and cell.kind != "not_found" else ""


def _find_kept(artifact: Artifact) -> str:
    """Return an artifact's id, if a report may link to it."""
    return artifact.id if is_kept(f"{ARTIFACTS}/{artifact.id}") else ""


def _build_tables(artifact: Artifact, language: Language) -> Iterator[doc.Table]:
    """Yield the first rows of a table under its caption; those of a wide one in several tables."""
    head, *rows = artifact.preview or [[]]
    columns = [
        column.model_copy(update={"is_figure": True}) if n in artifact.figure_columns else column
        for n, column in enumerate(describe_columns(head, rows))
    ]
    numbers: Language = "en" if artifact.is_account else language  # an agent's own stay as they are
    drawn = [_build_row(row, columns, numbers) for row in strip_units(rows, columns)]
    is_cut = len(rows) < artifact.rows
    groups = _group_columns(len(columns))
    for group in groups:
        is_last = group is groups[-1]
        yield doc.Table(
            caption=artifact.name if group is groups[0] else "",
            columns=[columns[n] for n in group],
            rows=[[row[n] for n in group] for row in drawn],
            remark=say(language, "rows-shown", n=len(rows), of=artifact.rows)
            if is_cut and is_last
            else "",
            artifact=_find_kept(artifact) if is_last else "",
        )


def _group_columns(count: int) -> list[list[int]]:
    """Return the numbers of a table's columns by tables that fit a page, each with the first."""
    others = range(1, count)
    tables = max(1, ceil(len(others) / (MAX_COLUMNS - 1)))
    size = ceil(len(others) / tables)
    return [[*range(min(count, 1)), *others[n * size : (n + 1) * size]] for n in range(tables)]


def name_column(column: doc.Column) -> str:
    """Return the head of a column, with the unit of its figures."""
    return f"{column.label} ({column.unit})" if column.unit else column.label


def _build_row(
    cells: Sequence[str], columns: Sequence[doc.Column], language: Language
) -> list[doc.Sentence | None]:
    """Return a row; the numbers in its columns of figures are written as a language has them."""
    told = [
        write_digits(language, cell) if column.is_figure and _NUMBER.fullmatch(cell) else cell
        for cell, column in zip([*cells, *[""] * len(columns)], columns, strict=False)
    ]
    return [doc.Sentence(text=cell) if cell.strip() else None for cell in told]


def _split_paragraphs(
    claims: Sequence[Claim], sentences: Sequence[doc.Sentence]
) -> Iterator[doc.Paragraph]:
    """Yield the sentences by paragraphs, each on the same sources; short lone sentences share one.

    None begins with a sentence that draws on one before it.
    """

    def count_chars(numbers: Sequence[int]) -> int:
        return sum(len(sentences[n].text) for n in numbers)

    paragraphs: list[list[int]] = []
    is_apart = True
    for topic in _split_topics(claims):
        was_apart, is_apart = is_apart, len(topic) > 1 or count_chars(topic) >= TOPIC_CHARS
        starts = was_apart or is_apart
        for n in topic:
            is_full = not starts and count_chars(paragraphs[-1]) >= PARAGRAPH_CHARS
            if starts or (
                is_full and not _draws_on(claims[n], [claims[k] for k in paragraphs[-1]])
            ):
                paragraphs.append([])
            paragraphs[-1].append(n)
            starts = False
    for numbers in paragraphs:
        yield doc.Paragraph(sentences=[sentences[n] for n in numbers])


def _split_topics(claims: Sequence[Claim]) -> list[list[int]]:
    """Return the numbers of the claims by runs that cite the same sources; who cites none goes with those before."""
    topics: list[list[int]] = []
    cited: set[int] = set()
    for n, claim in enumerate(claims):
        sources = {citation.source for citation in claim.citations}
        is_new = bool(cited and sources) and cited.isdisjoint(sources)
        if not topics or (is_new and not _draws_on(claim, claims[topics[-1][0] : n])):
            topics.append([])
        topics[-1].append(n)
        cited = sources or cited
    return topics


def _draws_on(claim: Claim, others: Sequence[Claim]) -> bool:
    """Tell whether a sentence rests on one of others, or computes from a passage that one of them cites."""
    if {each.id for each in others if each.id}.intersection(claim.rests_on):
        return True
    passages = {(c.source, c.quote) for each in others for c in each.citations}
    used = {(c.source, c.quote) for c in claim.citations}
    return bool(claim.expression) and not used.isdisjoint(passages)


def describe_searches(searches: list[Search] | None, language: Language) -> str:
    """Return which searches failed or found nothing, or that none was made; empty of a draft, or where all had hits."""
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
