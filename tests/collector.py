"""A collector of OpenTelemetry traces on loopback: OTLP over HTTP, by the official messages."""

import gzip
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.offline_services import eventually


@dataclass(frozen=True)
class Received:
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


class Collector:
    """Keeps what it is sent, as bytes and as spans."""

    def __init__(self, port: int = 0) -> None:
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
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
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def spans(self) -> list[Received]:
        return [span for body in list(self.bodies) for span in _read(body)]

    async def until(self, holds: Callable[[list[Received]], bool]) -> list[Received]:
        """Return the spans once they are as they should be; they come in batches."""

        async def arrived() -> list[Received]:
            spans = self.spans()
            return spans if holds(spans) else []

        return list(await eventually(arrived, 20))


def _read(body: bytes) -> list[Received]:
    found = []
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        process = _to_dict(resource.resource.attributes)["service.name"]
        for scope in resource.scope_spans:
            found += [
                Received(
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
