"""The gateway as the terminal sees it: plain calls, and a stream that survives being cut.

TerminalError        one line for a person, and the exit code it means
├── Refused          the gateway said no (problem+json)
├── Unreachable      no gateway answers
├── Usage            what was typed does not hold together
└── NeedsHuman       nobody is here to ask
"""

import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Self

import httpx
from httpx_sse import connect_sse

from contracts.agents.workbench import Artifact
from contracts.base import Json
from contracts.human.messages import AnswerQuestions, Decide
from contracts.report.research import Report
from contracts.runs.records import LoggedEvent
from contracts.runs.request import RunRequest
from contracts.runs.state import StateView
from greenlight.terminal.escapes import harmless

KEY = "GREENLIGHT_API_KEY"
SILENCE = 45.0  # seconds; the gateway pings an idle stream well within it
_CUT = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
CONNECT_RETRIES = 5  # over 7 s: enough for a gateway that is being started again
LONGEST_DELAY = 5.0
PATIENCE = 90.0  # seconds after which what is away is given up


class TerminalError(Exception):
    """Ends a command with one line and a code."""

    exit_code = 1


class Usage(TerminalError):
    """What was typed does not hold together."""

    exit_code = 2


class NeedsHuman(TerminalError):
    """The run waits for an answer that nobody here can give."""

    exit_code = 3


class Unreachable(TerminalError):
    """No gateway answers."""


