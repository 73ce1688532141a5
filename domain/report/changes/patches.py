"""Patches of the living report: folded to a report, rebased, reverted."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache, partial
from itertools import count, groupby

from pydantic import JsonValue

from contracts.base import Json
from contracts.errors import Conflict, NotFound
from contracts.evidence.claims import Claim, RefusedClaim
from contracts.evidence.reasons import Reason
from contracts.problems import Problem
from contracts.report.patches import (
    TABLE,
    CellChange,
    Opening,
    Patch,
    PlacedClaim,
    PlacedVerdict,
    UpdateReportArgs,
)
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from contracts.words import Language, say
from domain.evidence.conclusions import cite_bases, repeats_bases
from domain.evidence.normal_forms import spell_words
from domain.report.claims.claim_index import BareClaims
from domain.report.claims.report_claims import (
    find_free_names,
    list_claims,
    name_cell,
    rename_claim,
    replace_claims,
)
from domain.text_matching.word_stems import list_stems

EMPTY = Report(title="", sections=[])
NOTED = ("missing", "is_list")
"""Fields of a section that a patch sets besides its sentences."""
REPLACES = 0.5
"""Part of a sentence's words that one in its place has to have, to be it in other words."""
BEGINNING = 60
"""Number of leading characters that identify a sentence to the agent that wrote it."""


def fold_patches(patches: Iterable[Patch]) -> Report:
    """Return the report that patches make, applied in order."""
    report = EMPTY
    for patch in patches:
        report = apply_patch(report, patch)
    return report


def apply_patch(report: Report, patch: Patch) -> Report:
    """Return a report after one more patch."""
    if patch.opening:
        report = add_headings(report, patch.opening, is_finding=patch.is_finding)
    if patch.section == TABLE:
        table = _patch_table(report.comparison, patch.cells)
        return report.model_copy(update={"comparison": table})
    sections = list(report.sections)
    for i, section in enumerate(sections):
        if (section.heading, section.is_detail) == (patch.section, patch.is_finding):
            gone = _index_claims(patch.removed)
            claims = _rule_claims(section.claims, patch.verdicts)
            claims = [claim for claim in claims if claim not in gone]
            _insert_claims(claims, patch.added)
            noted = {name: getattr(patch, name) for name in NOTED}
            sections[i] = section.model_copy(update={"claims": claims, **noted})
    return report.model_copy(update={"sections": sections})


def leave_out_patches(report: Report, patches: Sequence[Patch]) -> Report:
    """Return a report without the sentences, cells and missing lines that some of its patches added."""
    gone = BareClaims(claim for patch in patches for claim in list_patch_claims(patch))
    lines = {line for p in patches for line in p.missing.splitlines()}
    lines -= {line for p in patches for line in p.missing_before.splitlines()}
    kept = replace_claims(report, (None if c in gone else c for c in list_claims(report)))
    sections = [
        section.model_copy(
            update={"missing": "\n".join(x for x in section.missing.splitlines() if x not in lines)}
        )
        for section in kept.sections
    ]
    return kept.model_copy(update={"sections": sections})


def _rule_claims(claims: Sequence[Claim], verdicts: Iterable[PlacedVerdict]) -> list[Claim]:
    ruled = [*claims]
    for found in verdicts:
        ruled[found.at] = ruled[found.at].rule(found.verdict, *found.doubts)
    return ruled


def _index_claims(placed: Iterable[PlacedClaim]) -> BareClaims:
    return BareClaims(each.claim for each in placed)


def _insert_claims(claims: list[Claim], placed: Sequence[PlacedClaim]) -> None:
    """Insert claims at their places in order; claims with consecutive places are inserted together."""
    for _, run in groupby(enumerate(placed), lambda each: each[1].at - each[0]):
        new = [one for _, one in run]
        claims[new[0].at : new[0].at] = [one.claim for one in new]


