"""Permanent removal of runs: their rows, their Temporal executions, their blobs."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import Field
from temporalio import activity

from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.errors import Conflict, EngineUnavailable, NotFound, StoreUnavailable

if TYPE_CHECKING:
    from activities.collections.storage import DocumentStorage
    from store.access.audit_log_reader import AuditRepository
    from store.alerts import AlertRepository
    from store.blobs import BlobStore
    from store.run_records.removals import RemovalRepository
    from temporal.run_client import RunClient
    from temporal.side_workflows.alerts import Courier


FILES_KEPT = timedelta(days=7)
"""How long an uploaded file is kept without a run."""


class SweepRequest(Contract):
    """Asks that runs be removed which are due."""

    limit: int = Field(default=500, ge=1, description="how many; the next sweep goes on")


class SweepResult(Contract):
    """Outcome of a sweep."""

    removed: int
    left: list[str] = Field(description="runs not completely removed yet")


class Remover:
    """Removes ended runs; an interrupted removal is completed by repeating it.

    Rows are deleted first, in one transaction that records the pending removal, so that nobody sees half a
    run. Then the Temporal execution, so that nothing can write blobs any more, and finally the blobs.
    Temporal deletes asynchronously, so the next sweep completes the removal.
    """

    def __init__(
        self, removals: "RemovalRepository", blobs: "BlobStore", run_client: "RunClient"
    ) -> None:
        self.removals = removals
        self._blobs = blobs
        self._run_client = run_client

    async def remove_stale_files(self, now: datetime) -> None:
        """Remove uploaded files that no run was started with within a week."""
        for tenant_id, stale in await self.removals.remove_stale_files(now - FILES_KEPT):
            await self._blobs.delete(tenant_id, stale)

    async def remove(self, who: Principal, run_id: str) -> bool:
        """Remove a run; return False while Temporal is still deleting its execution.

        Raises:
            NotFound, NotOwner: The run does not exist, or belongs to another user.
            Conflict: It has not ended.
            EngineUnavailable, StoreUnavailable: It is partly removed; a sweep completes it.
        """
        try:
            await self.removals.remove(who, run_id)
        except Conflict:
            if await self._run_client.has(run_id):
                raise
            await self.removals.remove(who, run_id, lost=True)
        deleted = await self._run_client.delete(run_id)
        # Blobs that runs seeded from this one share with it stay.
        keys = await self._blobs.list_keys(who.tenant_id, run_id)
        unneeded = await self.removals.find_unneeded_blobs(who.tenant_id, run_id, keys)
        await self._blobs.delete(who.tenant_id, unneeded)
        payloads = self._blobs.PAYLOADS
        await self._blobs.delete(payloads, await self._blobs.list_keys(payloads, run_id))
        if deleted:
            await self.removals.finish(who.tenant_id, run_id)
        return deleted


class RemovalActivities:
    """Removes temporary runs, runs past their retention, and what was left of deleted documents."""

    def __init__(  # noqa: PLR0913 - each sweeps something of its own
        self,
        remover: Remover,
        temporary: timedelta,
        retention_days: int,
        documents: "DocumentStorage",
        alerts: "AlertRepository",
        courier: "Courier",
        audit: "AuditRepository",
    ) -> None:
        self._remover = remover
        self._audit = audit
        self._documents = documents
        self._alerts = alerts
        self._courier = courier
        self._temporary = temporary
        self._retention = timedelta(days=retention_days)

    @activity.defn(name="runs.sweep")
    async def sweep(self, request: SweepRequest) -> SweepResult:
        """Remove due runs, oldest first; idempotent, and a failed run does not delay others.

        Also close abandoned calls, index waiting documents, send due alerts, and log the last entry of
        each audit log that has grown.
        """
        await self._audit.log_heads()
        await self._documents.sweep()
        await self._courier.wake(await self._alerts.list_due_channels())
        await self._alerts.remove_old()
        await self._alerts.encrypt_anew()
        await self._remover.removals.close_claims()
        now = datetime.now(UTC)
        await self._remover.remove_stale_files(now)
        ended_before = now - self._retention if self._retention else None
        due = await self._remover.removals.list_due(
            now - self._temporary, ended_before, request.limit
        )
        left = [run for tenant, run in due if not await self._remove(tenant, run)]
        return SweepResult(removed=len(due) - len(left), left=left)

    async def _remove(self, tenant_id: str, run_id: str) -> bool:
        try:
            return await self._remover.remove(Principal(tenant_id=tenant_id), run_id)
        except NotFound:  # removed meanwhile
            return True
        except (Conflict, EngineUnavailable, StoreUnavailable) as error:
            activity.logger.warning("run %s is not removed yet: %s", run_id, error)
            return False
