"""The span of a phase, between those of its run and of its activities."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace

from contracts.phases import Phase


@contextmanager
def open_phase_span(phase: Phase) -> Iterator[None]:
    """Open the span of a phase's work in this execution; tracers of workers make none twice on replay."""
    tracer = trace.get_tracer("greenlight.workflow")
    attributes = {"greenlight.phase_id": phase.id, "greenlight.phase_kind": phase.kind}
    with tracer.start_as_current_span(
        f"phase {phase.kind}",
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ):
        yield
