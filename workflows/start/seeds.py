"""Seeds: the outputs that a start takes from a parent run or from its caller."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import JsonValue, ValidationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import Conflict, InvalidInput
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.control import ControlPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningOutput
from contracts.planning.plan import Plan, PlanDraft
from contracts.planning.startup_company import Startup
from contracts.problems import Problem, list_problems
from contracts.runs.request import NO_STARTUP, Resolved, RunRequest, Seed, fold_inputs
from contracts.runs.start import ParentRun
from contracts.words import Language
from contracts.words.question_language import detect_language
from domain.graph import PhaseGraph
from domain.report.given_reports import clean_output
from domain.text_matching.suggestions import suggest
from workflows.phases import PHASES

MAX_SHOWN = 200
"""Characters shown of a question or an input."""
MAX_GIVEN_REPORT_CHARS = 100_000
"""Maximum length of a given report's Markdown, since its caller does not pay for rendering it."""


def collect_seeds(
    definition: Definition,
    request: RunRequest,
    parent: ParentRun | None,
    graph: PhaseGraph,
    chosen: Collection[str],
) -> dict[str, Seed]:
    """Return seeds by phase: the parent's outputs and those in `given`, except for phases that run again.

    Phases run again if `redo` names them, if they have no output to reuse, or if they come after such a
    phase. Nothing after `until` is reused. A given plan has no price yet.

    Raises:
        InvalidInput: A field names no phase, or does not contain an output of its phase.
        Conflict: A phase that does not run again had other inputs in the parent.
    """
    problems = [
        Problem.at(f"{field}.{name}", "no-such-phase", hint=suggest(name, graph.phases))
        for field, names in (("redo", request.redo), ("given", request.given))
        for name in names
        if name not in graph.phases
    ]
    if parent and (parent.definition.id, parent.definition.version) != (
        definition.id,
        definition.version,
    ):
        problems.append(Problem.at("from_run", "from-run-differs"))
    if request.redo and not parent:
        problems.append(Problem.at("redo", "needs-from-run"))
    problems += [
        Problem.at(f"redo.{name}", "redo-not-run", known=[*chosen])
        for name in request.redo
        if name in graph.phases and name not in chosen
    ]
    given: dict[str, Seed] = {}
    for name in [name for name in request.given if name in graph.phases]:
        try:
            made = PHASES[graph.phases[name].kind].output.model_validate(request.given[name])
        except ValidationError as error:
            problems += list_problems(error.errors(), f"given.{name}")
        else:
            output = made.model_dump(mode="json")
            given[name] = Seed(output=output, origin="given")
            problems += _find_long_report(name, output)
    if problems:
        raise InvalidInput(problems)
    before = parent.seeds if parent else {}
    due = {p.id for p in definition.phases if p.enabled and p.id in chosen}
    missing = due - before.keys() - request.given.keys()
    again = {name for i in {*request.redo, *missing} for name in (i, *graph.find_descendants(i))}
    ids = [phase.id for phase in definition.phases]
    beyond = set(ids[ids.index(request.until) + 1 :]) if request.until in ids else set()
    carried = {name: seed for name, seed in before.items() if name not in again | beyond}
    seeds = carried | _take_given(given, carried, detect_language(request.query))
    if parent and (clashes := list(_find_clashes(request, parent, seeds, graph))):
        raise Conflict(clashes)
    return seeds


def _find_long_report(name: str, output: Json) -> Iterator[Problem]:
    """Yield a problem if the report in a given output is too long."""
    report: Any = output.get("report")
    chars = len(report.get("markdown", "")) if isinstance(report, dict) else 0
    if chars > MAX_GIVEN_REPORT_CHARS:
        path, most = f"given.{name}.report.markdown", MAX_GIVEN_REPORT_CHARS
        yield Problem.at(path, "report-long", most=most, n=chars)


def _take_given(
    given: Mapping[str, Seed], carried: Mapping[str, Seed], language: Language
) -> dict[str, Seed]:
    """Return the given seeds that the carried ones lack: reports rendered again, plans without a price."""
    found = {}
    for name, seed in given.items():
        known = carried[name].output if name in carried else None
        cleaned = seed.model_copy(update={"output": clean_output(seed.output, language)})
        if known not in (seed.output, cleaned.output):
            found[name] = remove_price(cleaned)
    return found


def remove_price(seed: Seed) -> Seed:
    """Return the seed of a plan without its price, which the run computes again; any other unchanged."""
    if "plan" not in seed.output:
        return seed
    shown = Plan.model_validate(seed.output["plan"])
    plan = Plan(**shown.model_dump(include=set(PlanDraft.model_fields)))
    output = PlanningOutput(plan=plan, plan_hash=plan.hash).model_dump(mode="json")
    before = shown if seed.origin == "parent" else None
    return seed.model_copy(update={"output": output, "shown_plan": before})


def _find_clashes(
    request: RunRequest, parent: ParentRun, seeds: dict[str, Seed], graph: PhaseGraph
) -> Iterator[Problem]:
    """Yield what a start says otherwise than its parent did, if a phase that is carried over read it."""
    carried = graph.to_mask(name for name, seed in seeds.items() if seed.origin == "parent")
    for field, differs, readers in _find_differences(request, parent, seeds, graph):
        read = graph.to_mask(n for n in graph.phases if graph.ancestors[n] & readers) | readers
        if found := graph.to_ids(read & carried):
            first = [name for name in found if not graph.ancestors[name] & read & carried]
            names = {"names": found, "again": first}
            yield Problem.at(field, "carried-read", differs=differs, run=parent.run_id, **names)


