"""Logs, traces and metrics of every process, and what of them may leave it."""
