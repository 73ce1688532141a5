"""The worker's process: what it refuses before it takes any work."""

import asyncio
import sys
import uuid
from pathlib import Path

import pytest
from temporalio.client import Client

from store.postgres.database import migrate, read_installation
from temporal.side_workflows.sweep_schedule import schedule_sweep, sweep_id
from temporal.task_queues.queue_owner import QueueTaken, require_database
from tests.conftest import Postgres
from tests.support.databases import as_owner
from tests.support.fork_server import ForkedChild
from worker import parse_arguments


async def run(log: Path, *args: str, **more: str) -> tuple[int, str]:
    """Return a worker's exit code, and its output; raise TimeoutError if it takes work for a minute."""
    child = ForkedChild("worker", [sys.executable, "-m", "worker", *args], log, more)
    await child.start()
    try:
        code = await asyncio.wait_for(child.wait(), 60)
    finally:
        await child.stop()
    return code, await asyncio.to_thread(log.read_text, "utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--help"], 0, "usage: python -m worker"),
        (["crew"], 2, "invalid choice: 'crew'"),
        (["crews", "--queue", "x"], 2, "unrecognized arguments: --queue x"),
    ],
)
def test_help_is_printed_and_unknown_arguments_are_refused(
    arguments: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_arguments(arguments)
    assert ended.value.code == code
    assert told in "".join(capsys.readouterr())


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("kind", [[], pytest.param(["crews"], marks=pytest.mark.full)])
async def test_worker_of_another_database_takes_no_work(
    temporal: Client, postgres: Postgres, tmp_path: Path, kind: list[str]
) -> None:
    databases = [await postgres.database() for _ in range(2)]
    for database in databases:
        await migrate(as_owner(database), database)
    told = {
        "TEMPORAL_ADDRESS": temporal.service_client.config.target_host,
        "GREENLIGHT_TASK_QUEUE": f"test-{uuid.uuid4()}",
        "BLOB_URL": tmp_path.as_uri(),
    }
    owner = await read_installation(databases[0])
    assert owner
    await schedule_sweep(temporal, told["GREENLIGHT_TASK_QUEUE"], owner)
    try:
        code, said = await run(tmp_path / "log", *kind, DATABASE_URL=databases[1], **told)
        assert (code, "belongs to another database" in said) == (1, True), said
        assert "ready" not in said
    finally:
        await temporal.get_schedule_handle(sweep_id(told["GREENLIGHT_TASK_QUEUE"])).delete()


async def test_queue_belongs_to_the_database_that_scheduled_its_sweep(
    temporal: Client, postgres: Postgres
) -> None:
    queue = f"test-{uuid.uuid4()}"
    await require_database(temporal, queue, "one")
    await schedule_sweep(temporal, queue, "one")
    try:
        await require_database(temporal, queue, "one")
        with pytest.raises(QueueTaken, match=f"schedule-id {sweep_id(queue)}"):
            await require_database(temporal, queue, "other")
    finally:
        await temporal.get_schedule_handle(sweep_id(queue)).delete()
    database = await postgres.database()
    assert await read_installation(database) is None
    await migrate(as_owner(database), database)
    installation = await read_installation(database)
    await migrate(as_owner(database), database)
    assert installation
    assert await read_installation(database) == installation
