"""A worker takes fewer tasks at once while more than a share of the memory is used."""

import asyncio
import uuid

import psutil
from temporalio import activity
from temporalio.client import Client

from contracts.collections import IndexRequest, IndexResult
from settings import Settings
from temporal.side_workflows.indexing import name_index_queue
from tests.workflows.support.run_harness import pydantic_client
from worker import MAX_INDEX_TURNS, build_index_worker
from workflows.indexing import IndexCollections

TENANTS = 8
TURN_SECONDS = 0.5


class Turns:
    """Turns of indexing that take their time and nothing else; how many there were at once."""

    def __init__(self) -> None:
        self.now = self.most = 0

    @activity.defn(name="collections.index")
    async def index(self, _: IndexRequest) -> IndexResult:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(TURN_SECONDS)
        self.now -= 1
        return IndexResult(read=1, left=False)


async def count_at_once(temporal: Client, queue: str, share: float) -> int:
    """Return how many tenants' documents a worker reads at once at most, of more than it would."""
    client, turns = pydantic_client(temporal), Turns()
    settings = Settings(greenlight_task_queue=queue, greenlight_memory_share=share)
    async with build_index_worker(client, settings, [turns.index]):
        await asyncio.gather(
            *(
                client.execute_workflow(
                    IndexCollections.run,
                    IndexRequest(tenant_id=f"t{n}"),
                    id=f"index-{uuid.uuid4()}",
                    task_queue=name_index_queue(queue),
                )
                for n in range(TENANTS)
            )
        )
    return turns.most


async def test_worker_reads_one_tenants_documents_at_once_where_memory_is_short(
    temporal: Client, task_queue: str
) -> None:
    used = psutil.virtual_memory().percent / 100
    assert await count_at_once(temporal, f"{task_queue}-short", used / 2) == 1
    free = await count_at_once(temporal, f"{task_queue}-free", (1 + used) / 2)
    assert free > 1
    assert await count_at_once(temporal, f"{task_queue}-off", 0) == MAX_INDEX_TURNS
