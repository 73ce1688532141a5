"""Reuse of earlier runs' reports, steps and outputs."""
