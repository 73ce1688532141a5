"""A run's notices name each cause once, at its origin, with correct plural forms."""

from typing import Any, get_args

import pytest

from contracts.collections import CollectionState
from contracts.documents import PartlyRead, UnreadCode, UnreadPart
from contracts.evidence.sources import OWN_FILE
from contracts.human.checkpoints import Decision
from contracts.models.usage import Usage
from contracts.notices import Notice, tell_unread
from contracts.runs.lost_inputs import LossCause, LostInput
from contracts.runs.records import PhaseView
from contracts.runs.state_view import Results, StateView
from domain.lost_inputs import list_partly_read
from domain.report.run_notices import MAX_PARTLY_READ, add_notices
from tests.support.sources import page
from tests.support.words import en


def make_phase(name: str, status: str, **fields: Any) -> PhaseView:
    return PhaseView.model_validate(
        {"id": name, "kind": "analysis", "title": name.title(), "status": status, "attempt": 1}
        | {
            "notices": [],
            "warnings": [],
            "error": None,
            "started_at": None,
            "ended_at": None,
            "usage": Usage(),
        }
        | fields
    )


LOST = Notice.of("text", text="no answer")


def lose(provider: str) -> LostInput:
    causes = [LossCause(reason="search-failed", passing=True)]
    return LostInput(
        kind="value", name=f"{provider}.news", phase_id=provider, causes=causes, told=LOST
    )


def make_view(status: str, **fields: Any) -> StateView:
    """Return a state with the fields that notices follow from."""
    given: dict[str, Any] = {"decisions": [], "notices": [], "phases": [], "results": Results()}
    given |= fields
    return StateView.model_construct(status=status, **given)  # type: ignore[arg-type]


def tell(*phases: PhaseView) -> list[Notice]:
    view = make_view("failed", phases=list(phases))
    return add_notices(view).notices[1:]


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        ({}, ["budget-ended-reading"]),
        (
            {"notices": [Notice.of("phase-ended-short"), Notice.of("no-page-read")]},
            ["budget-ended-reading", "phase-partial"],
        ),
        ({"lost_inputs": [lose("markets")]}, ["budget-ended-reading", "phase-partial"]),
    ],
)
def test_an_early_end_is_told_once(more: dict[str, Any], codes: list[str]) -> None:
    given: dict[str, Any] = {"notices": [Notice.of("phase-ended-short")], **more}
    given["early_end"] = {"reason": "budget", "pages_read": 34}
    assert [notice.code for notice in tell(make_phase("research", "partial", **given))] == codes


@pytest.mark.parametrize(("by", "code"), [("ann", "rejection"), ("", "rejection-unnamed")])
def test_rejection_names_who_gave_its_reason_if_that_is_known(by: str, code: str) -> None:
    decision = Decision(
        checkpoint_id="c", phase_id="p", action="reject", by=by, at="", feedback="No."
    )
    view = make_view("rejected", decisions=[decision])
    assert add_notices(view).notices[1:] == [Notice.of(code, by=by, text="No.")]


DISABLED = Notice.of("disabled")
FAILED = {"error": {"type": "search-failed", "message": "The search answered 500."}}


def test_phases_after_a_failure_name_it_and_do_not_repeat_its_reason() -> None:
    told = tell(
        make_phase("news", "failed", **FAILED),
        make_phase("write", "skipped", lost_inputs=[lose("news")], notices=[DISABLED]),
        make_phase("check", "skipped", lost_inputs=[lose("write"), lose("news")]),
        make_phase("sum", "skipped", lost_inputs=[lose("check")]),
        make_phase("draw", "partial", lost_inputs=[lose("news")]),
    )
    failure = Notice.of("text", text="The search answered 500.")
    assert told == [
        Notice.of("phase-failed", phase=["News"], n=1, reason=failure),
        Notice.of("phase-blocked", phase=["Write", "Check", "Sum"], n=3, without=["News"]),
        Notice.of("phase-incomplete", phase=["Draw"], n=1, without=["News"]),
    ]


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (make_phase("write", "partial", lost_inputs=[lose("news")]), "run-failed-bridged"),
        (make_phase("write", "skipped", lost_inputs=[lose("news")]), "run-failed"),
        (make_phase("write", "failed", lost_inputs=[lose("news")], **FAILED), "run-failed"),
        (make_phase("write", "completed"), "run-failed"),
    ],
    ids=["written without it", "not written", "failed at it", "independent of it"],
)
def test_head_of_a_failed_run_says_whether_its_report_was_written_without_what_failed(
    last: PhaseView, code: str
) -> None:
    phases = [make_phase("seed", "completed"), make_phase("news", "failed", **FAILED), last]
    first, *_ = add_notices(make_view("failed", phases=phases)).notices
    assert first == Notice.of(code)


def test_partial_phase_tells_what_it_lost_and_not_its_other_notes() -> None:
    told = tell(
        make_phase("gather", "partial", lost_inputs=[lose("gather")], notices=[DISABLED, LOST])
    )
    assert told == [Notice.of("phase-partial", phase=["Gather"], n=1, reason=[LOST])]


