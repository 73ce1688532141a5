"""Approver policy: no start may change, skip or answer a checkpoint that names approvers."""

from collections.abc import Collection, Iterator

from contracts.definitions import Definition
from contracts.errors import Problem
from contracts.human.approvers import Approvers
from contracts.runs.request import RunRequest
from domain.graph import PhaseGraph


def find_policy_problems(
    definition: Definition,
    request: RunRequest,
    graph: PhaseGraph,
    selected: Collection[str],
    seeded: Collection[str],
) -> list[Problem]:
    """Return the ways in which a start evades the approvers of its definition, before overrides."""
    return [
        Problem(path=path, message=message)
        for i, phase in enumerate(definition.phases)
        if phase.enabled and phase.approvers
        for path, message in (
            *_find_overrides(phase.id, request),
            *_find_skips(phase.id, graph, selected, seeded),
            *_find_outputs(phase.id, graph, request, seeded),
            *_find_quorum_problem(
                f"phases[{i}].config.approvers", phase.approvers, request.user_id
            ),
        )
    ]


def _find_overrides(name: str, request: RunRequest) -> Iterator[tuple[str, str]]:
    override = request.config_overrides.get(name)
    if override and (override.config or override.enabled is not None):
        yield f"config_overrides.{name}", "it names approvers, and no start may change it"


def _find_skips(
    name: str, graph: PhaseGraph, selected: Collection[str], seeded: Collection[str]
) -> Iterator[tuple[str, str]]:
    if name not in selected and name not in seeded and graph.find_descendants(name) & set(selected):
        yield "only", f"{name!r} names approvers, and phases after it run: choose it too"


def _find_outputs(
    name: str, graph: PhaseGraph, request: RunRequest, seeded: Collection[str]
) -> Iterator[tuple[str, str]]:
    if name in request.given:
        yield f"given.{name}", "it names approvers, who alone can give it"
    if name in seeded:
        for before in graph.to_ids(graph.get_ancestors(name)):
            if before in request.given:
                yield f"given.{before}", f"the approvers of {name!r} decided on another: redo it"


def _find_quorum_problem(path: str, policy: Approvers, requester: str) -> Iterator[tuple[str, str]]:
    """Yield the problem of too few approvers once the requester is excluded."""
    more = policy.escalate_to
    if not policy.forbid_requester or policy.role or (more and more.role):
        return
    left = {*policy.of, *(more.of if more else ())} - {requester}
    if len(left) < policy.needed:
        yield (
            f"{path}.needed",
            f"without {requester!r}, who starts this run and so has no say, {len(left)} are asked",
        )
