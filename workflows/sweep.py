"""The `Sweep` workflow: what is due to be removed is removed, a batch at a time."""

from temporalio import workflow

from activities.removal import RemovalActivities, SweepRequest, SweepResult
from workflows.runtime.activity_options import execute_activity

MOST_BATCHES = 100
"""A sweep's history stays small; the next one goes on."""


@workflow.defn(name="Sweep")
class Sweep:
    """Started by a schedule, never twice at once."""

    @workflow.run
    async def run(self) -> SweepResult:
        """Remove temporary runs past their time, runs past the retention, and what was cut off."""
        removed = 0
        left: list[str] = []
        for _ in range(MOST_BATCHES):
            done = await execute_activity(
                RemovalActivities.sweep, SweepRequest(but=left), summary="sweep"
            )
            removed += done.removed
            left += done.left
            if not done.more:
                break
        return SweepResult(removed=removed, left=left)
