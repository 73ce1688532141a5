"""Approver policy: no start may change, skip or answer a checkpoint that names approvers."""

from collections.abc import Collection, Iterator

from contracts.definitions import Definition
from contracts.errors import Problem
from contracts.human.approvers import Approvers
from contracts.phases import Phase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.runs.request import RunRequest
from domain.graph import PhaseGraph


def find_policy_problems(
    definition: Definition,
    request: RunRequest,
    graph: PhaseGraph,
    selected: Collection[str],
    seeded: Collection[str],
) -> Iterator[Problem]:
    """Yield the ways in which a start evades the approvers of its definition, before overrides."""
    for i, phase in enumerate(definition.phases):
        if isinstance(phase, HitlCheckpointPhase) and phase.enabled and phase.config.approvers:
            for path, message in _find_evasions(phase, request, graph, selected, seeded):
                yield Problem(path=path, message=message)
            path = f"phases[{i}].config.approvers"
            yield from _find_quorum_problems(path, phase.config.approvers, request.user_id)


def _find_evasions(
    phase: Phase,
    request: RunRequest,
    graph: PhaseGraph,
    selected: Collection[str],
    seeded: Collection[str],
) -> Iterator[tuple[str, str]]:
    name, override = phase.id, request.config_overrides.get(phase.id)
    if override and (override.config or override.enabled is not None):
        yield f"config_overrides.{name}", "it names approvers, and no start may change it"
    runs_after = graph.find_descendants(name) & set(selected)
    if name not in selected and name not in seeded and runs_after:
        yield "only", f"{name!r} names approvers, and phases after it run: choose it too"
    if name in request.given:
        yield f"given.{name}", "it names approvers, who alone can give it"
    if name in seeded:
        for before in graph.to_ids(graph.ancestors[name]):
            if before in request.given:
                yield f"given.{before}", f"the approvers of {name!r} decided on another: redo it"


def _find_quorum_problems(path: str, policy: Approvers, requester: str) -> list[Problem]:
    """Return the problem of too few approvers once the requester is excluded."""
    more = policy.escalate_to
    if not policy.forbid_requester or policy.role or (more and more.role):
        return []
    left = {*policy.of, *(more.of if more else ())} - {requester}
    message = f"without {requester!r}, who starts this run and so has no say, {len(left)} are asked"
    return [] if len(left) >= policy.needed else [Problem(path=f"{path}.needed", message=message)]
