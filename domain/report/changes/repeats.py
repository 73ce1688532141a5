"""Sentences of one turn's changes that repeat others: moved within the turn, or already in their section."""

from collections.abc import Sequence

from contracts.evidence.claims import Claim
from contracts.report.patches import Patch, PlacedClaim
from contracts.report.report import Report
from domain.report.changes.patches import find_section, takes_place
from domain.report.claims.claim_index import BareClaims, ToldClaims
from domain.report.claims.report_claims import tells_same


def join_moves(patches: Sequence[Patch]) -> list[Patch]:
    """Let the patch that rewrites or replaces a sentence also remove the old one, instead of another patch of the turn.

    Then neither the order of calls nor a refused call can lose a moved sentence, or what rests on it.
    """
    joined = [*patches]
    for n, other in enumerate(patches):
        for placed in other.removed:
            writers = [m for m, patch in enumerate(patches) if _writes_again(patch, other, placed)]
            if writers and n not in writers:
                joined[n] = _replace_removed(
                    joined[n], [p for p in joined[n].removed if p != placed]
                )
                to = writers[0]
                joined[to] = _replace_removed(joined[to], [*joined[to].removed, placed])
    return joined


def _writes_again(patch: Patch, other: Patch, placed: PlacedClaim) -> bool:
    is_same = (patch.section, patch.is_finding) == (other.section, other.is_finding)
    added = [new.claim for new in patch.added] if is_same else []
    return any(tells_same(c, placed.claim) or takes_place(c, placed.claim) for c in added)


def _replace_removed(patch: Patch, removed: Sequence[PlacedClaim]) -> Patch:
    ordered = sorted(removed, key=lambda placed: placed.at)
    return patch.model_copy(update={"removed": ordered})


def drop_repeated(patch: Patch, report: Report) -> tuple[Patch, list[Claim]]:
    """Return a patch without the sentences that its section has after the removals, and these sentences."""
    section = find_section(patch.section, report, is_finding=patch.is_finding)
    gone = BareClaims(placed.claim for placed in patch.removed)
    told = ToldClaims(c for c in section.claims if c not in gone) if section else ToldClaims()
    kept, repeated = list[PlacedClaim](), list[Claim]()
    for placed in patch.added:
        if told.find(placed.claim):
            repeated.append(placed.claim)
        else:
            kept.append(placed)
            told.add(placed.claim)
    return patch.model_copy(update={"added": kept}), repeated
