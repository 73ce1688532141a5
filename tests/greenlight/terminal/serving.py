"""A real server for fake services."""

import threading
import time
from typing import Protocol

import uvicorn
from starlette.applications import Starlette


class Service(Protocol):
    """What can be served."""

    def app(self) -> Starlette: ...


class Serving:
    """Serves a service on a port of its own, from a thread of its own."""

    def __init__(self, service: Service) -> None:
        config = uvicorn.Config(service.app(), port=0, log_level="critical", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    def __exit__(self, *exc: object) -> None:
        self._server.force_exit = self._server.should_exit = True  # within a tick; nobody waits
