"""Export of OpenTelemetry traces: safe for replay, and without any content of a run."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Link, Status
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from temporalio.api.common.v1 import Payload
from temporalio.client import Interceptor
from temporalio.contrib.opentelemetry import OpenTelemetryInterceptor, create_tracer_provider
from temporalio.worker import (
    ExecuteWorkflowInput,
    HandleQueryInput,
    HandleSignalInput,
    HandleUpdateInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)
from temporalio.worker import Interceptor as WorkerInterceptor

from temporal.telemetry.logs import find_run_id
from temporal.telemetry.traces import RUN_ID

EXPORTED = frozenset(
    {
        *("http.request.method", "http.response.status_code", "http.route", "url.scheme"),
        *("server.address", "server.port", "network.protocol.version", "error.type"),
        *("temporalWorkflowID", "temporalRunID", "temporalActivityID"),
        *("db.system.name", "db.operation.name", "db.query.summary"),
        *("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.conversation.id"),
        *("gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.request.model"),
        *("gen_ai.request.max_tokens", "gen_ai.request.stream", "gen_ai.response.finish_reasons"),
        *("gen_ai.response.time_to_first_chunk", "gen_ai.usage.input_tokens"),
        *("gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens"),
        "gen_ai.usage.cache_creation.input_tokens",
        *(RUN_ID, "greenlight.phase_id", "greenlight.phase_kind", "greenlight.search_service"),
    }
)
"""The attributes that leave the process: names, counts and ids, no text of a request, page, answer or error."""
MAX_NAME_CHARS = 120
MAX_HEADER_BYTES = 1_000
TRACE_HEADER = "_tracer-data"
"""Temporal's header of a trace, as `temporalio.contrib.opentelemetry` writes it."""
logger = logging.getLogger("greenlight.tracing")


def export_spans(endpoint: str, process: str) -> list[Interceptor]:
    """Send this process's spans to an OTLP/HTTP endpoint, and return the interceptors of its Temporal client."""
    resource = Resource.create({"service.name": f"greenlight-{process}"})
    provider = create_tracer_provider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(_RunIdProcessor())
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(ContentFreeExporter(exporter)))
    trace.set_tracer_provider(provider)
    # Propagate only trace context: a caller's baggage and other header formats never reach a run.
    propagate.set_global_textmap(TraceContextTextMapPropagator())
    return [SafeTraceHeaders(), OpenTelemetryInterceptor(add_temporal_spans=True)]


class _RunIdProcessor(SpanProcessor):
    """Adds the run's id to each span opened while the run is worked on."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        del parent_context
        named = (span.attributes or {}).get("temporalWorkflowID")
        if run_id := named or find_run_id():
            span.set_attribute(RUN_ID, run_id)


class ContentFreeExporter(SpanExporter):
    """Exports spans with the attributes of `EXPORTED` alone, and logs an outage of the collector once."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._is_away = False
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # it logs each lost batch

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export what may leave of the spans."""
        result = self._exporter.export([strip_content(span) for span in spans])
        is_away = result is not SpanExportResult.SUCCESS
        if is_away != self._is_away:
            self._is_away = is_away
            logger.warning("the collector of traces is %s", "unreachable" if is_away else "back")
        return result

    def shutdown(self) -> None:
        """Close the connections."""
        self._exporter.shutdown()


def strip_content(span: ReadableSpan) -> ReadableSpan:
    """Return a span without what may hold content: other attributes, messages of errors, stack traces."""
    events = [
        Event(e.name, {"exception.type": str(kind)}, e.timestamp)
        for e in span.events
        if (kind := (e.attributes or {}).get("exception.type"))
    ]
    return ReadableSpan(
        name=span.name[:MAX_NAME_CHARS],
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={k: v for k, v in (span.attributes or {}).items() if k in EXPORTED},
        events=events,
        links=[Link(link.context) for link in span.links],
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


class SafeTraceHeaders(Interceptor, WorkerInterceptor):
    """Drops trace headers that the next interceptor could not read: one in a signal would wedge its run.

    It comes before `OpenTelemetryInterceptor` in the client's list, so that workers have it outside of that one.
    """

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        """Return the inbound half."""
        del input
        return _SafeInbound


class _SafeInbound(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        input.headers = drop_unreadable(input.headers)
        return await super().execute_workflow(input)

    async def handle_signal(self, input: HandleSignalInput) -> None:
        input.headers = drop_unreadable(input.headers)
        await super().handle_signal(input)

    async def handle_query(self, input: HandleQueryInput) -> Any:
        input.headers = drop_unreadable(input.headers)
        return await super().handle_query(input)

    def handle_update_validator(self, input: HandleUpdateInput) -> None:
        input.headers = drop_unreadable(input.headers)
        super().handle_update_validator(input)

    async def handle_update_handler(self, input: HandleUpdateInput) -> Any:
        input.headers = drop_unreadable(input.headers)
        return await super().handle_update_handler(input)


def drop_unreadable(headers: Mapping[str, Payload]) -> Mapping[str, Payload]:
    """Return headers, dropping the trace header unless it is a small JSON object of strings."""
    header = headers.get(TRACE_HEADER)
    if header is None or _is_readable(header):
        return headers
    return {name: payload for name, payload in headers.items() if name != TRACE_HEADER}


def _is_readable(header: Payload) -> bool:
    if header.metadata.get("encoding") != b"json/plain" or len(header.data) > MAX_HEADER_BYTES:
        return False
    try:
        carrier = json.loads(header.data)
    except (ValueError, RecursionError):
        return False
    return isinstance(carrier, dict) and all(isinstance(v, str) for v in carrier.values())
