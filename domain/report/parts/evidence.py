"""How well a report's claims are borne out, its notes, and the sources that it cites and those that it only read."""

from collections import Counter
from collections.abc import Iterator, Sequence

from contracts.evidence.claims import KINDS
from contracts.notices import Notice
from contracts.report.document import Block, DocumentHeading, NoteList, Remark, SourceList
from contracts.report.report import Report
from contracts.words import Language, say
from domain.report.claims.report_claims import list_claims, take_text
from domain.report.parts.head import write_note
from domain.report.parts.notes_and_marks import NoteBook


def build_evidence(report: Report, book: NoteBook, language: Language) -> Iterator[Block]:
    """Yield how many claims are marked and edited, and the notes, which are numbered by then."""
    notes = book.build_notes()
    yield DocumentHeading(text=say(language, "evidence"))
    yield Remark(text=" ".join(_describe(report, book, language)))
    if edited := sum(claim.edit is not None for claim in list_claims(report)):
        yield Remark(text=say(language, "edited-count", n=edited))
    if any(section.account for section in report.sections):
        yield Remark(text=say(language, "accounts"))
    if book.names_sheets:
        yield Remark(text=say(language, "sheets"))
    if notes:
        yield NoteList()


def _describe(report: Report, book: NoteBook, language: Language) -> Iterator[str]:
    """Yield how many claims are marked, and how many the judge left unjudged if there was one."""
    total, bad, left = report.claims_total, report.claims_unsupported, report.claims_unjudged
    if report.searches is None:
        yield say(language, "draft" if book.notes else "draft-empty")
    elif not total:
        yield say(language, "no-claims")
    else:
        share = round(100 * bad / total)
        code = "claims-marked" if bad else "claims-found"
        yield say(language, code, n=total, bad=bad, share=share)
        yield from (say(language, each) for each in _list_checks(report) if not bad)
        if left is not None:
            code = "judged-none" if left == total else "judged-some" if left else "judged-all"
            yield say(language, code, left=left, share=round(100 * left / total))
        yield write_note(_count_kinds(report), language)


def _list_checks(report: Report) -> list[str]:
    """Return the codes of what code checked: a report without a quote, say, had none to find."""
    claims = list_claims(take_text(report))
    had = {
        "checked-quotes": any(claim.citations for claim in claims),
        "checked-figures": any(claim.working for claim in claims),
        "checked-judgements": any(claim.kind == "concluded" for claim in claims),
    }
    return [code for code, is_there in had.items() if is_there]


def _count_kinds(report: Report) -> Notice:
    """Return how many claims are quoted, computed, judgements, assumptions, and about what was not found."""
    claims = list_claims(take_text(report))
    counts = Counter("computed" if claim.working else claim.kind for claim in claims)
    kinds = [Notice.of(f"claims-{kind}", "info", n=counts[kind]) for kind in KINDS if counts[kind]]
    return Notice.of("claims-by-kind", "info", kinds=kinds)


def build_sources(
    titles: Sequence[str], book: NoteBook, language: Language
) -> tuple[list[Block], list[Block]]:
    """Return the cited sources in order of citation, then the other pages read, by title.

    The sources' own order only reflects which agent read a page first.
    """
    cited = [number for number in book.cited if 0 < number <= len(titles)]
    others = [number for number in range(1, len(titles) + 1) if number not in book.cited]
    others.sort(key=lambda number: titles[number - 1])
    none = Remark(text=say(language, "no-page-cited"))
    shown = SourceList(numbers=cited) if cited else none
    heading = DocumentHeading(text=say(language, "also-read"))
    read: list[Block] = [heading, SourceList(numbers=others)] if others else []
    return [DocumentHeading(text=say(language, "sources")), shown], read
