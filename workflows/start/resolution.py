"""Making a definition ready for one run: overrides applied, needs bound, parts chosen, all checked.

Pure, so that the gateway and the run's first activity ask the same question and get one answer.
"""

from collections.abc import Mapping

from pydantic import ValidationError

from contracts.base import Json
from contracts.definitions import Definition, Resolved
from contracts.errors import Conflict, InvalidDefinition, Problem
from contracts.phases import Phase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.recall import RecallPhase
from contracts.report.research import Plan
from contracts.runs.start import ParentRun, RunRequest
from contracts.step_cache import KeptOutput, Reused
from domain.graph import Graph, shape_problems
from workflows.checkpoints.approval import is_approval
from workflows.phases import PHASES
from workflows.start.approver_policy import policy_problems
from workflows.start.bindings import bind, unmet
from workflows.start.follow_up import goes_on_from
from workflows.start.overrides import overridden, unplayed
from workflows.start.run_inputs import input_problems

Found = Mapping[str, KeptOutput]
"""By phase: what earlier runs gave of what is left out."""
NOTHING: Found = {}


def resolve(
    request: RunRequest, definition: Definition, parent: ParentRun | None, found: Found = NOTHING
) -> Resolved:
    """Return the definition as this run will walk it.

    Raises:
        InvalidDefinition: with every problem found, each with its path.
        Conflict: a phase that was chosen needs what nothing chosen provides.
    """
    resolved, missing = prepared(request, definition, parent, found)
    if missing:
        needs = "; ".join(problem.message for problem in missing)
        raise Conflict(
            f"{needs}; choose the phase that does, or supply its output in `given` or by `from_run`"
        )
    return resolved


def validate(definition: Definition) -> dict[str, dict[str, list[str]]]:
    """Return the bindings of a definition, or raise InvalidDefinition with all its problems."""
    resolved, missing = _resolved(RunRequest(query="?"), definition, None, NOTHING)
    _fail(missing)
    return resolved.bindings


def prepared(
    request: RunRequest, definition: Definition, parent: ParentRun | None, found: Found = NOTHING
) -> tuple[Resolved, list[Problem]]:
    """Return what the run will walk, and the needs that nothing chosen for it meets.

    Raises:
        InvalidDefinition: as `resolve`.
    """
    _fail(input_problems(definition, request.inputs))
    return _resolved(request, definition, parent, found)


def _resolved(
    request: RunRequest, definition: Definition, parent: ParentRun | None, found: Found
) -> tuple[Resolved, list[Problem]]:
    _fail(shape_problems(definition) + unplayed(definition, request))
    stated, definition = definition, overridden(definition, request)
    graph = Graph(definition.phases)
    selected = _selected(definition, request)
    goes_on = goes_on_from(request, definition, parent)
    same = None if goes_on else parent
    seeds = {**(goes_on.seeds if goes_on else {}), **_seeds(definition, request, same, graph)}
    approved = _approved(same, seeds, request)
    seeds = {**{name: kept.output for name, kept in found.items()}, **seeds}
    chosen = set(selected)
    active = [p for p in definition.phases if p.id in seeds or (p.enabled and p.id in chosen)]
    bindings, problems = bind(definition, graph, {phase.id for phase in active})
    problems += policy_problems(stated, request, graph, chosen, set(seeds))
    selected = [i for i in selected if i not in seeds]
    problems += _locked(definition, graph, selected, seeds, bool(approved))
    problems += _unrecalled(request, active)
    _fail(problems)
    made = Resolved(
        definition=definition,
        bindings=bindings,
        selected=selected,
        seeds=seeds,
        reused={i: Reused(run_id=k.run_id, warnings=k.warnings) for i, k in found.items()},
        approved=approved,
        carried=goes_on.carried if goes_on else None,
    )
    return made, unmet(definition, bindings, selected)


def _fail(problems: list[Problem]) -> None:
    if problems:
        raise InvalidDefinition(problems)


