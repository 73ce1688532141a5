"""The gateway's app and process."""

import gc

if __name__ == "__main__":  # all that is imported stays: to collect is only to look at it again
    gc.disable()

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from itertools import chain
from typing import Any, ClassVar

import uvicorn
from fastapi import Depends, FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from starlette.types import Lifespan
from temporalio.client import Client, Interceptor
from temporalio.service import RetryConfig

from api import errors, event_stream, page, routers
from api.access.auth import authenticate
from api.dependencies import Dependencies
from api.head_and_connection_limits import bound_protocol
from api.installation_metrics import RequestTimer, watch_installation
from api.json_bodies import PublicJSONResponse
from api.mcp.host import McpHost
from api.request_guard import Guard
from settings import Settings
from store.blobs import BlobStore
from store.installation_counts import InstallationRepository
from store.postgres.pool import Pool
from store.run_records.event_log import Listener
from temporal.connection import is_loopback, load_connect_options
from temporal.telemetry.logs import READY, configure_logs
from temporal.telemetry.prometheus_metrics import serve_product_metrics
from temporal.telemetry.traces import start_tracing, stop_tracing

logger = logging.getLogger("greenlight.gateway")

WARM_AFTER_SECONDS = 1
"""When the sandbox starts its first process: the start of the stack needs the processor until then."""
ACCEPTED_AT_ONCE = 32
"""Connections that asyncio accepts before it turns to those that it has: its `backlog`."""
MAX_UNACCEPTED = 2048
"""Connections that the system holds until they are accepted."""
UNTRACED = ("/healthz", "/readyz", "/metrics")
KEEP_ALIVE_SECONDS = 75
"""Longer than clients keep idle connections: a request on a connection that just closed fails."""


class GatewayApp(FastAPI):
    """The FastAPI app, whose OpenAPI schema includes all errors and events."""

    described: ClassVar[dict[str, Any]] = {}
    """The description, which takes a second to make: all apps of a process share it."""

    def openapi(self) -> dict[str, Any]:
        """Return the complete description, from which a client can be generated."""
        if not self.described:
            self.described.update(super().openapi())
            schemas = self.described["components"]["schemas"]
            schemas.update(errors.build_schemas())
            event_stream.describe_events(schemas)
        return self.described


class GatewayServer(uvicorn.Server):
    """Server that logs when it is ready, and ends with 0 when it is stopped."""

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until SIGTERM or SIGINT."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, signal.SIG_IGN)  # uvicorn raises it again after it has stopped
        await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then log it; more connections may wait to be accepted than are accepted in one go."""
        await super().startup(sockets)
        for each in chain.from_iterable(server.sockets for server in self.servers):
            with each.dup() as same:
                same.listen(MAX_UNACCEPTED)
        logger.info(READY)


def _is_untraced(scope: MutableMapping[str, Any]) -> bool:
    """Return whether a request is a probe or for a file of the page, whose traces would hide others."""
    path: str = scope["path"]
    return path in UNTRACED or path.startswith("/assets/")


def build_routes(lifespan: Lifespan[FastAPI] | None = None) -> GatewayApp:
    """Create the app without services and middleware, which suffices to describe it."""
    app = GatewayApp(
        title="Greenlight",
        description="Research that asks before it spends.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        separate_input_output_schemas=False,
        default_response_class=PublicJSONResponse,
        responses={"default": errors.FAILURE},
        generate_unique_id_function=lambda route: route.name,
        telemetry={
            "operation_spans": False,
            "auto_configure": False,
            "logs": False,
            "exclude": _is_untraced,
        },
    )
    errors.install_handlers(app)
    for router in routers.ALL:
        app.include_router(
            router, dependencies=[Depends(authenticate)], responses=errors.responses(401)
        )
    for router in routers.PUBLIC:
        app.include_router(router)
    app.mount("/assets", GZipMiddleware(page.assets, compresslevel=6))
    return app


def create_app(dependencies: Dependencies, allowed_hosts: Collection[str]) -> GatewayApp:
    """Create the app with its services and middleware."""
    host = McpHost(dependencies)
    app = build_routes(host.live)
    app.state.dependencies = dependencies
    app.state.mcp = host
    app.add_middleware(Guard, allowed_hosts=allowed_hosts, limits=dependencies.limits)
    app.add_middleware(RequestTimer)
    return app


async def connect_temporal(
    blobs: BlobStore,
    keys: Mapping[str, bytes] | None = None,
    interceptors: Sequence[Interceptor] = (),
) -> Client:
    """Return a lazy Temporal client that gives up after 2 s."""
    return await Client.connect(
        **load_connect_options(blobs, keys),
        lazy=True,
        interceptors=interceptors,
        retry_config=RetryConfig(max_retries=2, max_elapsed_time_millis=2_000),
    )


async def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    blobs = BlobStore(settings.blob_url)
    serve_product_metrics(settings.greenlight_metrics)
    interceptors = start_tracing(settings.otel_exporter_otlp_endpoint, "gateway")
    client = await connect_temporal(blobs, settings.payload_keys(), interceptors)
    dsn = settings.database_url
    async with Pool(dsn) as pool, Listener(dsn) as listener:
        dependencies = Dependencies(settings, pool, listener, client, blobs)
        watch_installation(InstallationRepository(pool))
        config = uvicorn.Config(
            create_app(dependencies, settings.greenlight_allowed_hosts),
            host=settings.greenlight_host,
            port=settings.greenlight_port,
            access_log=False,
            log_config=None,
            server_header=False,
            backlog=ACCEPTED_AT_ONCE,
            timeout_graceful_shutdown=5,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            http=bound_protocol(settings.greenlight_connections_per_address),
        )
        gc.freeze()  # the collector need not scan the libraries again
        gc.enable()
        dependencies.sandbox.warm(WARM_AFTER_SECONDS)
        await GatewayServer(config).serve()
        await dependencies.sandbox.close()


def require_loopback(host: str) -> None:
    """Exit if other machines can reach the address and keys are not required."""
    if not is_loopback(host):
        raise SystemExit(
            f"GREENLIGHT_HOST={host} can be reached from outside: use 127.0.0.1, or require keys by "
            "GREENLIGHT_REQUIRE_KEYS=true."
        )


def main() -> None:
    """Run the gateway's process."""
    settings = Settings()
    configure_logs(settings.greenlight_log)
    if not settings.greenlight_require_keys:
        require_loopback(settings.greenlight_host)
    asyncio.run(serve(settings))
    stop_tracing()
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)  # the Temporal client's threads may abort an ordinary exit


if __name__ == "__main__":
    main()
