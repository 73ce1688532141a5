"""What a follow-up changed of the report that it goes on from."""

from collections.abc import Iterator, Sequence

from contracts.report.patches import TABLE, ReaderRemark, ReportChanges, SectionChange
from contracts.report.report import Report
from domain.evidence.normal_forms import spell_words
from domain.report.report_claims import list_claims, name_cell, take_text


def list_changes(before: Report, after: Report, remarks: Sequence[ReaderRemark]) -> ReportChanges:
    """Return what was added and removed by section, and the remarks on unchanged sentences.

    What was added and taken out is that of the text; a remark may be on a finding of the appendix, too.
    """
    then, now = _list_texts(take_text(before)), _list_texts(take_text(after))
    sections = []
    for name in {**now, **then}:
        old, new = (
            {spell_words(text): text for text in texts.get(name, [])} for texts in (then, now)
        )
        removed = [text for words, text in old.items() if words not in new]
        if removed or new.keys() - old.keys():
            added = len(new.keys() - old.keys())
            sections.append(SectionChange(section=name, added=added, removed=removed))
    stands = {spell_words(claim.text) for claim in list_claims(after)}
    stands |= {spell_words(cell) for cell in _list_cells(after)}
    doubted = [remark for remark in remarks if remark.kind != "more"]
    kept = [remark for remark in doubted if spell_words(remark.sentence) in stands]
    return ReportChanges(sections=sections, unheeded=kept)


def _list_texts(report: Report) -> dict[str, list[str]]:
    """Return a report's sentences by section; a cell's figure follows its row and column."""
    texts = {section.heading: [c.text for c in section.claims] for section in report.sections}
    return {TABLE: [*_list_cells(report)], **texts}


def _list_cells(report: Report) -> Iterator[str]:
    table = report.comparison
    for row in table.rows if table else ():
        for column, cell in zip(table.columns if table else (), row.cells, strict=True):
            if cell:
                yield f"{name_cell(row.label, column)}: {cell.text}"
