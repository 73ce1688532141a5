"""Spans of HTTP requests: method, host and status, without path, query, headers or body."""

from contextlib import AbstractContextManager
from typing import Any

import httpx
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from activities.spans import open_span


def open_request_span(request: httpx.Request) -> AbstractContextManager[Span]:
    """Open the span of a request until its response begins."""
    attributes: dict[str, str | int] = {
        "http.request.method": request.method,
        "server.address": request.url.host,
        **({"server.port": request.url.port} if request.url.port else {}),
    }
    return open_span(request.method, SpanKind.CLIENT, attributes)


def note_response(span: Span, response: httpx.Response) -> None:
    """Note the status of a response."""
    span.set_attribute("http.response.status_code", response.status_code)
    if response.is_error:
        span.set_attribute("error.type", str(response.status_code))
        span.set_status(Status(StatusCode.ERROR))


class TracedClient(httpx.AsyncClient):
    """An HTTP client that opens a span for each request, until its response begins."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request within a span."""
        with open_request_span(request) as span:
            response = await super().send(request, **options)
            note_response(span, response)
            return response
