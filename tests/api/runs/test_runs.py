"""Starting, messaging and reading runs over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from contracts.base import Json
from contracts.problems import Problem
from contracts.runs.state_view import StateView
from tests.api.conftest import Site
from tests.api.test_validation_errors import START, told


@pytest.fixture(scope="module")
def site(dev_site: Site) -> Site:
    return dev_site


async def test_a_run_is_driven_to_its_report(site: Site) -> None:
    run = await site.start(query="Où vendre des pompes ?\nاليمن 🌞", user_id="ann")
    asked = await site.until(run, "clarification")
    assert (asked["status"], asked["stage"], asked["live"]) == ("waiting", "clarify", True)
    answers = {"answers": {"q1": "there", "q2": None}}
    planned = (await site.post(f"{run}/answers", answers, wait=20)).json()
    assert planned["accepted"] == "update"
    assert planned["pending"][0]["plan_hash"] == planned["plan_hash"]
    decision = {"action": "approve", "plan_hash": planned["plan_hash"], "by": "ann"}
    done = (await site.post(f"{run}/decision", decision, wait=20)).json()
    assert (done["status"], done["stage"]) == ("completed", "completed")
    await site.follow(run, 0)
    recorded = (await site.get(run, include="outputs")).json()
    assert (recorded["status"], recorded["user_id"]) == ("completed", "ann")
    assert recorded["outputs"]["synthesis"]["report"]["title"] == "Pumps"
    assert [p["status"] for p in recorded["phases"]] == ["completed"] * 8
    effort = recorded["effort"]["planning"]
    assert effort["timing"]["total_seconds"] > 0
    assert (await site.get(run)).json()["effort"] is None
    phase = (await site.get(f"{run}/phases/planning")).json()
    assert (phase["timing"], phase["models"]) == (effort["timing"], effort["models"])
    assert phase["output"]["plan_hash"] == planned["plan_hash"]
    assert len((await site.get(f"{run}/phases")).json()["items"]) == 8
    told(await site.get(f"{run}/phases/nothing"), 404, "not-found")


async def test_a_run_in_the_list_is_found_by_its_filters(site: Site) -> None:
    run = await site.start(user_id="finder")
    for name, value in (("user_id", "finder"), ("definition_id", "deep_research")):
        assert run in await site.runs(**{name: value})
    assert (await site.get("/v1/runs", user_id="nobody")).json() == {
        "items": [],
        "next_cursor": None,
    }
    first = (await site.get("/v1/runs", limit=1)).json()
    second = (await site.get("/v1/runs", limit=1, cursor=first["next_cursor"])).json()
    assert first["items"] != second["items"]
    await site.post(f"{run}/cancel")


async def test_a_start_names_model_and_price(site: Site) -> None:
    answer = await site.http.post("/v1/workflows/web_answer/run", json={"query": "x"})
    started = answer.json()
    assert started["model"].startswith("claude-")
    assert 0 < started["price"]["expected_usd"] < started["price"]["top_usd"] < 1


async def test_an_estimate_says_what_the_start_says_and_starts_nothing(site: Site) -> None:
    path = "/v1/workflows/web_answer"
    body = {"query": "What would it cost?", "budget": 0.5}
    told = (await site.http.post(f"{path}/estimate", json=body)).json()
    assert (await site.get("/v1/runs", text=body["query"])).json()["items"] == []
    started = (await site.http.post(f"{path}/run", json=body)).json()
    assert (told["model"], told["price"]) == (started["model"], started["price"])
    assert told["cap_usd"] == 0.5


@pytest.mark.parametrize(
    ("definition", "phase"),
    [
        ("deep_research", "research"),
        ("web_answer", "research"),
        ("market_analysis", "crew"),
        ("deep_research_hitl", "control"),
    ],
)
async def test_price_grows_with_the_pages_that_may_be_read(
    site: Site, definition: str, phase: str
) -> None:
    async def price(pages: int) -> dict[str, Any]:
        overrides = {phase: {"config": {"max_sources": pages}}}
        body = {"query": "x", "budget": 50, "config_overrides": overrides}
        told = await site.http.post(f"/v1/workflows/{definition}/estimate", json=body)
        return dict(told.json()["price"])

    few, some, many = [await price(pages) for pages in (2, 20, 60)]
    assert 0 < few["expected_usd"] < some["expected_usd"] <= many["expected_usd"]


async def test_an_estimate_is_refused_as_the_start_is(site: Site) -> None:
    body = {"query": "x", "config_overrides": {"research": {"config": {"max_sources": 0}}}}
    answers = [
        await site.http.post(f"/v1/workflows/deep_research/{verb}", json=body)
        for verb in ("estimate", "run")
    ]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert answers[0].json()["problems"] == answers[1].json()["problems"]


async def test_the_same_key_starts_one_run(site: Site) -> None:
    headers = {"Idempotency-Key": "once"}
    starts = [site.http.post(START, json={"query": "x"}, headers=headers) for _ in range(5)]
    answers = await asyncio.gather(*starts)
    assert {a.status_code for a in answers} == {202}
    assert len({a.json()["run_id"] for a in answers}) == 1
    run = answers[0].json()["links"]["self"]
    await site.post(f"{run}/cancel")
    await site.follow(run, 0)
    again = (await site.http.post(START, json={"query": "x"}, headers=headers)).json()
    assert (again["links"]["self"], again["status"]) == (run, "cancelled")


async def test_the_budget_bounds_the_cap(site: Site) -> None:
    run = await site.start(budget=0.5, model_overrides={"planner": "claude-haiku-4-5"})
    state = await site.until(run, "clarification")
    assert state["cap_usd"] == 0.5
    await site.post(f"{run}/cancel")


async def test_refusal_of_the_run_reaches_the_caller(site: Site) -> None:
    run = await site.start()
    await site.until(run, "clarification")
    wrong = await site.post(f"{run}/answers", {"answers": {"q9": "x"}})
    problems = told(wrong, 422, "invalid-input")["problems"]
    unknown = Problem.at("answers.q9", "question-unknown", known=["q1", "q2"])
    assert [Problem.model_validate(each) for each in problems] == [unknown]
    told(await site.post(f"{run}/decision", {"action": "reject"}), 409, "conflict")
    planned = (await site.post(f"{run}/answers", {"rest": None}, wait=20)).json()
    stale = {"action": "approve", "plan_hash": "0" * 64}
    told(await site.post(f"{run}/decision", stale), 409, "stale-plan")
    told(await site.post(f"{run}/decision", {"action": "approve"}), 422, "invalid-input")
    decision = {"action": "reject", "plan_hash": planned["plan_hash"]}
    twice = await asyncio.gather(*(site.post(f"{run}/decision", decision) for _ in range(2)))
    assert sorted(a.status_code for a in twice) == [202, 409]
    told(await site.post(f"{run}/steer", {"text": "hurry"}), 409, "conflict")


async def test_feedback_answers_then_revises_then_clashes(site: Site) -> None:
    run = await site.start()
    await site.until(run, "clarification")
    planned = (await site.post(f"{run}/feedback", {"text": "Kenya, 2027"}, wait=20)).json()
    assert set(next(iter(planned["answers"].values())).values()) == {"Kenya, 2027"}
    revised = await site.post(f"{run}/feedback", {"text": "cheaper", "by": "ann"}, wait=20)
    state = revised.json()
    assert state["decisions"][-1]["action"] == "revise"
    assert state["decisions"][-1]["feedback"] == "cheaper"
    assert state["pending"][0]["phase_id"] == "checkpoint"
    late = {"action": "approve", "plan_hash": planned["plan_hash"]}
    late["checkpoint_id"] = planned["pending"][0]["checkpoint_id"]
    closed = told(await site.post(f"{run}/decision", late), 409, "conflict")
    assert closed["params"]["open"] == [state["pending"][0]["checkpoint_id"]]
    await site.post(f"{run}/decision", {"action": "reject"}, wait=10)
    ended = told(await site.post(f"{run}/feedback", {"text": "more"}), 409, "conflict")
    assert ended["code"] == "no-checkpoint-run-ended"


async def test_a_paused_run_holds_until_it_is_resumed(site: Site) -> None:
    run = await site.start()
    await site.until(run, "clarification")
    paused = (await site.post(f"{run}/pause", {"by": "ann"})).json()
    assert paused["status"] == "paused"
    resumed = (await site.post(f"{run}/resume")).json()
    assert resumed["status"] == "waiting"
    steered = await site.post(f"{run}/steer", {"text": "Look at prices."})
    assert steered.status_code == 202
    ended = (await site.post(f"{run}/cancel", {"mode": "now"}, wait=10)).json()
    assert (ended["status"], ended["stage"]) == ("cancelled", "cancelled")


async def test_wait_ends_after_its_time(site: Site) -> None:
    run = await site.start()
    await site.until(run, "clarification")
    await site.post(f"{run}/pause")
    held = (await site.post(f"{run}/answers", {"rest": None}, wait=0.3)).json()
    assert (held["status"], held["pending"]) == ("paused", [])
    await site.post(f"{run}/cancel")


async def test_events_after_the_seq_of_a_state_are_complete(site: Site) -> None:
    run = await site.start()
    state = await site.until(run, "clarification")
    assert StateView.model_validate(state).seq == state["seq"]
    missing: list[Json] = (await site.get(f"{run}/events", after=state["seq"])).json()["items"]
    known: list[Json] = (await site.get(f"{run}/events")).json()["items"]
    seen = int(str(state["seq"]))
    assert known[: seen + len(missing)] == known[:seen] + missing  # it may have grown in between
    await site.post(f"{run}/cancel")


@pytest.fixture
async def resting(site: Site) -> AsyncIterator[Site]:
    """The site while no worker is up."""
    await site.rest()
    yield site
    await site.work()


async def test_reads_and_messages_need_no_worker(
    resting: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("temporal.run_client.COMMAND_SECONDS", 0.5)
    monkeypatch.setattr("temporal.run_client.QUERY_SECONDS", 0.5)
    site = resting
    run = await site.start()
    state = (await site.get(f"{run}/state")).json()
    assert (state["live"], state["status"], state["query"]) == (
        False,
        "running",
        "Where to sell pumps?",
    )
    assert [p["status"] for p in state["phases"]] == ["pending"] * 8
    taken = await site.post(f"{run}/cancel", {"mode": "now"})
    assert (taken.status_code, taken.json()["accepted"]) == (202, "signal")
    await site.work()
    assert (await site.follow(run, 0))[-1].status == "cancelled"
    await site.rest()


async def test_message_names_its_checkpoint_and_never_reaches_the_next(
    resting: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no worker answers in time, a message goes out twice: as update, and as signal."""
    monkeypatch.setattr("temporal.run_client.COMMAND_SECONDS", 0.5)
    site = resting
    await site.work()
    run = await site.start()
    shown = (await site.until(run, "clarification"))["pending"][0]["checkpoint_id"]
    async with asyncio.timeout(60):
        while "InputRequiredEvent" not in (await site.get(f"{run}/events")).text:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    await site.rest()
    taken = await site.post(f"{run}/answers", {"rest": None})
    assert taken.json()["accepted"] == "signal"
    handle = site.temporal.get_workflow_handle(run.rpartition("/")[2])
    said: list[bytes] = []
    async with asyncio.timeout(60):  # a task that the stopped worker took holds signals back
        while not said:
            events = (await handle.fetch_history()).events
            signals = [e.workflow_execution_signaled_event_attributes for e in events]
            said = [
                s.input.payloads[0].data for s in signals if s.signal_name == "answer_questions"
            ]
            await asyncio.sleep(0.1)
    assert [json.loads(each)["checkpoint_id"] for each in said] == [shown]
