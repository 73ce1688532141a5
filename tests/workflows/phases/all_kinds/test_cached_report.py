"""A report on the same question: used at once, offered at clarification, or left alone."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.evidence.sources import Source
from contracts.phases.recall import EarlierQuestion, FinishedReport
from contracts.planning.startup_company import Startup
from contracts.report.report import Report, Section
from contracts.runs.request import RunRequest
from contracts.runs.state_view import StateView
from tests.support.words import en
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import PAGE, parent_of
from tests.workflows.support.run_harness import Handle, Harness, harness

FINISHED = FinishedReport(
    run_id="run-before",
    query="Who sells pumps?",
    ended_at="2026-01-02T03:04:05+00:00",
    report=Report(
        title="Pumps",
        sections=[Section(heading="Market", remarks=["They sell."])],
        notes=["An older note."],
        searches=[],
    ),
    sources=[Source.model_validate(PAGE)],
)
LABEL = en("report-reused", run="run-before", day="2026-01-02", query="Who sells pumps?")
OFFERING: Json = {"recall": {"config": {"reuse": "offer"}}}


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    fakes = Fakes()
    fakes.finished = FINISHED
    fakes.answers["Questions"] = {"missing": [], "questions": []}
    async with harness(temporal, fakes) as made:
        yield made


async def ended(runs: Harness, handle: Handle) -> StateView:
    assert (await handle.result()).status == "completed"
    return await runs.state(handle)


def phases(state: StateView) -> list[str]:
    return [f"{phase.id} {phase.status}" for phase in state.phases]


async def test_report_on_the_same_question_ends_the_run(runs: Harness) -> None:
    handle = await runs.start(definition_id="web_answer")
    state = await ended(runs, handle)
    assert phases(state)[0] == "recall completed"
    assert {told.split()[1] for told in phases(state)[1:]} == {"skipped"}
    assert not runs.fakes.requests
    assert not runs.fakes.searches
    text = await handle.query("report")
    title, _, head = text.partition("\n\n")
    assert title == "# Pumps"
    _, _, rest = head.partition(f"> **{LABEL}")
    assert rest.lstrip(".").startswith("**\n\n> **An older note.**")
    assert "## Market\n\n- They sell.\n" in head
    assert [s.url for b in runs.fakes.batches for s in b.sources] == ["https://example.org/0"]
    told = [e.payload["message"] for e in runs.fakes.events if e.type == "Status"]
    assert LABEL in told


@pytest.mark.parametrize("number", [2, 0, 3])
async def test_model_decides_which_other_wording_asks_the_same(runs: Harness, number: int) -> None:
    runs.fakes.candidates = [
        EarlierQuestion(run_id=f"run-{name}", query=f"Who {name} pumps?")
        for name in ("buys", "before")
    ]
    runs.fakes.answers["SameQuestion"] = {"difference": "none", "number": number}
    loaded: list[str] = []
    runs.fakes.before = lambda kind, asked: (
        loaded.append(asked.run_id) if kind == "report" else None
    )
    handle = await runs.start(definition_id="web_answer")
    state = await ended(runs, handle)
    [asked] = runs.fakes.of("judge")
    given = {i.name: i.text for i in asked.messages[0].content[0].inputs}
    assert "Who buys pumps?" in given["earlier"]
    assert given["question"] == state.query
    assert loaded == (["run-before"] if number == 2 else [])
    assert bool(runs.fakes.searches) is (number != 2)
    assert (LABEL in await handle.query("report")) is (number == 2)


async def test_run_continues_where_the_model_does_not_compare(runs: Harness) -> None:
    def refuse(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "judge":
            raise ApplicationError("refused", type="model-refused", non_retryable=True)

    runs.fakes.candidates = [EarlierQuestion(run_id="run-before", query="Who sells pumps?")]
    runs.fakes.before = refuse
    state = await ended(runs, await runs.start(definition_id="web_answer"))
    assert runs.fakes.searches
    assert [notice.code for notice in state.notices] == ["phase-unchecked"]


async def test_fresh_run_ignores_earlier_reports_and_is_cached(runs: Harness) -> None:
    looked: list[str] = []
    runs.fakes.before = lambda kind, _: looked.append(kind) if kind == "similar" else None
    state = await ended(runs, await runs.start(definition_id="web_answer", fresh=True))
    assert not looked
    assert set(phases(state)) == {f"{phase.id} completed" for phase in state.phases}


@pytest.mark.full
async def test_no_report_is_searched_while_the_startup_is_open(runs: Harness) -> None:
    runs.fakes.startups = [Startup(id=name, name=name) for name in ("a", "b")]
    runs.fakes.answers["Questions"] = {"missing": [], "questions": []}
    handle = await runs.start(definition_id="web_answer")
    asked = await runs.asked(handle, "clarification")
    assert [question.id for question in asked.pending[0].questions] == ["startup"]
    await runs.answer(handle, startup="a")
    await ended(runs, handle)
    assert runs.fakes.searches


async def test_run_continues_without_an_embedder(runs: Harness) -> None:
    def away(kind: str, _: Any) -> None:
        if kind == "similar":
            raise ApplicationError("no vector", type="embedding-failed", non_retryable=True)

    runs.fakes.before = away
    state = await ended(runs, await runs.start(definition_id="web_answer"))
    assert runs.fakes.searches
    assert not state.warnings
    told = [e.payload["message"] for e in runs.fakes.events if e.type == "Status"]
    assert en("reports-unsearched", reason="no vector") in told


async def offered(runs: Harness) -> Handle:
    """Start a run of a definition with mandatory questions that offers the report."""
    one = {"questions": [{"question": "Where?", "context": "Laws."}]}
    parts = {**runs.fakes.answers["Questions"], **one}
    runs.fakes.answers["Questions"] = parts
    handle = await runs.start(definition_id="deep_research", config_overrides=OFFERING)
    [shown] = (await runs.asked(handle, "clarification")).pending
    offer, *others = shown.questions
    assert [question.id for question in others] == ["q1"]
    assert offer.choices == ["use that report", "research anew"]
    assert "2026-01-02" in offer.question
    return handle


async def test_report_is_offered_among_the_questions(runs: Harness) -> None:
    handle = await offered(runs)
    await runs.update(handle, "answer_questions", {"answers": {"finished": "use that report"}})
    state = await ended(runs, handle)
    assert phases(state)[:3] == [
        "recall completed",
        "clarification completed",
        "planning skipped",
    ]
    assert LABEL in await handle.query("report")
    assert not state.decisions, "it approves nothing"


async def test_offered_report_is_declined_by_whoever_answers_all_else(runs: Harness) -> None:
    handle = await offered(runs)
    await runs.update(handle, "answer_questions", {"answers": {"q1": "here"}})
    planned = await runs.asked(handle, "checkpoint")
    assert planned.answers == {"clarification-1": {"finished": None, "q1": "here"}}
    await handle.terminate()


@pytest.mark.parametrize("answer", ["research anew", pytest.param(None, marks=pytest.mark.full)])
async def test_declined_report_is_not_offered_again(runs: Harness, answer: str | None) -> None:
    handle = await offered(runs)
    await runs.answer(handle, finished=answer, q1="here")
    await runs.decide(handle, "approve")
    await ended(runs, handle)
    outputs: list[Any] = [
        p.output for b in runs.fakes.batches for p in b.phases if p.id == "clarification"
    ]
    answers = outputs[-1]["brief"]["answers"]
    assert [a["question"] for a in answers] == ["Where?"], "models are told of no other report"


@pytest.mark.full
async def test_run_can_follow_a_run_answered_from_cache(runs: Harness) -> None:
    before = await runs.start(definition_id="web_answer")
    state = await ended(runs, before)
    outputs = {p.id: p.output for b in runs.fakes.batches for p in b.phases if p.output}
    asked = RunRequest(query=state.query, from_run=state.run_id)
    parent = parent_of(asked, runs.fakes.definitions["web_answer"], outputs, [])
    runs.fakes.parents["before"] = parent
    handle = await runs.start(definition_id="web_answer", from_run="before")
    assert "validation completed" in phases(await ended(runs, handle))
    assert LABEL not in await handle.query("report")
