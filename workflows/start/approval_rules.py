"""Approvals that a definition must ask for: of a plan before the web, by options that say what they do."""

from collections.abc import Collection

from contracts.definitions import Definition
from contracts.errors import Problem
from contracts.human.messages import ACTIONS
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from domain.graph import PhaseGraph
from workflows.phases import PHASES


def find_option_problems(
    definition: Definition, bindings: dict[str, dict[str, list[str]]]
) -> list[Problem]:
    """Return the options that do not say whether they approve, where a plan or results are decided on.

    Elsewhere, at a `custom` checkpoint that shows no plan, a mere label is a choice and approves nothing.
    """
    return [
        Problem(
            path=f"phases[{i}].config.options[{n}]",
            message=f"{option!r} must be one of {list(ACTIONS)}, or an option with an action: "
            f'{{"label": {option!r}, "action": "approve", "reject" or "revise"}}',
        )
        for i, phase in enumerate(definition.phases)
        if isinstance(phase, HitlCheckpointPhase)
        and (
            phase.config.checkpoint_type != "custom"
            or (phase.shows_plan and bindings[phase.id].get("plan"))
        )
        for n, option in enumerate(phase.config.options)
        if isinstance(option, str) and option not in ACTIONS
    ]


def find_locked_phases(
    definition: Definition, graph: PhaseGraph, selected: list[str], approved_seeds: Collection[str]
) -> list[Problem]:
    """Return the web-reaching phases that no approval ahead of them can unlock.

    Where each approval ahead could be taken by a deadline, the problem is that of the last one's default.
    """
    if definition.consent:
        return []
    chosen = set(selected)
    gates = {
        phase.id: (i, phase.id not in approved_seeds and phase.config.default_on_timeout)
        for i, phase in enumerate(definition.phases)
        if isinstance(phase, HitlCheckpointPhase)
        and phase.unlocks
        and ((phase.enabled and phase.id in chosen) or phase.id in approved_seeds)
    }
    problems: dict[str, str] = {}
    for i, phase in enumerate(definition.phases):
        if not (PHASES[phase.kind].web(phase) and phase.enabled and phase.id in chosen):
            continue
        names = graph.to_ids(graph.to_mask(gates) & graph.ancestors[phase.id])
        ahead = [gates[name] for name in names]
        if not ahead:
            problems[f"phases[{i}]"] = (
                f"{phase.id!r} reaches the web, so it needs an approved plan ahead of it: an enabled "
                "`hitl_checkpoint` with `require_approval` and `show_plan`, not `after_execution`"
            )
        elif all(default == "approve" for _, default in ahead):
            problems[f"phases[{ahead[-1][0]}].config.default_on_timeout"] = (
                f"must be 'reject': {phase.id!r} reaches the web, and an approval by timeout "
                "unlocks nothing"
            )
    return [Problem(path=path, message=message) for path, message in problems.items()]
