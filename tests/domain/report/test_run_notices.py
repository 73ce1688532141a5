"""Notices of a run tell each cause once, where it arose, and agree with the number of what they name."""

from typing import Any

import pytest

from contracts.lost_inputs import LossCause, LostInput
from contracts.runs.records import PhaseView
from contracts.runs.state import Decision, StateView
from contracts.terms import Usage
from domain.report.run_notices import add_notices


def make_phase(name: str, status: str, **fields: Any) -> PhaseView:
    return PhaseView.model_validate(
        {"id": name, "kind": "analysis", "title": name.title(), "status": status, "attempt": 1}
        | {"warnings": [], "error": None, "started_at": None, "ended_at": None, "usage": Usage()}
        | fields
    )


def lose(provider: str, detail: str = "no answer") -> LostInput:
    causes = [LossCause(reason="search-failed", passing=True)]
    return LostInput(
        kind="value", name=f"{provider}.news", phase_id=provider, causes=causes, detail=detail
    )


def tell(*phases: PhaseView) -> list[str]:
    fields: dict[str, Any] = {"decisions": [], "warnings": [], "notices": []}
    view = StateView.model_construct(status="failed", phases=list(phases), **fields)
    return add_notices(view).warnings[1:]


@pytest.mark.parametrize(
    ("by", "told"), [("ann", "ann rejected it: “No.”"), ("", "The reason given: “No.”")]
)
def test_rejection_names_who_gave_its_reason_if_that_is_known(by: str, told: str) -> None:
    decision = Decision(
        checkpoint_id="c", phase_id="p", action="reject", by=by, at="", feedback="No."
    )
    fields: dict[str, Any] = {"decisions": [decision], "warnings": [], "phases": []}
    view = StateView.model_construct(status="rejected", **fields)
    assert add_notices(view).warnings[1:] == [told]


FAILED = {"error": {"type": "search-failed", "message": "The search answered 500."}}


def test_phases_after_a_failure_name_it_and_do_not_repeat_its_reason() -> None:
    told = tell(
        make_phase("news", "failed", **FAILED),
        make_phase("write", "skipped", lost_inputs=[lose("news")], warnings=["needs 'news'"]),
        make_phase("check", "skipped", lost_inputs=[lose("write"), lose("news")]),
        make_phase("sum", "skipped", lost_inputs=[lose("check")]),
        make_phase("draw", "partial", lost_inputs=[lose("news")]),
    )
    assert told == [
        "News failed: The search answered 500.",
        "Write, Check, Sum were not done: they need the result of News.",
        "Draw is partial: it lacks a result of News.",
    ]


def test_partial_phase_tells_what_it_lost_and_not_its_other_notes() -> None:
    notes = ["Figures are 11 months old.", "no answer"]
    told = tell(make_phase("gather", "partial", lost_inputs=[lose("gather")], warnings=notes))
    assert told == ["Gather is partial: no answer"]


@pytest.mark.parametrize("status", ["skipped", "partial"])
def test_loss_from_a_phase_that_completed_keeps_its_reason(status: str) -> None:
    phase = make_phase("write", status, lost_inputs=[lose("seed")], warnings=["no news of seed"])
    [told] = tell(make_phase("seed", "completed"), phase)
    assert "no answer" in told or "no news of seed" in told


def test_one_phase_and_several_take_their_own_verb() -> None:
    chosen = {"warnings": ["not chosen for this run"]}
    one = make_phase("write", "skipped", **chosen)
    assert tell(one) == ["Write was not done: not chosen for this run"]
    several = tell(one, make_phase("sum", "skipped", **chosen))
    assert several == ["Write, Sum were not done: not chosen for this run"]
    alone = make_phase("write", "partial", warnings=["its time is nearly over."])
    assert tell(alone) == ["Write is partial: its time is nearly over"]


def test_a_check_that_was_not_made_is_told_though_the_run_completed() -> None:
    causes = [LossCause(reason="model-refused")]
    told = ["step-1 was not reviewed: refused", "step-2 was not reviewed: refused"]
    lost = [
        LostInput(kind="check", name=text, causes=causes, detail=text, optional=True)
        for text in told
    ]
    for count, words in ((1, "a check: "), (2, "checks: ")):
        phase = make_phase("execute", "completed", lost_inputs=lost[:count], warnings=told)
        fields: dict[str, Any] = {"decisions": [], "warnings": [], "phases": [phase]}
        view = add_notices(StateView.model_construct(status="completed", **fields))
        assert view.warnings == [f"Execute went on without {words}{'; '.join(told[:count])}"]
        assert [notice.code for notice in view.notices] == ["phase-unchecked"]
