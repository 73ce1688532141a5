"""Data flow: each need of a phase bound to the nearest earlier phase that provides it."""

from contracts.definitions import Definition
from contracts.errors import Conflict, Problem
from contracts.phases import Phase
from workflows.graph import Graph
from workflows.kinds import Need
from workflows.phases import PHASES


def bind(
    definition: Definition, graph: Graph, active: set[str]
) -> tuple[dict[str, dict[str, list[str]]], list[Problem]]:
    """Bind each need to its nearest active provider; two equally near are a problem."""
    bindings: dict[str, dict[str, list[str]]] = {}
    problems: list[Problem] = []
    for i, phase in enumerate(definition.phases):
        bindings[phase.id] = {}
        for need in PHASES[phase.kind].needs(phase):
            try:
                found = _providers(phase, need, graph, active)
            except LookupError as error:
                path = f"phases[{i}].bind.{need.name}"
                problems.append(Problem(path=path, message=str(error)))
                continue
            if found:
                bindings[phase.id][need.name] = found
        unknown = set(phase.bind) - {need.name for need in PHASES[phase.kind].needs(phase)}
        problems += [
            Problem(path=f"phases[{i}].bind.{name}", message=f"{phase.kind} has no such need")
            for name in sorted(unknown)
        ]
    return bindings, problems


def _providers(phase: Phase, need: Need, graph: Graph, active: set[str]) -> list[str]:
    distances = graph.distances(phase.id)
    able = {
        name: distance
        for name, distance in distances.items()
        if need.name in PHASES[graph.phases[name].kind].provides
    }
    if need.name in phase.bind:
        chosen = phase.bind[need.name]
        if chosen not in able:
            raise LookupError(f"{chosen!r} does not come before and provide {need.name!r}")
        return [chosen] if chosen in active else []
    if not able and need.required:
        raise LookupError(f"no phase before {phase.id!r} provides {need.name!r}")
    here = {name: distance for name, distance in able.items() if name in active}
    if need.many:
        return [name for name in graph.phases if name in here]
    nearest = [name for name in here if here[name] == min(here.values())]
    if len(nearest) > 1:
        raise LookupError(f"{' and '.join(map(repr, nearest))} are equally near; name one in bind")
    return nearest


def require_bound(
    definition: Definition, bindings: dict[str, dict[str, list[str]]], selected: list[str]
) -> None:
    """Raise Conflict when a chosen phase needs what nothing chosen provides."""
    unmet = [
        f"{phase.id!r} needs {need.name!r}"
        for phase in definition.phases
        if phase.enabled and phase.id in selected
        for need in PHASES[phase.kind].needs(phase)
        if need.required and not bindings[phase.id].get(need.name)
    ]
    if unmet:
        raise Conflict(
            f"{'; '.join(unmet)}, which nothing chosen for this run provides; choose the phase "
            "that does, or supply its output in `given` or by `from_run`"
        )
