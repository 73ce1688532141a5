"""The price of a plan, at each depth and for redoing parts, computed from the phases ahead. Pure."""

import re
from collections.abc import Collection, Sequence
from itertools import compress
from math import floor

from contracts.notices import Notice
from contracts.phases.phase_cost import PhaseCost, Share, Work
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.depth import DEPTHS, DepthPrice, Minutes
from contracts.planning.plan import Plan, PlanDraft
from contracts.runs.state import PhaseState, RunState
from contracts.runs.statuses import SETTLED
from contracts.tool_servers import PlannedServer
from domain.graph import PhaseGraph
from domain.planning.depth import plan_at
from domain.retrieval.shown_parts import weigh_documents
from domain.run_outputs import find_output_as
from workflows.checkpoints.prices.run_time import count_agents, expect_minutes
from workflows.checkpoints.prices.spending_cap import (
    compute_cap_usd,
    compute_spent_usd,
    compute_start_cap_usd,
)
from workflows.checkpoints.prices.start_price import estimate_run_start

_DURATION = re.compile(
    r"(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|mins?|minutes?|h|hours?|d|days?)", re.IGNORECASE
)
_MINUTES = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def price_plan(
    state: RunState,
    draft: PlanDraft,
    planner: str = "",
    again: Collection[str] = (),
    servers: Sequence[PlannedServer] = (),
) -> Plan:
    """Price a plan and the tool servers it lists; the lower bound is what is spent already.

    `planner` is the phase making the plan, which costs nothing more; phases in `again` will be redone.
    """
    spent = compute_spent_usd(state)
    calls = _price_servers(state, servers)
    ahead = sum([calls, *_estimate_ahead(state, planner, draft, again)], Share())
    later = sum(
        _estimate_later(state, draft), Share()
    )  # done by another run, outside this start's cap
    top = min(spent + ahead.top_usd, compute_start_cap_usd(state)) + later.top_usd
    expected = spent + ahead.usd + later.usd
    if draft.wished_usd and expected <= draft.wished_usd:
        top = min(top, floor(10_000 * draft.wished_usd + 1e-6) / 10_000)
    price = CostEstimate(
        low_usd=round(spent, 4),
        expected_usd=round(expected, 4),
        top_usd=round(min(top, state.terms.cap_usd), 4),
    )
    minutes = _expect_minutes(state, draft, planner, again)
    parts = draft.model_dump(include=set(PlanDraft.model_fields))
    time = str(minutes)
    return Plan(**parts, estimated_duration=time, estimated_cost=price, servers=[*servers])


def _price_servers(state: RunState, servers: Sequence[PlannedServer]) -> Share:
    """Return what the calls of servers' tools cost that are left: half of them are expected."""
    left = ((s, s.max_calls - state.server_calls.get(s.name, 0)) for s in servers if s.tools)
    top = sum(server.usd_per_call * calls for server, calls in left)
    return Share(usd=top / 2, top_usd=top)


def _expect_minutes(
    state: RunState, draft: PlanDraft, planner: str = "", again: Collection[str] = ()
) -> Minutes:
    """Return the expected minutes of a plan's phases, at least what a human estimated for its steps."""
    ahead = [*_estimate_ahead(state, planner, draft, again), *_estimate_later(state, draft)]
    whole = (_estimate(state, phase, draft) for phase in state.phases)
    return expect_minutes(
        sum(ahead, Share()),
        sum(whole, Share()),
        state.measured.get(draft.depth),
        _sum_minutes(draft),
        agents=_count_agents(state, draft),
    )


def _count_agents(state: RunState, draft: PlanDraft) -> int:
    """Return the most agents that read a plan's pages at the same time."""
    costs = (_find_cost(state, phase, draft) for phase in state.phases)
    return count_agents(costs, Work(agents=_count_independent(draft)))


def _count_independent(plan: PlanDraft) -> int:
    """Return how many of a plan's steps can be done at the same time."""
    return max(sum(step.independent for step in plan.steps), 1)


def fit_depth(
    state: RunState, draft: PlanDraft, planner: str, servers: Sequence[PlannedServer] = ()
) -> PlanDraft:
    """Reduce a plan's depth until its expected cost fits the wished budget.

    If none fits, use the least depth.
    """
    if draft.wished_usd is None or not state.resolved.depths:
        return draft
    known = DEPTHS[: DEPTHS.index(draft.depth) + 1]
    plans = (plan_at(draft, depth, state.resolved.depths) for depth in reversed(known))
    fitting = (plan for plan in plans if _is_met(price_plan(state, plan, planner, servers=servers)))
    return next(fitting, plan_at(draft, known[0], state.resolved.depths))


def list_wish_notices(plan: Plan) -> list[Notice]:
    """Return whether a plan costs no more than the human wished, where they named an amount."""
    if plan.wished_usd is None:
        return []
    price, wished = plan.estimated_cost, plan.wished_usd
    code = "ask-wish-met" if _is_met(plan) else "ask-wish-missed"
    told = {"wished": wished, "expected": price.expected_usd, "top": price.top_usd}
    return [Notice.of(code, "info", **told)]


