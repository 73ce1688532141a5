"""Records of another release: how they are read, and that the hash of a plan that waits stays."""

import pytest
from pydantic import ValidationError

from contracts.base import Contract, Json
from contracts.planning.assumptions import Assumption
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.plan import Plan, PlanStep
from contracts.runs.state_view import Results

HASH_AT_FIRST_RELEASE = "a39945171cc5df4ec2d3f2f1768d2ab0d05cf46dc7fdfb9de8d9e0f52d3ef0e1"


class Kept(Contract):
    name: str
    parts: list["Kept"] = []


def test_field_of_a_newer_release_is_left_out_at_any_depth() -> None:
    newer: Json = {"name": "a", "new": 1, "parts": [{"name": "b", "new": [2]}]}
    assert Kept.read_record(newer) == Kept(name="a", parts=[Kept(name="b")])
    with pytest.raises(ValidationError):
        Kept.model_validate(newer)
    with pytest.raises(ValidationError):
        Kept.read_record({"new": 1})


def test_union_keeps_its_choice_where_nothing_is_unknown() -> None:
    typed: Json = {"text": "By a schema of its own.", "key_points": [], "score": 3}
    assert Results.read_record({"summary": typed}).summary == typed


def test_plan_that_waits_keeps_its_hash() -> None:
    """A field that a later release adds to a plan needs `exclude_if`: else all waiting plans lose their approvals."""
    plan = Plan(
        title="Solar irrigation pumps",
        goal="Choose a country.",
        requirements=["the price of a pump"],
        steps=[PlanStep(name="Prices", description="Look them up.", independent=True)],
        search_terms=["pump prices"],
        outline=["Prices"],
        assumptions=[Assumption(id="a1", text="Farms are small.")],
        estimated_cost=CostEstimate(),
    )
    assert plan.hash == HASH_AT_FIRST_RELEASE
