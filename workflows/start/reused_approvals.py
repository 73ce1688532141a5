"""Approvals that a run takes over from its parent: those of reused plans, unless the price has changed."""

from collections.abc import Collection, Mapping

from contracts.errors import Conflict
from contracts.human.checkpoints import Decision
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.phase_cost import PhaseCost
from contracts.planning.plan import Plan
from contracts.problems import Problem
from contracts.runs.request import Resolved, Seed
from contracts.runs.start import ParentRun
from domain.graph import PhaseGraph
from workflows.checkpoints.approval_gate import is_approval
from workflows.start.seeds import remove_price


def find_approvals(parent: ParentRun, seeds: Mapping[str, Seed]) -> list[Decision]:
    """Return the parent's decisions that still apply: on reused phases, and on reused plans."""
    carried = {name: seed.output for name, seed in seeds.items() if seed.origin == "parent"}
    plans = {Plan.model_validate(o["plan"]).hash for o in carried.values() if "plan" in o}
    return [
        decision.model_copy(update={"reused_from": decision.reused_from or parent.run_id})
        for decision in parent.decisions
        if decision.phase_id in carried or (is_approval(decision) and decision.plan_hash in plans)
    ]


def reopen_approvals(
    resolved: Resolved,
    chosen: Collection[str],
    parent: ParentRun,
    costs: Mapping[str, PhaseCost],
    cap_usd: float,
) -> Resolved:
    """Remove price and approval of a reused plan if its price has changed.

    Raises:
        Conflict: The checkpoint that would ask for the approval again is not selected.
    """
    phases = resolved.definition.phases
    graph = PhaseGraph(phases)
    seeds = dict(resolved.seeds)
    for name, seed in resolved.seeds.items():
        if seed.origin != "parent" or "plan" not in seed.output:
            continue
        top = Plan.model_validate(seed.output["plan"]).estimated_cost.top_usd
        later = graph.find_descendants(name)
        ahead = [p.id for p in phases if p.enabled and p.id in later and p.id not in seeds]
        was_cut = parent.cap_usd <= top < cap_usd
        if ahead and (was_cut or any(costs[i] != parent.costs.get(i) for i in ahead)):
            seeds[name] = remove_price(seed)
            for phase in phases:
                if isinstance(phase, HitlCheckpointPhase) and phase.unlocks and phase.id in later:
                    seeds.pop(phase.id, None)
    asked = [p.id for p in phases if p.id in resolved.seeds and p.id not in seeds]
    if left_out := [name for name in asked if name not in chosen]:
        raise Conflict(Problem.at("only", "plan-price-changed", names=left_out))
    selected = [p.id for p in phases if p.id in {*resolved.selected, *asked}]
    return resolved.model_copy(update={"seeds": seeds, "selected": selected})
