"""Notices of a run tell each cause once, where it arose, and agree with the number of what they name."""

from typing import Any, get_args

import pytest

from contracts.documents import UnreadCode, UnreadPart
from contracts.evidence.sources import OWN_FILE
from contracts.lost_inputs import LossCause, LostInput
from contracts.notices import tell_unread
from contracts.runs.records import PhaseView
from contracts.runs.state import Decision, StateView
from contracts.terms import Usage
from domain.lost_inputs import list_partly_read
from domain.report.run_notices import MAX_PARTLY_READ, add_notices
from tests.sources import page


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


def tell_sources(*unread: list[UnreadPart]) -> list[str]:
    """Return the warnings of a completed run over documents of which these parts were not read."""
    sources = [
        page(f"{OWN_FILE}{n}.pdf", title="A title", unread=parts) for n, parts in enumerate(unread)
    ]
    fields: dict[str, Any] = {"decisions": [], "warnings": [], "phases": []}
    fields["partly_read"] = list_partly_read(sources)
    return add_notices(StateView.model_construct(status="completed", **fields)).warnings


SCANS = UnreadPart(code="pages_without_text", count=3, of=40)


def test_unread_parts_of_each_document_are_told_though_the_run_completed() -> None:
    cut = UnreadPart(code="pages_cut", count=1)
    assert tell_sources([SCANS, cut], [], [cut]) == [
        "0.pdf: 3 of 40 pages are images without text",
        "0.pdf: 1 page was not read, as the document is too long",
        "2.pdf: 1 page was not read, as the document is too long",
    ]


def test_many_documents_with_unread_parts_are_counted() -> None:
    told = tell_sources(*([SCANS] for _ in range(MAX_PARTLY_READ + 2)))
    assert len(told) == MAX_PARTLY_READ + 1
    assert told[-1] == "2 more documents were read in part"


@pytest.mark.parametrize(
    ("unopened", "told"),
    [
        ([], []),
        (
            ["b.pdf"],
            ["One file that you gave was not opened, and the report quotes nothing of it: b.pdf"],
        ),
        (
            ["a.md", "b.pdf"],
            [
                "2 of the 3 files that you gave were not opened, and the report quotes nothing of them: "
                "a.md, b.pdf"
            ],
        ),
    ],
)
def test_files_that_no_agent_opened_are_named_though_the_run_completed(
    unopened: list[str], told: list[str]
) -> None:
    fields: dict[str, Any] = {"decisions": [], "warnings": [], "phases": []}
    fields |= {"files": ["a.md", "b.pdf", "c.txt"], "unopened": unopened}
    view = add_notices(StateView.model_construct(status="completed", **fields))
    assert view.warnings == told


@pytest.mark.parametrize(("of", "is_told"), [(None, True), (500, True), (500_000, False)])
def test_few_bad_bytes_of_a_long_text_are_no_loss(of: int | None, is_told: bool) -> None:
    part = UnreadPart(code="characters_broken", count=3, of=of)
    assert bool(tell_sources([part])) is is_told


@pytest.mark.parametrize("code", get_args(UnreadCode))
@pytest.mark.parametrize("of", [None, 40])
@pytest.mark.parametrize("names", [[], ["Sheet 2", "[Q1]"]])
def test_each_unread_part_has_words(code: UnreadCode, of: int | None, names: list[str]) -> None:
    for count in (1, 3):
        part = UnreadPart(code=code, count=count, of=of, names=names)
        told = tell_unread("a [1].pdf", part).text
        assert told.startswith("a [1].pdf: ")
        assert str(count) in told
        assert ("40" in told) is bool(of)
        assert "{" not in told
        if names and "Sheet" in told:
            assert told.endswith("Sheet 2, [Q1]" + ", …" * (count > 2))
