"""The server of tools of tests, started and ended around them."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.activities.web.site import Site

MODULE = "tests.activities.tool_servers.server_process"


@dataclass(frozen=True)
class Served:
    """A server that runs: its address, and the calls that reached it."""

    url: str
    log: Path

    @property
    def calls(self) -> list[str]:
        """The calls of tools so far, each as its name and its arguments."""
        return self.log.read_text().splitlines() if self.log.exists() else []


@contextlib.contextmanager
def serving(log: Path) -> Iterator[Served]:
    """Run the server in a process for as long as the block lasts."""
    command = [sys.executable, "-m", MODULE, str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield Served(f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", log)
        finally:
            process.kill()


def speak(site: Site, on: dict[str, Any]) -> str:
    """Serve MCP in its older form by hand: `on` has the answers by method."""

    async def answer(request: Request) -> Response:
        if request.method != "POST":
            return Response(status_code=405)
        said = json.loads(await request.body())
        method = said.get("method", "")
        if method == "notifications/initialized":
            return Response(status_code=202)
        if method == "initialize":
            about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
            result = about | {"serverInfo": {"name": "s", "version": "1"}}
            return JSONResponse({"jsonrpc": "2.0", "id": said["id"], "result": result})
        found = on.get(method)
        found = found(said) if callable(found) and not isinstance(found, Response) else found
        if isinstance(found, Response):
            return found
        if found is None:
            error = {"code": -32601, "message": "Method not found"}
            return JSONResponse({"jsonrpc": "2.0", "id": said["id"], "error": error})
        return JSONResponse({"jsonrpc": "2.0", "id": said["id"], "result": found})

    return site.does("/mcp", answer)
