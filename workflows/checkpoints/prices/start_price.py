"""The price of a start, estimated from its phases before there is a plan. Pure."""

from collections.abc import Collection, Mapping

from contracts.definitions import Definition
from contracts.phases.phase_cost import PhaseCost, Share, Work
from contracts.phases.planning import PlanningPhase
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.depth import DepthPrice
from contracts.runs.start import Opened
from contracts.runs.state import RunState
from domain.planning.depth import set_depth
from workflows.checkpoints.prices.run_time import count_agents, expect_minutes


def estimate_start(
    definition: Definition, selected: Collection[str], costs: Mapping[str, PhaseCost]
) -> list[Share]:
    """Return the phases' costs before there is a plan, assuming a plan of maximum length."""
    work = _expect_work(definition, selected)
    return [cost.compute(work) for cost in _list_costs(definition, selected, costs)]


def _expect_work(definition: Definition, selected: Collection[str]) -> Work:
    """Return the work of a plan of maximum length."""
    phases = [phase for phase in definition.phases if phase.id in selected]
    planners = [phase.config for phase in phases if isinstance(phase, PlanningPhase)]
    searches = max((config.max_searches for config in planners), default=0)
    steps = max((config.max_plan_steps for config in planners), default=0)
    return Work(searches, steps, agents=max(steps, 1))


def _list_costs(
    definition: Definition, selected: Collection[str], costs: Mapping[str, PhaseCost]
) -> list[PhaseCost]:
    return [costs.get(p.id, PhaseCost()) for p in definition.phases if p.id in selected]


def price_start(opened: Opened) -> list[DepthPrice]:
    """Return a start's expected price at each depth; empty if the depth changes nothing."""
    found: list[DepthPrice] = []
    resolved = opened.resolved
    for depth, settings in resolved.depths.items():
        definition = set_depth(resolved.definition, settings)
        shares = estimate_start(definition, resolved.selected, opened.depth_costs[depth])
        share = sum(shares, Share())
        top = min(share.top_usd, opened.terms.cap_usd)
        price = CostEstimate(expected_usd=round(share.usd, 4), top_usd=round(top, 4))
        each = _list_costs(definition, resolved.selected, opened.depth_costs[depth])
        agents = count_agents(each, _expect_work(definition, resolved.selected))
        minutes = expect_minutes(share, share, opened.measured.get(depth), agents=agents)
        found.append(DepthPrice(depth=depth, price=price, minutes=minutes))
    return found


def estimate_run_start(state: RunState) -> list[Share]:
    """Return the costs of a run's phases as they were estimated when it opened."""
    resolved = state.resolved
    costs = state.depth_costs.get(resolved.depth, state.costs)
    return estimate_start(resolved.definition, resolved.selected, costs)
