"""Frozen pydantic models that cross a boundary: no I/O, no clock, no randomness."""
