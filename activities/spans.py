"""Spans of activities' work: an error ends one with its type alone, since its message may hold content."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from contracts.errors import GreenlightError

tracer = trace.get_tracer("greenlight.activities")


@contextmanager
def open_span(
    name: str, kind: SpanKind = SpanKind.INTERNAL, attributes: Mapping[str, Any] | None = None
) -> Iterator[Span]:
    """Open a span within the current trace, if there is one."""
    if not trace.get_current_span().get_span_context().is_valid:
        yield trace.INVALID_SPAN
        return
    with tracer.start_as_current_span(
        name,
        kind=kind,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield span
        except Exception as error:
            mark_failed(span, error)
            raise


def mark_failed(span: Span, error: Exception) -> None:
    """Give a span the type of the error that ended its work."""
    kind = error.type() if isinstance(error, GreenlightError) else type(error).__name__
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))
