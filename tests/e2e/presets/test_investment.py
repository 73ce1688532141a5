"""The orchestrator of specification 2, scenario by scenario, through the gateway on the real stack."""

import re
from typing import Any

import pytest

from contracts.base import Json
from contracts.runs.state_view import StateView
from tests.support.stack import Run, Whole
from tests.support.words import en

ID = "investment_analysis"
STEPS = ["retrieval", "fundamental", "news", "research", "investment"]
NEWS_CALL = {"service": "model", "schema_property": "articles"}
"""The one call of the news analysis."""


async def start(whole: Whole, **more: Any) -> Run:
    given: Json = {"ticker": "AAPL", "news_limit": 3}
    body = {"definition": ID, "inputs": given, **more}
    return await whole.start("Is Apple worth buying?", **body)


async def ended(whole: Whole, **more: Any) -> tuple[Run, StateView]:
    run = await start(whole, **more)
    return run, await run.ended()


def statuses(state: StateView) -> Json:
    return {phase.id: phase.status for phase in state.phases}


async def outputs(run: Run) -> Json:
    found: Json = (await run.get(include="outputs")).json()["outputs"]
    return {name: output for name, output in found.items() if output}


async def test_run_full_workflow(whole: Whole) -> None:
    """Run full workflow.

    **WHEN** the caller invokes the orchestrator without limiting steps **THEN** it executes all
    steps in order and returns each step's output with status `completed`.
    """
    run, state = await ended(whole)
    assert statuses(state) == dict.fromkeys(STEPS, "completed")
    assert state.status == "completed"
    assert list(await outputs(run)) == STEPS
    settled = [e.phase_id for e in await run.events("step_complete")]
    assert settled[0] == "retrieval"
    assert settled[-2:] == ["research", "investment"]
    report = await run.report()
    assert f"## {en('decision', actions='…').partition('…')[0]}" in report
    by_product = f"{en('metric-revenue')} {en('axis-product')}"
    page = (await run.get("/sources/1/snapshot")).text
    assert "newest first: 0000320193-26-" in page, "the source names the filings of its figures"
    assert re.search(rf"\| {by_product}: iPhone \| 44,?582(\.0)? \| 39,?296", report)
    charts = [a for a in (await run.get("/artifacts")).json()["items"] if a["kind"] == "chart"]
    assert len(charts) >= 3
    told = await whole.providers.asked("edgar")
    assert {entry["status"] for entry in told} == {200}


@pytest.mark.full
@pytest.mark.parametrize(
    ("chosen", "ran"),
    [({"only": ["news"]}, ["news"]), ({"until": "research"}, STEPS[:4])],
)
async def test_run_subset_of_steps(whole: Whole, chosen: Json, ran: list[str]) -> None:
    """Run subset of steps.

    **WHEN** the caller specifies a subset (e.g., only news sentiment or stop `until` research)
    **THEN** the orchestrator executes only those steps, marks unrun steps as `skipped` or omits
    them, and returns the executed steps with status `partial` overall.
    """
    run, state = await ended(whole, **chosen)
    left = [step for step in STEPS if step not in ran]
    assert statuses(state) == dict.fromkeys(ran, "completed") | dict.fromkeys(left, "skipped")
    assert state.status == "partial"
    assert list(await outputs(run)) == ran


