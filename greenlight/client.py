"""Python clients of the gateway, synchronous and for asyncio; they retry, and resume interrupted streams."""

import asyncio
import functools
import os
import sys
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any, BinaryIO, Concatenate, ParamSpec, Self, TypeVar

import httpx
from anyio.from_thread import start_blocking_portal
from httpx_sse import ServerSentEvent, aconnect_sse
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from contracts.base import Json
from contracts.definitions import DEFAULT
from contracts.evidence.sources import OwnFile
from contracts.human.messages import AnswerQuestions, Decide
from contracts.notices import Notice
from contracts.problems import Problem, join_problems
from contracts.report.report import Report
from contracts.runs.records import LoggedEvent
from contracts.runs.request import RunRequest
from contracts.runs.state_view import StateView
from greenlight import exit_codes
from greenlight.bootstrap import COMMAND
from greenlight.errors import CommandError, Unreachable

API_KEY_VARIABLE = "GREENLIGHT_API_KEY"
READ_TIMEOUT_SECONDS = 75.0
LAST = "last"
"""Alias of the run that was started last."""
GLANCE_SECONDS = 2.0
STREAM_TIMEOUT_SECONDS = 45.0  # the gateway pings an idle stream well within it
CONNECT_RETRIES = 5  # over 7 s: enough for a gateway to be restarted
DELAYS = (0.2, 0.4, 0.8, 1.6, 3.2, *[5.0] * 17)
"""Seconds before each retry, a minute and a half in all."""
BYTES = {"Content-Type": "application/octet-stream"}
Params = ParamSpec("Params")
Result = TypeVar("Result")
_CONNECTION_LOST = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_CONTROL = dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {ord("\t"), ord("\n")})


