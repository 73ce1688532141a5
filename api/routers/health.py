"""Liveness and readiness probes."""

from collections.abc import Awaitable
from typing import Literal

from fastapi import Response
from pydantic import Field

from activities.sandbox.confinement import list_missing
from api.bodies import Router
from api.dependencies import Deps
from contracts.base import Contract
from contracts.errors import Transient

router = Router(tags=["health"])


class Alive(Contract):
    """Response of a live process."""

    status: Literal["ok"] = "ok"


class Readiness(Contract):
    """State of each service that the gateway needs: `ok` or the error."""

    postgres: str
    temporal: str
    worker: str = Field(description="runs need one, the gateway does not: 200 without it, too")
    confinement: str | None = Field(
        default=None,
        description="what the gateway's kernel lacks to confine the processes that read documents",
    )


@router.get("/healthz")
async def healthz() -> Alive:
    """Respond while the process is alive."""
    return Alive()


@router.get(
    "/readyz",
    response_model_exclude_none=True,
    responses={503: {"model": Readiness, "description": "PostgreSQL or Temporal is unreachable."}},
)
async def readyz(deps: Deps, response: Response) -> Readiness:
    """Check PostgreSQL, Temporal and the worker."""
    readiness = Readiness(
        postgres=await _check(deps.pool.fetch("SELECT 1")),
        temporal=await _check(deps.run_client.check()),
        worker=await _check(deps.run_client.check_worker()),
        confinement=f"without {' and '.join(missing)}" if (missing := list_missing()) else None,
    )
    if {readiness.postgres, readiness.temporal} != {"ok"}:
        response.status_code = 503
    return readiness


async def _check(probe: Awaitable[object]) -> str:
    try:
        await probe
    except Transient as error:
        return str(error)
    return "ok"
