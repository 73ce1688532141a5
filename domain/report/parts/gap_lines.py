"""What a report did not find: the list of it, the remarks of sections, and passages that answer it after all."""

from collections.abc import Iterator, Sequence

from contracts.documents import PAGE_BREAK
from contracts.evidence.claims import Citation
from contracts.report.checks import Gap
from contracts.report.document import (
    Block,
    DocumentHeading,
    ItemList,
    MarkCode,
    Quote,
    QuoteList,
    Remark,
    Sentence,
)
from contracts.report.report import Report, Search, Section
from contracts.words import Language, say
from domain.report.context import ReportContext
from domain.report.gaps.listed_gaps import WOULD_CHANGE, list_found
from domain.report.parts.alike_lines import merge_alike
from domain.report.parts.notes_and_marks import PLACE, NoteBook, part_cells


class GapBlocks:
    """Builds the lines on what was not found, with marks where their check leaves a doubt."""

    def __init__(self, report: Report, context: ReportContext, book: NoteBook) -> None:
        self._report = report
        self._book = book
        self._language = context.language
        self._is_copy = not context.has_appendix
        self._is_draft = report.searches is None
        self._is_unchecked = not any(gap.verdict for gap in report.gaps)
        self._fallen = {part.name for part in report.unanswered if part.kind == "section"}
        """The headings of sections in which no claim was supported."""
        self._gaps: dict[str, dict[str, Gap]] = {}
        """Checked lines on what was not found, by place and line."""
        for gap in report.gaps:
            self._gaps.setdefault(gap.place, {}).setdefault(gap.printed, gap)

    def build_list(self) -> Iterator[Block]:
        """Yield what was not found, as one list, and for empty sections the searches that failed or found nothing."""
        report = self._report
        gaps = [gap for section in report.sections for gap in self._list_gaps(section)]
        if not (gaps or report.unanswered):
            return
        yield DocumentHeading(text=self._say("not-found"))
        if report.unanswered:
            names = ", ".join(part.name for part in report.unanswered)
            lost = Sentence(lead=f"{self._say('unanswered')}:", text=names)
            gaps = [lost, *gaps]
        if self._is_unchecked and any(section.missing.strip() for section in report.sections):
            yield Remark(text=self._say("gaps-unchecked"))
        is_empty = any(not (part.is_written or part.is_detail) for part in report.sections)
        searches = report.searches
        if searches and self._is_copy:  # the lines below cover searches without results
            searches = [search for search in searches if search.error] or None
        if is_empty and (told := _describe_searches(searches, self._language)):
            yield Remark(text=told)
        yield ItemList(items=merge_alike(gaps))

    def _list_gaps(self, section: Section) -> Iterator[Sentence]:
        lines = list(filter(None, map(str.strip, section.missing.splitlines())))
        yield from (self._build_gap(section.heading, line) for line in lines)
        is_left = section.is_detail or section.is_written or section.heading in self._fallen
        is_told = "" in self._gaps.get(
            section.heading, {}
        )  # its gap is described under another heading
        if not (self._is_draft or lines or is_left or is_told):
            yield Sentence(lead=f"{section.heading}:", text=self._say("no-evidence"))

    def _build_gap(self, place: str, line: str) -> Sentence:
        """Return a line on what was not found, with a mark if a page may answer it, answers a part, or it alone was not checked."""
        gap = self._gaps.get(place, {}).get(line)
        if gap and gap.verdict == "not_opened":
            return Sentence(text=line, marks=[self._book.mark_unopened(gap.not_opened)])
        verdict = gap.verdict if gap else None
        is_shortened = bool(gap and gap.printed != gap.line)
        if verdict in {"told", "not_told"} or is_shortened or self._is_unchecked:
            return Sentence(text=line)
        code: MarkCode = "gap_partly" if verdict == "partly" else "gap_unchecked"
        left = self._say("gap-left", text=gap.left) if gap and gap.left else ""
        return Sentence(text=line, marks=[self._book.mark_doubt(code, left)])

    def build_remarks(self, section: Section) -> Iterator[Block]:
        """Yield a section's remarks; those that state a gap are marked like gaps."""
        listed = self._gaps.get(section.heading, {})
        if self._is_unchecked and not listed.keys().isdisjoint(section.remarks):
            yield Remark(text=self._say("gaps-unchecked"))
        if section.remarks:
            yield ItemList(
                items=[
                    self._build_gap(section.heading, line)
                    if line in listed
                    else Sentence(text=line)
                    for line in section.remarks
                ]
            )

    def build_passages(self) -> Iterator[Block]:
        """Yield the passages that answer lines of a "not found" list, with the sections that lack them."""
        if found := list_found(self._report):
            yield DocumentHeading(text=self._say("found-unused"))
            yield QuoteList(quotes=[self._build_answer(*one) for one in found])

    def _name_place(self, place: str) -> str:
        return self._say("would-change") if place == WOULD_CHANGE else place

    def _build_answer(self, passage: Citation, places: Sequence[str]) -> Quote:
        breaks = passage.quote.count(PAGE_BREAK)
        place, address = self._book.place_passage(passage.source, passage.page, breaks)
        return Quote(
            text=part_cells(passage.quote),
            above=list(map(part_cells, passage.above)),
            place=place,
            address=address,
            remark=", ".join(self._say("bears-on", place=self._name_place(p)) for p in places),
            **passage.model_dump(include=PLACE),
        )

    def _say(self, code: str, **params: str | int) -> str:
        return say(self._language, code, **params)


def _describe_searches(searches: list[Search] | None, language: Language) -> str:
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
