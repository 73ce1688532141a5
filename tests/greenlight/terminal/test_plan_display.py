"""A plan on the terminal: what its hash covers is shown, and compared with the plan before."""

import pytest
from rich.console import Console, Group

from domain.planning.plan_changes import list_plan_changes
from greenlight.terminal.display.plan import draw_differences, format_changes
from tests.greenlight.terminal.samples import PLAN


def drawn(content: object) -> str:
    console = Console(width=400)
    with console.capture() as captured:
        console.print(content)
    return captured.get()


def test_an_equal_plan_is_told_as_such_and_a_first_one_not_compared() -> None:
    assert "nothing" in drawn(Group(*draw_differences([])))
    assert draw_differences(None) == []


@pytest.mark.parametrize("value", [365, None])
def test_a_short_change_of_a_decision_is_told_with_its_values(value: int | None) -> None:
    before = PLAN.model_copy(update={"max_age_days": 30})
    after = before.model_copy(update={"max_age_days": value, "goal": "Rank them. " * 20})
    told = format_changes(list_plan_changes(before, after))
    assert told == f"goal; age of sources in days (30 → {value or 'none'})"
