"""Follow-up: a run that changes the report of an earlier run, or answers a question from it."""

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidInput
from contracts.evidence.claims import Claim
from contracts.planning.assumptions import Assumption
from contracts.planning.brief import Answered, Brief
from contracts.planning.plan import Plan
from contracts.problems import Problem
from contracts.report.patches import TABLE, CellChange, Opening, Patch, PlacedClaim
from contracts.report.report import BaseReport, Report, Section
from contracts.runs.request import RunRequest, Seed
from contracts.runs.start import ParentRun
from contracts.runs.statuses import ENDED
from domain.report.changes.hand_edits import list_edits
from domain.report.changes.patches import build_grid, fold_patches
from domain.report.claims.report_claims import list_parts
from domain.report.run_report import find_report
from workflows.phases import PHASES

SINCE = "What was asked about its report since?"
STILL_TRUE = ("startup", "startups")
"""The part of a recall's output that holds for another question too."""


def find_base_report(
    request: RunRequest, definition: Definition, parent: ParentRun | None
) -> BaseReport | None:
    """Return the report that a follow-up changes or asks about; None for other starts.

    Raises:
        InvalidInput: The parent has no report or has not ended, or no phase can change reports.
    """
    if not request.follow_up:
        return None
    if parent is None:
        raise InvalidInput(Problem.at("follow_up", "needs-from-run"))
    if not (definition.is_living or definition.asks_report):
        told = Problem.at("follow_up", "living-needed", definition=definition.id)
        raise InvalidInput(told)
    if parent.status not in ENDED:
        raise InvalidInput(Problem.at("from_run", "from-run-live"))
    outputs = [*(seed.output for seed in parent.seeds.values()), *parent.partial.values()]
    patches = _patches(outputs)
    if not patches:
        raise InvalidInput(Problem.at("from_run", "from-run-without-report"))
    if report := _find_report(parent):
        edits = list_edits(fold_patches(patches), report)
        patches += [
            patch.model_copy(update={"number": n})
            for n, patch in enumerate(edits, start=len(patches) + 1)
        ]
    known = parent.base_report.sources if parent.base_report else []
    sources = max((o.get("sources") or [] for o in outputs), key=len, default=[])  # type: ignore[arg-type]
    made: dict[str, object] = {"question": _find_question(outputs) or parent.query}
    made |= {"run_id": parent.run_id, "patches": patches, "sources": sources or known}
    return BaseReport.model_validate(made | {"report": report if definition.edits_report else None})


def _find_report(parent: ParentRun) -> Report | None:
    """Return the report of a run as its readers see it."""
    gave = {name: seed.output for name, seed in parent.seeds.items()}
    gave |= parent.partial | parent.unfinished
    outputs = {phase.id: gave.get(phase.id) for phase in parent.definition.phases}
    found = find_report(parent.definition, parent.query, outputs, offline=True)
    return Report.model_validate(found) if found else None


def _find_question(outputs: list[Json]) -> str | None:
    """Return the question that the parent's report answers, if the parent itself was a follow-up."""
    briefs = [Brief.model_validate(found) for o in outputs if (found := o.get("brief"))]
    return next((brief.report_question for brief in briefs), None)


def collect_follow_up_seeds(
    request: RunRequest, definition: Definition, parent: ParentRun
) -> dict[str, Seed]:
    """Return the outputs that need no second asking: the startup, and the clarified question."""
    kinds = {phase.id: phase.kind for phase in parent.definition.phases}
    known = [p for p in definition.phases if kinds.get(p.id) == p.kind and p.id in parent.seeds]
    return {
        phase.id: Seed(
            output=_ask_anew(parent.seeds[phase.id].output, request, parent),
            origin="follow_up",
            run_id=parent.run_id,
        )
        for phase in known
        if PHASES[phase.kind].category == "clarify"
    }


def _ask_anew(output: Json, request: RunRequest, parent: ParentRun) -> Json:
    """Return the clarification for the new question, with the report's question, and those in between as answers.

    The parent's decomposition is dropped; its assumptions still hold.
    """
    if not output.get("brief"):
        return {name: output[name] for name in STILL_TRUE if name in output}
    before = Brief.model_validate(output["brief"])
    answers = list(before.answers)
    if before.report_question:
        answers.append(Answered(id=parent.run_id, question=SINCE, answer=parent.query))
    brief = Brief(
        query=request.query,
        report_question=before.report_question or parent.query,
        answers=answers,
        assumptions=_list_assumed(parent) or before.assumptions,
    )
    return {**output, "brief": brief.model_dump(mode="json")}


def _list_assumed(parent: ParentRun) -> list[Assumption]:
    """Return what the parent's plan assumes."""
    outputs = [seed.output for seed in parent.seeds.values() if seed.output.get("plan")]
    return Plan.model_validate(outputs[-1]["plan"]).assumptions if outputs else []


def _patches(outputs: list[Json]) -> list[Patch]:
    """Return the longest living report; else the newest report that was written at once."""
    grown = max((o.get("patches") or [] for o in outputs), key=len, default=[])  # type: ignore[arg-type]
    if grown:
        return [Patch.model_validate(patch) for patch in grown]  # type: ignore[union-attr]
    reports = [Report.model_validate(o["report"]) for o in outputs if o.get("report")]
    return to_patches(reports[-1]) if reports else []


def to_patches(report: Report) -> list[Patch]:
    """Convert a report to one patch per section, without unsupported claims.

    Without a judge, keep claims that code did not refute; always keep a reader's edits.
    """
    is_judged = report.claims_unjudged is not None
    cells = [
        CellChange(row=row, column=column, after=claim)
        for row, found in build_grid(report.comparison).items()
        for column, claim in found.items()
        if claim and _stands(claim, is_judged=is_judged)
    ]
    drafts = [Patch(number=1, section=TABLE, cells=cells)] if cells else []
    parts = list_parts(report)
    drafts += [_section(part, is_judged=is_judged) for part in parts]
    headings = {
        is_finding: [part.heading for part in parts if part.is_detail == is_finding]
        for is_finding in (False, True)
    }
    numbered, begun = list[Patch](), set[bool]()
    for number, draft in enumerate(drafts, start=1):
        outline = headings[draft.is_finding] if draft.is_finding not in begun else []
        opening = (
            Opening(title=report.title, outline=outline, assumptions=report.assumptions)
            if outline
            else None
        )
        numbered.append(draft.model_copy(update={"number": number, "opening": opening}))
        begun.add(draft.is_finding)
    return numbered


def _stands(claim: Claim, *, is_judged: bool) -> bool:
    is_kept = claim.verdict is None and not is_judged
    return claim.is_supported or is_kept or claim.edit is not None


def _section(section: Section, *, is_judged: bool) -> Patch:
    held = [claim for claim in section.claims if _stands(claim, is_judged=is_judged)]
    added = [PlacedClaim(at=n, claim=claim) for n, claim in enumerate(held)]
    return Patch(
        number=1,
        section=section.heading,
        is_finding=section.is_detail,
        added=added,
        missing=section.missing,
    )
