"""Decides which phases are ready, which are skipped because a need is missing, and what inputs are lost."""

from collections.abc import Iterator

from contracts.notices import Notice
from contracts.phases import Phase
from contracts.runs.lost_inputs import LossCause, LostInput
from contracts.runs.state import PhaseState, RunState
from contracts.runs.statuses import SETTLED
from domain.graph import PhaseGraph
from domain.lost_inputs import explain_causes
from workflows.phases import PHASES


def takes_part(state: RunState, phase: Phase) -> bool:
    """Return whether a phase of the definition is a part of this run."""
    resolved = state.resolved
    return phase.id in resolved.seeds or (phase.enabled and phase.id in resolved.selected)


class PhaseReadiness:
    """Reads from a run's state what its phases wait for and what their providers gave."""

    def __init__(self, state: RunState, graph: PhaseGraph) -> None:
        self._state = state
        self._graph = graph
        self._left_out = {name for name, p in graph.phases.items() if not takes_part(state, p)}

    def is_ready(self, phase: Phase) -> bool:
        """Return whether every phase before this one has settled.

        Phases taken from another run or left out are settled from the start, so the phases before them
        are checked as well.
        """
        ahead, seen = list(self._graph.before[phase.id]), set[str]()
        while ahead:
            me = self._state.phase(ahead.pop())
            if me.status not in SETTLED:
                return False
            if (me.origin or me.id in self._left_out) and me.id not in seen:
                seen.add(me.id)
                ahead += self._graph.before[me.id]
        return True

    def find_missing_need(self, phase: Phase) -> Notice | None:
        """Return why a phase cannot run: a provider of one of its needs returned nothing."""
        bound = self._state.resolved.bindings[phase.id]
        for need in PHASES[phase.kind].needs(phase):
            given = self._state.providers(phase.id, need.name)
            is_due = need.required or (need.required_if_bound and bound.get(need.name))
            if is_due and len(given) < need.at_least:
                given_by: list[str | Notice] = [repr(name) for name in bound.get(need.name, [])]
                given_by = given_by or [Notice.of("no-phase")]
                return Notice.of("need-missing", need=repr(need.name), providers=given_by)
        return None

    def list_missing_inputs(self, phase: Phase) -> list[LostInput]:
        """Return the outputs that a phase cannot run without and that its providers did not give."""
        bound = self._state.resolved.bindings[phase.id]
        needed = [need.name for need in PHASES[phase.kind].needs(phase) if need.required]
        names = dict.fromkeys(name for need in needed for name in bound.get(need, []))
        providers = [self._state.phase(name) for name in names]
        return [lost for p in providers if not p.has_output for lost in self._find_losses(p)]

    def list_inherited_losses(self, phase: Phase) -> Iterator[LostInput]:
        """Yield the losses that a phase inherits from its providers."""
        kind, bound = PHASES[phase.kind], self._state.resolved.bindings[phase.id]
        if not kind.content:  # humans decide, and are shown what is missing
            return
        for need in kind.needs(phase):
            for name in bound.get(need.name, []):
                provider = self._state.phase(name)
                if need.absence == "harmless" or (
                    need.absence == "gathered" and (provider.output or {}).get(need.value) is None
                ):
                    continue
                others = {*PHASES[provider.kind].provides} - {need.value}
                for lost in self._find_losses(provider):
                    if need.anything or lost.value not in others:
                        yield lost.model_copy(update={"value": ""})

    def _find_losses(self, provider: PhaseState) -> list[LostInput]:
        """Return what a phase that has settled did not give: its output, or what that lacks."""
        if provider.has_output:
            return [lost for lost in provider.lost_inputs if lost.degrades]
        if provider.id in self._left_out or provider.status == "completed":
            return []
        why = provider.error
        causes = [LossCause(reason=why.type)] if why else []
        lost = LostInput(
            kind="value",
            name=f"{provider.id}.{PHASES[provider.kind].product}",
            phase_id=provider.id,
            causes=causes,
            told=Notice.of("phase-gave-nothing", phase=provider.called, why=explain_causes(causes))
            if why
            else Notice.of("phase-left-out", phase=provider.called),
        )
        return [lost]
