"""Exit codes of the command line."""

FAILED, USAGE, NEEDS_HUMAN, REJECTED, INTERRUPTED = 1, 2, 3, 4, 130
OF_RUNS = {
    "completed": 0,
    "partial": 0,
    "failed": FAILED,
    "rejected": REJECTED,
    "cancelled": REJECTED,
}
"""Exit codes by a run's final status."""
