"""When an activity is retried, and when its failure is final."""

import asyncio
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import get_type_hints

import pytest
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.calls.call_events import count_attempts, get_attempt_id
from activities.temporal_failures import to_application_error
from activities.web.web_activities import WebActivities
from contracts.errors import GreenlightError, ModelBusy, WorkerStopping
from contracts.evidence.sources import ProbeRequest, ProbeResult
from contracts.models.call import Scope, WebRequest
from contracts.notices import Notice
from tests.workflows.support.run_harness import pydantic_client
from workflows.runtime.activity_timeouts_and_retries import OPTIONS, execute_activity
from workflows.runtime.failures import describe_failure

ATTEMPTS = 2
PROBE = ProbeRequest(
    scope=Scope(run_id="run", phase_id="research", attempt=1, name="probe"),
    url="https://example.org",
    plan_hash="",
)


class Mortal:
    """Fails at each attempt in the given way, and finally does its work."""

    def __init__(self, ends: Sequence[int | GreenlightError]) -> None:
        self.ends = iter(ends)
        self.attempts: list[tuple[str, int]] = []
        self.asked: list[ProbeRequest] = []

    @activity.defn(name="web.probe")
    async def probe(self, request: ProbeRequest) -> ProbeResult:
        self.asked.append(request)
        self.attempts.append((get_attempt_id(), count_attempts(request.scope)))
        end = next(self.ends, None)
        if isinstance(end, GreenlightError):
            raise to_application_error(end)
        if end is not None:
            activity.heartbeat(end)
            await asyncio.sleep(30)
        return ProbeResult(url=request.url, status=200)


@workflow.defn
class Probing:
    """Probes once and says how that ended."""

    @workflow.run
    async def run(self) -> str:
        try:
            await execute_activity(WebActivities.probe, PROBE, summary="", activity_id="work")
        except ActivityError as error:
            return describe_failure(error).type
        return "done"


async def outcome(temporal: Client, queue: str, mortal: Mortal) -> str:
    client = pydantic_client(temporal)
    worker = Worker(
        client,
        task_queue=queue,
        workflows=[Probing],
        activities=[mortal.probe],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    async with worker:
        return await client.execute_workflow(Probing.run, id=queue, task_queue=queue)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    short = RetryPolicy(initial_interval=timedelta(milliseconds=50), maximum_attempts=ATTEMPTS)
    changes = {"heartbeat_timeout": timedelta(seconds=0.6), "retry_policy": short}
    probe = WebActivities.probe
    monkeypatch.setitem(OPTIONS, probe, {**OPTIONS[probe], **changes})


@pytest.mark.parametrize(
    ("finished", "how", "attempts"),
    [
        pytest.param([0, 0, 0], "worker-lost", 2, id="none", marks=pytest.mark.full),
        pytest.param([1, 2, 3, 4], "done", 5, id="each"),
        pytest.param([1, 2, 2, 2, 3], "worker-lost", 4, id="no more", marks=pytest.mark.full),
    ],
)
async def test_a_dead_worker_counts_unless_it_got_further(
    temporal: Client, task_queue: str, finished: list[int], how: str, attempts: int
) -> None:
    mortal = Mortal(finished)
    assert await outcome(temporal, task_queue, mortal) == how
    assert len(mortal.attempts) == attempts


async def test_a_worker_that_stops_uses_up_no_attempt(temporal: Client, task_queue: str) -> None:
    """Each start has an id of its own: what an earlier one wrote is not taken for its own."""
    mortal = Mortal([WorkerStopping(Notice.of("worker-stopping"))] * 4)
    assert await outcome(temporal, task_queue, mortal) == "done"
    ids = ["work.1", "work~2.1", "work~3.1", "work~4.1", "work~5.1"]
    assert mortal.attempts == [(id, n) for n, id in enumerate(ids, start=1)]


async def test_failures_of_the_call_itself_are_bounded(temporal: Client, task_queue: str) -> None:
    mortal = Mortal([ModelBusy(Notice.of("model-late"))] * 4)
    assert await outcome(temporal, task_queue, mortal) == "model-busy"
    assert len(mortal.attempts) == ATTEMPTS


async def test_history_keeps_a_request_without_its_defaults(
    temporal: Client, task_queue: str
) -> None:
    mortal = Mortal([])
    assert await outcome(temporal, task_queue, mortal) == "done"
    history = await temporal.get_workflow_handle(task_queue).fetch_history()
    [asked] = [
        event.activity_task_scheduled_event_attributes.input.payloads[0].data
        for event in history.events
        if event.HasField("activity_task_scheduled_event_attributes")
    ]
    assert json.loads(asked) == PROBE.model_dump(mode="json", exclude_defaults=True)
    assert mortal.asked == [PROBE]


def test_activities_of_the_web_companies_and_crews_take_a_request_that_the_gate_approves() -> None:
    """Only the comparison of articles reads nothing but what the run has stored."""
    rooms = ("activities.web.web_activities", "activities.company", "activities.crew")
    ungated = {
        method.__qualname__
        for method in OPTIONS
        if method.__module__.startswith(rooms)
        and not issubclass(get_type_hints(method)["request"], WebRequest)
    }
    assert ungated == {"CompanyActivities.repeats"}
