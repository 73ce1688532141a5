"""What an agent asks `update_report` for, as a patch: within the outline and the bound. Pure."""

from contracts.evidence.sources import Citation, Claim
from contracts.report.patches import TABLE, CellChange, Patch, Placed, UpdateReportArgs
from contracts.report.research import Report, Section
from domain.report.patches import grid_of
from domain.source_registry import Failed


def proposed(report: Report, args: UpdateReportArgs, most: int) -> Patch | Failed:
    """Return the change, its claims still unchecked, or why it is none that may be made."""
    if args.section == TABLE:
        patch = _of_table(report, args)
    elif section := next((s for s in report.sections if s.heading == args.section), None):
        patch = _of_section(section, args)
    else:
        headings = ", ".join(repr(section.heading) for section in report.sections)
        return Failed(f"section: the outline has {headings} and {TABLE!r}")
    if isinstance(patch, Patch) and patch.size > most:
        told = f"it changes {patch.size} characters, and at most {most} may change at once"
        return Failed(f"{told}: make several calls of it")
    return patch


def _of_table(report: Report, args: UpdateReportArgs) -> Patch | Failed:
    if args.add or args.remove or args.missing:
        return Failed(f"{TABLE!r} takes `figures` alone")
    grid = grid_of(report.comparison)
    figures = {(figure.row, figure.column): figure for figure in args.figures}
    cells = [
        CellChange(
            row=row,
            column=column,
            before=grid.get(row, {}).get(column),
            after=_claim(figure.text, [(figure.source, figure.quote)]),
        )
        for (row, column), figure in figures.items()
    ]
    return _patch(args, cells=cells) if cells else Failed("figures: at least one")


def _of_section(section: Section, args: UpdateReportArgs) -> Patch | Failed:
    if args.figures:
        return Failed(f"figures: they belong to {TABLE!r}")
    claims, said = section.claims, {claim.text for claim in section.claims}
    if wrong := [n for n in args.remove if not 1 <= n <= len(claims)]:
        return Failed(f"remove: the section has {len(claims)} sentences, no sentence {wrong[0]}")
    removed = [Placed(at=n - 1, claim=claims[n - 1]) for n in sorted(set(args.remove))]
    fresh = {new.text: new for new in args.add if new.text not in said}
    at = removed[0].at if removed else len(claims)
    added = [
        Placed(at=n, claim=_claim(new.text, [(c.source, c.quote) for c in new.citations]))
        for n, new in enumerate(fresh.values(), start=at)
    ]
    before = section.missing
    missing = before if args.missing is None else args.missing
    if not (removed or added or missing != before):
        return Failed("it changes nothing: the section says so already")
    return _patch(args, removed=removed, added=added, missing_before=before, missing=missing)


def _patch(args: UpdateReportArgs, **change: object) -> Patch:
    return Patch.model_validate(
        {"number": 1, "section": args.section, "reason": args.reason} | change
    )


def _claim(text: str, cited: list[tuple[int, str]]) -> Claim:
    found = [Citation(source=max(source, 1), quote=quote) for source, quote in cited]
    return Claim(text=text, citations=found)


def without_refused(patch: Patch, checked: list[Claim]) -> tuple[Patch, list[Claim]]:
    """Return a patch with its checked claims, the supported ones alone, and the others.

    `checked` are the added claims, then the cells', as `claims_of` gave them out.
    """
    sentences, figures = checked[: len(patch.added)], checked[len(patch.added) :]
    added = [
        Placed(at=placed.at, claim=claim)
        for placed, claim in zip(patch.added, sentences, strict=True)
        if _holds(claim)
    ]
    cells = [
        cell.model_copy(update={"after": claim})
        for cell, claim in zip(patch.cells, figures, strict=True)
        if _holds(claim)
    ]
    refused = [claim for claim in checked if not _holds(claim)]
    return patch.model_copy(update={"added": added, "cells": cells}), refused


def claims_of(patch: Patch) -> list[Claim]:
    """Return what a patch newly says."""
    return [
        *(placed.claim for placed in patch.added),
        *(cell.after for cell in patch.cells if cell.after),
    ]


def _holds(claim: Claim) -> bool:
    return claim.verdict == "supported"
