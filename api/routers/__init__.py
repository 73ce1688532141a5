"""Routers, one module for each resource."""

from api.routers import (
    catalogue,
    definitions,
    events,
    health,
    messages,
    metrics,
    pages,
    results,
    runs,
    startups,
)

ALL = [
    *(m.router for m in (definitions, runs, messages, events, results, startups, metrics)),
    runs.spend,
]
"""Routers that require a key once there are keys."""

PUBLIC = [m.router for m in (catalogue, health, pages)]
"""Public routers: they serve no user's data."""
