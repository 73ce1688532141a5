"""Schedules repeat an approved run over a real Temporal: its plan and approval stay, and what came after is new."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.service import RPCError

from store.schedules import TRIGGER_PAUSE_SECONDS
from tests.activities.alerts.receiver import Receiver, receiving
from tests.api.alerts.test_terminal import stack
from tests.api.conftest import Site, site_over
from tests.conftest import Postgres
from tests.greenlight.terminal.conftest import CommandLine, CommandOutput, home, type_in
from tests.support.words import en, phrase
from tests.workflows.support.model_answers import ANSWERS

__all__ = ["home", "stack", "type_in"]
QUICK = {
    "id": "quick",
    "phases": [
        {"kind": "planning"},
        {"kind": "hitl_checkpoint"},
        {"kind": "research"},
        {"kind": "synthesis"},
    ],
}


@pytest.fixture(scope="module")
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


@pytest.fixture(scope="module")
async def site(
    postgres: Postgres,
    template: str,
    temporal: Client,
    tmp_path_factory: pytest.TempPathFactory,
    receiver: Receiver,
) -> AsyncIterator[Site]:
    """A separate gateway, whose fakes the tests change."""
    database, folder = await postgres.database(template), tmp_path_factory.mktemp("blobs")
    allow = {"greenlight_alert_allow": [receiver.address]}
    async with site_over(database, temporal, folder, **allow) as made:
        (await made.post("/v1/workflows", QUICK)).raise_for_status()
        yield made


async def approve(site: Site, run: str) -> dict[str, Any]:
    """Approve a run's plan and return the state at its end."""
    asked = await site.until(run, "hitl_checkpoint")
    decision = {"action": "approve", "plan_hash": asked["pending"][0]["plan_hash"]}
    ended: dict[str, Any] = (await site.post(f"{run}/decision", decision, wait=30)).json()
    await site.follow(run, 0)
    return ended


@pytest.fixture(scope="module")
async def approved(site: Site) -> str:
    """The path of a run that was approved and has ended."""
    run = await site.start("quick")
    assert (await approve(site, run))["status"] == "completed"
    return run


@pytest.fixture(autouse=True)
async def clean(site: Site) -> AsyncIterator[None]:
    """Leave no schedule and no channel."""
    yield
    for path in ("/v1/schedules", "/v1/channels"):
        for kept in (await site.get(path)).json()["items"]:
            await site.http.delete(f"{path}/{kept['id']}")


async def make(site: Site, run: str, **body: Any) -> dict[str, Any]:
    given = {"from_run": run.rpartition("/")[2], "time": "05:00"} | body
    made = await site.post("/v1/schedules", given)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


async def wait_for_runs(site: Site, schedule: dict[str, Any], n: int) -> list[str]:
    """Return the paths of a schedule's runs as soon as it has `n` of them."""
    async with asyncio.timeout(60):
        while True:
            found = (await site.get(f"/v1/schedules/{schedule['id']}")).json()["recent"]
            if len(found) == n:
                return [f"/v1/runs/{each['run_id']}" for each in found]
            await asyncio.sleep(0.2)


async def run_now(site: Site, schedule: dict[str, Any], n: int) -> str:
    """Start a schedule's nth run and return its path at its end; two at once are refused."""
    await asyncio.sleep(TRIGGER_PAUSE_SECONDS + 0.1)
    answer = await site.post(f"/v1/schedules/{schedule['id']}/trigger")
    assert answer.status_code == 202, answer.text
    run = (await wait_for_runs(site, schedule, n))[-1]
    await finish(site, run)
    return run


async def finish(site: Site, run: str) -> None:
    """Wait until a run that Temporal has started is recorded, and has ended."""
    async with asyncio.timeout(60):
        while (await site.get(run)).status_code == 404:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.1)
    await site.follow(run, 0)


async def check_shown(
    site: Site, schedule: dict[str, Any], ids: list[str], changes: list[tuple[int, int]]
) -> None:
    """Check that the page shows the same changes for each run, and 404 for a run outside the schedule."""
    place = f"/v1/schedules/{schedule['id']}"
    foreign, *own = ids
    shown = [(await site.get(f"{place}/runs/{run}/changes")).json() for run in own]
    assert [(each["added"], each["removed"]) for each in shown] == changes
    assert (await site.get(f"{place}/runs/{foreign}/changes")).status_code == 404
    assert {each["status"] for each in (await site.get(place)).json()["recent"]} == {"completed"}