def add_headings(report: Report, opening: Opening, *, is_finding: bool = False) -> Report:
    """Return a report under an opening's title, with the headings of its outline that its text lacks, or its findings."""
    known = {section.heading for section in report.sections if section.is_detail == is_finding}
    new = [
        Section(heading=heading, is_detail=is_finding)
        for heading in opening.outline
        if heading not in known
    ]
    sections = sorted([*report.sections, *new], key=lambda section: section.is_detail)
    given = {
        "assumptions": opening.assumptions or report.assumptions,
        "statements": opening.statements or report.statements,
    }
    return report.model_copy(update={"title": opening.title, "sections": sections, **given})


def _patch_table(table: Comparison | None, cells: list[CellChange]) -> Comparison | None:
    grid = build_grid(table)
    columns = [*(table.columns if table else ()), *(cell.column for cell in cells)]
    for cell in cells:
        grid.setdefault(cell.row, {})[cell.column] = cell.after
    grid = {row: found for row, found in grid.items() if any(found.values())}
    used = [c for c in dict.fromkeys(columns) if any(found.get(c) for found in grid.values())]
    rows = [
        ComparisonRow(label=row, cells=[found.get(c) for c in used]) for row, found in grid.items()
    ]
    return Comparison(columns=used, rows=rows) if rows else None


def build_grid(table: Comparison | None) -> dict[str, dict[str, Claim | None]]:
    """Return a comparison's claims by row and column."""
    if table is None:
        return {}
    return {row.label: dict(zip(table.columns, row.cells, strict=True)) for row in table.rows}


def list_following(section: Section, args: UpdateReportArgs) -> list[Claim]:
    """Return the sentences before which a change inserts, including those that it removes.

    Return an empty list if it follows a sentence written in the same turn: the calls of a turn then append in
    order.
    """
    after = min(args.remove, default=len(section.claims) + 1) - 1
    return section.claims[after if args.after is None else args.after :]


def is_appended(change: Json) -> bool:
    """Return whether a section's change, as a model wrote it, appends to the section."""
    return change.get("after") is None and not change.get("remove")


def list_removed(change: Json) -> set[int]:
    """Return the numbers of the sentences that a change takes out, as a model wrote it."""
    removed = change.get("remove")
    return {n for n in removed if isinstance(n, int)} if isinstance(removed, list) else set()


def find_followed(sentences: Sequence[str], change: Json, gone: Set[int]) -> str:
    """Return the sentence that a change follows, or an empty string if it opens the section.

    `gone` are the numbers of the sentences that the turn's changes remove.
    """
    last, after = min(list_removed(change), default=len(sentences) + 1) - 1, change.get("after")
    last = after if isinstance(after, int) else last
    kept = [text for n, text in enumerate(sentences, start=1) if n <= last and n not in gone]
    return kept[-1] if kept else ""


def find_place(claims: list[Claim], following: list[Claim], gone: list[Claim]) -> int:
    """Return the index before the first of the `following` sentences once those `gone` are removed, else the end."""
    behind, left_out = BareClaims(following), BareClaims(gone)
    at = next((n for n, claim in enumerate(claims) if claim in behind), len(claims))
    return at - sum(claim in left_out for claim in claims[:at])


def drop_failed(patch: Patch) -> tuple[Patch, list[RefusedClaim]]:
    """Return a patch without the claims that did not hold, and these with their places."""
    placed = [(patch.section, "", placed.claim) for placed in patch.added]
    placed += [(name_cell(c.row, c.column), c.row, c.after) for c in patch.cells if c.after]
    refused = [
        RefusedClaim(place=place, row=row, claim=claim)
        for place, row, claim in placed
        if not claim.is_usable
    ]
    return _keep_claims(patch, lambda claim: claim.is_usable), refused


def _keep_claims(patch: Patch, holds: Callable[[Claim], bool]) -> Patch:
    kept = {
        "added": [placed for placed in patch.added if holds(placed.claim)],
        "cells": [cell for cell in patch.cells if cell.after is None or holds(cell.after)],
    }
    return patch.model_copy(update=kept)