@pytest.mark.parametrize(
    ("chosen", "status", "told"),
    [
        ({"only": ["news", "retrieval"]}, 422, "only"),
        ({"only": ["sentiment"]}, 422, "only"),
        ({"until": "sentiment"}, 422, "until"),
        ({"only": ["retrieval"], "until": "news"}, 422, "until"),
        ({"only": ["investment"]}, 409, "report"),
        ({"inputs": {}}, 422, "inputs.ticker"),
        ({"inputs": {"ticker": "<script>"}}, 422, "inputs.ticker"),
        ({"inputs": {"ticker": "AAPL", "price": 0}}, 422, "inputs.price"),
        ({"inputs": {"ticker": "AAPL", "price": "cheap"}}, 422, "inputs.price"),
        ({"inputs": {"ticker": "AAPL", "as_of": "2999-01-01"}}, 422, "inputs.as_of"),
        ({"inputs": {"tickers": ["A", "B", "C", "D", "E", "F", "G"]}}, 422, "inputs.tickers"),
    ],
)
async def test_invalid_combinations_execute_nothing(
    whole: Whole, chosen: Json, status: int, told: str
) -> None:
    """Invalid combinations execute nothing.

    Step selectors MUST be validated as an ordered subsequence of the canonical pipeline; invalid
    combinations SHALL return an error without executing.
    """
    given: dict[str, Any] = {"definition": ID, "inputs": {"ticker": "AAPL"}, **chosen}
    answer = await whole.ask("Is Apple worth buying?", **given)
    assert answer.status_code == status
    assert told in answer.text
    assert await whole.providers.asked() == []


@pytest.mark.full
async def test_one_branch_fails(whole: Whole) -> None:
    """One branch fails.

    **WHEN** news analysis fails but fundamentals succeed **THEN** the orchestrator returns the
    fundamental output, marks the news branch as `failed` with warnings, and flags downstream
    synthesis/decision as `skipped` or `partial` due to missing inputs.

    Continuing the run makes only the missing calls.
    """
    await whole.providers.told({"status": 403, "times": 99, "match": NEWS_CALL})
    run, state = await ended(whole)
    expected = ["completed", "completed", "failed", "partial", "partial"]
    assert statuses(state) == dict(zip(STEPS, expected, strict=True))
    assert state.status == "failed"
    assert state.phases[2].error
    assert "fundamental" in await outputs(run)
    for phase in state.phases[3:]:
        assert "news.analysis" in [lost.name for lost in phase.lost_inputs]
    await whole.providers.forget()
    again, state = await ended(whole, from_run=run.id)
    assert state.status == "completed"
    made = [(call["phase_id"]) for call in await whole.ledger(again)]
    assert made == ["news", "research", "investment"]
    assert await whole.providers.asked("edgar") == []


@pytest.mark.full
async def test_partial_response_when_stopping_early(whole: Whole) -> None:
    """Partial response when stopping early.

    **WHEN** the caller stops at `until=research` **THEN** the response includes retrieval,
    fundamental, news, and research steps with `status` fields and any warnings, and the overall
    workflow status is `partial` because investment was not executed.
    """
    run, _ = await ended(whole, until="research")
    answer = (await run.get(include="outputs")).json()
    assert [p["id"] for p in answer["phases"] if p["status"] == "completed"] == STEPS[:4]
    assert all("warnings" in phase for phase in answer["phases"])
    assert answer["status"] == "partial"


@pytest.mark.full
async def test_streaming_step_events(whole: Whole) -> None:
    """Streaming step events.

    **WHEN** the caller uses the streamable endpoint **THEN** the orchestrator emits events at
    each step start/completion with workflow id, step name, status, and partial/final payload,
    followed by a terminal event carrying the overall status.
    """
    run = await start(whole)
    events = await run.watch()
    assert {event.run_id for event in events} == {run.id}
    for step in STEPS:
        own = [e for e in events if e.phase_id == step]
        assert [e.type for e in own].count("step_start") == 1
        [done] = [e for e in own if e.type == "step_complete"]
        assert done.status == "completed"
        assert done.payload
    assert (events[-1].type, events[-1].status) == ("workflow_complete", "completed")


@pytest.mark.full
async def test_retrieve_cached_step_data(whole: Whole) -> None:
    """Retrieve cached step data.

    **WHEN** a caller requests status for an in-flight or recently completed workflow **THEN** the
    orchestrator can serve the request/response data for any completed step from the cache without
    recomputing, and only executes missing steps.
    """
    run, _ = await ended(whole, until="news")
    before = len(await whole.providers.asked())
    for step in STEPS[:3]:
        record = (await run.get(f"/phases/{step}")).json()
        assert record["config"]
        assert record["output"]
    assert len(await whole.providers.asked()) == before
    again, state = await ended(whole, from_run=run.id)
    assert state.status == "completed"
    assert [call["phase_id"] for call in await whole.ledger(again)] == ["research", "investment"]


