"""A scheduled run without new data calls no model: it keeps the previous run's report, and says so."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest

from contracts.runs.events import Status
from contracts.runs.state_view import StateView
from store.schedules import TRIGGER_PAUSE_SECONDS
from tests.support.offline_services import eventually
from tests.support.stack import QUESTION, Run, Undisturbed, Whole
from tests.support.words import en, phrase

REDONE = {"research", "synthesis", "validation"}


async def make(whole: Whole, run: Run, **body: Any) -> str:
    """Return the path of a new schedule of a run."""
    given = {"from_run": run.id, "time": "05:00"} | body
    made = (await whole.http.post("/v1/schedules", json=given)).raise_for_status()
    return f"/v1/schedules/{made.json()['id']}"


async def run_now(whole: Whole, schedule: str, n: int) -> tuple[Run, StateView]:
    """Start a schedule's nth run, and return it at its end."""
    await asyncio.sleep(TRIGGER_PAUSE_SECONDS + 0.1)
    (await whole.http.post(f"{schedule}/trigger")).raise_for_status()

    async def started() -> str | None:
        found = (await whole.http.get(schedule)).json()["recent"]
        return found[-1]["run_id"] if len(found) == n else None

    run = whole.run(await eventually(started))

    async def is_known() -> bool:
        return (await run.get()).status_code == 200

    await eventually(is_known)
    return run, await run.ended()


async def list_codes(run: Run) -> set[str]:
    """Return the codes of the notices in a run's log."""
    found = [Status.model_validate(each.payload) for each in await run.events("Status")]
    return {each.notice.code for each in found if each.notice}


async def check_stands(run: Run, before: Run, state: StateView) -> None:
    """Check that the previous run's report is kept with a note, and that its pages were read again."""
    assert state.status == "completed"
    assert "probe-unchanged" in await list_codes(run)
    report, earlier = await run.report(), await before.report()
    assert phrase("report-unchanged") in report
    headings = [[li for li in r.splitlines() if li.startswith("#")] for r in (report, earlier)]
    assert headings[0] == headings[1]
    times = [
        max(s["retrieved_at"] for s in (await each.get("/sources")).json()["items"])
        for each in (before, run)
    ]
    assert times[0] < times[1]
    redone = {phase.id for phase in state.phases if phase.reused_from == before.id}
    assert redone >= {"research", "synthesis"}