class Refused(CommandError):
    """The gateway responded with an error."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = HTTPStatus(response.status_code)
        self.exit_code = (
            exit_codes.USAGE
            if self.status is HTTPStatus.UNPROCESSABLE_ENTITY
            else exit_codes.FAILED
        )
        self.problems: list[Problem] = []
        try:
            told = strip_controls(response.json())
            self.problems = [Problem.model_validate(each) for each in told.get("problems", [])]
            words = Notice(code=told["code"], params=told.get("params", {}))
        except (ValueError, KeyError, TypeError):  # not the gateway's own response
            status = f"{self.status} {self.status.phrase}"
            words = Notice.of("gateway-status", status=status)
        words = join_problems(self.problems) if self.problems else words
        super().__init__(words.text)


class AsyncGatewayClient:
    """Client of one gateway for asyncio."""

    def __init__(self, url: str) -> None:
        self.url = url
        transport = httpx.AsyncHTTPTransport(
            retries=CONNECT_RETRIES, limits=httpx.Limits(max_connections=None)
        )
        self._http = httpx.AsyncClient(base_url=url, transport=transport, **_options())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._http.aclose()

    async def start_run(self, /, query: str, definition: str = DEFAULT, **options: Any) -> str:
        """Start a run and return its id; `options` are the fields of a RunRequest."""
        request = RunRequest.model_validate({"query": query, **options})
        body = request.model_dump(mode="json", exclude_defaults=True)
        return await self.start(f"/v1/workflows/{definition}/run", body)

    async def start(self, path: str, body: Json) -> str:
        """Start a run and return its id."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        response = await self.request("POST", path, json=body, headers=headers)
        return str(response.json()["run_id"])

    async def upload(self, name: str, body: bytes) -> OwnFile:
        """Have a document of the user's own read; its id goes to `files` of a start."""
        options = {"params": {"name": name}, "content": body, "headers": BYTES}
        response = await self.request("POST", "/v1/files", **options)
        return OwnFile.model_validate(strip_controls(response.json()))

    async def get(self, /, path: str, **query: Any) -> dict[str, Any]:
        """Return the JSON at a path, without control characters."""
        params = {name: value for name, value in query.items() if value is not None}
        return dict(strip_controls((await self.request("GET", path, params=params)).json()))

    async def find_run(self, typed: str) -> str:
        """Return the id of a run by its beginning, with or without `run-`, or by `last`.

        Raises:
            CommandError: none or several are meant.
        """
        prefix = None if typed == LAST else typed
        rows = await self._find_rows(prefix)
        if not rows:
            raise CommandError.of("cli-no-run", run=typed, command=f"{COMMAND} runs")
        ids = [str(row["run_id"]) for row in rows]
        if prefix is None:
            return max(zip((row["started_at"] or "" for row in rows), ids, strict=True))[1]
        if len(ids) > 1 and typed not in ids:
            raise CommandError.of("cli-several-runs", run=typed, ids=ids[:5])
        return typed if typed in ids else ids[0]

    async def _find_rows(self, prefix: str | None) -> list[Json]:
        """Return the runs whose ids begin with `prefix`; the list is empty if no id can begin with it."""
        try:
            return list((await self.get("/v1/runs", id_prefix=prefix, limit=200))["items"])
        except Refused as refused:
            if refused.status is not HTTPStatus.UNPROCESSABLE_ENTITY:
                raise
            return []

    async def patches(self, run_id: str) -> AsyncGenerator[tuple[int, Json], None]:
        """Yield each change of the run's living report, with the number of its event."""
        path, after = f"/v1/runs/{run_id}/events", "0"
        while after:
            page = await self.get(path, after=after, limit=500, markdown=False)
            for event in page["items"]:
                output = (event["payload"].get("tool_output") or {}).get("raw_output")
                if isinstance(output, dict) and "patch" in output:
                    yield event["seq"], output["patch"]
            after = page["next_cursor"]

    async def state(self, run_id: str, wait: float = 0) -> StateView:
        """Return a run's state; wait up to 60 s for a human to be asked, or for the end."""
        query = {"wait": wait} if wait else {}
        return StateView.model_validate(await self.get(f"/v1/runs/{run_id}/state", **query))

    async def glance(self, run_id: str) -> StateView | None:
        """Return a run's state, or None if it is not available immediately."""
        options = {**_options(), "timeout": GLANCE_SECONDS}
        try:
            async with httpx.AsyncClient(base_url=self.url, **options) as http:
                response = await http.get(f"/v1/runs/{run_id}/state")
        except httpx.TransportError:
            return None
        found = strip_controls(response.json()) if response.is_success else None
        return found and StateView.model_validate(found)

    async def answer(self, run_id: str, answers: Mapping[str, str | None]) -> StateView:
        """Answer the open questions by their ids; None leaves one to the run. Return the state."""
        message = AnswerQuestions(answers=dict(answers))
        return _parse_state(await self.send(run_id, "answers", message))

    async def approve(
        self,
        run_id: str,
        plan_hash: str | None = None,
        choice: str | None = None,
        keep_startup: bool | None = None,
    ) -> StateView:
        """Approve the plan of that hash, or choose what is offered; also keep it as a startup, or not.

        Return the state.
        """
        given = {"plan_hash": plan_hash, "choice": choice, "keep_startup": keep_startup}
        approval = Decide.model_validate({"action": "approve", **given})
        return _parse_state(await self.send(run_id, "decision", approval))

    async def send(self, run_id: str, message: str, body: BaseModel | Json) -> httpx.Response:
        """Send a message to a run: `answers`, `decision`, `delegate` or `undo`."""
        path = f"/v1/runs/{run_id}/{message}"
        return await self.request("POST", path, json=to_jsonable_python(body))

    async def report(self, run_id: str, *, appendix: bool = True) -> Report | None:
        """Return the run's report, or its draft while the run is active; None if the run has no report."""
        try:
            path = f"/v1/runs/{run_id}/report"
            found = await self.get(path, format="json", appendix=appendix)
        except Refused as refusal:
            if refusal.status is not HTTPStatus.NOT_FOUND:
                raise
            return None
        return Report.model_validate(found)

    async def export_report(
        self, run_id: str, format: str, at: int | None = None, *, appendix: bool = True
    ) -> bytes:
        """Return a report as a file, now or after event `at`, or its copy without the appendix."""
        query = {"format": format, "appendix": appendix} | ({} if at is None else {"at": at})
        response = await self.request("GET", f"/v1/runs/{run_id}/report", params=query)
        return str(strip_controls(response.text)).encode() if format == "md" else response.content

    async def download(self, path: str, file: BinaryIO) -> None:
        """Write the response to a GET into a file while it arrives.

        Raises:
            Unreachable: No gateway responds, or the connection breaks.
            Refused: The gateway responds with an error.
        """
        try:
            async with self._http.stream("GET", path) as response:
                if not response.is_success:
                    await response.aread()
                    raise Refused(response)
                async for part in response.aiter_bytes():
                    file.write(part)
        except httpx.TransportError as error:
            raise Unreachable.of("cli-no-gateway", url=self.url, reason=str(error)) from error

    async def follow_events(
        self,
        run_id: str,
        after: int = 0,
        on_reconnect: Callable[[], None] = lambda: None,
        *,
        markdown: bool = True,
    ) -> AsyncGenerator[LoggedEvent, None]:
        """Yield each event after `after` once, in order, to the run's last; reconnect if lost.

        Without `markdown`, events that change the report do not include all of it.
        """
        path, delays = f"/v1/runs/{run_id}/stream", iter(DELAYS)
        timeout = httpx.Timeout(STREAM_TIMEOUT_SECONDS, connect=5.0)
        while True:
            headers = {"Last-Event-ID": str(after)}
            try:
                async with aconnect_sse(
                    self._http,
                    "GET",
                    path,
                    params={"markdown": markdown},
                    headers=headers,
                    timeout=timeout,
                ) as stream:
                    if stream.response.is_client_error:
                        await stream.response.aread()
                        raise Refused(stream.response)
                    if stream.response.is_success:
                        delays = iter(DELAYS)
                    async for (
                        sent
                    ) in stream.aiter_sse():  # an error of the server is a TransportError
                        if (event := _parse_event(sent)) is None:
                            continue
                        after = event.seq
                        yield event
                        if event.type == "workflow_complete":
                            return
                reason: str | Notice = Notice.of("cli-stream-ended")
            except httpx.TransportError as error:
                on_reconnect()
                reason = str(error)
            if (delay := next(delays, None)) is None:
                raise Unreachable.of("cli-gateway-away", url=self.url, reason=reason)
            await asyncio.sleep(delay)

    async def request(self, /, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request; retry on 503, and a GET also when the connection is lost.

        Raises:
            Unreachable: no gateway responds.
            Refused: it responds with an error.
        """
        delays = iter(DELAYS)
        while True:
            delay = next(delays, None)
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = await self._http.request(method, path, **options)
            except httpx.TransportError as error:
                outcome = error
            if response := _judge(outcome, method, self.url, delay):
                return response
            await asyncio.sleep(delay or 0)


def _block(
    method: Callable[Concatenate[AsyncGatewayClient, Params], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate["GatewayClient", Params], Result]:
    """Return a method of the client for asyncio as one that blocks."""

    @functools.wraps(method)
    def call(client: "GatewayClient", /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return client.wait(method(client.core, *args, **kwargs))

    return call


def _block_each(
    method: Callable[Concatenate[AsyncGatewayClient, Params], AsyncGenerator[Result, None]],
) -> Callable[Concatenate["GatewayClient", Params], Iterator[Result]]:
    """Return a generator of the client for asyncio as one that blocks before each item."""

    @functools.wraps(method)
    def iterate(
        client: "GatewayClient", /, *args: Params.args, **kwargs: Params.kwargs
    ) -> Iterator[Result]:
        items = method(client.core, *args, **kwargs)
        while item := client.wait(_take_next(items)):
            yield item[0]

    return iterate


async def _take_next(items: AsyncGenerator[Result, None]) -> tuple[Result] | None:
    """Return the next item in a tuple, or None if the iterator is exhausted."""
    async for item in items:
        return (item,)
    return None


class GatewayClient:
    """Synchronous client of one gateway: runs the asyncio client in an event loop in another thread."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._exit = ExitStack()
        self._portal = self._exit.enter_context(start_blocking_portal())
        self.core = AsyncGatewayClient(url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        with self._exit:
            self.wait(self.core.__aexit__(*exc))

    def wait(self, call: Coroutine[Any, Any, Result]) -> Result:
        """Return a call's result; interrupting the wait cancels the call."""
        future: Future[Result] = self._portal.start_task_soon(lambda: call)
        try:
            return future.result()
        finally:
            future.cancel()

    start_run = _block(AsyncGatewayClient.start_run)
    start = _block(AsyncGatewayClient.start)
    upload = _block(AsyncGatewayClient.upload)
    get = _block(AsyncGatewayClient.get)
    find_run = _block(AsyncGatewayClient.find_run)
    patches = _block_each(AsyncGatewayClient.patches)
    state = _block(AsyncGatewayClient.state)
    glance = _block(AsyncGatewayClient.glance)
    answer = _block(AsyncGatewayClient.answer)
    approve = _block(AsyncGatewayClient.approve)
    send = _block(AsyncGatewayClient.send)
    report = _block(AsyncGatewayClient.report)
    export_report = _block(AsyncGatewayClient.export_report)
    download = _block(AsyncGatewayClient.download)
    follow_events = _block_each(AsyncGatewayClient.follow_events)
    request = _block(AsyncGatewayClient.request)


def build_key_headers() -> dict[str, str]:
    """Return the header with the API key of the environment; empty without a key."""
    key = os.environ.get(API_KEY_VARIABLE)
    return {"Authorization": f"Bearer {key}"} if key else {}


def _options() -> dict[str, Any]:
    return {
        "timeout": httpx.Timeout(READ_TIMEOUT_SECONDS, connect=5.0),
        "trust_env": False,
        "headers": build_key_headers(),
    }


def _parse_state(response: httpx.Response) -> StateView:
    """Return the state that the gateway answers a message with."""
    told = {name: strip_controls(value) for name, value in response.json().items()}
    return StateView.model_validate({n: v for n, v in told.items() if n in StateView.model_fields})


def _parse_event(sent: ServerSentEvent) -> LoggedEvent | None:
    """Return the event, or None for a ping."""
    return LoggedEvent.model_validate(strip_controls(sent.json())) if sent.data else None


def _judge(
    outcome: httpx.Response | httpx.TransportError, method: str, url: str, delay: float | None
) -> httpx.Response | None:
    """Return a successful response, or None if the request is to be sent again after `delay`."""
    if isinstance(outcome, httpx.TransportError):
        if delay is None or method != "GET" or not isinstance(outcome, _CONNECTION_LOST):
            raise Unreachable.of("cli-no-gateway", url=url, reason=str(outcome)) from outcome
        return None
    if outcome.is_success:
        return outcome
    refused = Refused(outcome)
    if delay is None or refused.status is not HTTPStatus.SERVICE_UNAVAILABLE:
        raise refused
    if delay == DELAYS[-1]:
        print(f"greenlight: waiting: {refused}", file=sys.stderr)
    return None


def strip_controls(value: Any) -> Any:
    """Remove control characters but tab and line feed from all text in JSON: they steer terminals."""
    if isinstance(value, str):
        return value.translate(_CONTROL)
    if isinstance(value, list):
        return [strip_controls(item) for item in value]
    if isinstance(value, dict):
        return {name: strip_controls(item) for name, item in value.items()}
    return value