class Refused(TerminalError):
    """The gateway said no, with a reason."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = HTTPStatus(response.status_code)
        self.exit_code = 2 if self.status is HTTPStatus.UNPROCESSABLE_ENTITY else 1
        try:
            detail = str(response.json()["detail"])
        except (ValueError, KeyError, TypeError):
            detail = f"the gateway answered {self.status} {self.status.phrase}"
        super().__init__(harmless(detail))


class Gateway:
    """A client of one gateway."""

    def __init__(self, url: str, say: Callable[[str], None]) -> None:
        self.url = url
        self._say = say
        self._http = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(75.0, connect=5.0),
            transport=httpx.HTTPTransport(retries=CONNECT_RETRIES),
            trust_env=False,
            headers={"Authorization": f"Bearer {key}"} if (key := os.environ.get(KEY)) else {},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.close()

    def start(self, definition: str, request: RunRequest) -> str:
        """Start a run and return its id."""
        body = request.model_dump(mode="json", exclude_defaults=True)
        return self._begin(f"/v1/workflows/{definition}/run", body)

    def follow_up(self, run_id: str, question: str, **more: float | None) -> str:
        """Start a run that goes on from a finished one and return its id."""
        return self._begin(f"/v1/runs/{run_id}/follow-up", {"query": question, **more})

    def _begin(self, path: str, body: Json) -> str:
        once = {"Idempotency-Key": str(uuid.uuid4())}
        return str(self._call("POST", path, json=body, headers=once)["run_id"])

    def state(self, run_id: str) -> StateView:
        """Return where a run stands."""
        return StateView.model_validate(self._call("GET", f"/v1/runs/{run_id}/state"))

    def answer(self, run_id: str, answers: AnswerQuestions) -> None:
        """Answer open questions."""
        self._call("POST", f"/v1/runs/{run_id}/answers", json=answers.model_dump(mode="json"))

    def decide(self, run_id: str, decision: Decide) -> None:
        """Decide at a checkpoint."""
        self._call("POST", f"/v1/runs/{run_id}/decision", json=decision.model_dump(mode="json"))

    def delegate(self, run_id: str, to: str) -> None:
        """Give one's say to somebody else."""
        self._call("POST", f"/v1/runs/{run_id}/delegate", json={"to": to})

    def undo(self, run_id: str, seq: int, by: str) -> None:
        """Take back what an event tells of the living report."""
        self._call("POST", f"/v1/runs/{run_id}/undo", json={"seq": seq, "by": by})

    def delete(self, run_id: str) -> None:
        """Remove a run for good."""
        self._answer("DELETE", f"/v1/runs/{run_id}")

    def runs(self, status: str | None, limit: int) -> list[Json]:
        """Return the newest runs, those still going first."""
        query = {"limit": limit} | ({"status": status} if status else {})
        items = self._call("GET", "/v1/runs", params=query)["items"]
        return list(items)

    def report(self, run_id: str) -> Report | None:
        """Return the newest report among what the phases put out, if there is one."""
        run = self._call("GET", f"/v1/runs/{run_id}", params={"include": "outputs"})
        found = [output["report"] for output in run["outputs"].values() if "report" in output]
        return Report.model_validate(found[-1]) if found else None

    def exported(self, run_id: str, format: str, at: int | None = None) -> bytes | None:
        """Return a report as a file of a format, after an event or as it is; None: there is none yet."""
        query = {"format": format} | ({"at": str(at)} if at else {})
        try:
            found = self._answer("GET", f"/v1/runs/{run_id}/report", params=query)
        except Refused as refused:
            if refused.status is HTTPStatus.NOT_FOUND and "has no report" in str(refused):
                return None
            raise
        return str(harmless(found.text)).encode() if format == "md" else found.content

    def compare(self, run_id: str, other_id: str) -> Json:
        """Return how the second run differs from the first."""
        return self._call("GET", f"/v1/runs/{run_id}/compare/{other_id}")

    def sources(self, run_id: str) -> list[Json]:
        """Return all sources; citation [n] is the nth."""
        return list(self._call("GET", f"/v1/runs/{run_id}/sources")["items"])

    def artifacts(self, run_id: str) -> list[Artifact]:
        """Return the tables and charts that a run made, and the pages it read."""
        items = self._call("GET", f"/v1/runs/{run_id}/artifacts")["items"]
        return [Artifact.model_validate(item) for item in items]

    def held(self, run_id: str, artifact: Artifact) -> bytes:
        """Return what an artifact holds."""
        return self._answer("GET", f"/v1/runs/{run_id}/artifacts/{artifact.id}").content

    def events(self, run_id: str, after: int, on_cut: Callable[[], None]) -> Iterator[LoggedEvent]:
        """Yield each event after `after` once, in order, to the run's last; reconnect when cut."""
        delays = _delays()
        while True:
            try:
                with self._stream(run_id, after) as stream:
                    delays = _delays()
                    for event in stream:
                        if event.seq > after:
                            after = event.seq
                            yield event
                        if event.type == "workflow_complete":
                            return
            except httpx.TransportError as error:
                on_cut()
                lost = error
            else:
                lost = httpx.RemoteProtocolError("the stream ended early")
            if (delay := next(delays, None)) is None:
                raise Unreachable(f"The gateway at {self.url} went away: {lost}")
            time.sleep(delay)

    @contextmanager
    def _stream(self, run_id: str, after: int) -> Iterator[Iterator[LoggedEvent]]:
        timeout = httpx.Timeout(SILENCE, connect=5.0)
        path, headers = f"/v1/runs/{run_id}/stream", {"Last-Event-ID": str(after)}
        with connect_sse(self._http, "GET", path, headers=headers, timeout=timeout) as source:
            if source.response.status_code >= 500:
                raise httpx.RemoteProtocolError(f"status {source.response.status_code}")
            if source.response.is_error:
                source.response.read()
                raise Refused(source.response)
            yield (
                LoggedEvent.model_validate(harmless(sent.json()))
                for sent in source.iter_sse()
                if sent.data
            )

    def _call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the answer's JSON, from which nothing can steer a terminal."""
        return dict(harmless(self._answer(method, path, **options).json()))

    def _answer(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return the answer; while something behind the gateway is away (503), wait for it."""
        response = self._send(method, path, **options)
        for delay in _delays():
            if response.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                break
            if delay == LONGEST_DELAY:
                self._say(f"waiting: {Refused(response).args[0]}")
            time.sleep(delay)
            response = self._send(method, path, **options)
        if response.is_error:
            raise Refused(response)
        return response

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return the answer; what only reads is asked anew when the connection breaks off."""
        delays = _delays() if method == "GET" else iter(())
        while True:
            try:
                return self._http.request(method, path, **options)
            except httpx.TransportError as error:
                delay = next(delays, None) if isinstance(error, _CUT) else None
                if delay is None:
                    raise Unreachable(f"No gateway answers at {self.url}: {error}") from error
            time.sleep(delay)


def _delays() -> Iterator[float]:
    """Yield how long to wait before each new attempt, for as long as it is worth waiting."""
    delay, waited = 0.2, 0.0
    while waited < PATIENCE:
        yield delay
        waited += delay
        delay = min(delay * 2, LONGEST_DELAY)