def _change_claims(
    patch: Patch, change: Callable[[Claim], Claim], change_cell: Callable[[Claim], Claim]
) -> Patch:
    cells = [
        cell.model_copy(update={"after": cell.after and change_cell(cell.after)})
        for cell in patch.cells
    ]
    added = [placed.model_copy(update={"claim": change(placed.claim)}) for placed in patch.added]
    return patch.model_copy(update={"cells": cells, "added": added})


def cite_repeated(patch: Patch, report: Report) -> Patch:
    """Return a patch in which what repeats the report's sentences cites what these cite: cells, and what says so."""
    known = {claim.id: claim for claim in list_claims(report) if claim.id}

    def cite(claim: Claim) -> Claim:
        return cite_bases(claim, known) if claim.repeats else claim

    def cite_cell(claim: Claim) -> Claim:
        return cite_bases(claim, known) if repeats_bases(claim, known) else cite(claim)

    return _change_claims(patch, cite, cite_cell)


def drop_taken_back(patch: Patch, patches: Sequence[Patch]) -> tuple[Patch, list[Claim]]:
    """Return a patch without the sentences that humans took out of the report, and these with that as reason."""
    taken = _list_taken_back(patches)
    reason = Reason(code="taken-out")
    back = [c for c in list_patch_claims(patch) if spell_words(c.text) in taken]
    kept = _keep_claims(patch, lambda claim: spell_words(claim.text) not in taken)
    return kept, [claim.rule(claim.verdict, reason) for claim in back]


def _list_taken_back(patches: Sequence[Patch]) -> set[str]:
    """Return the words of each sentence that a human removed and nobody restored."""
    taken = set[str]()
    for patch in patches:
        if patch.undoes is not None:
            gone = [placed.claim for placed in patch.removed]
            gone += [cell.before for cell in patch.cells if cell.before and not cell.after]
            taken |= {spell_words(claim.text) for claim in gone}
            taken -= {spell_words(claim.text) for claim in list_patch_claims(patch)}
    return taken


def list_patch_claims(patch: Patch) -> list[Claim]:
    """Return the claims that a patch adds."""
    return [
        *(placed.claim for placed in patch.added),
        *(cell.after for cell in patch.cells if cell.after),
    ]


def place_patch(patch: Patch, report: Report, following: list[Claim]) -> Patch:
    """Return a proposal with its places in the current report: before the sentences that follow."""
    patch = rebase_patch(patch, report)
    section = find_section(patch.section, report, is_finding=patch.is_finding)
    gone = [placed.claim for placed in patch.removed]
    at = find_place(section.claims if section else [], following, gone)
    added = [PlacedClaim(at=n, claim=new.claim) for n, new in enumerate(patch.added, start=at)]
    return patch.model_copy(update={"added": added})


def find_section(heading: str, report: Report, *, is_finding: bool = False) -> Section | None:
    """Return the text section, or with `is_finding` the findings, under a heading, if it exists."""
    found = (s for s in report.sections if (s.heading, s.is_detail) == (heading, is_finding))
    return next(found, None)


def rebase_patch(patch: Patch, report: Report) -> Patch:
    """Return a patch rebased on the current report: without removals already made, or sentences it already has.

    A sentence that the patch itself removes may return to another place.
    """
    section = find_section(patch.section, report, is_finding=patch.is_finding)
    section = section or Section(heading=patch.section)
    claims = section.claims
    grid = build_grid(report.comparison)
    gone = _index_claims(patch.removed)
    left = BareClaims(claim for claim in claims if claim not in gone)
    update: dict[str, object] = {
        "removed": [PlacedClaim(at=n, claim=c) for n, c in enumerate(claims) if c in gone],
        "added": [placed for placed in patch.added if placed.claim not in left],
        "cells": [
            cell.model_copy(update={"before": grid.get(cell.row, {}).get(cell.column)})
            for cell in patch.cells
        ],
    }
    for name in NOTED:
        now, was = getattr(section, name), getattr(patch, f"{name}_before")
        update[f"{name}_before"] = now
        if getattr(patch, name) == was:  # the patch does not change this field
            update[name] = now
        elif name == "missing":
            update[name] = _merge_lines(was, patch.missing, now)
    return patch.model_copy(update=update)


