"""The statuses of runs and phases, a run's stage, and which statuses are final."""

from typing import Literal

RunStatus = Literal[
    "running", "waiting", "paused", "completed", "partial", "failed", "cancelled", "rejected"
]
PhaseStatus = Literal["pending", "running", "waiting", "completed", "partial", "failed", "skipped"]
Stage = Literal["clarify", "plan", "execute", "completed", "cancelled"]
SETTLED: frozenset[str] = frozenset({"completed", "partial", "failed", "skipped"})
"""The final statuses of a phase."""
ENDED: frozenset[str] = frozenset({"completed", "partial", "failed", "cancelled", "rejected"})
"""The final statuses of a run."""
