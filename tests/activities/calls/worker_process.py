"""A process that makes model calls for the workflow `Asks`; tests kill it and stop it."""

import asyncio
from datetime import timedelta

from temporalio import workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from activities.calls.journaled_call import JournaledCalls
from activities.calls.model_gateway import ModelGateway
from activities.heartbeat_interceptor import ActivityInterceptor
from activities.integrations.models.claude import ClaudeClient
from contracts.base import Contract
from contracts.models.call import ModelRequest, ModelResult
from contracts.models.prices import Price
from store.blobs import BlobStore
from store.calls.call_journal import Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.event_log import EventRepository


class Place(Contract):
    """Where everything is."""

    temporal: str
    task_queue: str
    dsn: str
    provider: str
    blobs: str


@workflow.defn
class Asks:
    """Makes model calls one after the other."""

    @workflow.run
    async def run(self, requests: list[ModelRequest]) -> list[ModelResult]:
        return [
            await workflow.execute_activity_method(
                ModelGateway.call,
                request,
                start_to_close_timeout=timedelta(seconds=60),
                heartbeat_timeout=timedelta(seconds=1),
                retry_policy=RetryPolicy(initial_interval=timedelta(milliseconds=100)),
            )
            for request in requests
        ]


def main(place: Place) -> None:
    """Work until killed."""
    asyncio.run(serve(place))


async def serve(place: Place) -> None:
    client = await Client.connect(place.temporal, data_converter=pydantic_data_converter)
    claude = ClaudeClient(place.provider, "a-key")
    async with Pool(place.dsn) as pool, Lease(place.dsn) as lease:
        blobs = BlobStore(place.blobs)
        gateway = ModelGateway(
            claude,
            JournaledCalls(Journal(pool, lease)),
            EventRepository(pool),
            blobs,
            {"m": Price(input_usd=1, output_usd=5)},
        )
        worker = Worker(
            client,
            task_queue=place.task_queue,
            activities=[gateway.call],
            interceptors=[ActivityInterceptor()],
        )
        await worker.run()
