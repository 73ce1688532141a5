"""Metrics of paid calls of models and search services: their number, time, tokens, price and failures."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from temporalio import activity

from contracts.errors import GreenlightError
from contracts.models.call import ModelRequest, Reply
from temporal.telemetry.prometheus_metrics import (
    MODEL_CALLS,
    MODEL_SECONDS,
    MODEL_TOKENS,
    MODEL_USD,
    PROVIDER_FAILURES,
    SEARCH_USD,
    SEARCHES,
)

CREW_ACTIVITY = "crews.work"


def note_model_call(request: ModelRequest, model: str, reply: Reply, usd: float) -> None:
    """Count an answered call under a model's label; all agents of crews are the role `crew`, as users name them."""
    is_crew = activity.in_activity() and activity.info().activity_type == CREW_ACTIVITY
    role = "crew" if is_crew else request.role
    MODEL_CALLS.labels(role, model).inc()
    MODEL_USD.labels(role, model).inc(usd)
    for direction, tokens in {
        "input": reply.input_tokens,
        "cache_read": reply.cache_read_tokens,
        "cache_written": reply.cache_written_tokens,
        "output": reply.output_tokens,
    }.items():
        MODEL_TOKENS.labels(role, model, direction).inc(tokens)


def note_search(service: str, usd: float) -> None:
    """Count an answered search."""
    SEARCHES.labels(service).inc()
    SEARCH_USD.labels(service).inc(usd)


@contextmanager
def watch_provider(provider: str) -> Iterator[None]:
    """Count an error that the enclosed request to a provider raises."""
    try:
        yield
    except GreenlightError as error:
        PROVIDER_FAILURES.labels(provider, error.type()).inc()
        raise


@contextmanager
def time_model(model: str) -> Iterator[None]:
    """Measure the time of the enclosed request to a model, or count its error."""
    begun = time.perf_counter()
    with watch_provider(model):
        yield
    MODEL_SECONDS.labels(model).observe(time.perf_counter() - begun)
