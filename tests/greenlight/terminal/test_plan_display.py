"""A plan on the terminal: what its hash covers is shown, and compared with the plan before."""

import pytest
from rich.console import Console

from greenlight.terminal.display.plan import draw_changes, draw_difference
from tests.greenlight.terminal.samples import PLAN
from tests.plan_changes import PlanChange, list_hashed_changes

CHANGES = list_hashed_changes(PLAN)


def drawn(content: object) -> str:
    console = Console(width=400)
    with console.capture() as captured:
        console.print(content)
    return captured.get()


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.field)
def test_a_change_of_any_field_that_the_hash_covers_is_told(change: PlanChange) -> None:
    assert draw_difference(PLAN, PLAN) is None
    assert "changed: " in drawn(draw_difference(PLAN, change.plan))


@pytest.mark.parametrize(
    "change",
    [each for each in CHANGES if not each.field.startswith("estimated_cost")],
    ids=lambda change: change.field,
)
def test_what_a_human_changes_is_shown_before_it_is_sent(change: PlanChange) -> None:
    before, after = (plan.model_dump(mode="json") for plan in (PLAN, change.plan))
    name = change.field.partition(".")[0]
    assert change.shown in drawn(draw_changes(before, {name: after[name]}))


def test_a_changed_short_field_is_shown_before_and_after() -> None:
    after = PLAN.model_copy(update={"max_age_days": 365, "goal": "Rank them. " * 20})
    shown = drawn(draw_difference(PLAN, after))
    assert "changed: goal, age of sources in days" in shown
    assert "none → 365" in shown
    assert shown.count("→") == 1
