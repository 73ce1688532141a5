"""A stack that sends its traces to a collector, and a run whose worker was replaced."""

import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bench.observability.collector import ReceivedSpan, TraceCollector
from greenlight.stack.ports import reserve_ports
from tests.chaos.fragile_stack import FragileStack
from tests.support.databases import as_owner
from tests.support.offline_services import eventually
from tests.support.stack import Run, Whole

SECRET = "sesame-opens-nothing"
"""Sent in the path, the query and a header of requests."""


async def receive(
    collector: TraceCollector, holds: Callable[[list[ReceivedSpan]], bool]
) -> list[ReceivedSpan]:
    """Return a collector's spans once they are as they should be; they come in batches."""

    async def arrived() -> list[ReceivedSpan]:
        spans = collector.spans()
        return spans if holds(spans) else []

    return list(await eventually(arrived, 20))


@pytest.fixture(scope="session")
def collector() -> Iterator[TraceCollector]:
    made = TraceCollector()
    yield made
    made.close()


@dataclass(frozen=True)
class Ports:
    """Where the gateway shows its metrics and the worker those of Temporal's SDK; the worker's are one after the gateway's."""

    product: int
    sdk: int


@pytest.fixture(scope="session")
def ports() -> Ports:
    while True:
        found = reserve_ports({"product": 0, "sdk": 0})
        with socket.socket() as taken:
            if taken.connect_ex(("127.0.0.1", found["product"] + 1)) and found["sdk"] != (
                found["product"] + 1
            ):
                return Ports(**found)


@pytest.fixture(scope="session")
async def watched(
    tmp_path_factory: pytest.TempPathFactory, collector: TraceCollector, ports: Ports
) -> AsyncIterator[FragileStack]:
    """A stack without crews, whose processes export their spans at once."""
    told = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "GREENLIGHT_METRICS": f"127.0.0.1:{ports.product}",
        "GREENLIGHT_TEMPORAL_METRICS": f"127.0.0.1:{ports.sdk}",
    }
    home = tmp_path_factory.mktemp("watched")
    async with AsyncExitStack() as ending:
        with pytest.MonkeyPatch.context() as patch:  # other stacks of this process use other ports
            for name, value in told.items():
                patch.setenv(name, value)
            stack = FragileStack(home, print, has_crews=False, environment=told)
            started = await ending.enter_async_context(stack)
        yield started


@pytest.fixture
async def whole(watched: FragileStack) -> AsyncIterator[Whole]:
    async with Whole.of(watched) as whole:
        yield whole


@dataclass(frozen=True)
class Traced:
    """A run that has ended, and all spans by then."""

    run: Run
    spans: list[ReceivedSpan]

    def named(self, name: str) -> list[ReceivedSpan]:
        return [span for span in self.spans if span.name == name]

    def ancestors(self, span: ReceivedSpan) -> list[str]:
        """Return the names of the spans above one, up to the root of its trace."""
        by_id = {each.id: each for each in self.spans if each.trace == span.trace}
        names = []
        while span.parent:
            span = by_id[span.parent]
            names.append(span.name)
        return names


@pytest.fixture(scope="session")
async def traced(watched: FragileStack, collector: TraceCollector) -> Traced:
    """A run with two provider failures, whose worker was replaced during the approval."""
    async with Whole.of(watched) as whole:
        at = as_owner(watched.addresses.database)
        async with await psycopg.AsyncConnection.connect(at, autocommit=True) as connection:
            await connection.execute(
                "INSERT INTO budgets (tenant_id, kind, holder, day_usd, set_by) VALUES ('default', 'tenant', '', 100, '')"
            )
        await whole.providers.told({"status": 529, "match": {"service": "model"}})
        run = await whole.planned()
        async with watched.without("worker", signal.SIGTERM):
            pass
        await watched.ready("worker")
        await whole.providers.told({"status": 529, "match": {"service": "model"}})
        await run.approve()
        await run.completed()
        await whole.http.get(f"/v1/runs/{run.id}", params={"token": SECRET})
        await whole.http.get(f"/v1/{SECRET}", headers={"authorization": f"Bearer {SECRET}"})
        spans = await receive(
            collector,
            lambda found: any(span.name == "RunWorkflow:Research" for span in found),
        )
        return Traced(run, spans)


class Scraped:
    """What the processes show to Prometheus after the run."""

    def __init__(self, run_id: str, pages: list[str]) -> None:
        self.run_id = run_id
        self.text = "".join(pages)
        self._samples = [
            sample
            for page in pages
            for family in text_string_to_metric_families(page)
            for sample in family.samples
        ]
        self.labels: dict[str, set[str]] = {}
        for sample in self._samples:
            self.labels.setdefault(sample.name, set()).update(sample.labels)

    def sum(self, name: str, **labels: str) -> float:
        """Return the sum of a metric's samples with these labels."""
        wanted = labels.items()
        return sum(s.value for s in self._samples if s.name == name and wanted <= s.labels.items())


@pytest.fixture(scope="session")
async def scraped(traced: Traced, ports: Ports) -> Scraped:
    """The pages of gateway, worker and the worker's SDK."""
    async with httpx.AsyncClient(trust_env=False) as http:
        addresses = [
            f"http://127.0.0.1:{p}/metrics" for p in (ports.product, ports.product + 1, ports.sdk)
        ]
        return Scraped(traced.run.id, [(await http.get(each)).text for each in addresses])
