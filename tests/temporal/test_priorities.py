"""The order in which a busy worker takes tasks: each user's in turn."""

import asyncio
import uuid
from typing import Any

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.worker import Worker

from activities.heartbeat_interceptor import ActivityInterceptor
from contracts.definitions import Definition
from contracts.runs.start import RunInput
from temporal.run_client import RunClient
from temporal.task_queues.priorities import FAIRNESS_KEY_CHARS, build_priority
from tests.support.offline_services import eventually
from tests.support.temporal.sandbox import UNTIMED, WorkflowRunners
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import pydantic_client
from workflows.message_parser import SafeMessages
from workflows.research import Research
from workflows.runtime.activity_timeouts_and_retries import CREW_QUEUE

USERS = ["ana"] * 10 + ["ben"]
"""The users who start runs, in this order."""
LATEST = 2
"""How many tasks of that user may precede the other's: one that was taken already, and one of the turns."""


THINKING = Definition.model_validate(
    {
        "id": "thinking",
        "phases": [
            {
                "kind": "crew",
                "config": {
                    "agents": [{"id": "a", "works_as": "strategist", "role": "r", "goal": "g"}],
                    "tasks": [
                        {"id": "think", "agent": "a", "description": "d", "expected_output": "e"}
                    ],
                },
            }
        ],
    }
)
"""A crew that reaches nothing and needs no approval."""


async def start(client: Client, queue: str, user: str, definition: str) -> str:
    """Start a run of a user as the gateway does."""
    run_id = f"{user}-{uuid.uuid4()}"
    asked = RunInput(query="Where to sell pumps?", user_id=user, definition_id=definition)
    await RunClient(client, queue).start(run_id, asked)
    return run_id


async def reaches(order: list[str]) -> bool:
    """Return whether the work of all runs has begun."""
    return len({*order}) == len(USERS)


async def count_waiting(client: Client, queue: str, of: TaskQueueType.ValueType) -> int:
    """Return how many tasks wait in a queue."""
    described = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace="default",
            task_queue=TaskQueue(name=queue),
            task_queue_type=of,
            report_stats=True,
        )
    )
    return described.stats.approximate_backlog_count


def make_worker(
    client: Client, queue: str, fakes: Fakes, activities: Any, **options: Any
) -> Worker:
    return Worker(
        client,
        build_id="tests",
        task_queue=queue,
        activities=activities,
        workflow_runner=WorkflowRunners.choose(),
        interceptors=[SafeMessages(), ActivityInterceptor()],
        debug_mode=UNTIMED,
        **options,
    )


async def test_new_question_of_a_user_is_opened_before_ten_that_wait_of_another(
    temporal: Client, task_queue: str
) -> None:
    client, fakes, opened = pydantic_client(temporal), Fakes(), list[str]()
    fakes.before = lambda name, request: opened.append(request.run_id) if name == "open" else None
    started = [await start(client, task_queue, user, "deep_research") for user in USERS]
    one_at_a_time = make_worker(
        client,
        task_queue,
        fakes,
        fakes.all(),
        workflows=[Research],
        max_concurrent_activities=1,
        max_concurrent_workflow_tasks=2,  # the least that a worker with a cache may have
        max_concurrent_workflow_task_polls=2,
    )
    async with one_at_a_time:
        await eventually(lambda: reaches(opened))
        for run in started:
            await client.get_workflow_handle(run).terminate()
    assert [run.partition("-")[0] for run in opened].index("ben") <= LATEST, opened


async def test_crew_of_a_user_works_before_ten_that_wait_of_another(
    temporal: Client, task_queue: str
) -> None:
    client, fakes, worked = pydantic_client(temporal), Fakes(THINKING), list[str]()
    fakes.before = lambda name, request: (
        worked.append(request.scope.run_id) if name == "work" else None
    )
    runs = make_worker(client, task_queue, fakes, fakes.all(), workflows=[Research])
    async with runs:
        started = [await start(client, task_queue, user, THINKING.id) for user in USERS]
        of = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
        waiting = 0

        async def is_queued() -> bool:
            nonlocal waiting
            before, waiting = waiting, await count_waiting(client, CREW_QUEUE, of)
            return before == waiting >= len(USERS)

        await eventually(is_queued)
        crews = make_worker(client, CREW_QUEUE, fakes, [fakes.work], max_concurrent_activities=1)
        async with crews:
            await eventually(lambda: reaches(worked))
        await asyncio.gather(*(client.get_workflow_handle(run).result() for run in started))
    assert [run.partition("-")[0] for run in worked].index("ben") <= LATEST, worked
    history = await client.get_workflow_handle(started[-1]).fetch_history()
    scheduled = [event.activity_task_scheduled_event_attributes for event in history.events]
    keys = {made.activity_type.name: made.priority.priority_key for made in scheduled}
    assert keys | {"": 0} == {"": 0, "runs.open": 0, "runs.record": 0, "crews.work": 4}, (
        "0: the run's own"
    )


def test_users_of_two_tenants_share_no_fairness_key() -> None:
    keys = {
        build_priority(tenant, user).fairness_key
        for tenant, user in (("a", "b"), ("a", "c"), ("b", "b"), ("ab", ""), ("", "ab"))
    }
    assert len(keys) == 5
    assert all(key and len(key) == FAIRNESS_KEY_CHARS for key in keys)
    assert build_priority("default", "ana").fairness_key != "ana"
