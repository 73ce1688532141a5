"""The gateway's metrics of a whole installation."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry

from api.installation_metrics import InstallationCollector
from store.installation_counts import InstallationRepository
from store.postgres.pool import Pool
from tests.api.conftest import Site
from tests.support.databases import connect_as_owner
from tests.support.offline_services import eventually


@asynccontextmanager
async def collecting(dsn: str) -> AsyncIterator[CollectorRegistry]:
    """A registry that asks a database."""
    async with Pool(dsn) as pool:
        registry = CollectorRegistry()
        loop = asyncio.get_running_loop()
        registry.register(InstallationCollector(InstallationRepository(pool), loop))
        yield registry


async def collect(registry: CollectorRegistry) -> dict[tuple[str, ...], float]:
    """Return what a scrape shows: name and labels -> value; it is made in a thread, as Prometheus' is."""

    def scrape() -> dict[tuple[str, ...], float]:
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in registry.collect()
            for sample in family.samples
        }

    return await asyncio.to_thread(scrape)


async def test_run_that_waits_is_counted_with_its_age(quick_site: Site) -> None:
    async with collecting(quick_site.database) as registry:
        before = await collect(registry)
        run = await quick_site.start()
        await quick_site.until(run, "clarification")
        waiting = "greenlight_active_runs", "deep_research", "waiting"

        async def is_counted() -> dict[tuple[str, ...], float] | None:
            shown = await collect(registry)
            return shown if shown.get(waiting, 0) > before.get(waiting, 0) else None

        now = await eventually(is_counted)
        assert now["greenlight_human_waits",] == before["greenlight_human_waits",] + 1
        age = now["greenlight_oldest_human_wait_seconds",]
        await asyncio.sleep(0.2)
        assert (await collect(registry))["greenlight_oldest_human_wait_seconds",] >= age + 0.2 > 0.2
        await quick_site.post(f"{run}/cancel")


async def test_definitions_of_users_are_counted_as_one(database: str) -> None:
    async with connect_as_owner(database) as connection:
        await connection.execute(
            "INSERT INTO runs (tenant_id, id, definition_id, status) VALUES"
            " ('a', '1', 'merger-of-x-and-y', 'running'), ('b', '2', 'our-layoffs', 'running'),"
            " ('b', '3', 'web_answer', 'running')"
        )
    async with collecting(database) as registry:
        shown = await collect(registry)
    assert shown["greenlight_active_runs", "own", "running"] == 2
    assert shown["greenlight_active_runs", "web_answer", "running"] == 1
    assert not [labels for labels in shown if "layoffs" in "".join(labels)]


async def test_share_of_the_most_used_budget_is_shown(database: str) -> None:
    async with connect_as_owner(database) as connection:
        await connection.execute(
            "INSERT INTO budgets (tenant_id, kind, holder, day_usd, month_usd, set_by) VALUES"
            " ('a', 'user', 'ann', 10, NULL, ''), ('a', 'user', 'bob', 10, 40, '')"
        )
        await connection.execute(
            "INSERT INTO spent_by_day (tenant_id, kind, holder, day, settled_usd, reserved_usd) VALUES"
            " ('a', 'user', 'ann', (now() AT TIME ZONE 'UTC')::date, 2, 1),"
            " ('a', 'user', 'bob', (now() AT TIME ZONE 'UTC')::date, 10, 0)"
        )
    async with collecting(database) as registry:
        shown = await collect(registry)
    assert shown["greenlight_budget_largest_share", "user", "day"] == 1
    assert shown["greenlight_budgets_used_up", "user", "day"] == 1
    assert shown["greenlight_budget_largest_share", "user", "month"] == pytest.approx(0.25)
    assert shown["greenlight_budgets_used_up", "user", "month"] == 0


async def test_unreachable_database_is_shown_and_nothing_else() -> None:
    async with collecting("postgresql://nobody@127.0.0.1:1/none") as registry:
        assert await collect(registry) == {("greenlight_store_up",): 0}
