"""The judge's verdicts on sentences of the living report that were being checked, as patches."""

from collections.abc import Mapping

from contracts.evidence.claims import Claim, RefusedClaim
from contracts.report.patches import TABLE, CellChange, Patch, PlacedClaim, PlacedVerdict
from contracts.report.report import Report, Section
from domain.evidence.conclusions import withdraw_conclusions
from domain.report.changes.patches import NOTED, build_grid
from domain.report.claims.report_claims import list_claims, name_cell, replace_claims


def rule_report(
    report: Report, judged: Mapping[str, Claim]
) -> tuple[list[Patch], list[RefusedClaim]]:
    """Return the patches that give sentences their verdicts, and the sentences that fell, with their reasons.

    `judged` are claims with verdicts, by the names of their checks. A sentence that fell is taken out,
    and so is each conclusion that rests on it.
    """
    given = [_rule(claim, judged.get(claim.check)) for claim in list_claims(report)]
    ruled = replace_claims(report, withdraw_conclusions(given))
    refused: list[RefusedClaim] = []
    sections = zip(report.sections, ruled.sections, strict=True)
    patches = [_rule_section(old, new, refused) for old, new in sections]
    patches.append(_rule_cells(report, ruled, refused))
    return [patch for patch in patches if patch], refused


def _rule(claim: Claim, judged: Claim | None) -> Claim:
    return claim.rule(judged.verdict, *judged.doubts) if judged else claim


def _rule_section(section: Section, ruled: Section, refused: list[RefusedClaim]) -> Patch | None:
    pairs = enumerate(zip(section.claims, ruled.claims, strict=True))
    changed = [(at, old, new) for at, (old, new) in pairs if new != old]
    if not changed:
        return None
    fallen = [(at, old, new) for at, old, new in changed if not new.is_usable]
    refused += [RefusedClaim(place=section.heading, claim=new) for _, _, new in fallen]
    noted = section.model_dump(include={*NOTED})
    return Patch.model_validate(
        {
            "number": 1,
            "section": section.heading,
            "is_finding": section.is_detail,
            "is_ruling": True,
            "verdicts": [
                PlacedVerdict(at=at, verdict=new.verdict, doubts=new.doubts)
                for at, _, new in changed
                if new.is_usable
            ],
            "removed": [PlacedClaim(at=at, claim=old) for at, old, _ in fallen],
            **noted,
            **{f"{name}_before": value for name, value in noted.items()},
        }
    )


def _rule_cells(report: Report, ruled: Report, refused: list[RefusedClaim]) -> Patch | None:
    after, cells = build_grid(ruled.comparison), list[CellChange]()
    for row, columns in build_grid(report.comparison).items():
        for column, old in columns.items():
            new = after[row][column]
            if old is None or new is None or new == old:
                continue
            if not new.is_usable:
                refused.append(RefusedClaim(place=name_cell(row, column), row=row, claim=new))
            left = new if new.is_usable else None
            cells.append(CellChange(row=row, column=column, before=old, after=left))
    return Patch(number=1, section=TABLE, is_ruling=True, cells=cells) if cells else None
