"""The span of a phase, between those of its run and of its activities."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.context import attach, get_current

from contracts.phases import Phase


@contextmanager
def open_phase_span(phase: Phase) -> Iterator[None]:
    """Open a tracing span for a phase's execution; the worker's tracer opens none during replay."""
    tracer = trace.get_tracer("greenlight.workflow")
    attributes = {"greenlight.phase_id": phase.id, "greenlight.phase_kind": phase.kind}
    span = tracer.start_span(f"phase {phase.kind}", attributes=attributes)
    before = get_current()
    attach(trace.set_span_in_context(span))
    try:
        yield
    finally:
        span.end()
        # `detach` would log an error for a workflow that is evicted, which closes this in another context.
        if trace.get_current_span() is span:
            attach(before)