def _find_differences(
    request: RunRequest, parent: ParentRun, seeds: dict[str, Seed], graph: PhaseGraph
) -> Iterator[tuple[str, Notice, int]]:
    """Yield each field in which a start differs from its parent, how, and the phases that read it."""
    kinds = {name: PHASES[phase.kind] for name, phase in graph.phases.items()}
    if parent.query.split() != request.query.split():
        yield "query", _tell(parent.query, request.query), graph.to_mask(kinds)
    then, now = fold_inputs(parent.inputs), fold_inputs(request.inputs)
    for field in sorted({*then, *now}):
        if then.get(field) != now.get(field):
            models = {name: kind.inputs(graph.phases[name]) for name, kind in kinds.items()}
            read = [name for name, model in models.items() if model and field in model.model_fields]
            differs = _tell(parent.inputs.get(field), request.inputs.get(field))
            yield f"inputs.{field}", differs, graph.to_mask(read)
    before = {phase.id: phase for phase in parent.definition.phases}
    for name in request.config_overrides:
        for path, *values in _list_changes(before.get(name), graph.phases.get(name)):
            yield f"config_overrides.{name}.{path}", _tell(*values), graph.to_mask([name])
    web = graph.to_mask(name for name, kind in kinds.items() if kind.web(graph.phases[name]))
    for field in ("files", "collections"):
        if getattr(request, field):
            yield field, Notice.of("documents-more"), web
    startups = [s.output["startup"] for s in parent.seeds.values() if s.output.get("startup")]
    known = {Startup.model_validate(startup).id for startup in startups}
    if request.startup_id and {request.startup_id} != (known or {NO_STARTUP}):
        read = [name for name, kind in kinds.items() if "startup" in kind.provides]
        differs = _tell(", ".join(sorted(known)) or NO_STARTUP, request.startup_id)
        yield "startup_id", differs, graph.to_mask(read)
    for name in [name for name, seed in seeds.items() if seed.origin == "given"]:
        later = graph.to_mask(graph.find_descendants(name))
        yield f"given.{name}", Notice.of("given-differs", run=parent.run_id), later


def _list_changes(
    then: Phase | None, now: Phase | None
) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    """Yield each field in which a phase's settings differ, with its values."""
    told: list[Json] = [phase.model_dump(mode="json") if phase else {} for phase in (then, now)]
    for field in ("enabled", "timeout_seconds"):
        if told[0].get(field) != told[1].get(field):
            yield field, told[0].get(field), told[1].get(field)
    configs: list[Any] = [one.get("config") or {} for one in told]
    for field in dict.fromkeys([*configs[0], *configs[1]]):
        if configs[0].get(field) != configs[1].get(field):
            yield f"config.{field}", configs[0].get(field), configs[1].get(field)


def _tell(then: JsonValue, now: JsonValue) -> Notice:
    """Return the notice that compares an earlier value of a field with its present one."""
    left_out = Notice.of("left-out")
    shown = [repr(v)[:MAX_SHOWN] if v is not None else left_out for v in (then, now)]
    return Notice.of("differs", then=shown[0], now=shown[1])


def find_resumed(request: RunRequest, resolved: Resolved, parent: ParentRun) -> dict[str, Seed]:
    """Return seeds by phase for the steps of a reused plan that the parent had completed.

    The phase continues after these steps. It starts over if it is to be redone or has other steps, or if a
    phase before it is redone, except for a checkpoint whose price has changed. Phases that neither run
    executes need no seed.
    """
    phases = resolved.definition.phases
    graph = PhaseGraph(phases)
    before = {phase.id: phase for phase in parent.definition.phases}
    redone = {name for i in request.redo for name in (i, *graph.find_descendants(i))}
    found: dict[str, Seed] = {}
    for phase in phases:
        output, earlier = parent.unfinished.get(phase.id), before.get(phase.id)
        if not isinstance(phase, ControlPhase) or not isinstance(earlier, ControlPhase):
            continue
        if not output or phase.id in redone | resolved.seeds.keys():
            continue
        if request.files or request.collections:
            continue
        if _list_work(phase) != _list_work(earlier) or phase.id not in resolved.selected:
            continue
        ahead = [graph.phases[name] for name in graph.to_ids(graph.ancestors[phase.id])]
        executed = {*resolved.selected, *parent.seeds, *parent.partial, *parent.unfinished}
        needed = [
            p.id
            for p in ahead
            if p.enabled and p.id in executed and not isinstance(p, HitlCheckpointPhase)
        ]
        seeds = [resolved.seeds.get(name) for name in needed]
        if all(seed and seed.origin == "parent" for seed in seeds) and output.get("steps"):
            found[phase.id] = Seed(output=output, origin="parent", run_id=parent.run_id)
    return found


def _list_work(phase: ControlPhase) -> tuple[object, ...]:
    """Return the settings that determine which steps a phase does, and how."""
    return phase.config.execute_all_steps, phase.config.step_number, phase.config.web
