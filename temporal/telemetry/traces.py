"""OpenTelemetry traces of a process; the SDK is imported where they are exported alone."""

import threading

from opentelemetry import trace
from temporalio.client import Interceptor

from temporal.telemetry.logs import current_run

RUN_ID = "greenlight.run_id"
FLUSH_SECONDS = 1.5
"""How long an exiting process waits to send its last spans."""


def start_tracing(endpoint: str, process: str) -> list[Interceptor]:
    """Export this process's spans to an OTLP/HTTP endpoint; return the interceptors for its Temporal client.

    Without an endpoint, record nothing and return an empty list. The SDK reads the other `OTEL_*` variables.
    """
    if not endpoint:
        return []
    from temporal.telemetry.span_export import export_spans  # 80 ms and 7 MB, for those who want it

    return export_spans(endpoint, process)


def stop_tracing() -> None:
    """Send the remaining spans, waiting at most `FLUSH_SECONDS`."""
    provider = trace.get_tracer_provider()
    if not hasattr(provider, "shutdown"):
        return
    ending = threading.Thread(target=provider.shutdown, daemon=True)
    ending.start()
    ending.join(FLUSH_SECONDS)


def note_run(run_id: str) -> None:
    """Name the run that a request of the gateway is about, in its log lines and its span."""
    current_run.set(run_id)
    trace.get_current_span().set_attribute(RUN_ID, run_id)
