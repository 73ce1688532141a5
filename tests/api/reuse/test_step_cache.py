"""Two runs alike: the second takes over what the first gave, says so, and asks no model."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from tests.api.conftest import PAGE, Site
from tests.api.reuse.test_forks import name
from tests.support.databases import connect_as_owner
from tests.workflows.support.phase_harness import DONE, PLAN
from workflows.phases import PHASES

pytestmark = pytest.mark.usefixtures("quiet")

GIVEN: dict[str, Json] = {"planning": DONE["planning"]}
OTHERS: dict[str, Json] = {"planning": {"plan": {**PLAN.model_dump(), "title": "Boats"}}}
BOTH = ["analysis", "decision"]
LEFT_TO_THE_DEADLINE = {"config": {"wait_seconds": 0.2, "default_on_timeout": "approve"}}
SKETCH: Json = {"plan": {**PLAN.model_dump(mode="json"), "title": "Sketch"}}


@pytest.fixture(scope="module", autouse=True)
async def definitions(site: Site) -> AsyncIterator[None]:
    """One of phases that may be cached, and one in which such a phase reaches the web."""
    fed: list[Json] = [{"kind": "planning"}, {"kind": "analysis"}, {"kind": "decision"}]
    web: list[Json] = [
        {"kind": "planning", "id": "sketch"},
        {"kind": "hitl_checkpoint", "id": "early"},
        {"kind": "planning"},
        {"kind": "hitl_checkpoint", "id": "checkpoint"},
        {"kind": "research"},
    ]
    for body in ({"id": "fed", "phases": fed}, {"id": "web", "phases": web}):
        assert (await site.post("/v1/workflows", body)).status_code == 201
    yield
    for definition_id in ("fed", "web"):
        gone = await site.http.delete(f"/v1/workflows/{definition_id}", params={"force": True})
        assert gone.status_code == 204


class Runs:
    """Runs of one user that start from the same plan."""

    def __init__(self, site: Site, user_id: str) -> None:
        self.site, self.user_id = site, user_id
        self.asked: list[str] = []
        """Phases in which the last run called a model."""

    async def run(self, **more: Any) -> str:
        """Run one to its end, and return its path."""
        before = len(self.site.fakes.requests)
        start = {"user_id": self.user_id, "given": GIVEN, **more}
        run = await self.site.start("fed", **start)
        await self.site.follow(run, 0)
        own = run.rpartition("/")[2]  # others may still be under way
        new = self.site.fakes.requests[before:]
        self.asked = [r.scope.phase_id for r in new if r.scope.run_id == own]
        return run

    async def reused(self, run: str) -> dict[str, str | None]:
        """Return which run each phase was taken over from: state, record and log say the same."""
        state = (await self.site.get(f"{run}/state")).json()["phases"]
        rows = (await self.site.get(f"{run}/phases")).json()["items"]
        log = [e for e in await self.site.follow(run, 0) if e.type == "step_complete"]
        told: dict[str, str | None] = {p["id"]: p["reused_from"] for p in state}
        assert told == {p["id"]: p["reused_from"] for p in rows}
        said = {e.phase_id: e.payload["reused_from"] for e in log}
        assert said == told
        return told


@pytest.fixture
def runs(site: Site, request: pytest.FixtureRequest) -> Runs:
    return Runs(site, f"ann{abs(hash(request.node.name))}")


async def test_the_second_run_asks_no_model_and_names_the_first(site: Site, runs: Runs) -> None:
    first = await runs.run()
    assert runs.asked == BOTH
    assert await runs.reused(first) == dict.fromkeys(("planning", *BOTH))
    for _ in range(2):  # the third names the first as well: what was taken over is not kept again
        again = await runs.run()
        assert runs.asked == []
        assert await runs.reused(again) == {"planning": None, **dict.fromkeys(BOTH, name(first))}
        phases = (await site.get(f"{again}/phases")).json()["items"]
        assert [p["output"] for p in phases] == [
            p["output"] for p in (await site.get(f"{first}/phases")).json()["items"]
        ]
        assert {p["status"] for p in phases} == {"completed"}
        assert {p["usage"]["calls"] for p in phases} == {0}
        assert {(p["cache_key"], p["expires_at"]) for p in phases} == {(None, None)}


@pytest.mark.parametrize(
    "other",
    [
        {"user_id": "bob"},
        *(
            pytest.param(other, marks=pytest.mark.full)
            for other in (
                {"fresh": True},
                {"given": OTHERS},
                {"query": "Where to sell boats?"},
                {"model_overrides": {"analyst": "claude-haiku-4-5"}},
                {"config_overrides": {"analysis": {"config": {"instructions": "For a board."}}}},
            )
        ),
    ],
    ids=lambda other: next(iter(other)),
)
async def test_run_with_other_inputs_makes_its_own_calls(runs: Runs, other: Json) -> None:
    await runs.run()
    await runs.run(**other)
    assert runs.asked == BOTH


@pytest.mark.full
async def test_expired_result_is_not_reused(site: Site, runs: Runs) -> None:
    first = await runs.run()
    async with connect_as_owner(site.database) as connection:
        await connection.execute(
            "UPDATE phase_executions SET expires_at = now() WHERE run_id = %s", [name(first)]
        )
    await runs.run()
    assert runs.asked == BOTH


@pytest.mark.full
async def test_continued_run_redoes_failed_phases_alone(
    site: Site, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.phase_id == "decision":
            raise ApplicationError("no", type="model-rejected", non_retryable=True)

    with monkeypatch.context() as failing:
        failing.setattr(site.fakes, "before", fail)
        first = await runs.run()
    assert (await site.get(first)).json()["status"] == "failed"
    again = await runs.run()
    assert runs.asked == ["decision"]
    assert await runs.reused(again) == {"planning": None, "analysis": name(first), "decision": None}


@pytest.mark.full
async def test_temporary_run_reuses_results_and_leaves_none(runs: Runs) -> None:
    await runs.run(temp_workflow=True)
    first = await runs.run()
    assert runs.asked == BOTH
    assert name(first) in (await runs.reused(await runs.run(temp_workflow=True))).values()


@pytest.mark.full
async def test_phase_in_redo_is_not_reused(runs: Runs) -> None:
    first = await runs.run()
    await runs.run(given={}, from_run=name(first), redo=["decision"])
    assert runs.asked == ["decision"]


@pytest.fixture
def cached_web(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = replace(PHASES["research"], cacheable=lambda _: True)
    monkeypatch.setitem(PHASES, "research", kind)


async def approve(site: Site, run: str) -> None:
    for phase in ("early", "checkpoint"):
        await decide(site, run, phase)
    await site.follow(run, 0)


async def decide(site: Site, run: str, phase: str) -> None:
    [asked] = (await site.until(run, phase))["pending"]
    decision = {"action": "approve", "plan_hash": asked["plan_hash"]}
    assert (await site.post(f"{run}/decision", decision)).status_code == 202


@pytest.mark.usefixtures("cached_web")
async def test_follow_up_reuses_pages_after_approval(site: Site, runs: Runs) -> None:
    start = {"user_id": runs.user_id, "given": {**GIVEN, "sketch": SKETCH}}
    first = await site.start("web", **start)
    await approve(site, first)
    read = len(site.fakes.fetches)

    again = await site.start("web", **start)
    waiting = await site.until(again, "early")
    assert waiting["phases"][4]["status"] == "pending", "an approval is never skipped"
    await approve(site, again)
    assert len(site.fakes.fetches) == read
    found = (await site.get(f"{again}/phases/research")).json()
    assert found["reused_from"] == name(first)
    sources = (await site.get(f"{again}/sources")).json()
    assert sources["items"]
    read = (await site.get(f"{first}/sources")).json()["items"]
    snapshots = {"snapshot": f"{again}/sources/1/snapshot"}
    assert sources["items"] == [source | snapshots for source in read]
    assert (await site.get(f"{again}/sources/1/snapshot")).text == PAGE

    overrides = {"checkpoint": LEFT_TO_THE_DEADLINE}
    locked = await site.start("web", config_overrides=overrides, **start)
    await decide(site, locked, "early")
    await site.follow(locked, 0)
    failed = (await site.get(f"{locked}/phases/research")).json()
    assert (failed["status"], failed["error"]["type"]) == ("failed", "approval-required")
    assert failed["reused_from"] is None
