"""The gateway: composition of the app, and its process."""

import asyncio
import gc
import ipaddress
import logging
import os
import signal
import socket
import sys
from collections.abc import Collection
from typing import Any

import uvicorn
from fastapi import Depends, FastAPI
from temporalio.client import Client
from temporalio.service import RetryConfig

from activities.approvals import Seals
from activities.removal import Remover
from activities.runs import Opener
from api import errors, routers, stream
from api.auth import principal
from api.dependencies import Services
from api.guard import Guard
from api.stream import Log
from settings import Settings
from store.blobs import BlobStore
from store.definitions import DefinitionRepository
from store.events import EventRepository, Listener
from store.keys import KeyRepository
from store.ledger import LedgerRepository
from store.postgres.pool import Pool, open_pool
from store.removals import RemovalRepository
from store.runs import RunRepository
from store.startups import StartupRepository
from store.step_cache import StepCacheRepository
from temporal.connection import connection
from temporal.executions import Executions
from temporal.run_client import Engine
from workflows.presets import PRESETS
from workflows.start.start import open_supplied

KEEP_ALIVE_SECONDS = 75
"""Longer than clients keep an idle connection: one that the server closes first fails a request."""


class Gateway(FastAPI):
    """The app; its OpenAPI knows what every failure looks like."""

    def openapi(self) -> dict[str, Any]:
        """Return the whole description, from which a client can be generated."""
        if self.openapi_schema is None:
            schemas = super().openapi()["components"]["schemas"]
            schemas.update(errors.schemas())
            stream.describe(schemas)
        return super().openapi()


class Server(uvicorn.Server):
    """Says in one line of JSON that it is ready, once it is."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the line."""
        await super().startup(sockets)
        print('{"gateway": "ready"}', flush=True)  # noqa: T201 - the stack waits for this line


def create_app(services: Services, allowed_hosts: Collection[str]) -> Gateway:
    """Return the app over what it is given."""
    app = Gateway(
        title="Greenlight",
        description="Research that asks before it spends.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={"default": errors.FAILURE},
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.services = services
    errors.install(app)
    app.add_middleware(Guard, allowed_hosts=allowed_hosts)
    for router in routers.ALL:
        app.include_router(
            router, dependencies=[Depends(principal)], responses=errors.responses(401)
        )
    for router in routers.OPEN:
        app.include_router(router)
    return app


def build_services(settings: Settings, pool: Pool, listener: Listener, client: Client) -> Services:
    """Return what the app needs, from connections that may not be up yet."""
    definitions, runs = DefinitionRepository(pool, PRESETS), RunRepository(pool)
    blobs = BlobStore(settings.blob_url)
    return Services(
        pool=pool,
        definitions=definitions,
        runs=runs,
        ledger=LedgerRepository(pool),
        startups=StartupRepository(pool),
        log=Log(EventRepository(pool), listener),
        blobs=blobs,
        engine=Engine(client, settings.greenlight_task_queue),
        opener=Opener(
            definitions,
            runs,
            StepCacheRepository(pool),
            settings.terms(),
            open_supplied,
            index=settings.greenlight_search_attributes,
        ),
        remover=Remover(RemovalRepository(pool), blobs, Executions(client)),
        keys=KeyRepository(pool),
        seals=Seals(settings.greenlight_signing_key.get_secret_value()),
        research_collection=settings.greenlight_research_collection,
        require_keys=settings.greenlight_require_keys,
    )


async def connect(settings: Settings) -> Client:
    """Return a Temporal client that connects when it is first needed, and gives up quickly."""
    return await Client.connect(
        **connection(BlobStore(settings.blob_url)),
        lazy=True,
        retry_config=RetryConfig(max_retries=2, max_elapsed_time_millis=2_000),
    )


async def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    client = await connect(settings)
    dsn = settings.database_url
    async with open_pool(dsn) as pool, Listener(dsn) as listener:
        services = build_services(settings, pool, listener, client)
        config = uvicorn.Config(
            create_app(services, settings.greenlight_allowed_hosts),
            host=settings.greenlight_host,
            port=settings.greenlight_port,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, signal.SIG_IGN)  # uvicorn raises it again after it has stopped
        gc.freeze()  # the garbage collector need not look through the libraries again and again
        await Server(config).serve()


def require_loopback(host: str) -> None:
    """Refuse an address that others can reach while keys are not required of them."""
    try:
        private = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        private = False
    if not private:
        raise SystemExit(
            f"GREENLIGHT_HOST={host} can be reached from outside: use 127.0.0.1, or have everybody "
            "asked for a key by GREENLIGHT_REQUIRE_KEYS=true."
        )


def main() -> None:
    """Run the gateway's process."""
    settings = Settings()
    if not settings.greenlight_require_keys:
        require_loopback(settings.greenlight_host)
    asyncio.run(serve(settings))
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)  # the Temporal client's threads may abort an ordinary exit


if __name__ == "__main__":
    main()
