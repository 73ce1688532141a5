"""The log of every request to the four services."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

Service = Literal["model", "search", "pages", "edgar"]
PREFIXES: dict[str, Service] = {
    "/v1/": "model",
    "/res/": "search",
    "/pages/": "pages",
    "/files/": "edgar",
    "/submissions/": "edgar",
    "/api/xbrl/": "edgar",
}


@dataclass
class LoggedRequest:
    """One request, filled in while it is answered."""

    n: int
    at: str
    service: Service
    method: str
    path: str
    query: str
    body_sha256: str
    status: int = 0
    finished: bool = False
    disconnected: bool = False
    failure: str = ""
    seconds: float = 0.0


class RequestLog:
    """Keeps the requests in the order in which they came."""

    def __init__(self) -> None:
        self.entries: list[LoggedRequest] = []

    def list_rows(self, service: str | None) -> list[dict[str, Any]]:
        """Return the entries of one service, or of all."""
        return [asdict(e) for e in self.entries if service in (None, e.service)]


def find_service(path: str) -> Service | None:
    """Return the service a path belongs to; the log and the switches belong to none."""
    return next((service for prefix, service in PREFIXES.items() if path.startswith(prefix)), None)


def routes(log: RequestLog) -> list[Route]:
    """Return the endpoint that shows and empties the log."""

    async def requests(request: Request) -> JSONResponse:
        if request.method == "DELETE":
            log.entries.clear()
        return JSONResponse(log.list_rows(request.query_params.get("service")))

    return [Route("/requests", requests, methods=["GET", "DELETE"])]
