"""The `Sweep` workflow, which removes everything that is due for removal."""

from datetime import timedelta

from temporalio import workflow

from activities.runs.run_removal import RemovalActivities, SweepRequest, SweepResult
from workflows.runtime.activity_timeouts_and_retries import execute_activity

PAUSE = timedelta(minutes=2)
LOOKS = 180
"""Sweeps per execution, over six hours: this keeps histories and Temporal's list short."""


@workflow.defn(name="Sweep")
class Sweep:
    """Started by a schedule, never twice at once."""

    @workflow.run
    async def run(self) -> SweepResult:
        """Remove temporary runs past their time, runs past the retention, and what was cut off."""
        total = SweepResult(removed=0, left=[])
        for look in range(1, LOOKS + 1):
            swept = await execute_activity(
                RemovalActivities.sweep, SweepRequest(), summary=f"look {look} of {LOOKS}"
            )
            total = SweepResult(removed=total.removed + swept.removed, left=swept.left)
            workflow.set_current_details(f"{total.removed} runs removed, {len(total.left)} to go")
            await workflow.sleep(PAUSE, summary="until the next look")
        return total