def check_passages(told: list[dict[str, Any]], quote: str) -> None:
    """Each sentence that is new or gone comes with the passage that it rests on."""
    told_of = [[(s["change"], s["text"], s["quote"]) for s in each["sentences"]] for each in told]
    assert told_of == [[("added", "Pumps boom.", quote)], [("removed", "Pumps sell.", quote)], []]
    assert all(s["url"].startswith("http") for each in told for s in each["sentences"])


async def test_three_runs_without_a_question_and_the_difference_of_each(
    site: Site, receiver: Receiver, approved: str
) -> None:
    hook = {"kind": "webhook", "target": receiver.url, "events": ["run.ended"]}
    channel = (await site.post("/v1/channels", hook)).json()
    schedule = await make(site, approved)
    plan_hash = (await site.get(f"{approved}/state")).json()["plan_hash"]
    report = ANSWERS["Report"]
    [quoted] = report["sections"][0]["claims"]
    runs = []
    for n, texts in enumerate((["Pumps sell.", "Pumps boom."], ["Pumps boom."], ["Pumps boom."])):
        claims = [{**quoted, "text": text} for text in texts]
        written = {**report, "sections": [{"heading": "Market", "claims": claims}]}
        site.fakes.answers = {**ANSWERS, "Report": written}
        calls, plans = len(site.fakes.requests), len(site.fakes.of("planner"))
        runs.append(await run_now(site, schedule, n + 1))
        state = (await site.get(f"{runs[-1]}/state")).json()
        assert (state["status"], state["plan_hash"]) == ("completed", plan_hash)
        [decision] = state["decisions"]
        assert decision["reused_from"] == approved.rpartition("/")[2]
        assert len(site.fakes.of("planner")) == plans
        assert len(site.fakes.requests) > calls
    await receiver.until(accepted=3)
    told = [each["data"]["changes"] for each in receiver.verify(channel["secret"])]
    ids = [run.rpartition("/")[2] for run in (approved, *runs)]
    assert [each["previous_run_id"] for each in told] == ids[:3]
    assert [(each["added"], each["removed"]) for each in told] == [(1, 0), (0, 1), (0, 0)]
    check_passages(told, quoted["citations"][0]["quote"])
    await check_shown(site, schedule, ids, [(1, 0), (0, 1), (0, 0)])
    last = receiver.verify(channel["secret"])[-1]["data"]
    assert en("alert-unchanged") in last["text"]
    assert [link for link in last["links"] if link.endswith(f"/compare/{ids[2]}/{ids[3]}")]


async def test_plan_that_costs_something_else_waits_for_approval(site: Site) -> None:
    run = await site.start("quick", budget=2)
    await approve(site, run)
    schedule = await make(site, run, budget=1.5)
    price = site.services.terms.prices
    model = site.services.terms.model
    dearer = price[model].model_copy(update={"output_usd": price[model].output_usd * 20})
    resolver = site.services.resolver
    before = resolver.terms
    object.__setattr__(
        resolver, "terms", before.model_copy(update={"prices": {**price, model: dearer}})
    )
    try:
        await site.post(f"/v1/schedules/{schedule['id']}/trigger")
        [started] = await wait_for_runs(site, schedule, 1)
        asked = await site.until(started, "hitl_checkpoint")
    finally:
        object.__setattr__(resolver, "terms", before)
    assert asked["status"] == "waiting"
    assert not [d for d in asked["decisions"] if d["plan_hash"]]
    await site.post(f"{started}/cancel", wait=10)


async def test_run_that_nobody_approved_is_not_repeated(site: Site) -> None:
    run = await site.start("quick")
    await site.until(run, "hitl_checkpoint")
    body = {"from_run": run.rpartition("/")[2], "time": "05:00"}
    live = await site.post("/v1/schedules", body)
    assert live.status_code == 409
    assert phrase("from-run-live") in live.text
    await site.post(f"{run}/cancel", wait=20)
    await site.follow(run, 0)
    refused = await site.post("/v1/schedules", body)
    assert refused.status_code == 409
    assert (await site.get("/v1/schedules")).json()["items"] == []


