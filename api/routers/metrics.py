"""Figures for Prometheus: runs, and what they spent."""

from datetime import UTC, datetime

from fastapi import Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from api.auth import Caller
from api.bodies import Router
from api.dependencies import Deps
from api.errors import responses
from store.runs import SpendQuery

router = Router(tags=["health"], responses=responses(503))

EXPOSITION = {"content": {"text/plain": {"schema": {"type": "string"}}}}


@router.get("/metrics", response_class=Response, responses={200: EXPOSITION})
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
    for spent in await deps.runs.list_spend(caller.reader, today):
        for name, gauge in gauges.items():
            gauge.labels(spent.definition_id, spent.model, spent.offline).inc(getattr(spent, name))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