@pytest.mark.full
async def test_timeout_during_news_analysis(whole: Whole) -> None:
    """Timeout during news analysis.

    **WHEN** the news sentiment stage exceeds 60 seconds **THEN** the orchestrator marks the news
    step as `failed` with a timeout warning, does not reuse the hung task, and marks downstream
    synthesis/manager steps as `skipped` or `partial` because required inputs are missing.

    Here it may take 3 s, so that the test does.
    """
    definition = (await whole.http.get(f"/v1/workflows/{ID}")).json()
    assert {phase["timeout_seconds"] for phase in definition["phases"]} == {60}
    await whole.providers.told({"mode": "hang", "times": 99, "match": NEWS_CALL})
    run, state = await ended(whole, config_overrides={"news": {"timeout_seconds": 3}})
    expected = ["completed", "completed", "failed", "partial", "partial"]
    assert statuses(state) == dict(zip(STEPS, expected, strict=True))
    assert state.phases[2].error
    assert state.phases[2].error.type == "phase-timeout"
    asked = len(await whole.providers.asked("model"))
    await whole.providers.told()
    _, state = await ended(whole, from_run=run.id)
    assert state.status == "completed"
    assert len(await whole.providers.asked("model")) == asked + 3, (
        "the hung call was not waited for"
    )


@pytest.mark.full
async def test_persist_and_retrieve_completed_run(whole: Whole) -> None:
    """Persist and retrieve completed run.

    **WHEN** a workflow completes successfully or partially **THEN** its run record can be
    retrieved by workflow id without re-executing the workflow.

    For steps that invoke an LLM, the stored metadata includes model identifiers and usage.
    """
    run, _ = await ended(whole)
    before = await whole.providers.asked()
    answer = (await run.get(include="outputs")).json()
    assert answer["status"] == "completed"
    assert answer["query"] == "Is Apple worth buying?"
    for step in STEPS[1:]:
        record = (await run.get(f"/phases/{step}")).json()
        assert record["usage"]["input_tokens"] > 0
        assert record["usage"]["output_tokens"] > 0
    assert await whole.providers.asked() == before


@pytest.mark.full
async def test_retrieve_event_log_for_a_run(whole: Whole) -> None:
    """Retrieve event log for a run.

    **WHEN** a client requests the event log for a stored workflow id **THEN** the API returns the
    ordered events for that run (or the requested tail).
    """
    run, _ = await ended(whole, only=["retrieval"])
    events = await run.events()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert all(event.at for event in events)
    tail = (await run.get("/events", tail=3)).json()["items"]
    assert [event["seq"] for event in tail] == [event.seq for event in events[-3:]]


@pytest.mark.full
async def test_list_recent_runs(whole: Whole) -> None:
    """List recent runs.

    **WHEN** a client requests the run list with a limit and ticker filter **THEN** the API returns
    matching run summaries ordered by completion time (descending).
    """
    inputs = {"ticker": "SNOW", "news_limit": 0}
    made = [(await ended(whole, only=["retrieval"], inputs=inputs))[0].id for _ in range(3)]
    answer = await whole.http.get("/v1/runs", params={"ticker": "snow", "limit": 2})
    page = answer.raise_for_status().json()
    assert [item["run_id"] for item in page["items"]] == made[:0:-1]
    rest = await whole.http.get(
        "/v1/runs", params={"ticker": "SNOW", "limit": 2, "cursor": page["next_cursor"]}
    )
    assert rest.json()["items"][0]["run_id"] == made[0]
    unknown = await whole.http.get("/v1/runs/run-00000000-0000-0000-0000-000000000000")
    assert unknown.status_code == 404
