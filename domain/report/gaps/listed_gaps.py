"""The lines of a report on what was not found, and the report with what a check of them came to."""

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import accumulate, groupby

from contracts.evidence.claims import Citation, Claim, RefusedClaim
from contracts.evidence.reasons import Reason
from contracts.report.checks import (
    Gap,
    RefusedCell,
    Unanswered,
)
from contracts.report.patches import Patch
from contracts.report.report import Report, Section
from domain.evidence.claims import list_figures
from domain.evidence.figures.notation.dates import blank_dates
from domain.evidence.not_found import says_not_found
from domain.report.changes.patches import build_grid
from domain.report.claims.report_claims import list_claims, list_placed, name_cell, replace_claims

WOULD_CHANGE = "what would change the conclusion"
"""The place of such lines."""
TELLING_DIGITS = 4
"""Digits by which a figure is known again elsewhere."""


def list_gaps(report: Report, listing: Container[str] = ()) -> list[Gap]:
    """Return a report's lines on what was not found, with the results of earlier checks.

    Include claims that only state a gap, unless a section has the same line, remarks under the headings
    in `listing`, and what would change the conclusion where it says that something was not found.
    """
    known = {(gap.place, gap.printed): gap for gap in report.gaps}
    lines = [
        (section.heading, line)
        for section in report.sections
        for line in dict.fromkeys(list_lines(section, section.heading in listing))
    ]
    listed = {line for _, line in lines}
    asked = [Gap(place=place, line=line) for place, line in lines]
    asked += (gap for gap in _read_sentences(report) if gap.line not in listed)
    changes = filter(says_not_found, report.would_change)
    asked += (Gap(place=WOULD_CHANGE, line=line) for line in changes)
    left = [known.get((gap.place, gap.line), gap) for gap in asked]
    return [*(gap for gap in report.gaps if not gap.printed), *left]


def _read_sentences(report: Report) -> Iterator[Gap]:
    """Yield the claims that only state a gap, those of a text with the sentence before, which may name their subject."""
    before, former = "", ""
    for place, row, claim in list_placed(report):
        if claim.kind == "not_found":
            after = before if place == former and not row else ""
            yield Gap(place=place, line=claim.text, after=after)
        before, former = claim.text, place


def list_lines(section: Section, is_listing: bool = False) -> list[str]:
    """Return a section's gaps, each line a question; of one that only lists what was not found, its remarks too."""
    lines = [line.strip() for line in section.missing.splitlines()]
    return [*filter(None, lines), *(section.remarks if is_listing else ())]


def apply_gaps(report: Report, gaps: Sequence[Gap]) -> Report:
    """Remove the lines and claims that a page answers after all, and add the results of the check to others.

    A cell that says that nothing was found counts as judged only if its line was checked.
    """
    claims = list_claims(report)
    texts = {line: g.printed for g in gaps for line in (g.line, g.printed)}
    rows = report.comparison.rows if report.comparison else ()
    cells = {cell.text for row in rows for cell in row.cells if cell and not cell.citations}
    unchecked = {gap.line for gap in gaps if gap.verdict is None} & cells

    def apply_claim(claim: Claim) -> Claim | None:
        if claim.kind != "not_found":
            return claim
        if (
            claim.text in unchecked and claim.is_supported
        ):  # the judge of sentences sees no such cell
            return claim.rule(None, Reason(code="judge-silent"))
        text = texts.get(claim.text, claim.text)
        return claim.model_copy(update={"text": text}) if text else None

    report = replace_claims(report, map(apply_claim, claims))
    printed = {(g.place, line): g.printed for g in gaps for line in (g.line, g.printed)}

    def apply(section: Section, lines: Sequence[str]) -> list[str]:
        kept = (printed.get((section.heading, line.strip()), line) for line in lines)
        return list(filter(None, kept))

    sections = [
        section.model_copy(
            update={
                "missing": "\n".join(apply(section, list_lines(section))),
                "remarks": apply(section, section.remarks),
            }
        )
        for section in report.sections
    ]
    changes = (printed.get((WOULD_CHANGE, line), line) for line in report.would_change)
    told = {"sections": sections, "gaps": list(gaps), "would_change": [*filter(None, changes)]}
    return report.model_copy(update=told)


