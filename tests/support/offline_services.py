"""The offline services under test, from outside: failure injection, and their log."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx

PATIENCE = 60.0
POLL = 0.1

Call = tuple[str, str]
"""A request to a provider: its path, and its query or the hash of its body."""


async def eventually(holds: Callable[[], Awaitable[Any]], seconds: float = PATIENCE) -> Any:
    """Return what `holds` gives once that is true; a gateway that is away is waited for."""
    deadline, found = time.monotonic() + seconds, None
    while time.monotonic() < deadline:
        try:
            if found := await holds():
                return found
        except (httpx.TransportError, httpx.HTTPStatusError) as error:
            found = error
        await asyncio.sleep(POLL)
    raise AssertionError(f"not within {seconds:g} s: {found!r}")


@dataclass(frozen=True)
class Providers:
    """The offline services: their requests, and the failures to inject."""

    http: httpx.AsyncClient

    async def told(self, *failures: dict[str, Any], latency: float = 0, pace: float = 0) -> None:
        """Have these failures happen from now on; each answer comes that late, over that long."""
        body = {"failures": failures, "latency": latency, "pace": pace}
        (await self.http.post("/control", json=body)).raise_for_status()

    async def forget(self) -> None:
        """Answer as they should again, once they do answer, and empty the log."""

        async def done() -> bool:
            (await self.http.delete("/control")).raise_for_status()
            return (await self.http.delete("/requests")).is_success

        await eventually(done)

    async def asked(self, service: str | None = None) -> list[dict[str, Any]]:
        """Return the log of requests, in the order in which they came."""
        params = {"service": service} if service else {}
        found = (await self.http.get("/requests", params=params)).raise_for_status()
        return list(found.json())

    async def finished(self) -> Counter[Call]:
        """Return how often each request was answered in full and well."""
        return Counter(
            (entry["path"], entry["query"] or entry["body_sha256"])
            for entry in await self.asked()
            if entry["finished"] and entry["status"] == 200
        )

    async def until(
        self, service: str, count: int, seconds: float = PATIENCE
    ) -> list[dict[str, Any]]:
        """Return a service's log once it was asked that often."""

        async def enough() -> list[dict[str, Any]]:
            asked = await self.asked(service)
            return asked if len(asked) >= count else []

        return await eventually(enough, seconds)  # type: ignore[no-any-return]
