"""A definition resolved for one run: overrides applied, needs bound, phases selected and seeded.

Pure, so that the gateway refuses at once what the run's first activity would refuse.
"""

from collections.abc import Collection

from contracts.definitions import Definition
from contracts.errors import Conflict, InvalidDefinition, Problem
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.recall import RecallPhase
from contracts.runs.request import NO_STARTUP, Resolved, RunRequest
from contracts.runs.start import Opened, ParentRun
from contracts.terms import Terms
from domain.graph import PhaseGraph, find_shape_problems
from domain.suggestions import suggest
from workflows.phases import PHASES
from workflows.start.approver_policy import find_policy_problems
from workflows.start.bindings import bind, find_unmet_needs
from workflows.start.cost_estimate import estimate_costs
from workflows.start.follow_up import collect_follow_up_seeds, find_base_report
from workflows.start.inputs import (
    apply_overrides,
    find_input_problems,
    find_model_override_problems,
    find_unpriced_models,
)
from workflows.start.seeds import collect_seeds, find_approved_plans

Bindings = dict[str, dict[str, list[str]]]


def open_run(
    request: RunRequest, definition: Definition, parent: ParentRun | None, terms: Terms
) -> Opened:
    """Return what a run starts from: its definition resolved and priced; raises as `resolve`.

    A model without a price is InvalidDefinition, too.
    """
    resolved = resolve(request, definition, parent)
    limited = terms.limit_to(request.model_overrides, request.budget)
    _raise_any(find_unpriced_models(resolved.definition, limited))
    known_sources = len(resolved.base_report.sources) if resolved.base_report else 0
    costs = estimate_costs(resolved.definition, limited, known_sources)
    return Opened(resolved=resolved, terms=limited, costs=costs)


def resolve(request: RunRequest, definition: Definition, parent: ParentRun | None) -> Resolved:
    """Return the definition as this run will walk it.

    Raises:
        InvalidDefinition: with every problem found, each with its path.
        Conflict: a phase that was chosen needs what nothing chosen provides.
    """
    _raise_any(find_input_problems(definition, request.inputs))
    resolved = _resolve(request, definition, parent)
    if missing := find_unmet_needs(resolved.definition, resolved.bindings, resolved.selected):
        needs = "; ".join(problem.message for problem in missing)
        raise Conflict(
            f"{needs}; choose the phase that does, or supply its output in `given` or by `from_run`"
        )
    return resolved


def validate_definition(definition: Definition) -> Bindings:
    """Return the bindings of a definition, or raise InvalidDefinition with all its problems."""
    resolved = _resolve(RunRequest(query="?"), definition, None)
    _raise_any(find_unmet_needs(resolved.definition, resolved.bindings, resolved.selected))
    return resolved.bindings


def _resolve(request: RunRequest, stated: Definition, parent: ParentRun | None) -> Resolved:
    _raise_any(find_shape_problems(stated) + find_model_override_problems(stated, request))
    definition = apply_overrides(stated, request)
    graph = PhaseGraph(definition.phases)
    chosen = _select_phases(definition, request)
    chosen_ids = set(chosen)
    base_report = find_base_report(request, definition, parent)
    seeds = collect_follow_up_seeds(request, definition, parent) if base_report and parent else {}
    forked = None if base_report else parent
    seeds |= collect_seeds(definition, request, forked, graph)
    approved = find_approved_plans(forked, seeds) if forked else []
    active = [p for p in definition.phases if p.id in seeds or (p.enabled and p.id in chosen_ids)]
    bindings, problems = bind(definition, graph, {phase.id for phase in active})
    problems += find_policy_problems(stated, request, graph, chosen_ids, set(seeds))
    selected = [name for name in chosen if name not in seeds]
    problems += _find_locked_phases(definition, graph, selected, set(seeds) if approved else set())
    if not any(isinstance(phase, RecallPhase) for phase in active):
        named = {"startup_id": request.startup_id not in (None, NO_STARTUP)}
        named["save_startup"] = bool(request.save_startup)
        message = "needs a `recall`, and none takes part in this run"
        problems += [Problem(path=path, message=message) for path, told in named.items() if told]
    _raise_any(problems)
    return Resolved(
        definition=definition,
        bindings=bindings,
        selected=selected,
        seeds=seeds,
        approved=approved,
        base_report=base_report,
    )


def _raise_any(problems: list[Problem]) -> None:
    if problems:
        raise InvalidDefinition(problems)


def _select_phases(definition: Definition, request: RunRequest) -> list[str]:
    """Return the ids of the phases that `only` and `until` select, in order."""
    ids = [phase.id for phase in definition.phases]
    problems: list[Problem] = []
    chosen = ids
    if request.only is not None:
        chosen = request.only
        for name in (name for name in chosen if name not in ids):
            message = f"there is no phase {name!r}; {suggest(name, ids)}"
            problems.append(Problem(path="only", message=message))
        if problems:
            chosen = ids
        elif not chosen or chosen != [name for name in ids if name in chosen]:
            message = f"must name phases, in the definition's order: {ids}"
            problems.append(Problem(path="only", message=message))
    if request.until is not None:
        if request.until in chosen:
            chosen = chosen[: chosen.index(request.until) + 1]
        else:
            message = f"{request.until!r} is no phase that runs; {suggest(request.until, chosen)}"
            problems.append(Problem(path="until", message=message))
    _raise_any(problems)
    return chosen


def _find_locked_phases(
    definition: Definition, graph: PhaseGraph, selected: list[str], approved_seeds: Collection[str]
) -> list[Problem]:
    """Return the web-reaching phases that no approval ahead of them can unlock."""
    if definition.consent:
        return []
    chosen = set(selected)
    gates = graph.to_mask(
        phase.id
        for phase in definition.phases
        if isinstance(phase, HitlCheckpointPhase)
        and phase.unlocks
        and ((phase.enabled and phase.id in chosen) or phase.id in approved_seeds)
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
        and not gates & graph.ancestors[phase.id]
    ]