def _selected(definition: Definition, request: RunRequest) -> list[str]:
    """Return the phases that `only` and `until` leave, in order."""
    ids = [phase.id for phase in definition.phases]
    problems: list[Problem] = []
    chosen = ids
    if request.only is not None:
        chosen = request.only
        unknown = [name for name in chosen if name not in ids]
        if unknown or not chosen:
            message = f"{unknown or 'nothing'} named; phases are {ids}"
            problems.append(Problem(path="only", message=message))
        elif chosen != [i for i in ids if i in chosen]:
            message = f"must be in the definition's order: {ids}"
            problems.append(Problem(path="only", message=message))
    if request.until is not None:
        if request.until in chosen:
            chosen = chosen[: chosen.index(request.until) + 1]
        else:
            message = f"{request.until!r} is none of {chosen}"
            problems.append(Problem(path="until", message=message))
    _fail(problems)
    return chosen


def _seeds(
    definition: Definition, request: RunRequest, parent: ParentRun | None, graph: Graph
) -> dict[str, Json]:
    """Return the outputs that phases already have: the parent's, less `redo`, and `given`."""
    problems = [
        Problem(path=f"{field}.{name}", message="no such phase")
        for field, names in (("redo", request.redo), ("given", request.given))
        for name in names
        if name not in graph.phases
    ]
    if parent and _identity(parent.definition) != _identity(definition):
        message = "that run used another definition or version"
        problems.append(Problem(path="from_run", message=message))
    if request.redo and not parent:
        problems.append(Problem(path="redo", message="needs from_run"))
    seeds: dict[str, Json] = dict(parent.outputs) if parent else {}
    for name in [name for name in request.given if name in graph.phases]:
        try:
            seeds[name] = _whole(graph.phases[name], request.given[name])
        except ValidationError as error:
            problems += [
                Problem(path=".".join(["given", name, *map(str, e["loc"])]), message=e["msg"])
                for e in error.errors()
            ]
    _fail(problems)
    again = {name for i in request.redo for name in (i, *graph.descendants(i))}
    return {name: output for name, output in seeds.items() if name not in again}


def _identity(definition: Definition) -> tuple[str, int]:
    return definition.id, definition.version


def _whole(phase: Phase, output: Json) -> Json:
    """Return an output of the phase's kind with everything that was left to its default."""
    return PHASES[phase.kind].output.model_validate(output).model_dump(mode="json")


def _approved(parent: ParentRun | None, seeds: dict[str, Json], request: RunRequest) -> list[str]:
    """Return the plan hashes that a human of the parent run approved and that still stand."""
    if parent is None:
        return []
    plans = [
        Plan.model_validate(output["plan"]).hash
        for name, output in seeds.items()
        if "plan" in output and name not in request.given
    ]
    said = [d.plan_hash for d in parent.decisions if is_approval(d) and d.plan_hash]
    return [hash for hash in plans if hash in (*said, *parent.approved)]


def _unrecalled(request: RunRequest, active: list[Phase]) -> list[Problem]:
    """Return the problem of a startup to keep where nobody looks whether there is one already."""
    if not request.save_startup or any(isinstance(phase, RecallPhase) for phase in active):
        return []
    message = "needs a `recall`, and none takes part in this run"
    return [Problem(path="save_startup", message=message)]


def _locked(
    definition: Definition, graph: Graph, selected: list[str], seeds: dict[str, Json], carried: bool
) -> list[Problem]:
    """Return the web-reaching phases that no approval ahead of them can unlock."""
    if definition.consent:
        return []
    chosen = set(selected)
    gates = graph.mask(
        phase.id
        for phase in definition.phases
        if isinstance(phase, HitlCheckpointPhase)
        and phase.config.require_approval
        and phase.config.show_plan
        and ((phase.enabled and phase.id in chosen) or (phase.id in seeds and carried))
    )
    return [
        Problem(
            path=f"phases[{i}]",
            message=f"{phase.id!r} reaches the web, and no approval (an enabled `hitl_checkpoint` "
            "with `require_approval` and `show_plan`) stands ahead of it in this run",
        )
        for i, phase in enumerate(definition.phases)
        if PHASES[phase.kind].web(phase)
        and phase.enabled
        and phase.id in chosen
        and not gates & graph.ahead(phase.id)
    ]
