"""Data flow: each need of a phase bound to the nearest earlier phase that provides it."""

from functools import cache

from contracts.definitions import Definition
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.base import Need
from contracts.problems import Problem
from domain.graph import PhaseGraph
from workflows.phases import PHASES

MAX_NAMED = 5


class Unbound(LookupError):
    """A need without provider, or with several, and the notice that explains it."""

    def __init__(self, notice: Notice) -> None:
        super().__init__(notice.text)
        self.notice = notice


def bind(
    definition: Definition, graph: PhaseGraph, active: set[str]
) -> tuple[dict[str, dict[str, list[str]]], list[Problem]]:
    """Bind each need to its nearest active provider; two equally near are a problem if it reads one alone."""
    bindings: dict[str, dict[str, list[str]]] = {}
    problems: list[Problem] = []
    providers = _Providers(graph, active)
    for i, phase in enumerate(definition.phases):
        bindings[phase.id] = {}
        needs = PHASES[phase.kind].needs(phase)
        for need in needs:
            try:
                found = providers.find(phase, need)
            except Unbound as error:
                problems.append(Problem.told(need.of(i), error.notice))
                continue
            if found:
                bindings[phase.id][need.name] = found
        unknown = set(phase.bind) - {need.name for need in needs}
        problems += [
            Problem.at(f"phases[{i}].bind.{name}", "need-unknown", kind=phase.kind)
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
            Unbound: no phase before it provides the need, or two are equally near.
        """
        graph = self._graph
        able = self._able(need) & graph.ancestors[phase.id]
        if provider := phase.bind.get(need.name, need.provider):
            chosen = graph.to_mask([provider])
            if not chosen & able:
                told = Notice.of("provider-not-before", provider=provider, need=_describe(need))
                raise Unbound(told)
            return graph.to_ids(chosen & self._active)
        if not able and need.required:
            raise Unbound(Notice.of("provider-missing", phase=phase.id, need=_describe(need)))
        if need.many:
            return graph.to_ids(able & self._active)
        nearest = graph.to_ids(self._nearest(need)[phase.id])
        if len(nearest) > 1 and not need.joins:
            told = Notice.of("providers-near", names=_limit_names(nearest), need=_describe(need))
            raise Unbound(told)
        return nearest

    def _find_able(self, need: Need) -> int:
        phases = self._graph.phases.items()
        return self._graph.to_mask(name for name, p in phases if PHASES[p.kind].meets(need))


def _describe(need: Need) -> Notice:
    return (
        Notice.of("need-anything") if need.anything else Notice.of("need-value", value=need.value)
    )


def _place(need: Need) -> Notice:
    value = _describe(need)
    if not need.provider:
        return value
    return Notice.of("need-value-of", value=value, provider=need.provider)


def _limit_names(names: list[str]) -> list[str | Notice]:
    more = [Notice.of("and-more", n=len(names) - MAX_NAMED)] if names[MAX_NAMED:] else []
    return [*names[:MAX_NAMED], *more]


def find_unmet_needs(
    definition: Definition, bindings: dict[str, dict[str, list[str]]], selected: list[str]
) -> list[Problem]:
    """Return the needs of selected phases that no selected phase provides."""
    chosen = set(selected)
    return [
        Problem.at(need.of(i), "need-unmet", phase=phase.id, need=_place(need))
        for i, phase in enumerate(definition.phases)
        if phase.enabled and phase.id in chosen
        for need in PHASES[phase.kind].needs(phase)
        if need.required and not bindings[phase.id].get(need.name)
    ]
