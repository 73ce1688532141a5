"""Routers, one module for each resource."""

from api import page
from api.routers import (
    api_listing,
    catalogue,
    channels,
    chat,
    collections,
    definitions,
    files,
    health_and_metrics,
    mcp,
    providers,
    runs,
    schedules,
    startup_companies,
)
from api.routers.access import audit, budgets, sessions
from api.routers.run import (
    archives,
    decision_links,
    events,
    messages,
    reports,
    share_links,
    sources_and_artifacts,
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
            archives,
            share_links,
            startup_companies,
            files,
            collections,
            providers,
            channels,
            chat,
            schedules,
            budgets,
            audit,
            mcp,
        )
    ),
    health_and_metrics.metrics,
    runs.spend,
    share_links.every,
]
"""Routers that require a key once there are keys."""

PUBLIC = [
    m.router for m in (catalogue, health_and_metrics, sessions, api_listing, decision_links, page)
]
"""Public routers, which serve users' data only to holders of a signed link."""
