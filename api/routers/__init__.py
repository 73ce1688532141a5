"""The gateway's paths, a module per noun."""

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
"""Where a key is asked for, once there are any."""

OPEN = [m.router for m in (phases, metadata, health)]
"""What tells nothing of anybody."""
