"""The Python clients drive a run from its question to its report, plainly and in asyncio."""

import asyncio
import os
import signal
import socket
import threading
from typing import Any

import pytest

from contracts.human.checkpoint_subjects import PlanSubject
from greenlight.client import AsyncGatewayClient, GatewayClient, Refused
from tests.api.conftest import Site
from tests.support.words import pattern

QUESTION = "Where to sell pumps?"


async def test_the_client_for_asyncio_drives_a_run(site: Site) -> None:
    async with AsyncGatewayClient(str(site.http.base_url)) as client:
        run = await client.start_run(QUESTION, fresh=True)
        [asked] = (await client.state(run, wait=20)).pending
        answered = await client.answer(run, {question.id: None for question in asked.questions})
        assert answered.answers
        shown = await client.state(run, wait=20)
        assert isinstance(shown.pending[0].subject, PlanSubject)
        assert shown.pending[0].plan == shown.plan
        assert await client.report(run) is None
        with pytest.raises(Refused, match=pattern("plan-stale")) as stale:
            await client.approve(run, "0" * 64)
        assert stale.value.status == 409
        assert (await client.approve(run, shown.plan_hash)).decisions[-1].action == "approve"
        events = [event async for event in client.follow_events(run)]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert events[-1].payload["status"] == "completed"
        report = await client.report(run)
        assert report
        assert report.markdown.startswith("# ")
        with pytest.raises(Refused, match=pattern("run-unknown")):
            await client.state("run-none")


@pytest.mark.full
async def test_the_plain_client_drives_a_run(site: Site) -> None:
    def drive() -> tuple[str, str]:
        with GatewayClient(str(site.http.base_url)) as client:
            run = client.start_run(QUESTION, "deep_research", fresh=True)
            [asked] = client.state(run, wait=20).pending
            client.answer(run, {question.id: None for question in asked.questions})
            shown = client.state(run, wait=20)
            assert shown.plan
            assert client.approve(run, shown.plan.hash).plan == shown.plan
            [*_, last] = client.follow_events(run)
            report = client.report(run)
            assert report
            return report.title, last.type

    assert await asyncio.to_thread(drive) == ("Pumps", "workflow_complete")


def test_the_plain_client_has_the_methods_of_the_one_for_asyncio() -> None:
    def list_methods(kind: type) -> dict[str, Any]:
        return {n: m.__doc__ for n, m in vars(kind).items() if callable(m) and n[0] != "_"}

    plain = list_methods(GatewayClient)
    assert plain.keys() - {"wait"} == list_methods(AsyncGatewayClient).keys()
    assert plain.items() >= list_methods(AsyncGatewayClient).items()


class Interrupted(BaseException):
    """What a signal raises in a call that waits."""


def test_an_interrupted_call_drops_its_request() -> None:
    def interrupt(*_: object) -> None:
        raise Interrupted

    former = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as silent,
            GatewayClient(f"http://127.0.0.1:{silent.getsockname()[1]}") as client,
        ):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
            with pytest.raises(Interrupted):
                client.get("/v1/runs")
            asked, _ = silent.accept()
            asked.settimeout(10)
            assert asked.recv(10_000).startswith(b"GET /v1/runs")
            assert asked.recv(1) == b"", "the connection is closed while the client is open"
    finally:
        signal.signal(signal.SIGUSR1, former)