def list_unanswered(
    report: Report, refused: Sequence[RefusedClaim], patches: Iterable[Patch] = ()
) -> list[Unanswered]:
    """Return the sections and rows of a report in which nothing is left of what was written.

    A row that its writer took out, by one of the `patches`, is no longer asked for.
    """
    grid = build_grid(report.comparison)
    dropped = {
        cell.row
        for patch in patches
        if not patch.is_ruling
        for cell in patch.cells
        if not cell.after
    } - grid.keys()
    rows = {name_cell(row, column): row for row, cells in grid.items() for column in cells}
    told = {section.heading for section in report.sections if section.claims}
    empty = {section.heading for section in report.sections} - told  # text and findings share one
    lost = [Unanswered(kind="section", name=one.place) for one in refused if one.place in empty]
    fallen = filter(None, (one.row or rows.get(one.place) for one in refused))
    lost += [
        Unanswered(kind="row", name=row)
        for row in fallen
        if row not in dropped and not any(grid.get(row, {}).values())
    ]
    return list({(one.kind, one.name): one for one in lost}.values())


def list_refused_cells(report: Report, refused: Sequence[RefusedClaim]) -> list[RefusedCell]:
    """Return the empty cells of a report for which something was written that did not hold, with the last reason."""
    reasons = {one.place: one.claim for one in refused if one.row}
    return [
        RefusedCell(row=row, column=column, reason=claim.reason, doubts=claim.doubts)
        for row, cells in build_grid(report.comparison).items()
        for column, cell in cells.items()
        if cell is None and (claim := reasons.get(name_cell(row, column)))
    ]


def list_found(report: Report) -> list[tuple[Citation, list[str]]]:
    """Return each passage that answers a line on what was missing, with the sections that lack it.

    What a claim quotes whole is left out, of a passage of several lines each such line, and so is a line with a figure
    that a claim quotes elsewhere: pages repeat their figures.
    """
    known = frozenset[str]()
    if any(gap.found for gap in report.gaps):
        quotes = (c.quote for claim in list_claims(report) for c in claim.citations)
        known = known.union(*map(_list_telling, dict.fromkeys(quotes)))
    cited: dict[int, list[tuple[int, int]]] = {}
    for claim in list_claims(report):
        for c in claim.citations:
            if c.start >= 0:
                cited.setdefault(c.source, []).append((c.start, c.end))
    starts = {source: sorted(start for start, _ in spans) for source, spans in cited.items()}
    ends = {
        source: [*accumulate((end for _, end in sorted(spans)), max)]
        for source, spans in cited.items()
    }
    """By source and start, the maximum end of all quotes up to each."""

    def is_cited(part: Citation) -> bool:
        before = bisect_right(starts.get(part.source, ()), part.start)
        is_quoted = before > 0 and part.end <= ends[part.source][before - 1]
        return is_quoted or not known.isdisjoint(_list_telling(part.quote))

    found: dict[tuple[int, int, int, str], tuple[Citation, list[str]]] = {}
    for gap in report.gaps:
        for part in gap.found:
            for left in _leave_out_cited(part, is_cited):
                key = (left.source, left.start, left.end, left.quote)
                found.setdefault(key, (left, []))[1].append(gap.place)
    return [(part, [*dict.fromkeys(places)]) for part, places in found.values()]


def _leave_out_cited(part: Citation, is_cited: Callable[[Citation], bool]) -> Iterator[Citation]:
    """Yield what a claim does not quote of a passage: each run of its lines that are not quoted whole."""
    if part.end - part.start != len(part.quote):  # its places are not those of its characters
        yield from [] if is_cited(part) else [part]
        return
    at = part.start
    lines = list[Citation]()
    for line in part.quote.splitlines(keepends=True):
        start = at + len(line) - len(line.lstrip())
        place = {"start": start, "end": start + len(line.strip())}
        lines.append(part.model_copy(update={**place, "quote": line.strip()}))
        at += len(line)
    for cited, run in groupby((line for line in lines if line.quote), key=is_cited):
        if not cited:
            left = [*run]
            first, last = left[0], left[-1]
            quote = part.quote[first.start - part.start : last.end - part.start]
            yield first.model_copy(update={"end": last.end, "quote": quote})


def _list_telling(text: str) -> set[str]:
    """Return the digits of a text's figures of several digits, without zeros at the ends: 11.526 billion is 11,526 million."""
    digits = (re.sub(r"[.,]", "", each).strip("0") for each in list_figures(blank_dates(text)))
    return {each for each in digits if len(each) >= TELLING_DIGITS}
