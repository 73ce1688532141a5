"""The failure switches: which faults the services produce, how late and how slowly."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

Service = Literal["model", "search", "pages", "edgar"]
Mode = Literal[
    "status", "hang", "hold", "cut", "refuse", "truncate", "bad_json", "html", "stream_error"
]


class Match(BaseModel, extra="forbid"):
    """Requests that a failure strikes; a field that is left out matches all."""

    service: Service = "model"
    tools: bool | None = Field(default=None, description="whether tools are offered")
    schema_property: str | None = Field(default=None, description="a property of the output schema")
    path: str | None = Field(default=None, description="a part of the address")
    used: str | None = Field(default=None, description="a tool that the conversation has called")
    nth: int = Field(default=1, ge=1, description="first of the matching requests to strike")


class Failure(BaseModel, extra="forbid"):
    """One thing to do wrong."""

    mode: Mode = Field(
        default="status", description="`hold` answers as it should once the switches are replaced"
    )
    status: int = Field(default=500, ge=400, le=599)
    retry_after: float | None = None
    error_code: str | None = Field(default=None, description="e.g. of a spend limit")
    times: int = Field(default=1, ge=1)
    match: Match = Match()


class Switches(BaseModel, extra="forbid"):
    """Body of `POST /control`; replaces the previous switches."""

    failures: list[Failure] = []
    latency: float | None = Field(default=None, ge=0, description="seconds before any answer")
    pace: float | None = Field(default=None, ge=0, description="seconds that a stream takes")


class Control:
    """Holds the switches and decides which request is struck."""

    def __init__(self, latency: float, pace: float) -> None:
        self._start = (latency, pace)
        self.replaced = asyncio.Event()
        self.set(Switches())

    def set(self, switches: Switches) -> None:
        """Apply switches; `Switches()` restores the settings of the start."""
        self.replaced.set()
        self.replaced = asyncio.Event()
        latency, pace = self._start
        self.latency = latency if switches.latency is None else switches.latency
        self.pace = pace if switches.pace is None else switches.pace
        self._failures = [(failure, [0]) for failure in switches.failures]

    def strike(self, service: Service, path: str, body: Mapping[str, Any]) -> Failure | None:
        """Count a request with every failure that matches it; return the first one due."""
        struck = [each for each in self._failures if matches(each[0].match, service, path, body)]
        for _, seen in struck:
            seen[0] += 1
        due = (f for f, [seen] in struck if f.match.nth <= seen < f.match.nth + f.times)
        return next(due, None)

    def find_refused_key(self) -> Failure | None:
        """Return a failure that refuses the key from the first call on, if there is one."""
        return next((f for f, _ in self._failures if refuses_key(f)), None)


def refuses_key(failure: Failure) -> bool:
    """Return whether a failure rejects the key for every request to the model."""
    plain = failure.match == Match()
    return plain and failure.mode == "status" and failure.status in {401, 403}


def matches(match: Match, service: Service, path: str, body: Mapping[str, Any]) -> bool:
    """Return whether a request is one that a failure is meant for."""
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema") or {}
    return (
        match.service == service
        and (match.path is None or match.path in path)
        and match.tools in (None, bool(body.get("tools")))
        and match.schema_property in (None, *schema.get("properties", {}))
        and match.used in (None, *list_used(body))
    )


def list_used(body: Mapping[str, Any]) -> list[str]:
    """Return the tools that the messages of a request to the model have called."""
    contents = [message["content"] for message in body.get("messages") or []]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return [block["name"] for block in blocks if block.get("type") == "tool_use"]


def routes(control: Control) -> list[Route]:
    """Return the endpoint that sets and resets the switches."""

    async def switch(request: Request) -> JSONResponse:
        if request.method == "DELETE":
            switches = Switches()
        else:
            try:
                switches = Switches.model_validate_json(await request.body())
            except ValidationError as error:
                return JSONResponse({"error": str(error)}, 422)
        control.set(switches)
        return JSONResponse(switches.model_dump())

    return [Route("/control", switch, methods=["POST", "DELETE"])]
