"""Differences between plans: every field that an approval covers is shown with its old and new value."""

import pytest

from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.plan import Plan, PlanDraft, PlanStep
from contracts.planning.plan_changes import PlanChange
from domain.planning.plan_changes import (
    describe_change,
    label_path,
    list_plan_changes,
    merge_plan_changes,
    render_changes,
)
from tests.support.product.plan_changes import SERVER, ChangedPlan, list_hashed_changes

LOOK, COUNT, DRAW = (PlanStep(name=name) for name in ("Look", "Count", "Draw"))
PLAN = Plan(
    title="Pumps",
    steps=[LOOK, COUNT],
    search_terms=["pumps"],
    max_age_days=30,
    estimated_cost=CostEstimate(low_usd=0.01, expected_usd=0.04, top_usd=0.12),
    servers=[SERVER],
)


def change(plan: Plan, **fields: object) -> list[PlanChange]:
    return list_plan_changes(plan, plan.model_copy(update=fields))


@pytest.mark.parametrize("changed", list_hashed_changes(PLAN), ids=lambda changed: changed.field)
def test_each_field_that_the_hash_covers_is_one_change(changed: ChangedPlan) -> None:
    [found] = list_plan_changes(PLAN, changed.plan)
    [back] = list_plan_changes(changed.plan, PLAN)
    assert (found.before, found.after) == (back.after, back.before)
    assert changed.shown in label_path(found.path) + "".join(describe_change(found))
    told = label_path(back.path) + "".join(describe_change(back))
    assert changed.shown in told, "what it was is told, too"
    assert changed.shown in render_changes([found]).replace("\\", "")
    assert list_plan_changes(PLAN, PLAN) == []


def test_a_field_that_is_not_set_is_told_in_words() -> None:
    [unset] = change(PLAN, max_age_days=None)
    assert (unset.path, unset.before, unset.after) == ("max_age_days", 30, None)
    assert describe_change(unset) == ["30 → none"]


def test_a_step_in_between_is_one_change_and_those_behind_it_are_none() -> None:
    [added] = change(PLAN, steps=[LOOK, DRAW, COUNT])
    assert (added.path, added.before) == ("steps[1]", None)
    assert describe_change(added) == ["+ Draw (researcher)"]
    [removed] = change(PLAN, steps=[COUNT])
    assert (removed.path, removed.after) == ("steps[0]", None)
    assert describe_change(removed) == ["- Look (researcher)"]


def test_a_reworded_step_is_told_by_its_fields() -> None:
    engineer = COUNT.model_copy(update={"agent_role": "engineer"})
    [role] = change(PLAN, steps=[LOOK, engineer])
    assert (role.path, role.before, role.after) == (
        "steps[1].agent_role",
        "researcher",
        "engineer",
    )
    assert label_path(role.path) == "Step 2, role"


def test_both_lists_of_searches_are_one_unless_only_their_division_differs() -> None:
    [searches] = change(PLAN, expanded_queries=["boats"])
    assert (searches.path, searches.after) == ("search_terms", ["pumps", "boats"])
    moved = change(PLAN, search_terms=[], expanded_queries=["pumps"])
    assert [each.path for each in moved] == ["search_terms", "expanded_queries"]


def test_lists_are_told_by_what_came_and_went_or_by_their_order() -> None:
    plan = PLAN.model_copy(update={"outline": ["A", "B"]})
    [items] = change(plan, outline=["B", "C"])
    assert describe_change(items) == ["- A", "+ C"]
    [order] = change(plan, outline=["B", "A"])
    assert describe_change(order) == ["in another order: B; A"]


def test_values_that_read_alike_are_told_exactly() -> None:
    dearer = PLAN.estimated_cost.model_copy(update={"top_usd": 0.1201})
    [price] = change(PLAN, estimated_cost=dearer)
    assert "0.1201" in describe_change(price)[0]


def test_changes_that_follow_each_other_are_told_once_from_first_to_last() -> None:
    first = change(PLAN, max_age_days=60, title="Boats")
    then = list_plan_changes(
        PLAN.model_copy(update={"max_age_days": 60, "title": "Boats"}),
        PLAN.model_copy(update={"max_age_days": 90}),
    )
    [only] = merge_plan_changes(first, then)
    assert (only.path, only.before, only.after) == ("max_age_days", 30, 90)


def test_markdown_of_a_plan_is_escaped() -> None:
    draft = PlanDraft(title="Pumps", steps=[LOOK])
    told = render_changes(list_plan_changes(draft, draft.model_copy(update={"goal": "*x* <b>"})))
    assert "- **Goal:** none → \\*x\\* \\<b\\>" in told
