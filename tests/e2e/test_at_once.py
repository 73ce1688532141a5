"""Several clients at the same run, or the same client several times: one of them counts."""

import asyncio
import uuid

import pytest

from tests.support.stack import Whole


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
