"""Metrics of paid calls: what models and searches were asked, took, cost and refused."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from temporalio import activity

from contracts.errors import GreenlightError
from contracts.models.call import ModelRequest, Reply
from temporal.metrics import (
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
    """Count an answered call under a model's label; agents of a crew, which users name, are one role."""
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
    """Count a failure of what a provider is asked for meanwhile."""
    try:
        yield
    except GreenlightError as error:
        PROVIDER_FAILURES.labels(provider, error.type()).inc()
        raise


@contextmanager
def time_model(model: str) -> Iterator[None]:
    """Measure an answer of a model, and count its failure."""
    begun = time.perf_counter()
    with watch_provider(model):
        yield
    MODEL_SECONDS.labels(model).observe(time.perf_counter() - begun)
