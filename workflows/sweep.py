"""The `Sweep` workflow: what is due to be removed is removed."""

from temporalio import workflow

from activities.removal import RemovalActivities, SweepRequest, SweepResult
from workflows.runtime.activity_options import execute_activity


@workflow.defn(name="Sweep")
class Sweep:
    """Started by a schedule, never twice at once."""

    @workflow.run
    async def run(self) -> SweepResult:
        """Remove temporary runs past their time, runs past the retention, and what was cut off."""
        return await execute_activity(RemovalActivities.sweep, SweepRequest(), summary="sweep")
