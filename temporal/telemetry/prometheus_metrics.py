"""Prometheus metrics: the product's, served by each process at its own port, and the Temporal SDK's.

Labels are names of ours and of an installation's models: no user, tenant or run, and no text of a definition.
"""

import logging

from prometheus_client import Counter, Histogram, start_http_server
from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)

SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
"""Upper bounds of the buckets of durations."""
HTTP_REQUESTS = Histogram(
    "greenlight_http_request_duration_seconds",
    "Time until a response of the gateway begins",
    ["method", "route", "status"],
    buckets=SECONDS,
)
MODEL_CALLS = Counter(
    "greenlight_model_calls", "Calls of models that were answered", ["role", "model"]
)
MODEL_TOKENS = Counter(
    "greenlight_model_tokens",
    "Tokens of these calls by direction: input (all of it), cache_read, cache_written, output",
    ["role", "model", "direction"],
)
MODEL_USD = Counter("greenlight_model_usd", "US dollars of these calls", ["role", "model"])
MODEL_SECONDS = Histogram(
    "greenlight_model_call_duration_seconds",
    "Time until a model's answer is complete",
    ["model"],
    buckets=SECONDS,
)
SEARCHES = Counter("greenlight_searches", "Searches that were answered", ["service"])
SEARCH_USD = Counter("greenlight_search_usd", "US dollars of searches", ["service"])
PROVIDER_FAILURES = Counter(
    "greenlight_provider_failures",
    "Requests that a model's server or a search service failed or refused",
    ["provider", "error"],
)
ACTIVITY_FAILURES = Counter(
    "greenlight_activity_failures", "Attempts of activities that failed", ["activity", "error"]
)
QUEUE_SECONDS = Histogram(
    "greenlight_activity_queue_seconds",
    "Time that an attempt of an activity waited for a worker",
    ["queue"],
    buckets=SECONDS,
)
PARSER_ENDS = Counter(
    "greenlight_parser_ends",
    "Sandboxed processes that were ended, or ended by themselves, over a request",
    ["reason"],
)
for reason in ("time", "died"):
    PARSER_ENDS.labels(
        reason
    )  # export zero at once, or an alert on an increase misses the first one


def serve_product_metrics(address: str) -> None:
    """Serve this process's metrics at `host:port` for as long as it lives, unless the address is empty.

    Raises:
        OSError: The address is in use.
    """
    if address:
        host, _, port = address.rpartition(":")
        start_http_server(int(port), host.strip("[]"))


def make_runtime(address: str) -> Runtime:
    """Return the SDK's runtime, which serves its metrics to Prometheus if there is an address.

    Its core writes warnings to this process's log, since its own lines are no JSON. Create at most one per process: the
    address stays bound for as long as the process lives.
    """
    forwarding = LogForwardingConfig(logger=logging.getLogger("temporalio.core"))
    warnings = TelemetryFilter(core_level="WARN", other_level="ERROR")
    logs = LoggingConfig(filter=warnings, forwarding=forwarding)
    if not address:
        return Runtime(telemetry=TelemetryConfig(logging=logs))
    prometheus = PrometheusConfig(
        bind_address=address,
        counters_total_suffix=True,
        durations_as_seconds=True,
        unit_suffix=True,
    )
    return Runtime(telemetry=TelemetryConfig(logging=logs, metrics=prometheus))
