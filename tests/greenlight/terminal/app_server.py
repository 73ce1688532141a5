"""HTTP server for fake services."""

import threading
import time
from typing import Protocol

import uvicorn
from starlette.applications import Starlette


class ServesApp(Protocol):
    """Anything with an app."""

    def app(self) -> Starlette: ...


class AppServer:
    """Serves an app on a free port, in a thread."""

    def __init__(self, service: ServesApp) -> None:
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
        self._server.force_exit = self._server.should_exit = True  # within a tick
