"""Running a definition on the real server, with activities that answer at once."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from temporalio.client import Client, WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from activities.heartbeat_interceptor import ActivityInterceptor
from contracts.base import Json
from contracts.human.checkpoints import Checkpoint
from contracts.runs.start import RunInput, RunResult
from contracts.runs.state_view import StateView
from tests.support.temporal.sandbox import UNTIMED, WorkflowRunners
from tests.support.words import phrase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.final_states import FinalStates
from tests.workflows.support.in_process import CONVERTER, InProcess, is_in_process
from workflows.message_parser import SafeMessages
from workflows.research import Research
from workflows.runtime.activity_timeouts_and_retries import CREW_QUEUE

Handle = WorkflowHandle[Research, RunResult]
BETWEEN_QUERIES, UNRECORDED_SECONDS = 0.1, 0.5
"""A query costs as much as an activity: a third of all tasks of these tests' workers were queries."""


@dataclass
class Harness:
    """A client, a task queue with one worker, and its fakes."""

    client: Client
    fakes: Fakes
    queue: str = field(default_factory=lambda: f"test-{uuid.uuid4()}")

    async def start(self, query: str = "Where to sell pumps?", **options: Any) -> Handle:
        return await self.client.start_workflow(
            Research.run,
            RunInput(query=query, **options),
            id=f"run-{uuid.uuid4()}",
            task_queue=self.queue,
        )

    async def state(self, handle: Handle) -> StateView:
        return await handle.query(Research.state)

    async def until(
        self, handle: Handle, met: Callable[[StateView], Any], seconds: float = 60
    ) -> StateView:
        """Query the state as batches are recorded until `met` is true; raise TimeoutError after `seconds`."""
        async with asyncio.timeout(seconds):
            while True:
                self.fakes.recorded.clear()
                try:
                    state = await self.state(handle)
                except Exception as error:
                    if phrase("run-being-opened") not in str(error):
                        raise
                else:
                    if met(state):
                        return state
                await self._wait_for_batch()

    async def _wait_for_batch(self) -> None:
        """Wait for the next recorded batch and those that follow at once; not every state that is waited for is recorded."""
        with suppress(TimeoutError):
            async with asyncio.timeout(UNRECORDED_SECONDS):
                await self.fakes.recorded.wait()
        await asyncio.sleep(BETWEEN_QUERIES)

    async def asked(self, handle: Handle, phase: str) -> StateView:
        """Return the state once a phase's checkpoint is open; its first one is queried for when it is recorded."""
        with suppress(TimeoutError):
            async with asyncio.timeout(6 * UNRECORDED_SECONDS):
                while not self.fakes.has_asked(handle.id, phase):
                    self.fakes.recorded.clear()
                    await self.fakes.recorded.wait()
        return await self.until(handle, lambda s: any(p.phase_id == phase for p in s.pending))

    async def quiet(self, handle: Handle) -> int:
        """Return the history's length once it stopped growing."""
        length = 0
        while length != (now := (await handle.describe()).history_length):
            length = now
            await asyncio.sleep(0.3)
        return length

    async def update(self, handle: Handle, name: str, body: Json) -> None:
        await handle.execute_update(name, body)

    async def answer(self, handle: Handle, **answers: str | None) -> None:
        """Answer these questions, and leave the others to the run."""
        await self.asked(handle, "clarification")
        await self.update(handle, "answer_questions", {"answers": dict(answers), "rest": None})

    async def decide(self, handle: Handle, action: str, **more: Any) -> None:
        state = await self.asked(handle, "checkpoint")
        shown = next(p for p in state.pending if p.kind == "decision")
        more.setdefault("plan_hash", shown.plan_hash)
        await self.update(handle, "decide", {"action": action, **more})

    async def decide_on_budget(self, handle: Handle, choice: str, **more: Any) -> Checkpoint:
        """Take a choice at the checkpoint about the budget, and return it."""
        state = await self.until(handle, find_budget)
        asked = find_budget(state)
        assert asked
        body = {"choice": choice, "checkpoint_id": asked.checkpoint_id, **more}
        await self.update(handle, "decide", body)
        return asked

    async def complete(self, handle: Handle, budget: str = "") -> RunResult:
        await self.answer(handle)
        await self.decide(handle, "approve")
        if budget:
            await self.decide_on_budget(handle, budget)
        return await asyncio.wait_for(handle.result(), 60)


def find_budget(state: StateView) -> Checkpoint | None:
    """Return the open checkpoint about the budget."""
    open_ = (c for c in state.pending if c.subject and c.subject.type == "budget")
    return next(open_, None)


def pydantic_client(client: Client) -> Client:
    """Return a client whose workers answer queries of completed runs without replaying them."""
    kept = FinalStates()
    converter = pydantic_data_converter
    return Client(client.service_client, data_converter=converter, interceptors=[kept])


def build(client: Client, harness_queue: str, fakes: Fakes, **options: Any) -> Worker:
    """Return a worker whose fakes heartbeat like real activities, so that a hanging one can be cancelled."""
    return Worker(
        client,
        build_id="tests",
        task_queue=harness_queue,
        workflows=[Research],
        activities=fakes.all(),
        workflow_runner=options.pop("workflow_runner", None) or WorkflowRunners.choose(),
        interceptors=[SafeMessages(), ActivityInterceptor(), *options.pop("interceptors", [])],
        max_heartbeat_throttle_interval=timedelta(seconds=1),
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=1),
        debug_mode=UNTIMED,
        **options,
    )


@asynccontextmanager
async def harness(
    client: Client, fakes: Fakes | None = None, queue: str = "", **options: Any
) -> AsyncIterator[Harness]:
    """Yield a harness; check afterwards that no model call was asked again as another request, which would be paid too."""
    fakes = fakes or Fakes()
    if is_in_process(client):
        here = InProcess(queue, [*fakes.all(), fakes.work])
        own = Client(client.service_client, data_converter=CONVERTER, interceptors=[here])
        made = Harness(own, fakes)
        yield made
        await here.close()
    else:
        made = Harness(pydantic_client(client), fakes)
        made.queue = queue or made.queue
        async with build(made.client, made.queue, made.fakes, **options):
            yield made
    assert [place for place, asked in made.fakes.hashes.items() if len(asked) > 1] == []


@asynccontextmanager
async def with_crews(
    client: Client, fakes: Fakes | None = None, **options: Any
) -> AsyncIterator[Harness]:
    """A harness with a second worker for crews, on their own task queue."""
    async with harness(client, fakes, **options) as made:
        if is_in_process(client):
            yield made
            return
        crews = Worker(
            made.client,
            build_id="tests",
            task_queue=CREW_QUEUE,
            activities=[made.fakes.work],
            interceptors=[ActivityInterceptor()],
        )
        async with crews:
            yield made
