"""The order of a definition's phases: who comes before whom, and who is nearest."""

from contracts.definitions import Definition
from contracts.errors import Problem
from contracts.phases import Phase


class Graph:
    """The phases of a definition and their predecessors, `after` left out filled in."""

    def __init__(self, phases: list[Phase]) -> None:
        self.phases = {phase.id: phase for phase in phases}
        self.before = {
            phase.id: list(phase.after)
            if phase.after is not None
            else [phases[i - 1].id]
            if i
            else []
            for i, phase in enumerate(phases)
        }

        self._distances: dict[str, dict[str, int]] = {}

    def distances(self, phase_id: str) -> dict[str, int]:
        """Return every ancestor of a phase with its shortest distance, nearest first."""
        if phase_id not in self._distances:
            self._distances[phase_id] = self._measured(phase_id)
        return self._distances[phase_id]

    def _measured(self, phase_id: str) -> dict[str, int]:
        found: dict[str, int] = {}
        frontier, distance = [phase_id], 0
        while frontier:
            distance += 1
            ahead = [p for i in frontier for p in self.before.get(i, ()) if p not in found]
            frontier = list(dict.fromkeys(ahead))
            found.update(dict.fromkeys(frontier, distance))
        return found

    def descendants(self, phase_id: str) -> set[str]:
        """Return every phase that comes after one, however far."""
        return {other for other in self.phases if phase_id in self.distances(other)}


def shape_problems(definition: Definition) -> list[Problem]:
    """Return duplicate ids, names of nothing, and cycles."""
    phases = definition.phases
    ids = [phase.id for phase in phases]
    problems = [
        Problem(path=f"phases[{i}].id", message=f"{phase.id!r} is used twice")
        for i, phase in enumerate(phases)
        if phase.id in ids[:i]
    ]
    for i, phase in enumerate(phases):
        named = [(f"after[{n}]", name) for n, name in enumerate(phase.after or ())]
        named += [(f"bind.{need}", name) for need, name in phase.bind.items()]
        problems += [
            Problem(path=f"phases[{i}].{path}", message=f"no phase has the id {name!r}")
            for path, name in named
            if name not in ids
        ]
    if problems:
        return problems
    graph = Graph(phases)
    return [
        Problem(path=f"phases[{i}].after", message=f"{phase.id!r} comes after itself: a cycle")
        for i, phase in enumerate(phases)
        if phase.id in graph.distances(phase.id)
    ]
