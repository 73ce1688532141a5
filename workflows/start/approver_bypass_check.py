"""Approver bypass check: no start may change, skip or answer a checkpoint that names approvers."""

from collections.abc import Collection, Iterator

from contracts.definitions import Definition
from contracts.human.approvers import Approvers
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.problems import Problem
from contracts.runs.request import RunRequest
from domain.graph import PhaseGraph


def find_approver_bypasses(
    definition: Definition,
    request: RunRequest,
    graph: PhaseGraph,
    selected: Collection[str],
    seeded: Collection[str],
) -> Iterator[Problem]:
    """Yield the ways in which a start bypasses the approvers of its definition, before overrides."""
    for i, phase in enumerate(definition.phases):
        if not (
            isinstance(phase, HitlCheckpointPhase) and phase.enabled and phase.config.approvers
        ):
            continue
        name, override = phase.id, request.config_overrides.get(phase.id)
        if override and (override.config or override.enabled is not None):
            yield Problem.at(f"config_overrides.{name}", "approvers-fixed")
        runs_after = graph.find_descendants(name) & set(selected)
        if name not in selected and name not in seeded and runs_after:
            yield Problem.at("only", "approvers-skipped", phase=name)
        if name in request.given:
            yield Problem.at(f"given.{name}", "approvers-give")
        for before in graph.to_ids(graph.ancestors[name]) if name in seeded else ():
            if before in request.given:
                yield Problem.at(f"given.{before}", "approvers-decided-on-another", phase=name)
        path = f"phases[{i}].config.approvers"
        yield from _find_quorum_problems(path, phase.config.approvers, request.user_id)


def _find_quorum_problems(path: str, policy: Approvers, requester: str) -> list[Problem]:
    """Return the problem of too few approvers once the requester is excluded."""
    more = policy.escalate_to
    if not policy.forbid_requester or policy.role or (more and more.role):
        return []
    left = {*policy.of, *(more.of if more else ())} - {requester}
    if len(left) >= policy.needed:
        return []
    return [Problem.at(f"{path}.needed", "approvers-too-few", requester=requester, n=len(left))]