@pytest.mark.parametrize("status", ["skipped", "partial"])
def test_loss_from_a_phase_that_completed_keeps_its_reason(status: str) -> None:
    phase = make_phase("write", status, lost_inputs=[lose("seed")], notices=[DISABLED])
    [told] = tell(make_phase("seed", "completed"), phase)
    lacking = Notice.of("lost-value", name="seed.news", why=[LOST])
    assert told.params["reason"] == [lacking if status == "partial" else DISABLED]


def test_phases_with_one_reason_are_one_notice() -> None:
    one = make_phase("write", "skipped", notices=[DISABLED])
    told = Notice.of("phase-skipped", phase=["Write"], n=1, reason=[DISABLED])
    assert tell(one) == [told]
    several = tell(one, make_phase("sum", "skipped", notices=[DISABLED]))
    assert several == [Notice.of("phase-skipped", phase=["Write", "Sum"], n=2, reason=[DISABLED])]


def test_a_check_that_was_not_made_is_told_though_the_run_completed() -> None:
    causes = [LossCause(reason="model-refused")]
    told = [Notice.of("step-unreviewed", step=step, role="critic") for step in ("A", "B")]
    lost = [
        LostInput(kind="check", name=each.code, causes=causes, told=each, optional=True)
        for each in told
    ]
    for count in (1, 2):
        phase = make_phase("execute", "completed", lost_inputs=lost[:count], notices=told)
        view = make_view("completed", phases=[phase])
        [notice] = add_notices(view).notices
        reasons = told[:count]
        assert notice == Notice.of("phase-unchecked", phase="Execute", n=count, reason=reasons)


@pytest.mark.parametrize(
    ("results", "told"),
    [
        (Results(sources=6, cited=0), [Notice.of("nothing-found", n=6)]),
        (Results(cited=0), [Notice.of("nothing-found")]),
        (Results(sources=6, cited=1), []),
        (Results(), []),
    ],
)
def test_report_that_cites_no_page_is_told_as_nothing_found(
    results: Results, told: list[Notice]
) -> None:
    for status in ("completed", "running"):
        given = told if status == "completed" else []
        assert add_notices(make_view(status, results=results)).notices == given


def tell_sources(*unread: list[UnreadPart]) -> list[str]:
    """Return the warnings of a completed run over documents with these unread parts."""
    sources = [
        page(f"{OWN_FILE}{n}.pdf", title="A title", unread=parts) for n, parts in enumerate(unread)
    ]
    return add_notices(make_view("completed", partly_read=list_partly_read(sources))).warnings


SCANS = UnreadPart(code="pages_without_text", count=3, of=40)


def test_unread_parts_of_each_document_are_told_though_the_run_completed() -> None:
    cut = UnreadPart(code="pages_cut", count=1)
    assert tell_sources([SCANS, cut], [], [cut]) == [
        en("unread-pages-without-text", name="0.pdf", n=3, of=40),
        en("unread-pages-cut", name="0.pdf", n=1),
        en("unread-pages-cut", name="2.pdf", n=1),
    ]


def test_many_documents_with_unread_parts_are_counted() -> None:
    told = tell_sources(*([SCANS] for _ in range(MAX_PARTLY_READ + 2)))
    assert len(told) == MAX_PARTLY_READ + 1
    assert told[-1] == en("unread-more", n=2)


@pytest.mark.parametrize("unopened", [[], ["b.pdf"], ["a.md", "b.pdf"]])
def test_files_that_no_agent_opened_are_named_though_the_run_completed(
    unopened: list[str],
) -> None:
    told = [en("files-unopened", n=len(unopened), of=3, names=unopened)] if unopened else []
    fields: dict[str, Any] = {"files": ["a.md", "b.pdf", "c.txt"], "unopened": unopened}
    assert add_notices(make_view("completed", **fields)).warnings == told


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
            assert "Sheet 2, [Q1]" + ", …" * (count > 2) in told


def test_service_that_failed_is_told_by_itself_and_not_as_a_check() -> None:
    lost = LostInput(
        kind="search_service",
        name="exa",
        found=3,
        lost=2,
        causes=[LossCause(reason="search-failed", passing=True, count=2)],
        optional=True,
    )
    phases = [make_phase("research", "completed", lost_inputs=[lost])]
    [told] = add_notices(make_view("completed", phases=phases)).notices
    assert told.code == "lost-service"
    assert told.text == en(
        "lost-service",
        service=Notice.of("service-exa", "info"),
        n=2,
        of=3,
        why=[Notice.of("cause-no-answer")],
    )


def test_notices_are_added_once() -> None:
    """The record of a run that Temporal closed is made from one that has them already."""
    why = Notice.of("run-closed-outside")
    scan = PartlyRead(name="a.pdf", unread=[SCANS])
    view = add_notices(make_view("running", partly_read=[scan]))
    closed = view.model_copy(update={"status": "cancelled", "notices": [why, *view.notices]})
    codes = [notice.code for notice in add_notices(closed).notices]
    assert codes.count("unread-pages-without-text") == 1
    assert codes.count(why.code) == 1


def test_what_of_a_folder_could_not_be_compared_is_told_beside_what_was_not_read() -> None:
    kept = Notice.of("folder-unlisted", collection="plans", reason="…")
    state = CollectionState(
        name="plans", documents=2, indexed=1, failed=["a.log"], failed_count=1, unlisted=[kept]
    )
    told = add_notices(make_view("completed", collections=[state])).notices
    assert told == [kept, Notice.of("documents-failed", collection="plans", n=1, names=["a.log"])]