def _merge_lines(before: str, after: str, now: str) -> str:
    """Return the current text with the line changes that an edit made to an earlier version."""
    if before == now:
        return after
    old, new = set(before.splitlines()), dict.fromkeys(after.splitlines())
    kept = [line for line in now.splitlines() if line in new or line not in old]
    known = old.union(kept)
    return "\n".join([*kept, *(line for line in after.splitlines() if line not in known)])


def revert_patch(
    patches: Sequence[Patch], number: int, by: str, language: Language = "en"
) -> Patch:
    """Return the patch that reverts an earlier one, as far as the report still contains its changes.

    Raises:
        NotFound: There is no patch with this number.
        Conflict: All its changes were removed since, or it holds the judge's verdicts.
    """
    if not 1 <= number <= len(patches):
        raise NotFound(Problem.at("patch", "patch-unknown", n=len(patches), number=number))
    patch, report = patches[number - 1], fold_patches(patches)
    if patch.is_ruling:
        raise Conflict(Problem.at("patch", "patch-of-judge", number=number))
    now = rebase_patch(
        patch.model_copy(update={"removed": patch.added, "added": patch.removed}), report
    )
    before = {name: getattr(now, f"{name}_before") for name in NOTED}
    noted = {
        name: getattr(patch, f"{name}_before") if value == getattr(patch, name) else value
        for name, value in before.items()
    }
    section = find_section(patch.section, report, is_finding=patch.is_finding)
    if now.removed and section and len(now.removed) == len(section.claims) and not now.added:
        noted["missing"] = noted["missing"] or say(language, "taken-out")
    back = now.model_copy(
        update={
            **noted,
            "number": len(patches) + 1,
            "opening": None,
            "cells": [
                cell.model_copy(update={"after": was.before})
                for cell, was in zip(now.cells, patch.cells, strict=True)
                if (cell.before and cell.before.bare) == (was.after and was.after.bare)
            ],
            "reason": f"patch {number} is taken back",
            "undoes": number,
            "by": by,
        }
    )
    if back.is_empty:
        raise Conflict(Problem.at("patch", "patch-gone", number=number))
    return back


def keep_ids(patch: Patch, known: Mapping[str, str]) -> tuple[Patch, dict[str, str]]:
    """Give a patch's sentences the ids of those they replace; return it with the map of renamed ids.

    Claims that rest on a replaced sentence then rest on the new one. `known` is the map of the turn's earlier
    changes, whose new ids later changes may refer to.
    """
    added = [placed.claim for placed in patch.added]
    ids = {claim.id for claim in added}
    replaced: dict[str, str] = {}
    for old in (placed.claim for placed in patch.removed):
        free = [new for new in added if new.text not in replaced and takes_place(new, old)]
        if free and old.id and old.id not in ids:
            replaced[max(free, key=partial(_share_words, old)).text] = old.id
    names = {**known, **{c.id: replaced[c.text] for c in added if c.id and c.text in replaced}}

    def rename(claim: Claim) -> Claim:
        rests_on = [names.get(name, name) for name in claim.rests_on]
        own = replaced.get(claim.text, claim.id)
        return claim.model_copy(update={"id": own, "rests_on": rests_on})

    return _change_claims(patch, rename, rename), names


def takes_place(new: Claim, old: Claim) -> bool:
    """Return whether a sentence replaces another: it has at least half of its words.

    A partly supported sentence is also replaced by one that rests on the same passage or sentence.
    """
    if _share_words(old, new) >= REPLACES:
        return True
    return old.verdict == "partly" and (
        bool({*new.rests_on} & {*old.rests_on})
        or any(
            one.source == other.source and (one.quote in other.quote or other.quote in one.quote)
            for one in new.citations
            for other in old.citations
        )
    )


def _share_words(old: Claim, new: Claim) -> float:
    """Return the share of a sentence's words that the other sentence has."""
    words = _list_stems(old.text)
    return len(words & _list_stems(new.text)) / max(len(words), 1)


