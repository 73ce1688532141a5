"""A run that is to leave nothing leaves nothing: a word of its own is looked for everywhere."""

from pathlib import Path

import pytest
from temporalio.client import Client, ScheduleOverlapPolicy

from temporal.side_workflows.sweep_schedule import sweep_id
from tests.chaos.fragile_stack import FragileStack
from tests.support.offline_services import eventually
from tests.support.product.residue import places
from tests.support.stack import Run, Whole

TEMPORARY, DELETED = "zorblaxine", "quendrofil"
EVERYWHERE = {"runs", "events", "phase_executions", "calls", "sources", "blobs", "temporal"}
SECONDS = 150.0  # Temporal waits a minute before it deletes a workflow that has just closed


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    for word in (TEMPORARY, DELETED):
        text = f"# {word} pumps\n\n{word} pumps irrigate 1,030 sq km of land in Kenya (2012).\n"
        (folder / f"{word}.md").write_text(text, encoding="utf-8")
    return folder


async def about(whole: Whole, word: str, **more: object) -> Run:
    """Complete a run whose question, answers and page contain the word."""
    query = f"How much land do {word} pumps irrigate in Kenya?"
    run = await whole.start(query, **more)
    await run.answer(f"{word} pumps alone")
    await run.approve()
    await run.completed()
    assert word in (await run.report()).lower()
    return run


@pytest.mark.full
@pytest.mark.timeout(400)
async def test_after_a_temporary_run_and_after_delete_nothing_is_left(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLIGHT_TEMP_KEPT", "PT1S")
    home = tmp_path / "home"
    async with FragileStack(home, print, library=library) as stack, Whole.of(stack) as whole:
        temporal = await Client.connect(stack.addresses.temporal)

        async def left(word: str) -> set[str]:
            return await places(word, stack.addresses.database, home / "blobs", temporal)

        temporary = await about(whole, TEMPORARY, temp_workflow=True)
        deleted = await about(whole, DELETED)
        assert await left(TEMPORARY) >= EVERYWHERE
        assert await left(DELETED) >= EVERYWHERE
        cost = [len(await whole.ledger(run)) for run in (temporary, deleted)]

        told = (await deleted.get(include="outputs")).json()["effort"]
        models = [use for effort in told.values() for use in effort["models"]]
        assert sum(use["calls"] for use in models) == cost[1]
        assert all(use["model"] and use["total_tokens"] and use["seconds"] > 0 for use in models)
        assert told["research"]["timing"]["total_seconds"] > 0

        code, _, complaint = await whole.command("delete", deleted.id)
        assert code == 0, complaint
        mirror = await whole.http.delete("/v1/collections/library")
        assert mirror.status_code == 204, mirror.text
        sweep = temporal.get_schedule_handle(sweep_id("research"))
        await sweep.trigger(overlap=ScheduleOverlapPolicy.TERMINATE_OTHER)

        async def nothing() -> bool:
            return not await left(TEMPORARY) and not await left(DELETED)

        assert await eventually(nothing, SECONDS)
        for run, calls in zip((temporary, deleted), cost, strict=True):
            spent = await whole.spent(run)
            assert sum(row["calls"] for row in spent) == calls > 0
        whole.runs.clear()
