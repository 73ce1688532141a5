"""The changes that a follow-up made to the report it continues."""

from collections.abc import Iterator, Sequence

from contracts.evidence.claims import Claim
from contracts.report.patches import TABLE, ReaderRemark, ReportChanges, SectionChange
from contracts.report.report import Report
from domain.evidence.normal_forms import spell_words
from domain.report.claims.report_claims import list_claims, name_cell, take_text


def list_changes(before: Report, after: Report, remarks: Sequence[ReaderRemark]) -> ReportChanges:
    """Return what was added and removed by section, and the remarks on unchanged sentences.

    Additions and removals only cover the text; remarks may be about findings in the appendix as well.
    """
    then, now = _list_claims(take_text(before)), _list_claims(take_text(after))
    sections = []
    for name in {**now, **then}:
        old, new = (
            {spell_words(text): text for text, _ in told.get(name, [])} for told in (then, now)
        )
        removed = [text for words, text in old.items() if words not in new]
        if removed or new.keys() - old.keys():
            added = len(new.keys() - old.keys())
            sections.append(SectionChange(section=name, added=added, removed=removed))
    stands = {spell_words(claim.text) for claim in list_claims(after)}
    stands |= {spell_words(text) for text, _ in _list_cells(after)}
    doubted = [remark for remark in remarks if remark.kind != "more"]
    kept = [remark for remark in doubted if spell_words(remark.sentence) in stands]
    return ReportChanges(sections=sections, unheeded=kept)


def find_new(report: Report, other: Report) -> Iterator[tuple[str, str, Claim]]:
    """Yield the sentences and cells of a report's text that another has not: section, text, and the claim itself."""
    known = _list_claims(take_text(other))
    for name, told in _list_claims(take_text(report)).items():
        seen = {spell_words(text) for text, _ in known.get(name, [])}
        for text, claim in told:
            if (words := spell_words(text)) not in seen:
                seen.add(words)
                yield name, text, claim


def _list_claims(report: Report) -> dict[str, list[tuple[str, Claim]]]:
    """Return a report's sentences by section, with their claims; a cell's figure follows its row and column."""
    told = {
        part.heading: [(claim.text, claim) for claim in part.claims] for part in report.sections
    }
    return {TABLE: [*_list_cells(report)], **told}


def _list_cells(report: Report) -> Iterator[tuple[str, Claim]]:
    table = report.comparison
    for row in table.rows if table else ():
        for column, cell in zip(table.columns if table else (), row.cells, strict=True):
            if cell:
                yield f"{name_cell(row.label, column)}: {cell.text}", cell