@lru_cache(maxsize=1_000)
def _list_stems(text: str) -> frozenset[str]:
    """Return the stems of a sentence, which is compared with each that its turn takes out."""
    return frozenset(list_stems(text))


def name_findings(patch: Patch, report: Report) -> Patch:
    """Give all findings in a patch an id, to which `rests_on` may refer; return other patches unchanged."""
    taken = {claim.id for claim in [*list_claims(report), *list_patch_claims(patch)]}
    free = (new for n in count(1) if (new := f"f{n}") not in taken)

    def name(claim: Claim) -> Claim:
        return claim if claim.id else claim.model_copy(update={"id": next(free)})

    return _change_claims(patch, name, name) if patch.is_finding else patch


def name_apart(patch: Patch, report: Report) -> Patch:
    """Give a patch's new sentences ids that the report does not use, and update references to them."""
    gone = _index_claims(patch.removed)
    left = [claim for claim in list_claims(report) if claim not in gone]
    left += report.list_given("en")
    rename = partial(rename_claim, names=find_free_names(list_patch_claims(patch), left))
    return _change_claims(patch, rename, rename)


def outline_changes(before: Report, after: Report) -> Json | None:
    """Return the changes between two reports as agents see them, or None.

    Sections list only new or renumbered sentences, because the reader wrote or saw the others. Sentences are
    identified by their beginning.
    """
    shown, told = outline_report(before, BEGINNING), outline_report(after, BEGINNING)
    known: dict[str, Json] = {str(section["heading"]): section for section in shown["sections"]}
    sections = []
    for section in told["sections"]:
        was = known.get(str(section["heading"]), {})
        if new := {
            name: _drop_known(part, was.get(name))
            for name, part in section.items()
            if part != was.get(name)
        }:
            sections.append({"heading": section["heading"], **new})
    known_cells = {(str(cell["row"]), str(cell["column"])): cell for cell in shown["table"]}
    cells = [
        cell
        for cell in told["table"]
        if known_cells.get((str(cell["row"]), str(cell["column"]))) != cell
    ]
    return {"sections": [*sections], "table": [*cells]} if sections or cells else None


def _drop_known(part: JsonValue, was: JsonValue) -> JsonValue:
    """Return a section's sentences without those that had the same numbers; of another part, all."""
    if not (isinstance(part, dict) and isinstance(was, dict)):
        return part
    return {number: begins for number, begins in part.items() if was.get(number) != begins}


def outline_report(
    report: Report, most: int | None = None, *, doubts: bool = False
) -> dict[str, list[Json]]:
    """Return a report as agents see it: numbered sentences with their ids, without quotes.

    Sentences are truncated to `most` characters. With `doubts`, include why sentences are only partly
    supported, by number.
    """

    def show(claim: Claim) -> str:
        text = claim.text if len(claim.text[:most]) == len(claim.text) else f"{claim.text[:most]}…"
        return f"[id {claim.id}] {text}" if claim.id else text

    def is_doubted(claim: Claim) -> bool:
        return doubts and claim.verdict == "partly"

    def outline(section: Section) -> Json:
        numbered = {str(n): claim for n, claim in enumerate(section.claims, start=1)}
        in_part = {n: claim.reason for n, claim in numbered.items() if is_doubted(claim)}
        return {
            "heading": section.heading,
            "sentences": {n: show(claim) for n, claim in numbered.items()},
            **({"in_part": {**in_part}} if in_part else {}),
            "missing": section.missing,
            **({"is_list": True} if section.is_list else {}),
        }

    def outline_cell(row: str, column: str, claim: Claim) -> Json:
        in_part = {"in_part": claim.reason} if is_doubted(claim) else {}
        return {"row": row, "column": column, "text": show(claim), **in_part}

    return {
        "sections": [*map(outline, report.sections)],
        "table": [
            outline_cell(row, column, claim)
            for row, cells in build_grid(report.comparison).items()
            for column, claim in cells.items()
            if claim
        ],
    }
