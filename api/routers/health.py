"""Whether the gateway lives, and whether it can serve."""

from collections.abc import Awaitable
from typing import Literal

from fastapi import APIRouter, Response

from api.dependencies import Deps
from contracts.base import Contract
from contracts.errors import Transient
from store.postgres.pool import fetch

router = APIRouter(tags=["health"])


class Alive(Contract):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(Contract):
    """What the gateway needs: `ok`, or why it is not."""

    postgres: str
    temporal: str


@router.get("/healthz")
async def healthz() -> Alive:
    """Say that the process answers."""
    return Alive()


@router.get("/readyz", responses={503: {"model": Readiness, "description": "Something is away."}})
async def readyz(deps: Deps, response: Response) -> Readiness:
    """Say whether PostgreSQL and Temporal answer."""
    readiness = Readiness(
        postgres=await _answer(fetch(deps.pool, "SELECT 1")),
        temporal=await _answer(deps.engine.check()),
    )
    if {readiness.postgres, readiness.temporal} != {"ok"}:
        response.status_code = 503
    return readiness


async def _answer(asked: Awaitable[object]) -> str:
    try:
        await asked
    except Transient as error:
        return str(error)
    return "ok"
