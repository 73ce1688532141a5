"""Several clients at the same run, or the same client several times: one of them counts."""

import asyncio
import uuid

import pytest

from tests.stack import Whole


@pytest.mark.full
async def test_of_two_approvals_at_once_the_first_counts(whole: Whole) -> None:
    run = await whole.start()
    await run.answer()
    shown = await run.asks("decision")
    bodies = [
        {"action": "approve", "plan_hash": shown.plan_hash, "by": who} for who in ("Ann", "Ben")
    ]
    said = await asyncio.gather(*(run.post("/decision", body) for body in bodies))
    assert sorted(answer.status_code for answer in said) == [202, 409]
    state = await run.completed()
    [decision] = state.decisions
    assert decision.by == ("Ann" if said[0].status_code == 202 else "Ben")


@pytest.mark.full
async def test_an_approval_of_an_older_plan_is_refused(whole: Whole) -> None:
    run = await whole.start()
    await run.answer()
    old = await run.asks("decision")
    await run.post("/decision", {"action": "revise", "feedback": "Rwanda too, please."})
    new = await run.asks("decision", after=old.checkpoint_id)
    assert new.plan_hash != old.plan_hash
    stale = await run.post("/decision", {"action": "approve", "plan_hash": old.plan_hash})
    assert (stale.status_code, stale.json()["type"].rpartition("/")[2]) == (409, "stale-plan")
    assert not await whole.providers.asked("search")
    await run.approve()
    await run.completed()


async def test_the_same_idempotency_key_starts_one_run(whole: Whole) -> None:
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    starts = await asyncio.gather(*(whole.ask(headers=headers) for _ in range(3)))
    assert {answer.status_code for answer in starts} == {202}
    [run_id] = {answer.json()["run_id"] for answer in starts}
    await whole.run(run_id).asks("questions")
    assert len(await whole.providers.asked("model")) == 1


@pytest.mark.full
@pytest.mark.timeout(400)
async def test_twenty_runs_at_once_complete(whole: Whole) -> None:
    runs = await asyncio.gather(*(whole.start() for _ in range(20)))
    await asyncio.gather(*(run.finish(300) for run in runs))
    reports = {await run.report() for run in runs}
    assert len(reports) == 1
    paid = [len(await whole.ledger(run)) for run in runs]
    assert len(await whole.providers.asked("model")) == sum(paid)