async def test_second_scheduled_run_costs_a_tenth_as_nothing_is_new(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    schedule = await make(whole, undisturbed.run)
    first, full = await run_now(whole, schedule, 1)
    assert "probe-changed" in await list_codes(first), "the run it repeats has made no probe"
    second, same = await run_now(whole, schedule, 2)
    assert await whole.ledger(second) == []
    assert same.usage.usd <= full.usage.usd / 10
    assert full.usage.usd > 0
    await check_stands(second, first, same)
    changes = (await whole.http.get(f"{schedule}/runs/{second.id}/changes")).json()
    assert (changes["added"], changes["removed"], changes["uncompared"]) == (0, 0, None)
    await whole.http.delete(schedule)


@pytest.mark.full
async def test_two_runs_differ_and_the_third_costs_a_tenth_as_nothing_is_new(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    schedule = await make(whole, undisturbed.run)
    first, _ = await run_now(whole, schedule, 1)
    assert "probe-changed" in await list_codes(first), "the run it repeats has made no probe"

    cited = (await first.get("/sources")).json()["items"][0]["url"]
    path = "/pages/" + cited.partition("/pages/")[2]
    away = {"status": 503, "times": 1_000, "match": {"service": "pages", "path": path}}
    await whole.providers.told(away)
    second, partial = await run_now(whole, schedule, 2)
    await whole.providers.forget()
    assert partial.usage.calls > 0
    third, back = await run_now(whole, schedule, 3)
    for run in (second, third):
        changes = (await whole.http.get(f"{schedule}/runs/{run.id}/changes")).json()
        assert changes["added"] + changes["removed"] > 0

    before = len(await whole.providers.asked("model"))
    fourth, same = await run_now(whole, schedule, 4)
    assert len(await whole.providers.asked("model")) == before
    assert await whole.ledger(fourth) == []
    assert same.usage.usd <= back.usage.usd / 10
    assert back.usage.usd > 0
    await check_stands(fourth, third, same)
    changes = (await whole.http.get(f"{schedule}/runs/{fourth.id}/changes")).json()
    assert (changes["added"], changes["removed"], changes["uncompared"]) == (0, 0, None)

    fifth, _ = await run_now(whole, schedule, 5)
    told = await fifth.report()
    assert told.count(phrase("report-unchanged")) == 1, "it says once since when"
    await whole.http.delete(schedule)


@pytest.mark.full
async def test_schedule_of_temporals_own_program_costs_a_tenth_where_nothing_is_new(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    """It repeats an approved run as a schedule of ours does; its third run finds nothing new."""
    name = f"nightly-{uuid.uuid4().hex[:8]}"
    it = ("--schedule-id", name)
    where = ("--type", "Research", "--task-queue", "research", "--workflow-id", name)
    start = {"query": undisturbed.state.query, "from_run": undisturbed.run.id, "fresh": True}
    redo = [phase.id for phase in undisturbed.state.phases if phase.id in REDONE]
    given = start | {"redo": redo, "probe": True}
    await whole.temporal("schedule", "create", *it, *where, "--interval", "7d", given=given)

    async def run_next(n: int) -> tuple[Run, StateView]:
        await asyncio.sleep(TRIGGER_PAUSE_SECONDS + 0.1)
        await whole.temporal("schedule", "trigger", *it)

        async def started() -> str | None:
            found = await whole.http.get("/v1/runs", params={"id_prefix": name})
            ids = sorted(row["run_id"] for row in found.json()["items"])
            return ids[-1] if len(ids) == n else None

        run = whole.run(await eventually(started))
        return run, await run.ended()

    done = [await run_next(n) for n in range(1, 4)]
    for _, state in done:
        assert state.status == "completed"
        assert [d.reused_from for d in state.decisions] == [undisturbed.run.id]
    (begun, first), _, (third, last) = done
    assert await whole.ledger(third) == []
    assert last.usage.usd <= first.usage.usd / 10
    assert first.usage.usd > 0
    await check_stands(third, begun, last)
    await whole.temporal("schedule", "delete", *it)


@pytest.mark.full
@pytest.mark.timeout(300)
async def test_run_over_a_collection_is_unchanged_until_a_document_is(
    whole: Whole, tmp_path: Path
) -> None:
    name, note = f"notes {uuid.uuid4().hex[:6]}", tmp_path / "pumps.md"
    note.write_text("# Field notes\n\nSolar irrigation pumps of Kenya serve 4,711 farms (2024).\n")
    await whole.command("collections", "add", name, str(tmp_path))
    asked = await whole.start(QUESTION, collections=[name])
    await asked.finish()
    schedule = await make(whole, asked)
    first, _ = await run_now(whole, schedule, 1)
    second, same = await run_now(whole, schedule, 2)
    assert await whole.ledger(second) == []
    assert same.status == "completed"
    await check_stands(second, first, same)
    for compared in ("searches", "documents"):
        assert en(f"probe-same-{compared}") in await second.report()
    note.write_text("# Field notes\n\nSolar irrigation pumps of Kenya serve 5,000 farms (2025).\n")
    await whole.command("collections", "add", name, str(tmp_path))
    third, other = await run_now(whole, schedule, 3)
    assert "probe-changed" in await list_codes(third)
    assert other.usage.calls > 0
    assert "5,000 farms" in await third.report()
    await whole.http.delete(schedule)
    await whole.command("collections", "remove", name, "--yes")


@pytest.mark.full
async def test_analysis_of_a_company_is_unchanged_until_filings_or_news_are(whole: Whole) -> None:
    given = {"ticker": "AAPL", "news_limit": 3}
    asked = await whole.start(
        "Is Apple worth buying?", definition="investment_analysis", inputs=given
    )
    whole_price = (await asked.ended()).usage.usd
    schedule = await make(whole, asked)
    first, same = await run_now(whole, schedule, 1)
    assert await whole.ledger(first) == []
    assert same.status == "completed"
    assert "probe-unchanged" in await list_codes(first)
    assert same.usage.usd <= whole_price / 10
    report = await first.report()
    assert phrase("report-unchanged") in report
    assert en("probe-same-gathered") in report
    assert en("probe-same-searches") not in report, "it made none"
    redone = {phase.id for phase in same.phases if phase.reused_from == asked.id}
    assert redone == {"fundamental", "news", "research", "investment"}
    away = {"status": 503, "times": 1_000, "match": {"service": "search"}}
    await whole.providers.told(away)
    second, other = await run_now(whole, schedule, 2)
    await whole.providers.forget()
    assert "probe-changed" in await list_codes(second), "whether the news are the same is not known"
    assert other.usage.calls > 0
    await whole.http.delete(schedule)


async def test_schedule_without_a_probe_researches(whole: Whole, undisturbed: Undisturbed) -> None:
    schedule = await make(whole, undisturbed.run, probe=False)
    run, state = await run_now(whole, schedule, 1)
    assert state.usage.calls > 0
    assert not await list_codes(run) & {"probe-changed", "probe-unchanged"}
    await whole.http.delete(schedule)
