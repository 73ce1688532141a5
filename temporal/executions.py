"""Reads of executions that also work for runs paused by an operator, a status that SDK 1.35 does not know."""

from datetime import timedelta

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import WorkflowExecutionStatus
from temporalio.api.workflow.v1 import WorkflowExecutionPauseInfo
from temporalio.api.workflowservice.v1 import (
    DescribeWorkflowExecutionRequest,
    DescribeWorkflowExecutionResponse,
    ListWorkflowExecutionsRequest,
)
from temporalio.client import Client


async def describe_execution(
    client: Client, workflow_id: str, rpc_timeout: timedelta
) -> DescribeWorkflowExecutionResponse:
    """Return Temporal's description of a workflow's latest execution.

    Raises:
        RPCError: Temporal is unreachable, or the workflow does not exist.
    """
    request = DescribeWorkflowExecutionRequest(
        namespace=client.namespace, execution=WorkflowExecution(workflow_id=workflow_id)
    )
    return await client.workflow_service.describe_workflow_execution(request, timeout=rpc_timeout)


async def list_executions(client: Client, workflow_id: str, rpc_timeout: timedelta) -> list[str]:
    """Return the run ids of a workflow's executions, as far as they are listed already.

    Raises:
        RPCError: Temporal cannot be reached.
    """
    request = ListWorkflowExecutionsRequest(
        namespace=client.namespace, query=f'WorkflowId = "{workflow_id}"'
    )
    found: list[str] = []
    while True:
        page = await client.workflow_service.list_workflow_executions(request, timeout=rpc_timeout)
        found += (each.execution.run_id for each in page.executions)
        if not page.next_page_token:
            return found
        request.next_page_token = page.next_page_token


def find_pause(described: DescribeWorkflowExecutionResponse) -> WorkflowExecutionPauseInfo | None:
    """Return who paused an execution (`temporal workflow pause`), when and why, or None if it is not paused."""
    paused = WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_PAUSED
    is_paused = described.workflow_execution_info.status == paused
    return described.workflow_extended_info.pause_info if is_paused else None
