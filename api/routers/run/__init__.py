"""Routers of what belongs to a run."""
