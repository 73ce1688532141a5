"""The composition root: settings -> clients and store -> activities -> a worker."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from pydantic import ValidationError
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.service import RPCError
from temporalio.worker import Worker, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from activities.citations import CitationActivities
from activities.gateway import Gateway
from activities.integrations.claude import ClaudeClient
from activities.integrations.fetch import PageFetcher
from activities.integrations.parse import PageParser
from activities.integrations.search import BraveSearch
from activities.interceptor import ActivityInterceptor
from activities.models import ModelActivities
from activities.runs import Opener, RunActivities
from activities.startups import StartupActivities
from activities.tools_journal import ToolCalls
from activities.web import WebActivities
from contracts.visibility import SEARCH_ATTRIBUTES
from settings import Settings
from store.blobs import BlobStore
from store.converter import data_converter
from store.definitions import DefinitionRepository
from store.events import EventRepository
from store.journal import Journal
from store.lease import Lease
from store.pool import Pool, open_pool
from store.runs import RunRepository
from store.startups import StartupRepository
from workflows.messages import SafeMessages
from workflows.opening import open_run
from workflows.presets import PRESETS
from workflows.research import Research

WORKFLOWS = [Research]
CONNECT_SECONDS = 0.5


def workflow_runner() -> WorkflowRunner:
    """Return the sandbox of workers, tests and replay.

    Our rooms pass through: their modules hold no state, and a test reads workflow code for what
    the sandbox would catch (docs/decisions/0011). What it forbids at run time it still forbids.
    """
    passed = (
        "workflows",
        "contracts",
        "activities",
        "pydantic",
        "pydantic_core",
        "annotated_types",
    )
    return SandboxedWorkflowRunner(
        restrictions=SandboxRestrictions.default.with_passthrough_modules(*passed)
    )


@asynccontextmanager
async def activities(
    settings: Settings, blobs: BlobStore
) -> AsyncIterator[list[Callable[..., Any]]]:
    """Yield every activity over the settings' clients and store; calls are drained at the end."""
    claude = ClaudeClient(
        settings.anthropic_base_url, settings.anthropic_api_key.get_secret_value()
    )
    search = BraveSearch(settings.brave_base_url, settings.brave_api_key.get_secret_value())
    async with open_pool(settings.database_url) as pool, Lease(settings.database_url) as lease:
        journal, events = Journal(pool, lease), EventRepository(pool)
        runs = RunRepository(pool)
        gateway = Gateway(claude, journal, events, blobs, settings.greenlight_prices)
        tools = ToolCalls(journal, events)
        opener = build_opener(settings, pool)
        run = RunActivities(opener, runs, journal)
        model = ModelActivities(gateway)
        fetcher = PageFetcher(settings.greenlight_fetch_allow)
        web = WebActivities(search, fetcher, PageParser(), blobs, tools)
        startups = StartupActivities(StartupRepository(pool))
        citations = CitationActivities(blobs)
        own: list[Callable[..., Any]] = [
            run.open,
            run.record,
            model.call,
            startups.recall,
            startups.save,
            citations.check,
        ]
        yield [*own, web.search, web.fetch]
        await gateway.drain()
        await tools.drain()
        await search.aclose()
        await claude.close()


def build_opener(settings: Settings, pool: Pool) -> Opener:
    """Return what makes a start ready; worker and gateway share its rules."""
    return Opener(
        DefinitionRepository(pool, PRESETS),
        RunRepository(pool),
        settings.terms(),
        open_run,
        index=settings.greenlight_search_attributes,
    )


def build_worker(client: Client, settings: Settings, callables: list[Callable[..., Any]]) -> Worker:
    """Return a worker for the settings' task queue, with the settings measured to recover fast."""
    return Worker(
        client,
        task_queue=settings.greenlight_task_queue,
        workflows=WORKFLOWS,
        activities=callables,
        workflow_runner=workflow_runner(),
        interceptors=[SafeMessages(), ActivityInterceptor()],
        workflow_failure_exception_types=[ValidationError],
        sticky_queue_schedule_to_start_timeout=settings.greenlight_sticky_timeout,
        graceful_shutdown_timeout=settings.greenlight_stop_grace,
    )


async def connect(blobs: BlobStore) -> Client:
    """Return a client as `TEMPORAL_*` says; waits for a server that is not up yet."""
    config = ClientConfig.load_client_connect_config()
    config.setdefault("target_host", "127.0.0.1:7233")
    while True:
        try:
            return await Client.connect(**config, data_converter=data_converter(blobs))
        except (RPCError, RuntimeError) as error:
            logging.warning("Temporal is not reachable yet: %s", error)
            await asyncio.sleep(CONNECT_SECONDS)


async def missing_search_attributes(client: Client) -> list[str]:
    """Return the commands that register what runs would write and the namespace lacks."""
    request = ListSearchAttributesRequest(namespace=client.namespace)
    known = (await client.operator_service.list_search_attributes(request)).custom_attributes
    return [
        f"temporal operator search-attribute create --name {name} --type {kind}"
        for name, kind in SEARCH_ATTRIBUTES.items()
        if name not in known
    ]


async def main() -> None:
    """Work until SIGTERM or Ctrl-C, then let calls in flight finish within the grace."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # an empty page is no error of ours
    settings = Settings()
    blobs = BlobStore(settings.blob_url)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    client = await connect(blobs)
    if settings.greenlight_search_attributes and (todo := await missing_search_attributes(client)):
        sys.exit("search attributes are not registered; run\n" + "\n".join(todo))
    async with activities(settings, blobs) as callables, build_worker(client, settings, callables):
        print('{"worker": "ready"}', flush=True)  # noqa: T201 - the stack waits for this line
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main())
    sys.stdout.flush()
    os._exit(0)  # a process with a Temporal client may abort in interpreter shutdown
