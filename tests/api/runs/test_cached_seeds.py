"""A part of a definition, started alone: what it leaves out comes from what the same user ran before."""

from typing import Any

import psycopg
import pytest

from contracts.base import Json
from tests.api.conftest import Site
from tests.api.runs.test_forks import name
from tests.api.test_validation_errors import told

pytestmark = pytest.mark.usefixtures("quiet")

ID = "investment_analysis"
PHASES = ["retrieval", "fundamental", "news", "research", "investment"]
APPLE: Json = {"ticker": "AAPL"}
OTHERWISE: Json = {"config": {"instructions": "For a board."}}


def body(user: str, **more: Any) -> Json:
    return {"query": "Is it worth its price?", "user_id": user, "inputs": APPLE} | more


async def run(site: Site, user: str, **more: Any) -> str:
    """Run one to its end, and return its path."""
    started = await site.start(ID, **body(user, **more))
    await site.follow(started, 0)
    return started


@pytest.fixture(scope="module")
async def whole(site: Site) -> str:
    """A whole run of ann's."""
    made = await run(site, "ann")
    assert (await site.get(made)).json()["status"] == "completed"
    return made


def made(site: Site) -> tuple[int, int, int]:
    fakes = site.fakes
    return len(fakes.requests), len(fakes.searches), len(fakes.fetches)


async def reused(site: Site, run: str) -> dict[str, str]:
    """Return which run each phase that took over did so from: state and record say the same."""
    state = (await site.get(f"{run}/state")).json()["phases"]
    rows = (await site.get(f"{run}/phases")).json()["items"]
    found: list[dict[str, str]] = [
        {p["id"]: p["reused_from"] for p in phases if p["reused_from"]} for phases in (state, rows)
    ]
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize(
    ("chosen", "supplied"),
    [("news", ["retrieval"]), ("investment", ["retrieval", "fundamental", "news", "research"])],
)
async def test_a_phase_alone_makes_its_own_calls_and_no_others(
    site: Site, whole: str, monkeypatch: pytest.MonkeyPatch, chosen: str, supplied: list[str]
) -> None:
    filed: list[Any] = []

    def before(kind: str, request: Any) -> None:
        if kind == "facts":
            filed.append(request)

    monkeypatch.setattr(site.fakes, "before", before)
    calls, searches, fetches = made(site)
    alone = await run(site, "ann", only=[chosen], config_overrides={chosen: OTHERWISE})
    assert made(site) == (calls + 1, searches, fetches)
    assert not filed
    assert site.fakes.requests[-1].scope.phase_id == chosen
    assert await reused(site, alone) == dict.fromkeys(supplied, name(whole))

    phases = (await site.get(f"{alone}/phases")).json()["items"]
    left = set(PHASES) - {chosen, *supplied}
    assert {p["id"]: p["status"] for p in phases} == {
        i: "skipped" if i in left else "completed" for i in PHASES
    }
    before_ = {p["id"]: p for p in (await site.get(f"{whole}/phases")).json()["items"]}
    for phase in phases:
        if phase["id"] in supplied:
            assert phase["seeded"]
            assert phase["warnings"] == before_[phase["id"]]["warnings"]
            assert phase["output"] == before_[phase["id"]]["output"]
            assert (phase["usage"]["calls"], phase["cache_key"]) == (0, None)
    assert (await site.get(f"{alone}/sources")).json() == (
        await site.get(f"{whole}/sources")
    ).json()


async def test_a_phase_alone_is_itself_spared_where_it_reads_the_same(
    site: Site, whole: str
) -> None:
    before = made(site)
    alone = await run(site, "ann", only=["investment"])
    assert made(site) == before
    assert await reused(site, alone) == dict.fromkeys(PHASES, name(whole))
    assert (await site.get(alone)).json()["status"] == "completed"


@pytest.mark.parametrize(
    "other",
    [
        {"fresh": True},
        {"user_id": "bob"},
        {"inputs": {**APPLE, "as_of": "2025-09-01"}},
        {"query": "Will it grow?"},
        {"model_overrides": {"analyst": "another"}},
        {"config_overrides": {"retrieval": {"config": {"news_limit": 3}}}},
    ],
    ids=lambda other: next(iter(other)),
)
async def test_what_differs_is_not_supplied(site: Site, whole: str, other: Json) -> None:
    assert whole
    start = body("ann", only=["investment"]) | other
    refused = told(await site.post(f"/v1/workflows/{ID}/run", start), 409, "conflict")
    assert "'investment' needs 'report', which nothing chosen" in refused["detail"]


async def test_a_gap_ends_the_search(site: Site) -> None:
    """Whose figures' analysis has expired: what was made from it is not there either."""
    first = await run(site, "cleo")
    connection = await psycopg.AsyncConnection.connect(site.database, autocommit=True)

    async def expire(phase: str) -> None:
        await connection.execute(
            "UPDATE phase_executions SET expires_at = now() WHERE (run_id, phase_id) = (%s, %s)",
            [name(first), phase],
        )

    async with connection:
        await expire("fundamental")
        start = body("cleo", only=["investment"])
        told(await site.post(f"/v1/workflows/{ID}/run", start), 409, "conflict")
        searches = len(site.fakes.searches)
        alone = await run(site, "cleo", only=["news"])
        assert set(await reused(site, alone)) == {"retrieval", "news"}
        assert len(site.fakes.searches) == searches
        await expire("retrieval")
        alone = await run(site, "cleo", only=["news"])
        assert await reused(site, alone) == {}
        assert len(site.fakes.searches) == searches + 1


async def test_a_run_that_is_started_by_hand_looks_as_well(site: Site, whole: str) -> None:
    given = body("ann", only=["investment"], definition_id=ID)
    handle = await site.temporal.start_workflow(
        "Research", given, id="by-hand-alone", task_queue=site.queue
    )
    await handle.result()
    found = await reused(site, "/v1/runs/by-hand-alone")
    assert found == dict.fromkeys(PHASES, name(whole))
