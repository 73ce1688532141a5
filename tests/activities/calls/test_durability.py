"""Dying or paused processes, and PostgreSQL outages: nothing is paid twice."""

import asyncio
import contextlib
import multiprocessing.context
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.client import Client, WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities import heartbeat_interceptor
from activities.calls import journaled_call as once
from contracts.models.call import ModelRequest, ModelResult
from tests.activities.calls import worker_process
from tests.activities.calls.conftest import House, behind_interceptor, opened
from tests.activities.calls.line import Line
from tests.activities.calls.provider import Provider, says
from tests.activities.calls.worker_process import Asks, Place
from tests.support.offline_services import PATIENCE, eventually

Process = multiprocessing.context.ForkServerProcess
Asked = WorkflowHandle[Asks, list[ModelResult]]


@pytest.fixture
def work(
    house: House, temporal: Client, task_queue: str, tmp_path: Path
) -> Iterator[Callable[[], Process]]:
    """Starts processes that make this run's calls, forked off one that has loaded everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([worker_process.__name__])
    started = []
    place = Place(
        temporal=temporal.service_client.config.target_host,
        task_queue=task_queue,
        dsn=house.dsn,
        provider=house.provider.url,
        blobs=tmp_path.as_uri(),
    )

    def start() -> Process:
        process = context.Process(target=worker_process.main, args=(place,))
        process.start()
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.join()


@contextlib.asynccontextmanager
async def asking(
    client: Client, task_queue: str, requests: list[ModelRequest]
) -> AsyncIterator[Asked]:
    """Run the workflow here; its calls are made by the processes."""
    config = client.config() | {"data_converter": pydantic_data_converter}
    mine = Client(**config)
    worker = Worker(
        mine,
        task_queue=task_queue,
        workflows=[Asks],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    async with worker:
        yield await mine.start_workflow(Asks.run, requests, id=task_queue, task_queue=task_queue)


@pytest.mark.full
async def test_finished_calls_are_made_once_despite_a_kill(
    house: House, temporal: Client, task_queue: str, work: Callable[[], Process]
) -> None:
    house.provider.answers(says("1"), says("Lost.", held=True), says("2"), says("3"))
    requests = [house.request(f"{n}?", name=f"turn-{n}") for n in range(3)]
    async with asking(temporal, task_queue, requests) as asked:
        first = work()
        await house.provider.until_asked(2)
        first.kill()
        work()
        results = await asyncio.wait_for(asked.result(), 30)
    assert [result.content[0].text for result in results] == ["1", "2", "3"]
    finished = Counter(str(e.body["messages"]) for e in house.provider.exchanges if e.finished)
    assert list(finished.values()) == [1, 1, 1]
    assert len(house.provider.exchanges) == 4
    spent = await house.journal.sum_usage("default", house.run_id)
    assert spent.calls == 3
    assert await house.told() == [
        *("AgentInput", "AgentStream", "AgentOutput"),
        *("AgentInput", "RetryEvent", "AgentInput", "AgentStream", "AgentOutput"),
        *("AgentInput", "AgentStream", "AgentOutput"),
    ]
    assert [event.seq for event in await house.log()] == list(range(1, 12))


@pytest.mark.full
async def test_call_of_a_suspended_process_is_not_paid_again(
    house: House, temporal: Client, task_queue: str, work: Callable[[], Process]
) -> None:
    """Its attempt timed out, the next one is at another worker; both get the one answer."""
    house.provider.answers(says("Twelve.", held=True))
    async with asking(temporal, task_queue, [house.request()]) as asked:
        first = work()
        await house.provider.until_asked(1)
        os.kill(first.pid or 0, signal.SIGSTOP)
        work()
        await until_attempt(asked, 2)
        house.provider.gate.set()
        await asyncio.sleep(0.5)
        assert await house.spent() == 0
        os.kill(first.pid or 0, signal.SIGCONT)
        [result] = await asyncio.wait_for(asked.result(), 30)
    assert (result.content[0].text, result.reused) == ("Twelve.", True)
    assert len(house.provider.exchanges) == 1
    assert await house.told() == ["AgentInput", "AgentStream", "AgentOutput"]


async def until_attempt(asked: Asked, attempt: int) -> None:
    """Wait until a worker is at this attempt of the workflow's one call."""
    started = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    for _ in range(200):
        calls = (await asked.describe()).raw_description.pending_activities
        if any((call.attempt, call.state) == (attempt, started) for call in calls):
            return
        await asyncio.sleep(0.1)
    pytest.fail(f"there was no attempt {attempt}")


async def test_no_call_is_made_while_the_store_is_unreachable(
    database: str, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat_interceptor, "STORE_WAIT_SECONDS", PATIENCE)
    async with Line.to(database) as line, opened(line.dsn, provider, tmp_path) as house:
        line.cut()
        call = asyncio.create_task(behind_interceptor(house, house.request()))
        await asyncio.sleep(0.5)
        assert not provider.exchanges
        line.mend()
        assert (await call).content[0].text == "An answer."
    assert len(provider.exchanges) == 1


@pytest.mark.parametrize("outlasts", [False, True])
async def test_answer_during_a_store_outage_is_journaled_later(
    database: str,
    provider: Provider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    outlasts: bool,
) -> None:
    """If the outage outlasts the activity, its retry finds the paid answer."""
    monkeypatch.setattr(once, "_PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(heartbeat_interceptor, "STORE_WAIT_SECONDS", PATIENCE)
    provider.answers(says("Twelve.", held=True))
    async with Line.to(database) as line, opened(line.dsn, provider, tmp_path) as house:

        async def has_given_up() -> bool:
            """Return whether the paid attempt no longer waits to journal its answer."""
            return not house.calls.is_busy

        seconds = 4 if outlasts else 2 * PATIENCE
        call = asyncio.create_task(behind_interceptor(house, house.request(), seconds))
        await provider.until_asked(1)
        line.cut()
        provider.gate.set()
        if outlasts:
            with pytest.raises(ApplicationError) as failed:
                await call
            assert (failed.value.type, failed.value.non_retryable) == ("store-unavailable", True)
            call = asyncio.create_task(behind_interceptor(house, house.request()))
        else:
            await eventually(has_given_up)
        line.mend()
        result = await call
        assert (result.content[0].text, result.reused) == ("Twelve.", True)
        assert await house.spent() == pytest.approx(result.usage.usd)
    assert len(provider.exchanges) == 1
