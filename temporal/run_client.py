"""Client of runs: starts them, sends them messages and queries them, through Temporal."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Literal, cast

from pydantic import ValidationError
from temporalio.client import (
    Client,
    WorkflowExecutionStatus,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import QueryRejectCondition, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, TemporalError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from contracts.base import Contract
from contracts.errors import (
    Conflict,
    EngineUnavailable,
    GreenlightError,
    InvalidInput,
    NotAllowed,
    StalePlan,
)
from contracts.runs.start import RunInput
from contracts.runs.state import RunStatus, StateView

COMMAND_SECONDS = 5.0
QUERY_SECONDS = 2.0

CLOSED: dict[WorkflowExecutionStatus, RunStatus] = {
    WorkflowExecutionStatus.FAILED: "failed",
    WorkflowExecutionStatus.TIMED_OUT: "failed",
    WorkflowExecutionStatus.TERMINATED: "cancelled",
    WorkflowExecutionStatus.CANCELED: "cancelled",
}

Accepted = Literal["update", "signal"]
"""How a message was taken: by the run itself, or by Temporal for when a worker is up again."""


class RunClient:
    """Starts and addresses runs; raises EngineUnavailable whenever Temporal cannot be reached."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def start(self, run_id: str, start: RunInput) -> RunInput:
        """Start a run and return its input: `start`, or that of an earlier start under this id."""
        with _translate_errors():
            try:
                async with asyncio.timeout(COMMAND_SECONDS):
                    await self._client.start_workflow(
                        "Research",
                        start,
                        id=run_id,
                        task_queue=self._task_queue,
                        # for a worker that died with a workflow task in hand; else 10 s
                        task_timeout=timedelta(seconds=5),
                        id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                        static_summary=start.query[:200],
                        rpc_timeout=timedelta(seconds=COMMAND_SECONDS),
                    )
            except WorkflowAlreadyStartedError:
                return await self._read_input(run_id)
            return start

    async def _read_input(self, run_id: str) -> RunInput:
        """Return the input of a run, from the first event of its history."""
        handle = self._client.get_workflow_handle(run_id)
        timeout = timedelta(seconds=COMMAND_SECONDS)
        event = await anext(handle.fetch_history_events(page_size=1, rpc_timeout=timeout))
        payloads = event.workflow_execution_started_event_attributes.input.payloads
        [start] = await self._client.data_converter.decode(payloads, [RunInput])
        return cast(RunInput, start)

    async def send(self, run_id: str, message: str, body: Contract) -> Accepted:
        """Send a message as an update, or as the signal of that name if no worker answers.

        Raises:
            Conflict, StalePlan, InvalidInput, NotAllowed: the run refused it, or has ended.
        """
        handle = self._client.get_workflow_handle(run_id)
        timeout = timedelta(seconds=COMMAND_SECONDS)
        with _translate_errors():
            try:
                async with asyncio.timeout(COMMAND_SECONDS):
                    await handle.execute_update(message, body, rpc_timeout=timeout)
            except WorkflowUpdateFailedError as failed:
                raise _translate_refusal(failed.cause) from failed
            except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
                await handle.signal(message, body, rpc_timeout=timeout)
                return "signal"
        return "update"

    async def get_state(self, run_id: str) -> StateView | None:
        """Return a run's own state; None unless a worker answers within 2 s."""
        handle = self._client.get_workflow_handle(run_id)
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                found: StateView = await handle.query(
                    "state",
                    result_type=StateView,
                    reject_condition=QueryRejectCondition.NOT_OPEN,
                    rpc_timeout=timedelta(seconds=QUERY_SECONDS),
                )
                return found
        except (TimeoutError, TemporalError, RuntimeError, GreenlightError, ValidationError):
            return None

    async def get_closed_status(self, run_id: str) -> RunStatus | None:
        """Return the status of a run that Temporal closed before the run could; None otherwise."""
        handle = self._client.get_workflow_handle(run_id)
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                found = await handle.describe(rpc_timeout=timedelta(seconds=QUERY_SECONDS))
        except (TimeoutError, TemporalError, RuntimeError):
            return None
        return CLOSED.get(found.status) if found.status else None

    async def check(self) -> None:
        """Raise EngineUnavailable unless Temporal answers."""
        with _translate_errors():
            await self._client.service_client.check_health(timeout=timedelta(seconds=QUERY_SECONDS))


def _translate_refusal(cause: BaseException | None) -> GreenlightError:
    """Return what a run's refusal of a message means to the caller."""
    if not isinstance(cause, ApplicationError):
        return Conflict(str(cause))
    known = {error.type(): error for error in (Conflict, StalePlan, InvalidInput, NotAllowed)}
    return known.get(cause.type or "", Conflict)(cause.message)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise EngineUnavailable("Temporal does not answer; try again shortly") from None
    except RuntimeError as error:  # what a lazy client raises while it cannot connect
        raise EngineUnavailable("Temporal cannot be reached; try again shortly") from error
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise Conflict(f"the run takes no messages: {error.message}") from error
        raise EngineUnavailable(f"Temporal: {error.message}") from error