async def test_schedule_is_paused_resumed_and_deleted(site: Site, approved: str) -> None:
    schedule = await make(site, approved, time_zone="Europe/Berlin", weekdays=["mon"])
    assert schedule["state"] == "active"
    times = [datetime.fromisoformat(at) for at in schedule["next_at"]]
    assert {at.weekday() for at in times} == {0}
    assert {at.astimezone(UTC).hour for at in times} <= {3, 4}
    place = f"/v1/schedules/{schedule['id']}"
    paused = (
        await site.http.put(f"{place}/pause", json={"paused": True, "note": "holiday"})
    ).json()
    assert (paused["state"], paused["note"], paused["next_at"]) == ("paused", "holiday", [])
    resumed = (await site.http.put(f"{place}/pause", json={"paused": False})).json()
    assert (resumed["state"], len(resumed["next_at"])) == ("active", len(times))
    assert (await site.http.delete(place)).status_code == 204
    assert (await site.get(place)).status_code == 404
    with pytest.raises(RPCError, match="not found"):
        await site.temporal.get_schedule_handle(schedule["id"]).describe()


@pytest.mark.parametrize(
    ("overlap", "code"), [("beside", "schedule-just-started"), ("skip", "schedule-run-live")]
)
async def test_run_that_would_not_start_is_refused(
    site: Site, approved: str, overlap: str, code: str
) -> None:
    """Temporal would drop it in silence: it names runs by the second, and leaves out one that overlaps."""
    schedule = await make(site, approved, overlap=overlap)
    place, ended = f"/v1/schedules/{schedule['id']}", asyncio.Event()

    def hold(kind: str, _: Any) -> Any:
        return ended.wait() if kind == "model" else None

    before, site.fakes.before = site.fakes.before, hold
    try:
        assert (await site.post(f"{place}/trigger")).status_code == 202
        async with asyncio.timeout(60):
            while overlap == "skip" and not (await site.get(place)).json()["running"]:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.1)
        refused = await site.post(f"{place}/trigger")
    finally:
        ended.set()
        site.fakes.before = before
    assert (refused.status_code, refused.json()["code"]) == (409, code)
    [run] = await wait_for_runs(site, schedule, 1)
    await finish(site, run)


async def test_backfill_is_counted_before_and_bounded(site: Site, approved: str) -> None:
    schedule = await make(site, approved, budget=0.5)
    place = f"/v1/schedules/{schedule['id']}/backfill"
    end = datetime.now(UTC).replace(hour=6, minute=0) - timedelta(days=1)
    past = {"start_at": (end - timedelta(days=2)).isoformat(), "end_at": end.isoformat()}
    counted = (await site.post(place, past, dry_run=True)).json()
    assert counted == {"runs": 2, "most_usd": 1.0}
    assert (await site.get(f"/v1/schedules/{schedule['id']}")).json()["recent"] == []
    assert (await site.post(place, past)).json()["runs"] == 2
    runs = await wait_for_runs(site, schedule, 2)
    for run in runs:
        await finish(site, run)
    far = {**past, "start_at": (end - timedelta(days=60)).isoformat()}
    for refused, code in (
        (far, "backfill-long"),
        ({**past, "end_at": "2126-01-01T00:00:00Z"}, "backfill-not-past"),
    ):
        answer = await site.post(place, refused)
        assert answer.status_code == 422
        assert phrase(code) in answer.text


async def test_schedule_whose_run_was_removed_pauses_and_says_why(
    site: Site, receiver: Receiver
) -> None:
    channel = await watch_failures(site, receiver)
    run = await site.start("quick")
    await approve(site, run)
    schedule = await make(site, run)
    assert (await site.http.delete(run)).status_code in {202, 204}
    told = await trigger_and_fail(site, receiver, schedule, channel)
    assert "run-unknown" in str(told["reason"])
    assert en("alert-schedule-paused") in told["text"]
    assert "Where to sell pumps?" in told["text"]


@pytest.mark.full
async def test_schedule_whose_model_is_gone_pauses_and_names_it(
    site: Site, receiver: Receiver
) -> None:
    """Its run named a model for a role, which the installation has no price for any more."""
    channel = await watch_failures(site, receiver)
    resolver, terms = site.services.resolver, site.services.resolver.terms
    price = terms.prices[terms.model]
    with_model = terms.model_copy(update={"prices": {**terms.prices, "retired": price}})
    try:
        object.__setattr__(resolver, "terms", with_model)
        run = await site.start("quick", model_overrides={"researcher": "retired"})
        await approve(site, run)
        schedule = await make(site, run)
        object.__setattr__(resolver, "terms", terms)
        told = await trigger_and_fail(site, receiver, schedule, channel)
    finally:
        object.__setattr__(resolver, "terms", terms)
    assert "model-unpriced" in str(told["reason"])
    assert "retired" in told["text"]


