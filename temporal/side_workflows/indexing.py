"""Start of the workflow that reads a tenant's waiting documents."""

from temporalio.client import Client

from contracts.collections import IndexRequest
from temporal.side_workflows.signal_with_start import wake_workflow


def name_index_queue(task_queue: str) -> str:
    """Return the task queue on which documents are read: its workers take few turns at once."""
    return f"{task_queue}-index"


class Indexer:
    """Client of the workflows that index tenants' documents."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def start(self, tenant_id: str) -> bool:
        """Start the tenant's indexing workflow, or signal the running one; return False if Temporal is unreachable."""
        name = f"index-{self._task_queue}-{tenant_id}"
        queue = name_index_queue(self._task_queue)
        request = IndexRequest(tenant_id=tenant_id)
        return await wake_workflow(self._client, "IndexCollections", request, name, queue)
