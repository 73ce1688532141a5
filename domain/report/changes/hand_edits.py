"""Sentences of a finished report reworded by a reader; their evidence and original wording are kept."""

from collections.abc import Iterator, Mapping

from contracts.base import Json
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.evidence.claims import Claim, HandEdit, Wording
from contracts.phases.edit import SentenceEdit
from contracts.problems import Problem
from contracts.report.patches import TABLE, CellChange, Patch, PlacedClaim
from contracts.report.report import Report
from domain.evidence.sentences import end_sentence
from domain.report.changes.patches import NOTED, build_grid
from domain.report.claims.report_claims import count_claims, list_claims, list_parts
from domain.report.context import ReportContext
from domain.report.document_builder import pin_notes
from domain.report.formats.markdown import render


def find_edited(report: Report, edit: SentenceEdit) -> Claim:
    """Return the claim that an edit refers to.

    Raises:
        NotFound: The report has no such sentence.
        Conflict: The sentence has changed meanwhile, or was never edited and cannot be restored.
        InvalidInput: The new text equals the old one.
    """
    claims = list_claims(report)
    if edit.sentence > len(claims):
        raise NotFound(Problem.at("sentence", "sentence-unknown", n=len(claims)))
    claim = claims[edit.sentence - 1]
    if _read(claim.text) != _read(put_lead(claim, edit.former)):
        raise Conflict(Problem.at("former", "sentence-changed", now=claim.text))
    if edit.text is None and claim.edit is None:
        raise Conflict(Problem.at("text", "sentence-unedited"))
    if edit.text is not None and _read(put_lead(claim, edit.text)) == _read(claim.text):
        raise InvalidInput(Problem.at("text", "sentence-same"))
    return claim


def _read(text: str) -> str:
    """Return a sentence as shown, on one line."""
    return end_sentence(" ".join(text.split()))


def put_lead(claim: Claim, text: str) -> str:
    """Return new words for a claim with the lead before it, which readers are shown apart and do not edit."""
    return text if not claim.lead or text.startswith(claim.lead) else f"{claim.lead} {text}"


def find_restored(claim: Claim, text: str | None) -> Claim | None:
    """Return the original of an edited claim if a reader takes the edit back.

    A reader does so by sending no `text`, or the original wording. Return None for any other `text`, and for a claim
    that was never edited.
    """
    if claim.edit is None or text not in {None, claim.edit.former.text}:
        return None
    return claim.model_copy(update={**dict(claim.edit.former), "edit": None})


def reword(claim: Claim, checked: Claim, by: str, at: str) -> Claim:
    """Return a claim with new wording and its verification; its quotes and other evidence stay."""
    names = Wording.model_fields
    former = Wording(**{name: getattr(claim, name) for name in names})
    edit = HandEdit(by=by, at=at, former=claim.edit.former if claim.edit else former)
    return claim.model_copy(
        update={name: getattr(checked, name) for name in names} | {"edit": edit}
    )


def describe_change(report: Report, claim: Claim, text: str) -> Json:
    """Return a claim in new words as the change of the report that an agent would ask for."""
    new = claim.model_copy(update={"text": text, "figures": [], "not_found": False}).as_written
    for row, cells in build_grid(report.comparison).items():
        for column, cell in cells.items():
            if cell == claim:
                return {"section": TABLE, "figures": [{"row": row, "column": column, "claim": new}]}
    part = next(part for part in list_parts(report) if claim in part.claims)
    return {"section": part.heading, "add": [new], "after": part.claims.index(claim)}


def replace_claim(report: Report, before: Claim, after: Claim) -> Report:
    """Replace every occurrence of a claim in a report, and return the report."""

    def swap(claims: list[Claim]) -> list[Claim]:
        return [after if claim == before else claim for claim in claims]

    table, answer = report.comparison, report.answer
    rows = [
        row.model_copy(update={"cells": [after if cell == before else cell for cell in row.cells]})
        for row in (table.rows if table else [])
    ]
    changed = {
        "answer": answer and answer.model_copy(update={"claims": swap(answer.claims)}),
        "comparison": table and table.model_copy(update={"rows": rows}),
        "sections": [s.model_copy(update={"claims": swap(s.claims)}) for s in report.sections],
    }
    is_judged = report.claims_unjudged is not None
    return count_claims(report.model_copy(update=changed), is_judged=is_judged)


def edit_outputs(
    outputs: Mapping[str, Json], before: Claim, after: Claim, context: ReportContext
) -> dict[str, Json] | None:
    """Return the phase outputs whose reports contain a claim, with the claim replaced.

    Return an empty dict if the reports already contain the replacement, and None if they contain neither.
    """
    changed, is_done = dict[str, Json](), False
    for name, output in outputs.items():
        if not output.get("report"):
            continue
        report = Report.read_record(output["report"])
        claims = list_claims(report)
        is_done |= after in claims
        if before in claims:
            report = replace_claim(pin_notes(report, context), before, after)
            report = pin_notes(report, context)
            report = report.model_copy(update={"markdown": render(report, context)})
            changed[name] = {**output, "report": report.model_dump(mode="json")}
    return changed if changed or is_done else None


def list_edits(draft: Report, report: Report) -> Iterator[Patch]:
    """Yield as patches, unnumbered, what readers have edited of a report since its draft was written."""
    now = build_grid(report.comparison)
    for row, cells in build_grid(draft.comparison).items():
        for column, old in cells.items():
            new = now.get(row, {}).get(column)
            if old and new and new.edit and new.edit.former.text == old.text:
                change = CellChange(row=row, column=column, before=old, after=new)
                yield Patch(number=1, section=TABLE, cells=[change], by=new.edit.by)
    sentences = [claim for part in list_parts(report) for claim in part.claims]
    edited = {claim.edit.former.text: (claim, claim.edit.by) for claim in sentences if claim.edit}
    for section in draft.sections:
        noted = {name: getattr(section, name) for name in NOTED}
        noted |= {f"{name}_before": value for name, value in noted.items()}
        for at, old in enumerate(section.claims):
            if old.text in edited:
                new, by = edited[old.text]
                placed = {"removed": [PlacedClaim(at=at, claim=old)]}
                placed |= {"added": [PlacedClaim(at=at, claim=new)]}
                told = {"number": 1, "section": section.heading, "by": by}
                told |= {"is_finding": section.is_detail}
                yield Patch.model_validate(told | placed | noted)
