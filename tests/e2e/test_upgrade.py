"""A release deployed over runs that wait and runs at work, by Worker Versioning, with real processes of both."""

import asyncio
import contextlib
import json
import os
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowHistory

from greenlight.stack.processes import Child
from store.blobs import BlobStore
from temporal.payloads import data_converter
from tests.chaos.fragile_stack import FragileStack
from tests.e2e.next_release import PATCH, PROMPT, RELEASE, build_next_release, run_in
from tests.support.stack import CALL, QUESTION, Run, Whole
from tests.support.temporal.versions import list_builds, make_current

QUEUE = "research"
LATENCY = 1.0
"""Seconds that each answer takes, less than the grace that a worker has to stop."""
RUNS = 6

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class Deployment:
    """A stack with this release's gateway, and workers of this release and the next."""

    whole: Whole
    temporal: Client
    next_tree: Path

    @contextlib.asynccontextmanager
    async def worker(self, build_id: str, tree: Path | None = None) -> AsyncIterator[Child]:
        """Run a worker of a version during the block, and end it by SIGTERM.

        It is a program: a fork of this release's would have its modules, whatever the tree.
        """
        child = Child(**vars(self.whole.stack._layout.worker()))
        child.env = {**child.env, "GREENLIGHT_BUILD_ID": build_id}
        child.argv = run_in(tree, [*child.argv]) if tree else child.argv
        child.log = child.log.with_name(f"worker-{build_id}.log")
        await child.start()
        try:
            await child.wait_until_ready()
            yield child
        finally:
            await child.stop()

    async def switch(self, build_id: str, old: Child | None = None) -> None:
        """Make a version current, and drain the worker of the one before."""
        await make_current(self.temporal, QUEUE, build_id)
        if old:
            os.kill(old.pid, old.stop_signal)
            assert await old.wait() == 0

    async def fetch_history(self, run: Run) -> WorkflowHistory:
        return await self.temporal.get_workflow_handle(run.id).fetch_history()

    async def read_prompts(self, history: WorkflowHistory) -> dict[str, str]:
        """Return the system prompts of a run's calls, by phase."""
        prompts: dict[str, str] = {}
        for event in history.events:
            scheduled = event.activity_task_scheduled_event_attributes
            if scheduled.activity_type.name == "models.call":
                [call] = await self.temporal.data_converter.decode(scheduled.input.payloads)
                phase = call["scope"]["phase_id"]
                prompts[phase] = prompts.get(phase, "") + call["system"]
        return prompts

    async def list_payments(self, runs: list[Run]) -> Counter[str]:
        """Return how often models answered, how many answers were settled, and what was settled or made twice."""
        calls = [call for run in runs for call in await self.whole.ledger(run)]
        settled = Counter((call["run_id"], *(call[part] for part in CALL)) for call in calls)
        answered = [
            entry
            for entry in await self.whole.providers.asked("model")
            if entry["finished"] and entry["status"] == 200
        ]
        return Counter(
            answered=len(answered),
            settled=len(calls),
            twice=sum(n - 1 for n in settled.values()),
            taken_over=sum(call["taken_over"] for call in calls),
        )


@pytest.fixture(scope="module")
async def deployment(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deployment]:
    """The stack has no worker of its own: an unversioned one gets no task once a version is current."""
    tree = build_next_release(tmp_path_factory.mktemp("next"))
    home = tmp_path_factory.mktemp("upgrade")
    async with (
        FragileStack(home, print, has_crews=False) as stack,
        Whole.of(stack) as whole,
        stack.without("worker"),
    ):
        converter = data_converter(BlobStore((home / "blobs").as_uri()))
        temporal = await Client.connect(stack.addresses.temporal, data_converter=converter)
        yield Deployment(whole, temporal, tree)


def list_patches(history: WorkflowHistory) -> list[str]:
    """Return the ids of the patches that a run has passed."""
    markers = (event.marker_recorded_event_attributes for event in history.events)
    return [
        json.loads(marker.details["patch-data"].payloads[0].data)["id"]
        for marker in markers
        if marker.marker_name == "core_patch"
    ]


async def read_by_gateway_of_before(run: Run) -> None:
    """Read all that a run left; its records have fields that this gateway does not know."""
    recorded = (await run.get(include="outputs")).json()["outputs"]
    assert recorded["synthesis"]["report"]["release"] == RELEASE
    for path in (
        "",
        "/state",
        "/sources",
        "/events",
        "/artifacts",
        "/phases",
        "/report/head",
        "/archive",
    ):
        await run.get(path)
    for shape in ("md", "json", "html", "docx"):
        await run.get("/report", format=shape)


async def test_run_that_waits_is_approved_and_finished_by_the_next_release(
    deployment: Deployment,
) -> None:
    whole = deployment.whole
    await whole.providers.forget()
    async with (
        deployment.worker("0.1.0") as old,
        deployment.worker("0.2.0", deployment.next_tree),
    ):
        await deployment.switch("0.1.0")
        run = await whole.planned()
        asked, planned = await run.asks("decision"), await whole.ledger(run)
        await deployment.switch("0.2.0", old)
        assert await run.asks("decision") == asked
        assert await whole.providers.asked("search") == []
        await run.approve()
        state = await run.completed(90)
    assert [d.plan_hash for d in state.decisions if d.action == "approve"] == [asked.plan_hash]
    history = await deployment.fetch_history(run)
    assert list_builds(history) == ["0.1.0", "0.2.0"]
    assert PATCH in list_patches(history)
    prompts = await deployment.read_prompts(history)
    assert PROMPT in prompts["research"]
    assert PROMPT not in prompts["planning"]
    await read_by_gateway_of_before(run)
    paid = await deployment.list_payments([run])
    assert paid["answered"] == paid["settled"] > len(planned)
    assert (paid["twice"], paid["taken_over"]) == (0, 0)


async def test_worker_that_is_drained_under_load_loses_nothing(deployment: Deployment) -> None:
    whole = deployment.whole
    await whole.providers.forget()
    async with (
        deployment.worker("0.3.0") as old,
        deployment.worker("0.4.0", deployment.next_tree),
    ):
        await deployment.switch("0.3.0")
        await whole.providers.told(latency=LATENCY)
        runs = [await whole.start(f"{QUESTION} Case {n}.") for n in range(RUNS)]
        living = [asyncio.create_task(run.finish(150)) for run in runs]
        await whole.providers.until("model", 2 * RUNS)
        await deployment.switch("0.4.0", old)
        states = await asyncio.gather(*living)
    assert {state.status for state in states} == {"completed"}
    builds = [list_builds(await deployment.fetch_history(run)) for run in runs]
    assert ["0.3.0", "0.4.0"] in builds
    paid = await deployment.list_payments(runs)
    assert paid["answered"] == paid["settled"]
    assert paid["twice"] == 0
