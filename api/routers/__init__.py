"""Routers, one module for each resource."""

from api.routers import (
    definitions,
    events,
    health,
    messages,
    metadata,
    phases,
    results,
    runs,
    startups,
)

ALL = [m.router for m in (definitions, runs, messages, events, results, startups)]
"""Routers that require a key once there are keys."""

PUBLIC = [m.router for m in (phases, metadata, health)]
"""Public routers: they serve no user's data."""
