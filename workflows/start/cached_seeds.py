"""What a start leaves out, supplied by earlier runs: the step cache looked through beforehand.

Pure but for `find`, so that the gateway and the run's first activity look alike.
"""

from collections.abc import Collection

from pydantic import ValidationError

from contracts.definitions import Definition, Resolved
from contracts.phases import Phase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.runs.start import Opened, OpenRequest, ParentRun, RunInput
from contracts.step_cache import Find, KeptOutput
from contracts.terms import Terms
from domain.graph import Graph
from workflows.interpreter.interpreter import Engine
from workflows.interpreter.run_state import absorb, opened_state
from workflows.interpreter.step_cache import fits, key_of, may_take_over
from workflows.phases import PHASES
from workflows.runtime.context import PhaseContext
from workflows.start.bindings import bind
from workflows.start.resolution import prepared


async def supplied(
    request: RunInput, definition: Definition, parent: ParentRun | None, terms: Terms, find: Find
) -> dict[str, KeptOutput]:
    """Return, by phase, what earlier runs gave of what `only` leaves out ahead of the chosen.

    Nothing where a chosen phase would then read something else than with nothing left out.
    Raises InvalidDefinition as `resolve`.
    """
    if request.only is None or not terms.step_cache_hours:
        return {}
    resolved, _ = prepared(request, definition, parent)
    limited = terms.limited_to(request.model_overrides, request.budget)
    walk = _Walk(request, resolved, limited)
    found = await walk.to_the_end(find)
    return found if walk.binds_alike(found) else {}


class _Walk:
    """Goes over what is left out as a run would: a phase's turn comes when all ahead has settled."""

    def __init__(self, request: RunInput, resolved: Resolved, terms: Terms) -> None:
        self._definition = resolved.definition
        self._graph = Graph(self._definition.phases)
        self._seeds = set(resolved.seeds)
        enabled = {phase.id for phase in self._definition.phases if phase.enabled}
        self._chosen = [name for name in resolved.selected if name in enabled]
        self._enabled = enabled
        self._whole, _ = bind(self._definition, self._graph, enabled | self._seeds)
        self._left = self._left_out(request.only or [])
        whole = resolved.model_copy(update={"bindings": self._whole})
        opening = OpenRequest(run_id="run", input=request, started_at="")
        self._state = opened_state(opening, Opened(resolved=whole, terms=terms))
        self._engine = Engine(self._state)

    def _left_out(self, only: Collection[str]) -> list[Phase]:
        """Return what may be supplied: what a chosen phase can read and nobody has decided on."""
        ahead, decided = 0, 0
        for name in self._chosen:
            ahead |= self._graph.ahead(name)
        for name in self._seeds:
            if isinstance(self._graph.phases[name], HitlCheckpointPhase):
                decided |= self._graph.ahead(name)
        return [
            phase
            for phase in map(self._graph.phases.__getitem__, self._graph.names(ahead & ~decided))
            if phase.enabled and phase.id not in self._seeds and phase.id not in only
        ]

    async def to_the_end(self, find: Find) -> dict[str, KeptOutput]:
        """Return what is found, by phase; behind one of which nothing is kept it is not looked."""
        found: dict[str, KeptOutput] = {}
        everyone = self._graph.mask(self._enabled)
        while ready := self._ready(everyone & ~self._graph.mask(self._seeds | found.keys())):
            keys = {phase.id: key_of(phase, self._state) for phase in ready if self._looks(phase)}
            for name, key in keys.items():
                kept = await find(key)
                if kept and (taken := self._taken(name, kept)):
                    found[name] = taken
        return found

    def _ready(self, missing: int) -> list[Phase]:
        """Return, each once, those ahead of whom nothing is missing."""
        ready = [phase for phase in self._left if not self._graph.ahead(phase.id) & missing]
        self._left = [phase for phase in self._left if self._graph.ahead(phase.id) & missing]
        return ready

    def _looks(self, phase: Phase) -> bool:
        me = self._state.phase(phase.id)
        return PHASES[phase.kind].cacheable(phase) and may_take_over(
            phase, PhaseContext(self._engine, phase, me)
        )

    def _taken(self, name: str, kept: KeptOutput) -> KeptOutput | None:
        """Return what is kept as the run will have it, its state told of it; None if it cannot be."""
        kind = PHASES[self._graph.phases[name].kind]
        try:
            output = kind.output.model_validate(kept.output).model_dump(mode="json")
        except ValidationError:
            return None
        if not fits(output, self._state):
            return None
        me = self._state.phase(name)
        me.status, me.output = "completed", output
        me.reused_from, me.warnings = kept.run_id, list(kept.warnings)
        absorb(self._state, output)
        return kept.model_copy(update={"output": output})

    def binds_alike(self, found: Collection[str]) -> bool:
        """Whether a chosen phase that reads something found reads just what it would of a whole run.

        Where the nearest is missing, what comes before it is no substitute.
        """
        active = self._seeds | set(self._chosen) | set(found)
        bindings, problems = bind(self._definition, self._graph, active)
        return not problems and all(
            givers == self._whole[name].get(need) or not set(givers) & set(found)
            for name in self._chosen
            for need, givers in bindings[name].items()
        )
