"""What is left of a cap, and which earlier approvals make a further one a copy."""

from typing import Any

import pytest

from contracts.errors import Conflict
from contracts.human.checkpoints import Decision
from contracts.models.usage import Usage
from contracts.runs.state import RunState
from tests.workflows.start.test_depth import begin
from tests.workflows.support.phase_harness import NOW
from workflows.checkpoints.decision_checks import require_first_approval
from workflows.checkpoints.prices.spending_cap import compute_left_usd


def capped(cap_usd: float, spent_usd: float = 0) -> RunState:
    state = begin()
    state.terms = state.terms.model_copy(update={"cap_usd": cap_usd})
    state.phases[0].usage = Usage(usd=spent_usd)
    return state


@pytest.mark.parametrize(
    ("cap", "spent", "kept", "agents", "left"),
    [
        (1.00, 0, 0, 1, 1.00),
        (1.00, 0, 0, 3, 0.33),
        (0.29, 0, 0, 1, 0.29),  # 100 * 0.29 is 28.999999999999996
        (0.999, 0, 0, 1, 0.99),
        (1.00, 0.40, 0.25, 1, 0.35),
        (1.00, 0.40, 0.25, 2, 0.17),
        (1.00, 1.00, 0, 2, 0),
        (1.00, 0.90, 0.25, 1, 0),
    ],
)
def test_agents_share_what_is_left_rounded_down_to_cents(
    cap: float, spent: float, kept: float, agents: int, left: float
) -> None:
    assert compute_left_usd(capped(cap, spent), kept, agents) == left


APPROVED: dict[str, Any] = {"checkpoint_id": "checkpoint-1", "phase_id": "checkpoint", "at": NOW}


@pytest.mark.parametrize(
    ("earlier", "named", "of_plan", "refused"),
    [
        ({"action": "approve", "plan_hash": "a"}, None, False, True),
        ({"action": "approve", "plan_hash": "a"}, "a", True, True),
        ({"action": "modify", "plan_hash": "a"}, "a", True, True),
        ({"action": "approve", "plan_hash": "a"}, "b", False, False),
        ({"action": "approve"}, None, False, True),
        ({"action": "approve"}, None, True, False),  # of a step, not of a plan
        ({"action": "reject", "plan_hash": "a"}, "a", True, False),
        ({"action": "approve", "plan_hash": "a", "default": True}, "a", True, False),
        ({"action": "approve", "plan_hash": "a", "reused_from": "r"}, "a", True, False),
        ({"action": "approve", "plan_hash": "a", "scope": "web"}, "a", True, False),
    ],
)
def test_approval_that_may_be_a_copy_of_an_earlier_one_is_refused(
    earlier: dict[str, Any], named: str | None, of_plan: bool, refused: bool
) -> None:
    state = begin()
    state.decisions.append(Decision(**APPROVED, **earlier))
    require_first_approval(state, "checkpoint-2", named, of_plan=of_plan)
    if refused:
        with pytest.raises(Conflict):
            require_first_approval(state, None, named, of_plan=of_plan)
    else:
        require_first_approval(state, None, named, of_plan=of_plan)
