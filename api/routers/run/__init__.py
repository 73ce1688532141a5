"""Routers of a run's resources."""
