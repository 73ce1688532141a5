"""Executions of a run in Temporal, and their deletion."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client
from temporalio.exceptions import TemporalError
from temporalio.service import RPCError, RPCStatusCode

from contracts.errors import EngineUnavailable

RPC_TIMEOUT = timedelta(seconds=5)


class Executions:
    """Finds and deletes all executions of a run, including those it continued from."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def has(self, run_id: str) -> bool:
        """Tell whether Temporal has an open or closed execution of a run."""
        return await self._find_current(run_id) is not None

    async def delete(self, run_id: str) -> bool:
        """Delete a run's executions; idempotent.

        Returns False while Temporal is still deleting: up to a minute for one that has just closed.

        Raises:
            EngineUnavailable: Temporal is unreachable; some executions may already be deleted.
        """
        chain: list[str] = []
        execution = await self._find_current(run_id)
        while execution is not None:
            chain.append(execution)
            execution = await self._find_previous(run_id, execution)
        # Oldest first: after an interruption, only the newest leads to the rest.
        for execution in [*await self._list_others(run_id, chain), *reversed(chain)]:
            request = DeleteWorkflowExecutionRequest(
                namespace=self._client.namespace,
                workflow_execution=WorkflowExecution(workflow_id=run_id, run_id=execution),
            )
            with _ignore_not_found():
                await self._client.workflow_service.delete_workflow_execution(
                    request, timeout=RPC_TIMEOUT
                )
        return not await self.has(run_id)

    async def _find_current(self, run_id: str) -> str | None:
        handle = self._client.get_workflow_handle(run_id)
        with _ignore_not_found():
            return (await handle.describe(rpc_timeout=RPC_TIMEOUT)).run_id
        return None

    async def _find_previous(self, run_id: str, execution: str) -> str | None:
        """Return the execution that one continued from, by the first event of its history."""
        handle = self._client.get_workflow_handle(run_id, run_id=execution)
        with _ignore_not_found():
            first = await anext(handle.fetch_history_events(page_size=1, rpc_timeout=RPC_TIMEOUT))
            start = first.workflow_execution_started_event_attributes
            return start.continued_execution_run_id or None
        return None

    async def _list_others(self, run_id: str, chain: list[str]) -> list[str]:
        """Return executions of the run outside the chain, e.g. one that was reset."""
        with _ignore_not_found():
            others = self._client.list_workflows(
                f'WorkflowId = "{run_id}"', rpc_timeout=RPC_TIMEOUT
            )
            return [execution.run_id async for execution in others if execution.run_id not in chain]
        return []


@contextmanager
def _ignore_not_found() -> Iterator[None]:
    """Ignore NOT_FOUND; any other failure is EngineUnavailable."""
    try:
        yield
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise EngineUnavailable(f"Temporal: {error.message}") from error
    except (TemporalError, RuntimeError, TimeoutError) as error:
        raise EngineUnavailable("Temporal is unreachable; try again shortly") from error
