"""A collector of OpenTelemetry traces on loopback: OTLP over HTTP, by the official messages."""

import gzip
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as it arrived."""

    process: str
    trace: str
    id: str
    parent: str
    name: str
    begin: int
    end: int
    is_error: bool
    attributes: dict[str, Any]


class TraceCollector:
    """Keeps the batches that it receives, and reads their spans."""

    def __init__(self, port: int = 0) -> None:
        """Listen at a port; 0: at any free one."""
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                """Take a batch."""
                body = self.rfile.read(int(self.headers["content-length"]))
                is_packed = self.headers.get("content-encoding") == "gzip"
                collector.bodies.append(gzip.decompress(body) if is_packed else body)
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Suppress the server's request log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Close its port."""
        self._server.shutdown()
        self._server.server_close()

    def spans(self) -> list[ReceivedSpan]:
        """Return the spans that have arrived."""
        return [span for body in list(self.bodies) for span in _read(body)]


def _read(body: bytes) -> list[ReceivedSpan]:
    found = []
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        process = _to_dict(resource.resource.attributes)["service.name"]
        for scope in resource.scope_spans:
            found += [
                ReceivedSpan(
                    process=process,
                    trace=span.trace_id.hex(),
                    id=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    name=span.name,
                    begin=span.start_time_unix_nano,
                    end=span.end_time_unix_nano,
                    is_error=span.status.code == 2,
                    attributes=_to_dict(span.attributes),
                )
                for span in scope.spans
            ]
    return found


def _to_dict(attributes: Any) -> dict[str, Any]:
    return {a.key: getattr(a.value, str(a.value.WhichOneof("value"))) for a in attributes}
