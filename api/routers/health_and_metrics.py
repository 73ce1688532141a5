"""Liveness and readiness probes, and figures for Prometheus: runs, and what they spent."""

from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import Literal

from fastapi import Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest
from pydantic import Field

from activities.confined.confinement import list_missing
from api.access.auth import Caller
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.base import Contract
from contracts.errors import Transient
from store.calls.spend import SpendQuery

router = Router(tags=["health"])
metrics = Router(tags=["health"], responses=responses(503))
"""Requires a key once there are keys."""


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


EXPOSITION = {"content": {"text/plain": {"schema": {"type": "string"}}}}


@metrics.get("/metrics", response_class=Response, responses={200: EXPOSITION})
async def get_metrics(deps: Deps, caller: Caller) -> Response:
    """Return how many runs there are of each status, and today's calls, tokens and dollars by model."""
    registry = CollectorRegistry()
    runs = Gauge("greenlight_runs", "runs by status", ["status"], registry=registry)
    for status, count in (await deps.runs.count_by_status(caller.reader)).items():
        runs.labels(status).set(count)
    names = {
        "calls": "model calls",
        "input_tokens": "read",
        "output_tokens": "written",
        "usd": "price",
    }
    labels = ["definition", "model", "offline"]
    gauges = {
        name: Gauge(
            f"greenlight_today_{name}", f"of runs started today: {about}", labels, registry=registry
        )
        for name, about in names.items()
    }
    today = SpendQuery(since=datetime.now(UTC).date())
    for spent in await deps.spend.list_spend(caller.reader, today):
        for name, gauge in gauges.items():
            gauge.labels(spent.definition_id, spent.model, spent.offline).inc(getattr(spent, name))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
