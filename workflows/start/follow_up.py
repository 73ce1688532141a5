"""A follow-up: a run that goes on from what another one found, with a question of its own. Pure."""

from dataclasses import dataclass

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidDefinition, Problem
from contracts.report.patches import TABLE, Carried, CellChange, Opening, Patch, Placed
from contracts.report.research import Answered, Brief, Report, Section
from contracts.runs.request import RunRequest
from contracts.runs.start import ParentRun
from contracts.runs.state import ENDED
from domain.report.patches import grid_of
from workflows.phases import PHASES

ASKED = Answered(id="follow-up", question="Which question does this follow up on?")
KNOWN = ("startup", "startups")
"""What a recall found that is still true of another question."""


@dataclass(frozen=True)
class GoesOn:
    """What a follow-up starts from."""

    carried: Carried
    seeds: dict[str, Json]


def goes_on_from(
    request: RunRequest, definition: Definition, parent: ParentRun | None
) -> GoesOn | None:
    """Return what a follow-up takes over; None for any other start.

    Raises:
        InvalidDefinition: There is nothing to go on from, or nobody to go on with it.
    """
    if not request.follow_up:
        return None
    if parent is None:
        raise _refused("follow_up", "needs from_run")
    if not definition.is_living:
        raise _refused("follow_up", f"no phase of {definition.id!r} has `living` set")
    if parent.status not in ENDED:
        raise _refused("from_run", "that run has not ended: steer it")
    outputs = [*parent.outputs.values(), *parent.partial.values()]
    patches = _patches(outputs)
    if not patches:
        raise _refused("from_run", "that run has no report to go on from")
    sources = max((o.get("sources") or [] for o in outputs), key=len, default=[])  # type: ignore[arg-type]
    carried = Carried.model_validate(
        {"query": parent.query, "sources": sources, "patches": patches}
    )
    return GoesOn(carried, _seeds(request, definition, parent))


def _refused(path: str, message: str) -> InvalidDefinition:
    return InvalidDefinition([Problem(path=path, message=message)])


def _patches(outputs: list[Json]) -> list[Patch]:
    """Return the longest living report; of one that did not live, its newest whole as patches."""
    grown = max((o.get("patches") or [] for o in outputs), key=len, default=[])  # type: ignore[arg-type]
    if grown:
        return [Patch.model_validate(patch) for patch in grown]  # type: ignore[union-attr]
    reports = [Report.model_validate(o["report"]) for o in outputs if o.get("report")]
    return as_patches(reports[-1]) if reports else []


def as_patches(report: Report) -> list[Patch]:
    """Return a report as one patch a section, without what is unsupported."""
    cells = [
        CellChange(row=row, column=column, after=claim)
        for row, found in grid_of(report.comparison).items()
        for column, claim in found.items()
        if claim and claim.verdict == "supported"
    ]
    drafts = [Patch(number=1, section=TABLE, cells=cells)] if cells else []
    drafts += [_section(section) for section in report.sections]
    opening = Opening(title=report.title, outline=[s.heading for s in report.sections])
    return [
        draft.model_copy(update={"number": number, "opening": opening if number == 1 else None})
        for number, draft in enumerate(drafts, start=1)
    ]


def _section(section: Section) -> Patch:
    held = [claim for claim in section.claims if claim.verdict == "supported"]
    added = [Placed(at=n, claim=claim) for n, claim in enumerate(held)]
    return Patch(number=1, section=section.heading, added=added, missing=section.missing)


def _seeds(request: RunRequest, definition: Definition, parent: ParentRun) -> dict[str, Json]:
    """Return what needs no second asking: the startup, and what was clarified."""
    kinds = {phase.id: phase.kind for phase in parent.definition.phases}
    known = [p for p in definition.phases if kinds.get(p.id) == p.kind and p.id in parent.outputs]
    return {
        phase.id: _asked_anew(parent.outputs[phase.id], request, parent)
        for phase in known
        if PHASES[phase.kind].category == "clarify"
    }


def _asked_anew(output: Json, request: RunRequest, parent: ParentRun) -> Json:
    if not output.get("brief"):
        return {name: output[name] for name in KNOWN if name in output}
    before = Brief.model_validate(output["brief"])
    asked = ASKED.model_copy(update={"answer": parent.query})
    answers = [*(a for a in before.answers if a.id != ASKED.id), asked]
    brief = before.model_copy(update={"query": request.query, "answers": answers})
    return {**output, "brief": brief.model_dump(mode="json")}
