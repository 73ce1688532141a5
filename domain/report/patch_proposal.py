"""The patch that a call of `update_report` asks for: within the outline and the bound."""

from contracts.evidence.claims import Claim
from contracts.report.patches import TABLE, CellChange, Patch, PlacedClaim, UpdateReportArgs
from contracts.report.research import Report, Section
from domain.report.patches import build_grid
from domain.source_registry import ToolError


def propose_patch(report: Report, args: UpdateReportArgs, most: int) -> Patch | ToolError:
    """Return the change, its unsupported claims included, or why it may not be made."""
    if args.section == TABLE:
        patch = _of_table(report, args)
    elif section := next((s for s in report.sections if s.heading == args.section), None):
        patch = _of_section(section, args)
    else:
        headings = ", ".join(repr(section.heading) for section in report.sections)
        return ToolError(f"section: the outline has {headings} and {TABLE!r}")
    if isinstance(patch, Patch) and patch.size > most:
        told = f"it changes {patch.size} characters, and at most {most} may change at once"
        return ToolError(f"{told}: make several calls of it")
    return patch


def _of_table(report: Report, args: UpdateReportArgs) -> Patch | ToolError:
    if args.add or args.remove or args.missing:
        return ToolError(f"{TABLE!r} takes `figures` alone")
    grid = build_grid(report.comparison)
    figures = {(figure.row, figure.column): figure for figure in args.figures}
    cells = [
        CellChange(
            row=row,
            column=column,
            before=grid.get(row, {}).get(column),
            after=figure.claim,
        )
        for (row, column), figure in figures.items()
    ]
    return _patch(args, cells=cells) if cells else ToolError("figures: at least one")


def _of_section(section: Section, args: UpdateReportArgs) -> Patch | ToolError:
    if args.figures:
        return ToolError(f"figures: they belong to {TABLE!r}")
    claims, said = section.claims, {claim.text for claim in section.claims}
    if wrong := [n for n in args.remove if not 1 <= n <= len(claims)]:
        return ToolError(f"remove: the section has {len(claims)} sentences, no sentence {wrong[0]}")
    removed = [PlacedClaim(at=n - 1, claim=claims[n - 1]) for n in sorted(set(args.remove))]
    fresh = {new.text: new for new in args.add if new.text not in said}
    at = removed[0].at if removed else len(claims)
    added = [PlacedClaim(at=n, claim=new) for n, new in enumerate(fresh.values(), start=at)]
    before = section.missing
    missing = before if args.missing is None else args.missing
    if not (removed or added or missing != before):
        return ToolError("it changes nothing: the section says so already")
    return _patch(args, removed=removed, added=added, missing_before=before, missing=missing)


def _patch(args: UpdateReportArgs, **change: object) -> Patch:
    return Patch.model_validate(
        {"number": 1, "section": args.section, "reason": args.reason} | change
    )


def drop_unsupported(patch: Patch) -> tuple[Patch, list[Claim]]:
    """Return a patch without the claims that are not supported, and these."""
    kept = {
        "added": [placed for placed in patch.added if placed.claim.is_supported],
        "cells": [cell for cell in patch.cells if cell.after is None or cell.after.is_supported],
    }
    refused = [claim for claim in list_patch_claims(patch) if not claim.is_supported]
    return patch.model_copy(update=kept), refused


def list_patch_claims(patch: Patch) -> list[Claim]:
    """Return the claims that a patch adds."""
    return [
        *(placed.claim for placed in patch.added),
        *(cell.after for cell in patch.cells if cell.after),
    ]
