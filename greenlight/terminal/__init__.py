"""The terminal: a client of the gateway, and nothing else."""

from greenlight.terminal.commands import answer, approve, compare, reject, report, run, runs, watch

__all__ = ["answer", "approve", "compare", "reject", "report", "run", "runs", "watch"]
