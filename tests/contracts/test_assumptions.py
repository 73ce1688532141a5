"""Assumptions of a plan: each has an id of its own, and is hashed as data."""

from typing import Any

import pytest

from contracts.notices import Notice
from contracts.planning.assumptions import Assumption, number_assumptions
from contracts.planning.plan import Plan, PlanStep
from contracts.words import CATALOGUES
from tests.support.reword import reword

LEFT = Notice.of("left-to-us", "info", question="Which place?")


def make_plan(*assumptions: Any) -> Plan:
    steps = [PlanStep(name="Look")]
    return Plan.model_validate({"title": "T", "steps": steps, "assumptions": [*assumptions]})


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        (["a", "b"], ["A1", "A2"]),
        ([{"id": "A2", "text": "a"}, "b", "c"], ["A2", "A1", "A3"]),
        ([{"id": "A1", "text": "a"}, {"id": "A1", "text": "b"}], ["A1", "A2"]),
        ([{"id": "", "text": LEFT}, {"text": "b"}], ["A1", "A2"]),
        ([Assumption(text="a"), Assumption(id="A1", text=LEFT)], ["A2", "A1"]),
    ],
)
def test_every_assumption_has_an_id_of_its_own(given: list[Any], ids: list[str]) -> None:
    assert [assumed.id for assumed in make_plan(*given).assumptions] == ids


def test_a_new_assumption_does_not_get_the_id_of_one_that_was_taken_out() -> None:
    shown = make_plan("a", "b").assumptions
    kept: list[Any] = [shown[0].model_dump(), "c"]
    assert [row["id"] for row in number_assumptions(kept, shown)] == ["A1", "A3"]


@pytest.mark.parametrize("given", ["a", {"A1": "a"}, [7], [None], [{"id": 7, "text": "a"}], [[]]])
def test_what_is_no_list_of_assumptions_is_refused(given: Any) -> None:
    fields = {"title": "T", "steps": [{"name": "Look"}], "assumptions": given}
    with pytest.raises(ValueError, match="assumptions"):
        Plan.model_validate(fields)


def test_the_hash_of_a_plan_does_not_depend_on_words(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan(LEFT, "Rain as before.")
    before, words = plan.hash, plan.tell("en")["assumptions"]
    for catalogue in CATALOGUES.values():
        for code, text in catalogue.items():
            monkeypatch.setitem(catalogue, code, reword(text))
    assert plan.tell("en")["assumptions"] != words
    assert plan.hash == before
