"""A run's spending: its cap, the cost of its calls, and what is left for each agent. Pure."""

from math import floor

from contracts.human.checkpoint_subjects import RAISE
from contracts.models.usage import Usage
from contracts.planning.plan import Plan
from contracts.runs.state import RunState
from domain.run_outputs import find_output_as
from workflows.checkpoints.approval_gate import has_consent, is_unlocked
from workflows.checkpoints.prices.start_price import estimate_run_start


def compute_cap_usd(state: RunState) -> float:
    """Return what the run may spend: the approved plan's top price, within what it started with, or what a human raised it to."""
    cap, plan = compute_start_cap_usd(state), find_output_as(state, "plan", Plan)
    top = plan.estimated_cost.top_usd if plan and is_unlocked(state, plan) else 0.0
    raised = [d.cap_usd or 0.0 for d in state.decisions if d.choice == RAISE and not d.reused_from]
    return max([min(cap, top) if top > 0 else cap, *raised])


def compute_start_cap_usd(state: RunState) -> float:
    """Return the cap set by the start; if the start is the consent, that is the top price it named."""
    top = sum(share.top_usd for share in estimate_run_start(state)) if has_consent(state) else 0.0
    return min(state.terms.cap_usd, round(top, 4) or state.terms.cap_usd)


def compute_spent_usd(state: RunState) -> float:
    """Return what the calls of all phases have cost."""
    return sum((phase.usage for phase in state.phases), Usage()).usd


def compute_left_usd(state: RunState, kept_usd: float, agents: int = 1) -> float:
    """Return what each of `agents` may still spend, with `kept_usd` reserved for later; rounded down to cents."""
    left = compute_cap_usd(state) - kept_usd - compute_spent_usd(state)
    return floor(100 * max(left, 0) / agents + 1e-6) / 100
