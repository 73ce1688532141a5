"""A definition resolved for one run: overrides applied, needs bound, phases selected and seeded.

Pure, so that the gateway refuses at once what the run's first activity would refuse.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from contracts.definitions import Definition
from contracts.documents import NONE_KNOWN, KnownDocuments
from contracts.errors import Conflict, InvalidDefinition, InvalidInput
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.control import ControlPhase
from contracts.phases.crew import CrewPhase
from contracts.phases.edit import SentenceEdit
from contracts.phases.recall import RecallPhase
from contracts.phases.research import ResearchPhase
from contracts.problems import Problem
from contracts.runs.request import NO_STARTUP, Resolved, RunRequest, Seed
from contracts.runs.run_terms import Terms
from contracts.runs.start import Opened, ParentRun
from domain.graph import PhaseGraph, find_shape_problems, straighten
from domain.planning.depth import list_depths, set_depth
from domain.report.changes.hand_edits import find_edited
from workflows.checkpoints.approval_gate import is_approval
from workflows.phases import PHASES
from workflows.start.approver_bypass_check import find_approver_bypasses
from workflows.start.bindings import bind, find_unmet_needs
from workflows.start.follow_up import collect_follow_up_seeds, find_base_report
from workflows.start.inputs import (
    apply_overrides,
    count_subjects,
    find_budget_problems,
    find_input_problems,
    find_model_override_problems,
    find_needed_providers,
    find_unconfigured_search,
    find_unpriced_models,
)
from workflows.start.phase_costs import (
    Given,
    estimate_costs,
    estimate_depths,
)
from workflows.start.phase_selection import select_phases
from workflows.start.required_approvals import find_locked_phases, find_option_problems
from workflows.start.reused_approvals import find_approvals, reopen_approvals
from workflows.start.seeds import collect_seeds, find_resumed

SEARCHING = (ResearchPhase, ControlPhase, CrewPhase)
"""Phases whose agents search, if they reach the web."""
Bindings = dict[str, dict[str, list[str]]]


def open_run(  # noqa: PLR0913 - a start depends on no less
    request: RunRequest,
    definition: Definition,
    parent: ParentRun | None,
    terms: Terms,
    latest_day: str = "",
    known: KnownDocuments = NONE_KNOWN,
) -> Opened:
    """Resolve and price a start; raises like `resolve`.

    Models without a price and a budget that pays for nothing are InvalidInput too.
    """
    resolved = resolve(request, definition, parent, latest_day)
    limited = terms.limit_to(request.model_overrides, request.budget, request.search)
    _raise_any(find_unpriced_models(resolved.definition, limited))
    _raise_any(find_unconfigured_search(resolved.definition, limited))
    known_sources = len(resolved.base_report.sources) if resolved.base_report else 0
    given = Given(
        sources=known_sources,
        known=known,
        subjects=count_subjects(resolved.definition, request.inputs),
    )
    costs = estimate_costs(resolved.definition, limited, given, batch=request.batch)
    depth_costs = estimate_depths(
        resolved.definition, resolved.depths, limited, given, batch=request.batch
    )
    _raise_any(find_budget_problems(request.budget, costs, resolved.selected))
    needed = find_needed_providers(resolved, limited)
    if parent is None or request.follow_up:
        return Opened(
            resolved=resolved, terms=limited, costs=costs, depth_costs=depth_costs, needed=needed
        )
    chosen = select_phases(resolved.definition, request)
    resolved = reopen_approvals(resolved, chosen, parent, costs, limited.cap_usd)
    return Opened(
        resolved=resolved,
        terms=limited,
        costs=costs | {n: cost for n, cost in parent.costs.items() if n in resolved.seeds},
        depth_costs=depth_costs,
        decisions=find_approvals(parent, resolved.seeds),
        needed=needed,
        resumed=find_resumed(request, resolved, parent),
    )


def resolve(
    request: RunRequest, definition: Definition, parent: ParentRun | None, latest_day: str = ""
) -> Resolved:
    """Return the definition as this run executes it; its inputs name no day after `latest_day`, if given.

    Raises:
        InvalidInput: Lists every problem with its path.
        Conflict: A selected phase has a need that no selected phase provides, or the sentence to be edited
            has changed.
        NotFound: The sentence to be edited does not exist.
    """
    _raise_any(find_shape_problems(definition))
    unread = find_input_problems(definition, request.inputs, latest_day)
    resolved, problems = _resolve(request, definition, parent, unread)
    _raise_any(problems)
    if resolved.definition.asks_report and not resolved.base_report:
        raise InvalidInput(Problem.at("follow_up", "report-needed", definition=definition.id))
    if resolved.base_report and resolved.base_report.report:
        find_edited(resolved.base_report.report, SentenceEdit.model_validate(request.inputs))
    if request.remarks and not (request.follow_up and resolved.definition.is_living):
        raise InvalidInput(Problem.at("remarks", "remarks-need-follow-up"))
    if missing := find_unmet_needs(resolved.definition, resolved.bindings, resolved.selected):
        raise Conflict(Notice.of("needs-unmet", needs=[each.notice for each in missing]))
    return resolved


def validate_definition(definition: Definition, terms: Terms | None = None) -> Bindings:
    """Return the bindings of a definition, or raise InvalidDefinition with all its problems.

    With an installation's terms, models without a price are problems too.
    """
    problems = find_shape_problems(definition)
    sound, mended = straighten(definition) if problems else (definition, set[int]())
    resolved, found = _resolve(RunRequest(query="?"), sound, None)
    told = {problem.path for problem in found}
    unmet = find_unmet_needs(resolved.definition, resolved.bindings, resolved.selected)
    found += [problem for problem in unmet if problem.path not in told]
    doubtful = tuple(f"phases[{i}]" for i in mended)
    problems += [problem for problem in found if not problem.path.startswith(doubtful)]
    if terms:
        unpriced = find_unpriced_models(definition, terms)
        problems += [problem for problem in unpriced if problem.path.startswith("phases[")]
    if problems:
        raise InvalidDefinition(problems)
    return resolved.bindings


def _resolve(
    request: RunRequest,
    stated: Definition,
    parent: ParentRun | None,
    known: Sequence[Problem] = (),
) -> tuple[Resolved, list[Problem]]:
    """Resolve a well-formed definition for this run, and return its problems.

    Raises:
        InvalidInput: The start's choices are invalid; known problems are included.
    """
    problems = [*known, *find_model_override_problems(stated, request)]
    forked = None if request.follow_up else parent
    definition, chosen, seeds = stated, [phase.id for phase in stated.phases], dict[str, Seed]()
    with _collecting(problems):
        definition = apply_overrides(_set_depth(stated, request, forked), request)
    graph = PhaseGraph(definition.phases)
    with _collecting(problems):
        chosen = select_phases(definition, request)
    base_report = forked.base_report if forked else None
    with _collecting(problems):
        base_report = base_report or find_base_report(request, definition, parent)
        if base_report and parent and not forked:
            seeds = collect_follow_up_seeds(request, definition, parent)
        seeds |= collect_seeds(definition, request, forked, graph, chosen)
    _raise_any(problems)
    approved = forked and any(map(is_approval, find_approvals(forked, seeds)))
    chosen_ids = set(chosen)
    active = [p for p in definition.phases if p.id in seeds or (p.enabled and p.id in chosen_ids)]
    bindings, problems = bind(definition, graph, {phase.id for phase in active})
    problems += find_approver_bypasses(stated, request, graph, chosen_ids, set(seeds))
    selected = [name for name in chosen if name not in seeds]
    problems += find_option_problems(definition, bindings)
    problems += find_locked_phases(definition, graph, selected, set(seeds) if approved else set())
    problems += _find_report_problems(definition)
    problems += _find_startup_problems(request, active)
    problems += _find_document_problems(request, active)
    resolved = Resolved(
        definition=definition,
        bindings=bindings,
        selected=selected,
        seeds=seeds,
        base_report=base_report,
        depth=forked.depth if forked else request.depth or "standard",
        depths=forked.depths if forked else list_depths(stated, request.config_overrides),
    )
    return resolved, problems


def _set_depth(stated: Definition, request: RunRequest, forked: ParentRun | None) -> Definition:
    """Return a definition at the start's depth; a forked run keeps its parent's."""
    if forked and request.depth:
        raise InvalidInput(Problem.at("depth", "depth-of-parent"))
    if forked or not request.depth:
        return stated
    return set_depth(stated, list_depths(stated).get(request.depth, {}))


def _find_document_problems(request: RunRequest, active: Sequence[Phase]) -> list[Problem]:
    """Return problems for documents given to a run in which no phase searches."""
    if any(isinstance(p, SEARCHING) and PHASES[p.kind].web(p) for p in active):
        return []
    given = {"files": request.files, "collections": request.collections}
    return [Problem.at(name, "documents-unread-by-run") for name, named in given.items() if named]


def _find_startup_problems(request: RunRequest, active: Sequence[Phase]) -> list[Problem]:
    """Return what a start says of startups although no phase looks them up."""
    if any(isinstance(phase, RecallPhase) for phase in active):
        return []
    named = {"startup_id": request.startup_id not in (None, NO_STARTUP)}
    named["save_startup"] = bool(request.save_startup)
    return [Problem.at(path, "recall-needed") for path, told in named.items() if told]


@contextmanager
def _collecting(problems: list[Problem]) -> Iterator[None]:
    """Collect the problems of InvalidInput and continue after the block."""
    try:
        yield
    except InvalidInput as invalid:
        problems += invalid.found


def _raise_any(problems: list[Problem]) -> None:
    if problems:
        raise InvalidInput(problems)


def _find_report_problems(definition: Definition) -> list[Problem]:
    able = [phase.id for phase in definition.phases if "report" in PHASES[phase.kind].provides]
    if definition.report_phase in {None, *able}:
        return []
    known: dict[str, list[str]] = {"able": able} if able else {}
    return [Problem.at("report_phase", "report-phase-unable", **known)]
