"""Temporal as the gateway sees it: start a run, tell it something, ask how it is."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Literal

from pydantic import ValidationError
from temporalio.client import (
    Client,
    WorkflowExecutionStatus,
    WorkflowHandle,
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
TASK_SECONDS = 5.0
"""After how long Temporal gives up a worker that died with a workflow task in hand (else 10)."""

CLOSED: dict[WorkflowExecutionStatus, RunStatus] = {
    WorkflowExecutionStatus.FAILED: "failed",
    WorkflowExecutionStatus.TIMED_OUT: "failed",
    WorkflowExecutionStatus.TERMINATED: "cancelled",
    WorkflowExecutionStatus.CANCELED: "cancelled",
}

Accepted = Literal["update", "signal"]
"""How a message was taken: by the run itself, or by Temporal for when a worker is up again."""


class Engine:
    """Starts and addresses runs; every way Temporal can be away is EngineUnavailable."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def start(self, run_id: str, given: RunInput) -> None:
        """Start a run; one that was started before under this id stays as it is."""
        with _translated():
            try:
                async with asyncio.timeout(COMMAND_SECONDS):
                    await self._client.start_workflow(
                        "Research",
                        given,
                        id=run_id,
                        task_queue=self._task_queue,
                        task_timeout=timedelta(seconds=TASK_SECONDS),
                        id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                        static_summary=given.query[:200],
                        rpc_timeout=timedelta(seconds=COMMAND_SECONDS),
                    )
            except WorkflowAlreadyStartedError:
                return

    async def tell(self, run_id: str, message: str, body: Contract) -> Accepted:
        """Send a message as an update, or as the signal of that name where no worker answers.

        Raises:
            Conflict, StalePlan, InvalidInput, NotAllowed: the run refused it, or has ended.
        """
        handle = self._client.get_workflow_handle(run_id)
        with _translated():
            try:
                async with asyncio.timeout(COMMAND_SECONDS):
                    await _update(handle, message, body)
            except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
                timeout = timedelta(seconds=COMMAND_SECONDS)
                await handle.signal(message, body, rpc_timeout=timeout)
                return "signal"
        return "update"

    async def state(self, run_id: str) -> StateView | None:
        """Return a run's own state, or None when it cannot be had within 2 s."""
        handle = self._client.get_workflow_handle(run_id)
        timeout = timedelta(seconds=QUERY_SECONDS)
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                found: StateView = await handle.query(
                    "state",
                    result_type=StateView,
                    reject_condition=QueryRejectCondition.NOT_OPEN,
                    rpc_timeout=timeout,
                )
                return found
        except (TimeoutError, TemporalError, RuntimeError, GreenlightError, ValidationError):
            return None

    async def closed(self, run_id: str) -> RunStatus | None:
        """Return how Temporal closed a run that could not say so itself; None otherwise."""
        handle = self._client.get_workflow_handle(run_id)
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                found = await handle.describe(rpc_timeout=timedelta(seconds=QUERY_SECONDS))
        except (TimeoutError, TemporalError, RuntimeError):
            return None
        return CLOSED.get(found.status) if found.status else None

    async def check(self) -> None:
        """Raise EngineUnavailable unless Temporal answers."""
        with _translated():
            await self._client.service_client.check_health(timeout=timedelta(seconds=QUERY_SECONDS))


async def _update(handle: WorkflowHandle[object, object], message: str, body: Contract) -> None:
    try:
        timeout = timedelta(seconds=COMMAND_SECONDS)
        await handle.execute_update(message, body, rpc_timeout=timeout)
    except WorkflowUpdateFailedError as failed:
        raise _refusal(failed.cause) from failed


def _refusal(cause: BaseException | None) -> GreenlightError:
    """Return what a run's refusal of a message means to the caller."""
    if not isinstance(cause, ApplicationError):
        return Conflict(str(cause))
    known = {error.type(): error for error in (Conflict, StalePlan, InvalidInput, NotAllowed)}
    return known.get(cause.type or "", Conflict)(cause.message)


@contextmanager
def _translated() -> Iterator[None]:
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
