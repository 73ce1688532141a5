"""A stack whose traces arrive at a collector, and a run of it over which its worker was replaced."""

import signal
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import pytest

from tests.chaos.fragile_stack import FragileStack
from tests.collector import Collector, Received
from tests.stack import Run, Whole

SECRET = "sesame-opens-nothing"
"""Sent in the path, the query and a header of requests."""


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.close()


@pytest.fixture(scope="session")
async def watched(
    tmp_path_factory: pytest.TempPathFactory, collector: Collector
) -> AsyncIterator[FragileStack]:
    """A stack without crews, whose processes send their spans at once."""
    told = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in told.items():
            patch.setenv(name, value)
        home = tmp_path_factory.mktemp("watched")
        async with FragileStack(home, print, has_crews=False) as started:
            yield started


@pytest.fixture
async def whole(watched: FragileStack) -> AsyncIterator[Whole]:
    async with Whole.of(watched) as whole:
        yield whole


@dataclass(frozen=True)
class Traced:
    """A run that has ended, and all spans by then."""

    run: Run
    spans: list[Received]

    def named(self, name: str) -> list[Received]:
        return [span for span in self.spans if span.name == name]

    def ancestors(self, span: Received) -> list[str]:
        """Return the names of the spans above one, up to the root of its trace."""
        by_id = {each.id: each for each in self.spans if each.trace == span.trace}
        names = []
        while span.parent:
            span = by_id[span.parent]
            names.append(span.name)
        return names


@pytest.fixture(scope="session")
async def traced(watched: FragileStack, collector: Collector) -> Traced:
    """A run with a provider's failure, whose worker was stopped and replaced while it waited for approval."""
    async with Whole.of(watched) as whole:
        await whole.providers.told({"status": 529, "match": {"service": "model"}})
        run = await whole.planned()
        async with watched.without("worker", signal.SIGTERM):
            pass
        await watched.ready("worker")
        await run.approve()
        await run.completed()
        await whole.http.get(f"/v1/runs/{run.id}", params={"token": SECRET})
        await whole.http.get(f"/v1/{SECRET}", headers={"authorization": f"Bearer {SECRET}"})
        spans = await collector.until(
            lambda found: any(span.name == "RunWorkflow:Research" for span in found)
        )
        return Traced(run, spans)
