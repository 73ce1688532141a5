"""Data flow: each need of a phase bound to the nearest earlier phase that provides it."""

from functools import cache

from contracts.definitions import Definition
from contracts.errors import Problem
from contracts.phases import Phase
from contracts.phases.base import Need
from domain.graph import PhaseGraph
from workflows.phases import PHASES

MAX_NAMED = 5


def bind(
    definition: Definition, graph: PhaseGraph, active: set[str]
) -> tuple[dict[str, dict[str, list[str]]], list[Problem]]:
    """Bind each need to its nearest active provider; two equally near are a problem."""
    bindings: dict[str, dict[str, list[str]]] = {}
    problems: list[Problem] = []
    providers = _Providers(graph, active)
    for i, phase in enumerate(definition.phases):
        bindings[phase.id] = {}
        needs = PHASES[phase.kind].needs(phase)
        for need in needs:
            try:
                found = providers.find(phase, need)
            except LookupError as error:
                problems.append(Problem(path=need.of(i), message=str(error)))
                continue
            if found:
                bindings[phase.id][need.name] = found
        unknown = set(phase.bind) - {need.name for need in needs}
        problems += [
            Problem(path=f"phases[{i}].bind.{name}", message=f"{phase.kind} has no such need")
            for name in sorted(unknown)
        ]
    return bindings, problems


class _Providers:
    """Providers of one definition's needs; each is looked up once for all phases that need it."""

    def __init__(self, graph: PhaseGraph, active: set[str]) -> None:
        self._graph = graph
        self._active = graph.to_mask(active)
        self._able = cache(self._find_able)
        self._nearest = cache(lambda need: graph.find_nearest(self._able(need) & self._active))

    def find(self, phase: Phase, need: Need) -> list[str]:
        """Return the active phases that a need is bound to.

        Raises:
            LookupError: no phase before it provides the need, or two are equally near.
        """
        graph = self._graph
        able = self._able(need) & graph.ancestors[phase.id]
        if provider := phase.bind.get(need.name, need.provider):
            chosen = graph.to_mask([provider])
            if not chosen & able:
                raise LookupError(
                    f"{provider!r} does not come before and provide {_describe(need)}"
                )
            return graph.to_ids(chosen & self._active)
        if not able and need.required:
            raise LookupError(f"no phase before {phase.id!r} provides {_describe(need)}")
        if need.many:
            return graph.to_ids(able & self._active)
        nearest = graph.to_ids(self._nearest(need)[phase.id])
        if len(nearest) > 1 and not need.for_review:
            raise LookupError(f"{_list_names(nearest)} are equally near; name one in bind")
        return nearest

    def _find_able(self, need: Need) -> int:
        phases = self._graph.phases.items()
        return self._graph.to_mask(name for name, p in phases if PHASES[p.kind].meets(need))


def _describe(need: Need) -> str:
    return "anything to read" if need.anything else repr(need.value)


def _place(need: Need) -> str:
    return f"{_describe(need)} of {need.provider!r}" if need.provider else _describe(need)


def _list_names(names: list[str]) -> str:
    shown = [repr(name) for name in names[:MAX_NAMED]]
    more = [f"{len(names) - MAX_NAMED} more"] if names[MAX_NAMED:] else []
    return " and ".join([*shown, *more])


def find_unmet_needs(
    definition: Definition, bindings: dict[str, dict[str, list[str]]], selected: list[str]
) -> list[Problem]:
    """Return the needs of chosen phases that nothing chosen provides."""
    chosen = set(selected)
    return [
        Problem(
            path=need.of(i),
            message=f"{phase.id!r} needs {_place(need)}, which nothing chosen for this run provides",
        )
        for i, phase in enumerate(definition.phases)
        if phase.enabled and phase.id in chosen
        for need in PHASES[phase.kind].needs(phase)
        if need.required and not bindings[phase.id].get(need.name)
    ]
