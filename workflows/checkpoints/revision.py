"""A revision repeats what a human sends back and everything after it; when it is refused. Pure."""

from collections.abc import Collection

from contracts.errors import Conflict
from contracts.human.checkpoints import Checkpoint
from contracts.problems import Problem
from contracts.runs.state import RunState
from contracts.words.dollars import round_up_usd
from domain.graph import PhaseGraph
from workflows.checkpoints.prices.plan_price import estimate_again_usd
from workflows.checkpoints.prices.spending_cap import compute_cap_usd, compute_spent_usd

MAX_REVISIONS = 20
"""How often one phase's output may be sent back."""


def check_revision(state: RunState, checkpoint: Checkpoint) -> None:
    """Refuse a revision beyond `MAX_REVISIONS`, or of results without enough money left to redo them."""
    results = state.providers(checkpoint.phase_id, "results")
    shown = results or [
        phase for need in ("plan", "ideas") for phase in state.providers(checkpoint.phase_id, need)
    ]
    if any(len(phase.feedback) >= MAX_REVISIONS for phase in shown):
        raise Conflict(Problem.at("action", "revisions-many", n=MAX_REVISIONS))
    if not results:
        return
    cap, spent, price = (
        compute_cap_usd(state),
        compute_spent_usd(state),
        estimate_again_usd(state, find_following(state, [phase.id for phase in results])),
    )
    if spent + price > cap:
        told = {"price": round_up_usd(price), "cap": cap, "left": max(cap - spent, 0)}
        raise Conflict(Problem.at("action", "revision-costly", **told))


def find_revised(
    state: RunState, phase_id: str, results: Collection[str], *, plan: bool
) -> list[str]:
    """Return the phases whose output a checkpoint shows: results, its plan, ideas, or its own."""
    if results:
        return [*results]
    needs = ("plan",) if plan else ("ideas", "plan")
    shown = [phase.id for need in needs for phase in state.providers(phase_id, need)]
    return shown[:1] or [phase_id]


def start_revision(state: RunState, phase_ids: Collection[str], feedback: str) -> set[str]:
    """Give phases the feedback on their output, which they keep as their earlier one.

    Returns:
        The phases that begin again: these, and all after them.
    """
    for name in phase_ids:
        sent_back = state.phase(name)
        sent_back.feedback.append(feedback)
        sent_back.earlier = sent_back.output
    return find_following(state, phase_ids)


def find_following(state: RunState, phase_ids: Collection[str]) -> set[str]:
    """Return phases and all that follow them."""
    graph = PhaseGraph(state.resolved.definition.phases)
    return {after for name in phase_ids for after in (name, *graph.find_descendants(name))}
