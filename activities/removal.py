"""Removing runs for good: their records, what Temporal keeps of them, their blobs."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import Field
from temporalio import activity

from contracts.base import Contract
from contracts.errors import Conflict, EngineUnavailable, NotFound, StoreUnavailable
from contracts.principal import Principal

if TYPE_CHECKING:
    from store.blobs import BlobStore
    from store.removals import RemovalRepository
    from temporal.executions import Executions

BATCH = 20


class SweepRequest(Contract):
    """Asks for a batch of runs that are due to be removed."""

    but: list[str] = Field(default=[], description="runs that were tried a moment ago")


class SweepResult(Contract):
    """What a sweep did."""

    removed: int = 0
    left: list[str] = Field(default=[], description="runs of which something is left")
    more: bool = Field(default=False, description="there may be more to do at once")


class Remover:
    """Removes a run that has ended; what is cut off in between is finished by doing it again.

    Its rows go first and at once, so that nobody sees half a run, and leave a row that remembers
    it is to be finished. Then Temporal's part, so that nobody is left who could write a blob.
    Temporal deletes in its own time: what it has not yet is for the next sweep to finish.
    """

    def __init__(
        self, removals: "RemovalRepository", blobs: "BlobStore", executions: "Executions"
    ) -> None:
        self.removals = removals
        self._blobs = blobs
        self._executions = executions

    async def remove(self, who: Principal, run_id: str) -> bool:
        """Remove a run; False: Temporal is still deleting its part.

        Raises:
            NotFound, NotOwner: It is not there, or not theirs to remove.
            Conflict: It is live.
            EngineUnavailable, StoreUnavailable: Not all of it is gone; the sweep will finish it.
        """
        try:
            await self.removals.take_out(who, run_id)
        except Conflict:
            if await self._executions.has(run_id):
                raise
            await self.removals.take_out(who, run_id, lost=True)
        deleted = await self._executions.delete(run_id)
        await self._blobs.delete(await self._free(who.tenant_id, run_id))
        await self._blobs.delete(await self._blobs.keys(self._blobs.PAYLOADS, run_id))
        if deleted:
            await self.removals.finish(who.tenant_id, run_id)
        return deleted

    async def _free(self, tenant_id: str, run_id: str) -> list[str]:
        """Return the blobs that nobody needs any more: runs that went on from this one share some."""
        named = await self._blobs.keys(tenant_id, run_id)
        named += await self.removals.borrowed(tenant_id, run_id)
        needed = await self.removals.needed(tenant_id, run_id, named)
        return [key for key in named if key not in needed]


class RemovalActivities:
    """Removes what is due: temporary runs, and those past the retention."""

    def __init__(self, remover: Remover, temporary: timedelta, retention_days: int) -> None:
        self._remover = remover
        self._temporary = temporary
        self._retention = timedelta(days=retention_days)

    @activity.defn(name="runs.sweep")
    async def sweep(self, request: SweepRequest) -> SweepResult:
        """Remove a batch; idempotent, and one that cannot be removed holds up no other."""
        now = datetime.now(UTC)
        kept = now - self._retention if self._retention else None
        due = await self._remover.removals.due(now - self._temporary, kept, request.but, BATCH)
        left = [run for tenant, run in due if not await self._removed(tenant, run)]
        return SweepResult(removed=len(due) - len(left), left=left, more=len(due) == BATCH)

    async def _removed(self, tenant_id: str, run_id: str) -> bool:
        try:
            return await self._remover.remove(Principal(tenant_id=tenant_id), run_id)
        except NotFound:  # somebody else was quicker
            return True
        except (Conflict, EngineUnavailable, StoreUnavailable) as error:
            activity.logger.warning("run %s is not removed yet: %s", run_id, error)
            return False
