"""The graph of a definition's phases: ancestors, nearest providers, cycles.

A set of phases is an integer with a bit for each: a thousand phases may have half a million pairs of
an ancestor and a descendant.
"""

from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from contracts.definitions import Definition
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.problems import Problem


class PhaseGraph:
    """The phases of a definition and their predecessors, with the default of `after` filled in."""

    def __init__(self, phases: list[Phase]) -> None:
        self.phases = {phase.id: phase for phase in phases}
        self.before: dict[str, list[str]] = {}
        previous: list[str] = []
        for phase in phases:
            self.before[phase.id] = previous if phase.after is None else list(phase.after)
            previous = [phase.id]
        self._known = {
            n: [b for b in before if b in self.phases] for n, before in self.before.items()
        }
        self._names = list(self.phases)
        self._bit = {name: 1 << i for i, name in enumerate(self._names)}

    def to_mask(self, names: Iterable[str]) -> int:
        """Return ids as a set; unknown ones are ignored."""
        found = 0
        for name in names:
            found |= self._bit.get(name, 0)
        return found

    def to_ids(self, mask: int) -> list[str]:
        """Return the ids of a set, in the definition's order."""
        found, names = [], self._names
        while mask:
            lowest = mask & -mask
            found.append(names[lowest.bit_length() - 1])
            mask ^= lowest
        return found

    def find_nearest(self, sought: int) -> dict[str, int]:
        """Return, for each phase, the set of those sought that are the fewest steps before it."""
        near: dict[str, tuple[int, int]] = {}
        for name in self._order:
            steps, found = 0, 0
            for other in self._known[name]:
                bit = self._bit[other]
                far, there = (1, bit) if bit & sought else (near[other][0] + 1, near[other][1])
                if there and (not found or far < steps):
                    steps, found = far, there
                elif there and far == steps:
                    found |= there
            near[name] = steps, found
        return {name: found for name, (_, found) in near.items()}

    def find_descendants(self, phase_id: str) -> set[str]:
        """Return the ids of the phases that come after one, directly or not."""
        bit = self._bit[phase_id]
        return {other for other in self.phases if self.ancestors[other] & bit}

    def find_cycles(self) -> set[str]:
        """Return the phases that come after themselves."""
        reached = {n: self.to_mask(self._known[n]) for n in self.phases if n not in self.ancestors}
        for through in reached:  # Warshall's algorithm
            for name, there in reached.items():
                if there & self._bit[through]:
                    reached[name] = there | reached[through]
        return {name for name, there in reached.items() if there & self._bit[name]}

    @cached_property
    def _order(self) -> list[str]:
        """The phases in topological order, without those on a cycle or after one."""
        sorter = TopologicalSorter(self._known)
        with suppress(CycleError):
            sorter.prepare()
        order: list[str] = []
        while ready := sorter.get_ready():
            order += ready
            sorter.done(*ready)
        return order

    @cached_property
    def ancestors(self) -> dict[str, int]:
        """The set of phases that come before each, directly or not; without those on a cycle."""
        ahead: dict[str, int] = {}
        for name in self._order:
            ahead[name] = self.to_mask(self._known[name])
            for other in self._known[name]:
                ahead[name] |= ahead[other]
        return ahead


def find_shape_problems(definition: Definition) -> list[Problem]:
    """Return the problems of a definition's graph: duplicate ids, unknown references, cycles."""
    phases = definition.phases
    ids = {phase.id for phase in phases}
    apart = _tell_apart(phases)
    circular = PhaseGraph(apart).find_cycles()
    problems: list[Problem] = []
    seen: set[str] = set()
    for i, phase in enumerate(phases):
        references = [(f"after[{n}]", name) for n, name in enumerate(phase.after or ())]
        references += [(f"bind.{need}", name) for need, name in phase.bind.items()]
        found = [
            (path, Notice.of("phase-id-unknown", id=n)) for path, n in references if n not in ids
        ]
        if phase.id in seen:
            found.insert(0, ("id", Notice.of("phase-id-twice", id=phase.id)))
        if apart[i].id in circular:
            found.append(("after", Notice.of("phase-cycle", id=phase.id)))
        problems += [Problem.told(f"phases[{i}].{path}", notice) for path, notice in found]
        seen.add(phase.id)
    return problems


def straighten(definition: Definition) -> tuple[Definition, set[int]]:
    """Repair the graph of a definition; return it with the indices of the repaired phases.

    Validation can then report its other problems. A phase with an unknown predecessor follows the previous
    phase in the list; phases on a cycle, or after one, lose their predecessors.
    """
    ids = {phase.id for phase in definition.phases}
    phases: list[Phase] = []
    mended: set[int] = set()
    for i, phase in enumerate(_tell_apart(definition.phases)):
        after = [name for name in phase.after or () if name in ids]
        known = {
            "after": phase.after if after == phase.after else after or None,
            "bind": {need: name for need, name in phase.bind.items() if name in ids},
        }
        phases.append(phase.model_copy(update=known))
        if phases[-1] != definition.phases[i]:
            mended.add(i)
    ordered = PhaseGraph(phases).ancestors
    mended |= {i for i, phase in enumerate(phases) if phase.id not in ordered}
    phases = [p if p.id in ordered else p.model_copy(update={"after": []}) for p in phases]
    return definition.model_copy(update={"phases": phases}), mended


def _tell_apart(phases: list[Phase]) -> list[Phase]:
    """Give repeated phase ids a suffix; references mean the first phase with the id."""
    seen: set[str] = set()
    apart: list[Phase] = []
    for i, phase in enumerate(phases):
        taken = phase.id in seen
        apart.append(phase.model_copy(update={"id": f"{phase.id}#{i}"}) if taken else phase)
        seen.add(phase.id)
    return apart