def _is_met(plan: Plan) -> bool:
    return plan.wished_usd is None or plan.estimated_cost.expected_usd <= plan.wished_usd


def price_depths(
    state: RunState, draft: PlanDraft, again: Collection[str] = ()
) -> list[DepthPrice]:
    """Return a plan's price at each depth; empty if the depth changes nothing."""
    depths = state.resolved.depths
    servers = draft.servers if isinstance(draft, Plan) else ()
    drafts = [plan_at(draft, depth, depths) for depth in depths]
    plans = [price_plan(state, each, "", again, servers) for each in drafts]
    return [
        DepthPrice(
            depth=plan.depth,
            price=plan.estimated_cost,
            minutes=_expect_minutes(state, plan, again=again),
        )
        for plan in plans
    ]


def _sum_minutes(draft: PlanDraft) -> float:
    """Return the sum of the minutes that a human stated for the steps; other wordings are ignored."""
    found = [_DURATION.fullmatch(step.estimated_duration.strip()) for step in draft.steps]
    return sum(float(part[1]) * _MINUTES[part[2].lower()[0]] for part in found if part)


def reserve_usd(state: RunState, phase_id: str, plan: Plan, undone: float = 0.0) -> float:
    """Return the maximum cost of the phases ahead, plus the expected cost of a phase's undone share (0 to 1)."""
    own = _estimate(state, state.phase(phase_id), plan)
    ahead = _estimate_ahead(state, phase_id, plan)
    return sum(share.top_usd for share in ahead) + undone * own.usd


def estimate_page_usd(state: RunState, plan: Plan) -> float:
    """Return what reading one page more is expected to cost in all unfinished phases."""
    ahead = (_find_cost(state, phase, plan) for phase in state.phases)
    left = [p.status not in SETTLED for p in state.phases]
    return sum(cost.page.usd for cost in compress(ahead, left))


def estimate_rest_top_usd(state: RunState, plan: Plan) -> float:
    """Return the most that all unfinished phases may cost; a running phase counts from its beginning."""
    ahead = [_price_servers(state, plan.servers), *_estimate_ahead(state, "", plan)]
    return sum(share.top_usd for share in ahead)


def estimate_again_usd(state: RunState, again: Collection[str]) -> float:
    """Return the expected cost of redoing phases, and of all that is not done yet."""
    plan = find_output_as(state, "plan", Plan)
    draft = plan or PlanDraft.model_construct(title="", steps=[])
    return sum(share.usd for share in _estimate_ahead(state, "", draft, again))


def price_run(state: RunState) -> CostEstimate:
    """Return a run's price: its plan's, or before there is one what its phases are expected to cost."""
    if plan := find_output_as(state, "plan", Plan):
        return plan.estimated_cost
    expected = sum(share.usd for share in estimate_run_start(state))
    return CostEstimate(expected_usd=round(expected, 4), top_usd=compute_cap_usd(state))


def _estimate_ahead(
    state: RunState, but: str, plan: PlanDraft, again: Collection[str] = ()
) -> list[Share]:
    return [
        _estimate(state, phase, plan)
        for phase in state.phases
        if phase.id != but
        and (phase.status not in SETTLED or (phase.id in again and phase.status != "skipped"))
    ]


def _estimate_later(state: RunState, plan: PlanDraft) -> list[Share]:
    """Return the costs of phases of the plan that `only` or `until` leave to another run."""
    resolved = state.resolved
    graph = PhaseGraph(resolved.definition.phases)
    planners = graph.to_mask(name for name, p in graph.phases.items() if p.kind == "planning")
    return [
        _estimate(state, state.phase(name), plan)
        for name, phase in graph.phases.items()
        if phase.enabled and name not in {*resolved.selected, *resolved.seeds}
        if graph.ancestors[name] & planners
    ]


def estimate_unpriced_usd(state: RunState, plan: Plan) -> float:
    """Return the expected cost of long documents read that neither the price nor a decision covers."""
    found = weigh_documents(_list_lengths(state).values())
    asked = max(phase.progress.documents_asked for phase in state.phases)
    ahead = (_find_cost(state, p, plan) for p in state.phases if p.status not in SETTLED)
    return sum(cost.document.usd * max(found - max(cost.documents, asked), 0) for cost in ahead)


def _list_lengths(state: RunState) -> dict[str, int]:
    return {url: n for phase in state.phases for url, n in phase.progress.long_documents.items()}


def _find_cost(state: RunState, phase: PhaseState, plan: PlanDraft) -> PhaseCost:
    is_own = phase.id not in state.resolved.seeds
    costs = state.depth_costs.get(plan.depth, state.costs) if is_own else state.costs
    return costs.get(phase.id, PhaseCost())


def _estimate(state: RunState, phase: PhaseState, plan: PlanDraft) -> Share:
    """Return the cost of a phase, without the steps that it has done."""
    work = Work(
        searches=len(plan.searches),
        steps=max(len(plan.steps) - len(phase.progress.steps.done), 0),
        agents=_count_independent(plan),
        documents=weigh_documents(_list_lengths(state).values()),
    )
    return _find_cost(state, phase, plan).compute(work)
