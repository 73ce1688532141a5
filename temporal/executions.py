"""What Temporal keeps of a run: its executions, which are deleted with it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import (
    DeleteWorkflowExecutionRequest,
    GetWorkflowExecutionHistoryRequest,
)
from temporalio.client import Client
from temporalio.exceptions import TemporalError
from temporalio.service import RPCError, RPCStatusCode

from contracts.errors import EngineUnavailable

ANSWER = timedelta(seconds=5)


class Executions:
    """Finds and deletes all executions under a run's id, those it continued from too."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def has(self, run_id: str) -> bool:
        """Tell whether Temporal knows a run, live or closed."""
        return await self._current(run_id) is not None

    async def delete(self, run_id: str) -> bool:
        """Have a run's executions deleted; again makes no difference.

        Temporal takes up to a minute over those that have just closed: False, it is still at it.

        Raises:
            EngineUnavailable: Temporal is away; some may be gone.
        """
        chain = [execution async for execution in self._chain(run_id)]
        # The oldest first: the newest is the one that leads to the others, should this be cut off.
        for execution in [*await self._listed(run_id, chain), *reversed(chain)]:
            await self._delete(run_id, execution)
        return not await self.has(run_id)

    async def _chain(self, run_id: str) -> AsyncIterator[str]:
        """Yield the current execution's id and those that it continued, the newest first."""
        execution = await self._current(run_id)
        while execution is not None:
            yield execution
            execution = await self._continued(run_id, execution)

    async def _current(self, run_id: str) -> str | None:
        handle = self._client.get_workflow_handle(run_id)
        with _unless_unknown():
            return (await handle.describe(rpc_timeout=ANSWER)).run_id
        return None

    async def _continued(self, run_id: str, execution: str) -> str | None:
        """Return the execution that one went on from, by the first event of its history."""
        request = GetWorkflowExecutionHistoryRequest(
            namespace=self._client.namespace,
            execution=WorkflowExecution(workflow_id=run_id, run_id=execution),
            maximum_page_size=1,
        )
        with _unless_unknown():
            service = self._client.workflow_service
            page = await service.get_workflow_execution_history(request, timeout=ANSWER)
            start = page.history.events[0].workflow_execution_started_event_attributes
            return start.continued_execution_run_id or None
        return None

    async def _listed(self, run_id: str, chain: list[str]) -> list[str]:
        """Return what else is listed under the id, e.g. an execution that was reset."""
        with _unless_unknown():
            listed = self._client.list_workflows(f'WorkflowId = "{run_id}"', rpc_timeout=ANSWER)
            return [found.run_id async for found in listed if found.run_id not in chain]
        return []

    async def _delete(self, run_id: str, execution: str) -> None:
        request = DeleteWorkflowExecutionRequest(
            namespace=self._client.namespace,
            workflow_execution=WorkflowExecution(workflow_id=run_id, run_id=execution),
        )
        with _unless_unknown():
            await self._client.workflow_service.delete_workflow_execution(request, timeout=ANSWER)


@contextmanager
def _unless_unknown() -> Iterator[None]:
    """Pass over what is not there, and say by an error of ours that Temporal is away."""
    try:
        yield
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise EngineUnavailable(f"Temporal: {error.message}") from error
    except (TemporalError, RuntimeError, TimeoutError) as error:
        raise EngineUnavailable("Temporal cannot be reached; try again shortly") from error