@pytest.mark.full
async def test_schedule_whose_definition_is_gone_runs_as_it_was_approved(site: Site) -> None:
    (await site.post("/v1/workflows", {**QUICK, "id": "brief"})).raise_for_status()
    run = await site.start("brief")
    await approve(site, run)
    schedule = await make(site, run)
    (await site.http.delete("/v1/workflows/brief", params={"force": True})).raise_for_status()
    assert (await site.get("/v1/workflows/brief")).status_code == 404
    again = await run_now(site, schedule, 1)
    state = (await site.get(f"{again}/state")).json()
    assert (state["status"], state["definition_id"]) == ("completed", "brief")
    assert state["decisions"][0]["reused_from"] == run.rpartition("/")[2]


async def watch_failures(site: Site, receiver: Receiver) -> dict[str, Any]:
    """Make a channel that is told of failures alone."""
    receiver.reset()
    hook = {"kind": "webhook", "target": receiver.url, "events": ["run.failed"]}
    channel: dict[str, Any] = (await site.post("/v1/channels", hook)).json()
    return channel


async def trigger_and_fail(
    site: Site, receiver: Receiver, schedule: dict[str, Any], channel: dict[str, Any]
) -> dict[str, Any]:
    """Start a schedule's run, which pauses it as it cannot start; return what its owner is told."""
    await site.post(f"/v1/schedules/{schedule['id']}/trigger")
    async with asyncio.timeout(60):
        while True:
            found = (await site.get(f"/v1/schedules/{schedule['id']}")).json()
            if found["state"] == "paused":
                break
            await asyncio.sleep(0.3)
    assert "failure" in found["note"]
    await receiver.until(accepted=1)
    [told] = receiver.verify(channel["secret"])
    data: dict[str, Any] = told["data"]
    return data


async def test_user_has_a_bounded_number_of_schedules(
    site: Site, approved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.schedules.MAX_SCHEDULES", 3)
    for _ in range(3):
        await make(site, approved)
    body = {"from_run": approved.rpartition("/")[2], "time": "05:00"}
    assert (await site.post("/v1/schedules", body)).status_code == 409


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"time": "25:00"}, "time"),
        ({"time_zone": "Mars/Base"}, "time_zone"),
        ({"time": "02:30", "time_zone": "Europe/Berlin"}, "time"),
        ({"weekdays": ["mon", "mon"]}, "weekdays"),
        ({"weekdays": []}, "weekdays"),
        ({"budget": 0}, "budget"),
        ({"from_run": "../x"}, "from_run"),
    ],
)
async def test_wrong_field_is_named(
    site: Site, approved: str, body: dict[str, Any], field: str
) -> None:
    given = {"from_run": approved.rpartition("/")[2], "time": "05:00"} | body
    answer = await site.post("/v1/schedules", given)
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["path"].startswith(field)


@pytest.mark.usefixtures("stack")
async def test_terminal_makes_shows_pauses_and_removes_a_schedule(
    type_in: CommandLine, approved: str
) -> None:
    async def run(*words: str) -> CommandOutput:
        return await asyncio.to_thread(type_in, "schedules", *words)

    run_id = approved.rpartition("/")[2]
    made = await run("add", run_id, "--at", "07:15", "--days", "mon,thu", "--zone", "Asia/Tokyo")
    schedule, _, rest = made.out.partition(":")
    assert rest.startswith(" active")
    assert "T22:15:00+00:00" in made.out
    assert schedule in (await run("list")).out
    assert ": paused" in (await run("pause", schedule)).out
    assert ": active" in (await run("resume", schedule)).out
    past = ("backfill", schedule, "2026-01-05T00:00:00Z", "2026-01-05T01:00:00Z")
    assert en("cli-backfill-none") in (await run(*past)).out
    assert (await run("remove", schedule)).code == 0
    assert en("cli-no-schedules") in (await run("list")).out
