"""The `IndexCollections` workflow: a tenant's waiting documents are read, turn by turn."""

from temporalio import workflow

from activities.collections.indexer import IndexActivities
from contracts.collections import IndexRequest
from workflows.runtime.activity_timeouts_and_retries import execute_activity


@workflow.defn(name="IndexCollections")
class IndexCollections:
    """One per tenant with waiting documents; tenants take turns."""

    def __init__(self) -> None:
        self._due = True

    @workflow.run
    async def run(self, request: IndexRequest) -> int:
        """Index the tenant's waiting documents until the queue is empty, and return how many were read."""
        read = 0
        while self._due:
            self._due = False
            turn = await execute_activity(
                IndexActivities.index, request, summary="read waiting documents"
            )
            self._due |= turn.left
            read += turn.read
            workflow.set_current_details(f"{read} documents read")
            if self._due and workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(request)
        return read

    @workflow.signal
    def more(self) -> None:
        """Note that documents were added since the turn began."""
        self._due = True
