"""Reads of executions that hold for a run that an operator paused, whose status the SDK (1.35) does not know."""

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
    """Return Temporal's description of a workflow's newest execution.

    Raises:
        RPCError: Temporal cannot be reached, or knows no such workflow.
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
    """Return when and why an operator paused an execution (`temporal workflow pause`); None if nobody did."""
    paused = WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_PAUSED
    is_paused = described.workflow_execution_info.status == paused
    return described.workflow_extended_info.pause_info if is_paused else None
