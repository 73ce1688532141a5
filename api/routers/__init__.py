"""Routers, one module for each resource."""

from api import page
from api.routers import (
    catalogue,
    channels,
    chat,
    collections,
    decision_links,
    definitions,
    events,
    files,
    health_and_metrics,
    messages,
    operations,
    providers,
    reports,
    runs,
    schedules,
    sessions,
    share_links,
    sources_and_artifacts,
    startups,
)

ALL = [
    *(
        m.router
        for m in (
            definitions,
            runs,
            messages,
            events,
            reports,
            sources_and_artifacts,
            share_links,
            startups,
            files,
            collections,
            providers,
            channels,
            chat,
            schedules,
        )
    ),
    health_and_metrics.metrics,
    runs.spend,
    share_links.every,
]
"""Routers that require a key once there are keys."""

PUBLIC = [
    m.router for m in (catalogue, health_and_metrics, sessions, operations, decision_links, page)
]
"""Public routers: they serve no user's data, save to whoever has the signed link to it."""
