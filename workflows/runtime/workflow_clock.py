"""The clock of workflow code: the time that Temporal recorded, which a replay repeats."""

from temporalio import workflow


class Clock:
    """The workflow's clock, the only one that workflow code may read."""

    def now(self) -> str:
        """Return the moment, ISO 8601, UTC."""
        return workflow.now().isoformat()

    def time(self) -> float:
        """Return the moment in seconds."""
        return workflow.time()
