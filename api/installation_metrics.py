"""The gateway's metrics: response times, and counts over the whole installation."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import get_args

from prometheus_client.core import REGISTRY, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.errors import StoreUnavailable
from contracts.preset_definitions import PRESETS
from contracts.runs.statuses import ENDED, RunStatus
from store.installation_counts import InstallationCount, InstallationRepository, RunCount
from temporal.telemetry.prometheus_metrics import HTTP_REQUESTS

SCRAPE_SECONDS = 5.0
OWN = "own"
"""The label of all definitions that users have made."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestTimer:
    """ASGI middleware that measures the time until each response begins."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request; one that no route takes, or that is refused before, is counted as `other`."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path_format", "other")
                method = scope["method"] if scope["method"] in METHODS else "other"
                seconds = time.perf_counter() - begun
                HTTP_REQUESTS.labels(method, route, message["status"]).observe(seconds)
            await send(message)

        await self.app(scope, receive, note)


class InstallationCollector(Collector):
    """Queries the database at each scrape; called in a thread of the metrics server."""

    def __init__(self, repository: InstallationRepository, loop: asyncio.AbstractEventLoop) -> None:
        self._repository = repository
        self._loop = loop

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return no description, so that nothing is queried before the first scrape."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the counts, or that the database does not answer."""
        asked = asyncio.run_coroutine_threadsafe(self._repository.count(), self._loop)
        try:
            count = asked.result(SCRAPE_SECONDS)
        except (StoreUnavailable, TimeoutError):
            asked.cancel()
            yield _gauge("store_up", "Whether PostgreSQL answers", 0)
            return
        yield _gauge("store_up", "Whether PostgreSQL answers", 1)
        yield from _describe(count)


def watch_installation(repository: InstallationRepository) -> None:
    """Add the counts to this process's metrics."""
    REGISTRY.register(InstallationCollector(repository, asyncio.get_running_loop()))


def _describe(count: InstallationCount) -> Iterator[GaugeMetricFamily]:
    statuses = sorted({*get_args(RunStatus)} - ENDED)
    yield _count_runs("active_runs", "Runs that have not ended", count.active, statuses)
    ended = "Runs that ended within a day"
    yield _count_runs("runs_ended_last_day", ended, count.ended, sorted(ENDED))
    yield _gauge("human_waits", "Runs that wait for a human", count.waits)
    oldest = "Age of the phase that has waited longest for a human"
    yield _gauge("oldest_human_wait_seconds", oldest, count.oldest_wait_seconds)
    yield _gauge("spent_today_usd", "US dollars spent since midnight UTC", count.spent_today_usd)
    labels = ["kind", "period"]
    share = GaugeMetricFamily(
        "greenlight_budget_largest_share", "Largest used share of a budget", labels=labels
    )
    used_up = GaugeMetricFamily(
        "greenlight_budgets_used_up", "Budgets that are used up", labels=labels
    )
    for use in count.budgets:
        share.add_metric([use.kind, use.period], use.largest_share)
        used_up.add_metric([use.kind, use.period], use.used_up)
    yield share
    yield used_up
    documents = "Documents of collections that are not read yet"
    yield _gauge("documents_waiting", documents, count.documents_waiting)
    yield _gauge("alerts_due", "Alerts to users that should have been sent", count.alerts_due)


def _count_runs(
    name: str, about: str, counts: list[RunCount], statuses: Sequence[str]
) -> GaugeMetricFamily:
    """Count runs by definition and status, including zeros; users' definitions are combined as `own`."""
    summed = dict.fromkeys(product((*PRESETS, OWN), statuses), 0)
    for each in counts:
        key = (each.definition if each.definition in PRESETS else OWN, each.status)
        summed[key] = summed.get(key, 0) + each.n
    family = GaugeMetricFamily(f"greenlight_{name}", about, labels=["definition", "status"])
    for labels, n in sorted(summed.items()):
        family.add_metric(labels, n)
    return family


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"greenlight_{name}", about, value=value)
