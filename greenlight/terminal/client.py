"""HTTP client of the gateway; it retries, and resumes a stream that breaks off."""

import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any, Self

import httpx
from httpx_sse import connect_sse
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from contracts.base import Json
from contracts.report.research import Report
from contracts.runs.records import LoggedEvent
from contracts.runs.state import StateView
from greenlight.errors import CommandError, Unreachable

COMMAND = "python3 -m greenlight"
API_KEY_VARIABLE = "GREENLIGHT_API_KEY"
READ_TIMEOUT_SECONDS = 75.0
LAST = "last"
"""Stands for the run that was started last."""
STREAM_TIMEOUT_SECONDS = 45.0  # the gateway pings an idle stream well within it
CONNECT_RETRIES = 5  # over 7 s: enough for a gateway to be restarted
DELAYS = (0.2, 0.4, 0.8, 1.6, 3.2, *[5.0] * 17)
"""Seconds before each retry, a minute and a half in all."""
_CONNECTION_LOST = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_CONTROL = dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {ord("\t"), ord("\n")})


class Refused(CommandError):
    """The gateway responded with an error."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = HTTPStatus(response.status_code)
        self.exit_code = 2 if self.status is HTTPStatus.UNPROCESSABLE_ENTITY else 1
        try:
            detail = str(response.json()["detail"])
        except (ValueError, KeyError, TypeError):
            detail = f"the gateway answered {self.status} {self.status.phrase}"
        super().__init__(strip_controls(detail))


class GatewayClient:
    """Client of one gateway."""

    def __init__(self, url: str) -> None:
        self.url = url
        key = os.environ.get(API_KEY_VARIABLE)
        self._http = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(READ_TIMEOUT_SECONDS, connect=5.0),
            transport=httpx.HTTPTransport(retries=CONNECT_RETRIES),
            trust_env=False,
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.close()

    def start(self, path: str, body: Json) -> str:
        """Start a run and return its id."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return str(self.request("POST", path, json=body, headers=headers).json()["run_id"])

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Return the JSON at a path, without control characters."""
        params = {name: value for name, value in query.items() if value is not None}
        return dict(strip_controls(self.request("GET", path, params=params).json()))

    def find_run(self, typed: str) -> str:
        """Return the id of a run by its beginning, with or without `run-`, or by `last`.

        Raises:
            CommandError: none or several are meant.
        """
        prefix = None if typed == LAST else typed
        rows = self.get("/v1/runs", id_prefix=prefix, limit=200)["items"]
        if not rows:
            raise CommandError(f"There is no run {typed!r}; list them: {COMMAND} runs")
        ids = [str(row["run_id"]) for row in rows]
        if prefix is None:
            return max(zip((row["started_at"] or "" for row in rows), ids, strict=True))[1]
        if len(ids) > 1 and typed not in ids:
            raise CommandError(f"Several runs begin with {typed!r}: {', '.join(ids[:5])}")
        return typed if typed in ids else ids[0]

    def state(self, run_id: str) -> StateView:
        """Return a run's state."""
        return StateView.model_validate(self.get(f"/v1/runs/{run_id}/state"))

    def send(self, run_id: str, message: str, body: BaseModel | Json) -> None:
        """Send a message to a run: `answers`, `decision`, `delegate` or `undo`."""
        self.request("POST", f"/v1/runs/{run_id}/{message}", json=to_jsonable_python(body))

    def report(self, run_id: str) -> Report | None:
        """Return the run's report, a draft while it grows; None where there is none."""
        try:
            return Report.model_validate(self.get(f"/v1/runs/{run_id}/report", format="json"))
        except Refused as refusal:
            if refusal.status is not HTTPStatus.NOT_FOUND:
                raise
            return None

    def export_report(self, run_id: str, format: str, at: int | None = None) -> bytes:
        """Return a report as a file, now or after event `at`."""
        query = {"format": format} | ({"at": at} if at else {})
        response = self.request("GET", f"/v1/runs/{run_id}/report", params=query)
        return str(strip_controls(response.text)).encode() if format == "md" else response.content

    def follow_events(
        self, run_id: str, after: int, on_reconnect: Callable[[], None]
    ) -> Iterator[LoggedEvent]:
        """Yield each event after `after` once, in order, to the run's last; reconnect if lost."""
        path, delays = f"/v1/runs/{run_id}/stream", iter(DELAYS)
        timeout = httpx.Timeout(STREAM_TIMEOUT_SECONDS, connect=5.0)
        while True:
            headers = {"Last-Event-ID": str(after)}
            try:
                with connect_sse(
                    self._http, "GET", path, headers=headers, timeout=timeout
                ) as stream:
                    if stream.response.is_client_error:
                        stream.response.read()
                        raise Refused(stream.response)
                    if stream.response.is_success:
                        delays = iter(DELAYS)
                    for sent in stream.iter_sse():  # an error of the server is a TransportError
                        if not sent.data:  # a ping
                            continue
                        event = LoggedEvent.model_validate(strip_controls(sent.json()))
                        after = event.seq
                        yield event
                        if event.type == "workflow_complete":
                            return
                reason = "the stream ended early"
            except httpx.TransportError as error:
                on_reconnect()
                reason = str(error)
            if (delay := next(delays, None)) is None:
                raise Unreachable(f"The gateway at {self.url} is unreachable: {reason}")
            time.sleep(delay)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request; retry on 503, and a GET also when the connection is lost.

        Raises:
            Unreachable: no gateway responds.
            Refused: it responds with an error.
        """
        delays = iter(DELAYS)
        while True:
            delay = next(delays, None)
            try:
                response = self._http.request(method, path, **options)
            except httpx.TransportError as error:
                is_safe = method == "GET" and isinstance(error, _CONNECTION_LOST)
                if delay is None or not is_safe:
                    raise Unreachable(f"No gateway answers at {self.url}: {error}") from error
            else:
                if response.is_success:
                    return response
                refused = Refused(response)
                if delay is None or refused.status is not HTTPStatus.SERVICE_UNAVAILABLE:
                    raise refused
                if delay == DELAYS[-1]:
                    print(f"greenlight: waiting: {refused}", file=sys.stderr)
            time.sleep(delay)


def strip_controls(value: Any) -> Any:
    """Remove control characters but tab and line feed from all text in JSON: they steer terminals."""
    if isinstance(value, str):
        return value.translate(_CONTROL)
    if isinstance(value, list):
        return [strip_controls(item) for item in value]
    if isinstance(value, dict):
        return {name: strip_controls(item) for name, item in value.items()}
    return value
