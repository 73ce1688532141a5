"""Runs that start from another run, and the outputs they keep."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from api.runs import comparison
from tests.api.conftest import Site
from tests.api.reports.test_report_history import output
from tests.api.test_validation_errors import told
from tests.support.databases import connect_as_owner
from tests.support.offline_services import eventually
from tests.workflows.agents.test_report_editor import update

pytestmark = pytest.mark.usefixtures("quiet")

MINE = "/v1/workflows/forked"


@pytest.fixture(scope="module")
async def parent(site: Site) -> AsyncIterator[str]:
    """A completed run of a definition that was changed, then deleted, since."""
    file = (await site.get("/v1/workflows/deep_research/export")).json()
    file["phases"] = file["phases"][:6]  # to the report
    await site.post("/v1/workflows/import", file, id="forked")
    overrides = {"research": {"config": {"max_sources": 3}}}
    run = await site.complete(definition="forked", config_overrides=overrides)
    changed = {"phases": [{"kind": "planning"}, {"kind": "hitl_checkpoint"}]}
    assert (await site.http.put(MINE, json=changed, headers={"If-Match": '"1"'})).is_success
    yield run
    assert (await site.http.delete(f"{MINE}?force=true")).is_success


def name(run: str) -> str:
    return run.rsplit("/", 1)[1]


async def test_fork_reruns_the_phases_in_redo_alone(site: Site, parent: str) -> None:
    """Its definition's newer version has no such phases: it takes its parent's."""
    before = (await site.get(f"{parent}/phases")).json(), (await site.get(parent)).json()
    calls = len(site.fakes.requests)
    run = await site.start("forked", from_run=name(parent), redo=["synthesis"])
    await site.follow(run, 0)
    made = (await site.get(run)).json()
    assert (made["status"], made["definition_version"]) == ("completed", 1)
    assert {r.scope.phase_id for r in site.fakes.requests[calls:]} == {"synthesis"}
    phases = {p["id"]: p for p in (await site.get(f"{run}/phases")).json()["items"]}
    assert [i for i, p in phases.items() if not p["seeded"]] == ["synthesis"]
    assert phases["research"]["config"]["max_sources"] == 3
    assert phases["planning"]["output"] == before[0]["items"][2]["output"]

    now = (await site.get(f"{parent}/phases")).json(), (await site.get(parent)).json()
    assert made["parent"] == name(parent)
    assert now[1].pop("children") == [*made["children"], name(run), *before[1].pop("children")]
    assert now == before
    assert await site.runs(parent=name(parent)) >= {run}


async def test_fork_that_changes_the_plan_needs_a_new_approval(site: Site, parent: str) -> None:
    fork = {"from_run": name(parent), "redo": ["planning"]}
    run = await site.start("forked", **fork)
    state = await site.until(run, "checkpoint")
    assert [p["status"] for p in state["phases"][:2]] == ["completed"] * 2
    assert state["decisions"] == []
    await site.post(f"{run}/cancel", {"mode": "now"}, wait=10)


async def test_fork_inherits_the_approval_of_the_same_plan_only(site: Site, parent: str) -> None:
    planned = (await site.get(f"{parent}/phases/planning")).json()["output"]
    other = {"plan": planned["plan"] | {"goal": "Something else."}}
    fork = {"from_run": name(parent), "redo": ["research"], "given": {"planning": other}}
    start = {"query": "Where to sell pumps?", **fork}
    refused = told(await site.post(f"{MINE}/run", start), 409, "conflict")
    assert "checkpoint" in refused["problems"][0]["params"]["again"]
    left_out = start | {"redo": ["checkpoint"], "only": ["research"]}
    refused = told(await site.post(f"{MINE}/run", left_out), 422, "invalid-input")
    [problem] = refused["problems"]
    assert (problem["path"], problem["code"]) == ("redo.checkpoint", "redo-not-run")
    run = await site.start("forked", from_run=name(parent), redo=["research"])
    await site.follow(run, 0)
    assert (await site.get(run)).json()["status"] == "completed"


async def test_partial_run_continues_after_its_definition_is_deleted(site: Site) -> None:
    body = {"id": "gone", "phases": [{"kind": "planning"}, {"kind": "hitl_checkpoint"}]}
    assert (await site.post("/v1/workflows", body)).status_code == 201
    first = await site.start("gone", until="planning")
    await site.follow(first, 0)
    assert (await site.get(first)).json()["status"] == "partial"
    assert (await site.http.delete("/v1/workflows/gone")).status_code == 204
    told(await site.post("/v1/workflows/gone/run", {"query": "?"}), 404, "not-found")
    second = await site.start("gone", from_run=name(first))
    asked = (await site.until(second, "hitl_checkpoint"))["pending"][0]
    decision = {"action": "approve", "plan_hash": asked["plan_hash"]}
    ended = (await site.post(f"{second}/decision", decision, wait=20)).json()
    assert [p["status"] for p in ended["phases"]] == ["completed", "completed"]


@pytest.mark.parametrize(
    ("definition", "body", "path"),
    [
        ("forked", {"redo": ["nobody"]}, "redo.nobody"),
        ("deep_research", {}, "from_run"),
        ("forked", {"from_run": None, "redo": ["synthesis"]}, "redo"),
    ],
)
async def test_a_fork_that_does_not_fit_names_the_field(
    site: Site, parent: str, definition: str, body: dict[str, Any], path: str
) -> None:
    start = {"query": "?", "from_run": name(parent), **body}
    refused = await site.post(f"/v1/workflows/{definition}/run", start)
    found = told(refused, 422, "invalid-input")["problems"]
    assert path in {p["path"] for p in found}


async def test_a_fork_of_no_run_is_404(site: Site) -> None:
    start = {"query": "?", "from_run": "run-none"}
    told(await site.post("/v1/workflows/deep_research/run", start), 404, "not-found")


async def test_two_runs_are_compared(site: Site, parent: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(site.fakes, "making", [update("Again.")])
    longer = {"synthesis": {"config": {"max_report_update_size": 900}}}
    fork = {"from_run": name(parent), "redo": ["synthesis"], "config_overrides": longer}
    run = await site.start("forked", **fork)
    await site.follow(run, 0)

    found = (await site.get(f"{parent}/compare/{name(run)}")).json()
    assert (found["a"]["run_id"], found["b"]["run_id"]) == (name(parent), name(run))
    assert found["a"]["plan_hash"] == found["b"]["plan_hash"]
    assert [d["action"] for d in found["a"]["decisions"]] == ["approve"]
    assert found["usd"] == found["b"]["usage"]["usd"] - found["a"]["usage"]["usd"]
    path = "synthesis.config.max_report_update_size"
    assert found["config"] == [{"path": path, "a": None, "b": 900}]
    asked = {change["path"]: (change["a"], change["b"]) for change in found["request"]}
    assert asked["redo[0]"] == (None, "synthesis")
    assert (found["plan"], found["phases"]) == ([], [])
    assert found["sources"] == {"only_a": [], "only_b": [], "both": ["https://example.org/0"]}
    assert "+Again." in found["report"]
    [again, *_] = [e for e in await site.follow(run, 0) if e.type == "ToolCallResult"]
    grown = output(again)["new_report_markdown"]
    assert ["Pumps sell." in grown, "And more." in grown] == [True, False]


async def test_a_run_is_like_itself_and_unlike_one_of_another_definition(
    site: Site, parent: str, monkeypatch: Any
) -> None:
    same = (await site.get(f"{parent}/compare/{name(parent)}")).json()
    assert [same[n] for n in ("config", "request", "plan", "phases", "report")] == [[]] * 5
    other = await site.start("market_analysis", query="x" * 5_000, until="recall")
    await site.follow(other, 0)
    found = (await site.get(f"{parent}/compare/{name(other)}")).json()
    config = {change["path"]: change for change in found["config"]}
    assert (config["research"]["b"], config["crew"]["a"]) == (None, None)
    assert {"path": "title", "a": "Pumps", "b": None} in found["plan"]
    [asked] = [change["b"] for change in found["request"] if change["path"] == "query"]
    assert len(asked) < 2_100
    assert found["sources"]["only_a"] == ["https://example.org/0"]
    assert (same["cut"], found["cut"]) == ({}, {})
    monkeypatch.setattr(comparison, "MOST", 1)
    cut = (await site.get(f"{parent}/compare/{name(other)}")).json()
    assert cut["config"] == found["config"][:1]
    assert cut["cut"]["config"] == len(found["config"]) - 1 > 0
    assert "phases" not in cut["cut"] or cut["phases"]


async def test_comparison_with_a_foreign_run_is_404(site: Site, parent: str) -> None:
    async with connect_as_owner(site.database) as connection:
        await connection.execute("INSERT INTO runs (tenant_id, id) VALUES ('other', 'theirs')")
    for run in ("theirs", "run-none"):
        told(await site.get(f"{parent}/compare/{run}"), 404, "not-found")
        told(await site.get(f"/v1/runs/{run}/compare/{name(parent)}"), 404, "not-found")


@pytest.mark.full
async def test_phase_has_its_inputs_and_its_time(site: Site, parent: str) -> None:
    phases = (await site.get(f"{parent}/phases", include="inputs")).json()["items"]
    planned, gate = phases[2], phases[3]
    assert gate["input"]["plan"] == ["planning"]
    assert gate["inputs"]["plan"] == {"planning": planned["output"]["plan"]}
    assert (await site.get(f"{parent}/phases/checkpoint", include="inputs")).json() == gate
    assert (await site.get(f"{parent}/phases/checkpoint")).json()["inputs"] is None
    assert 0 <= gate["timing"]["active_seconds"] < gate["timing"]["total_seconds"]
    assert [m["role"] for m in gate["chat_history"]] == ["checkpoint", "human"]
    assert gate["chat_history"][1]["content"][0]["action"] == "approve"
    told(await site.get(f"{parent}/phases", include="all"), 422, "invalid-input")


async def test_conversation_is_paged_without_repeats(site: Site) -> None:
    run = await site.start(until="clarification")
    chat = f"{run}/phases/clarification/chat"

    async def asks() -> bool:
        return bool((await site.get(chat)).raise_for_status().json()["items"])

    await eventually(asks)
    asked = {"input": [{"role": "user", "content": [{"type": "text", "text": "?"}]}]}
    said = {"response": {"blocks": [{"text": "!"}]}, "tool_calls": []}
    names = {"current_agent_name": "clarifier", "model": "m"}
    await _log(
        site,
        run,
        ("AgentInput", asked | names),
        ("RetryEvent", names),
        ("AgentInput", asked | names),
        ("AgentOutput", said | names),
        ("AgentInput", asked | names),
    )
    messages = (await site.get(chat)).json()["items"]
    assert [m["role"] for m in messages] == ["checkpoint", "user", "assistant", "user"]
    assert [(m["name"], m["model"]) for m in messages[1:]] == [("clarifier", "m")] * 3
    first = (await site.get(chat, limit=1)).json()
    rest = (await site.get(chat, after=first["next_cursor"])).json()
    assert [*first["items"], *rest["items"]] == messages
    phase = (await site.get(f"{run}/phases/clarification")).json()
    assert (phase["chat_history"], phase["chat_cursor"]) == (messages, None)
    told(await site.get(f"{run}/phases/nobody/chat"), 404, "not-found")
    await site.post(f"{run}/cancel")


async def _log(site: Site, run: str, *events: tuple[str, Any]) -> None:
    rows = [
        {
            "key": f"t-{n}",
            "type": type,
            "phase_id": "clarification",
            "at": "2026-01-01T00:00:00+00:00",
            "payload": payload,
        }
        for n, (type, payload) in enumerate(events)
    ]
    async with connect_as_owner(site.database) as connection:
        told = ["default", name(run), json.dumps(rows)]
        await connection.execute("SELECT append_events(%s, %s, %s::jsonb)", told)
