"""Turns an agent's change of the report that it was shown into a patch of valid sentences, or a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from contracts.base import Json
from contracts.evidence.claims import Claim, RefusedClaim
from contracts.report.patches import TABLE, CellChange, Patch, PlacedClaim, UpdateReportArgs
from contracts.report.report import Report, Section
from domain.agents.agent_tools import ToolError, parse_as
from domain.report.changes.drafted_text import place_new
from domain.report.changes.patches import (
    NOTED,
    build_grid,
    cite_repeated,
    drop_failed,
    drop_taken_back,
    find_place,
    find_section,
    list_following,
    list_patch_claims,
)

UNCITED = "if it says what the sources do not tell, it belongs in `gaps` of your last changes"


@dataclass(frozen=True)
class Revision:
    """A change and its refused claims; applied once all calls of the agent's turn have returned.

    With an `error`, nothing is applied.
    """

    patch: Patch
    failed: list[RefusedClaim]
    """The claims that failed verification, with their places."""
    taken: list[Claim] = field(default_factory=list)
    """The claims that a human removed from the report."""
    following: list[Claim] = field(default_factory=list)
    """The sentences before which the change inserts."""
    moved: int = 0
    """How many sentences to be removed are rewritten by another change of the same turn."""
    error: str = ""

    @property
    def refused(self) -> list[Claim]:
        """The claims that are not written."""
        return [*(one.claim for one in self.failed), *self.taken]

    def give(self, patch: Patch) -> "Revision":
        """Return the change with its patch; other changes may already make some of its removals."""
        moved = max(len(self.patch.removed) - len(patch.removed), 0)
        return replace(self, patch=patch, moved=moved)


@dataclass(frozen=True)
class Draft:
    """The report that an agent's changes apply to; sentence numbers refer to the report shown to its turn."""

    shown: Report
    report: Report
    """The report with all changes so far, including those made after `shown`."""
    patches: Sequence[Patch] = ()
    gaps: Sequence[str] = ()
    """The lines on what was not found, which changes may replace."""
    most: int = 800
    """Maximum number of characters that one change may write."""
    table: str = TABLE
    """The agent's name for the comparison."""
    is_finding: bool = False

    def propose(self, change: Json) -> Revision | ToolError:
        """Return a change without the claims that did not hold or that a human took out, or why it may not be made."""
        args = parse_as(UpdateReportArgs, change)
        if isinstance(args, ToolError):
            return args
        if args.section == self.table:
            args = args.model_copy(update={"section": TABLE})
        args = self._name_gaps(args)
        section = find_section(args.section, self.shown)
        if args.section == TABLE:
            patch = self._change_cells(args)
        elif section:
            patch = self._change_section(section, args)
        else:
            headings = ", ".join(repr(section.heading) for section in self.shown.sections)
            return ToolError(f"section: the outline has {headings} and {self.table!r}")
        if isinstance(patch, ToolError):
            return patch
        if patch.size > self.most:
            return ToolError(
                f"it writes {patch.size} characters, and at most {self.most} may be written at once, `missing`"
                " counted, quotes and what is taken out not: make several calls of it"
            )
        kept, failed = drop_failed(patch)
        kept = cite_repeated(kept, self.report)
        if refusal := self._refuse_replaced(args, kept):
            return Revision(kept, failed, error=refusal)
        replaced = [self.gaps[n - 1] for n in args.replaces]
        kept, taken = drop_taken_back(kept.model_copy(update={"replaces": replaced}), self.patches)
        following = list_following(section, args) if section else []
        revision = Revision(kept, failed, taken, following)
        left = len(list_patch_claims(kept))
        if revision.refused and left < max(len(patch.removed), 1):  # the old sentences stay
            lines = (
                f"- “{c.text}”: {explain_refusal(c, is_finding=self.is_finding)}"
                for c in revision.refused
            )
            return replace(revision, error="\n".join(["nothing was changed:", *lines]))
        return revision

    def _name_gaps(self, args: UpdateReportArgs) -> UpdateReportArgs:
        """Return a change whose sentences name lines on what was not found by their words, which no later list renumbers."""
        lines = {str(n): line for n, line in enumerate(self.gaps, start=1)}

        def name(claim: Claim) -> Claim:
            told = [lines[n] for n in claim.gaps if n in lines] if claim.not_found else []
            return claim.model_copy(update={"gaps": told})

        cells = [each.model_copy(update={"claim": name(each.claim)}) for each in args.figures]
        return args.model_copy(update={"add": [*map(name, args.add)], "figures": cells})

    def _refuse_replaced(self, args: UpdateReportArgs, patch: Patch) -> str:
        """Return why a change may not say in the place of the lines on what was not found what it says; empty if it may."""
        if wrong := [n for n in args.replaces if not 1 <= n <= len(self.gaps)]:
            return f"replaces: `gaps` has {len(self.gaps)} lines, no line {wrong[0]}"
        if args.replaces and not patch.missing.strip():
            return "replaces: `missing` has to say what stands in the place of these lines"
        return ""

    def _change_cells(self, args: UpdateReportArgs) -> Patch | ToolError:
        if args.add or args.after is not None or args.remove or args.missing or args.is_list:
            return ToolError(f"{self.table!r} takes `figures` and `drop_rows` alone")
        grid = build_grid(self.shown.comparison)
        figures = {(figure.row, figure.column): figure for figure in args.figures}
        if len(figures) < len(args.figures):
            return ToolError("figures: two of them name one cell")
        cells = [
            CellChange(
                row=row, column=column, before=grid.get(row, {}).get(column), after=figure.claim
            )
            for (row, column), figure in figures.items()
        ]
        if unknown := [row for row in args.drop_rows if row not in grid]:
            return ToolError(f"drop_rows: the table has no row {unknown[0]!r}, but {[*grid]}")
        cells += [
            CellChange(row=row, column=column, before=claim)
            for row in dict.fromkeys(args.drop_rows)
            for column, claim in grid[row].items()
            if claim and (row, column) not in figures
        ]
        return self._patch(args, cells=cells) if cells else ToolError("figures: at least one")

    def _change_section(self, section: Section, args: UpdateReportArgs) -> Patch | ToolError:
        if args.figures or args.drop_rows:
            return ToolError(f"figures and drop_rows: they belong to {self.table!r}")
        claims = section.claims
        if wrong := [n for n in args.remove if not 1 <= n <= len(claims)]:
            return ToolError(f"the section has {len(claims)} sentences, no sentence {wrong[0]}")
        removed = [PlacedClaim(at=n - 1, claim=claims[n - 1]) for n in sorted(set(args.remove))]
        gone = [placed.claim for placed in removed]
        at = find_place(claims, list_following(section, args), gone)
        follows = claims[at - 1] if at else None
        parts = [c.part for part in self.shown.sections for c in part.claims if c.part]
        new = place_new(args.add, gone, follows, parts)
        added = [PlacedClaim(at=n, claim=claim) for n, claim in enumerate(new, start=at)]
        before = section.model_dump(include={*NOTED})
        noted = before | args.model_dump(include={*NOTED}, exclude_none=True)
        noted |= {f"{name}_before": value for name, value in before.items()}
        patch = self._patch(args, removed=removed, added=added, **noted)
        is_told = (
            args.gaps is not None or not patch.is_empty
        )  # stating what was not found is a change in itself
        return patch if is_told else ToolError("it changes nothing")

    def _patch(self, args: UpdateReportArgs, **change: object) -> Patch:
        about = {"number": 1, "section": args.section, "reason": args.reason}
        is_finding = self.is_finding and args.section != TABLE
        return Patch.model_validate({**about, **change, "is_finding": is_finding})


def explain_refusal(claim: Claim, *, is_finding: bool) -> str:
    """Return why a sentence was refused, and where a sentence on what was not found belongs."""
    if is_finding and any(doubt.code == "uncited" for doubt in claim.doubts):
        return f"{claim.reason}; {UNCITED}"
    return claim.reason
