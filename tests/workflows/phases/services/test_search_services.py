"""Whole runs over search services: a failed one is reported first, and no search is made that the budget does not pay for."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from temporalio.client import Client

from contracts.runs.start import RunInput
from contracts.runs.state_view import StateView
from settings import Settings
from store.blobs import BlobStore
from store.postgres.pool import Pool
from temporal.payloads import data_converter
from tests.offline.conftest import serving
from tests.support.databases import fetch_as_owner
from worker import build_worker, open_activities
from workflows.research import Research

DEAD = "http://127.0.0.1:9"
Start = Any


@asynccontextmanager
async def running(
    temporal: Client, database: str, folder: Path, **told: Any
) -> AsyncIterator[tuple[Start, Pool]]:
    """Yield a function that runs a web answer to its end, on a worker whose provider is the offline service."""
    async with serving() as offline, Pool(database) as pool:
        settings = Settings(
            database_url=database,
            blob_url=(folder / "blobs").as_uri(),
            anthropic_base_url=offline.base,
            anthropic_api_key=SecretStr("any"),
            greenlight_fetch_allow=[offline.base.removeprefix("http://")],
            greenlight_task_queue=f"test-{uuid.uuid4()}",
            **told,
        )
        blobs = BlobStore(settings.blob_url)
        client = Client(temporal.service_client, data_converter=data_converter(blobs))

        async def run(**more: Any) -> StateView:
            name = f"run-{uuid.uuid4()}"
            start = RunInput(
                query="What does Peru export?", definition_id="web_answer", user_id=name, **more
            )
            handle = await client.start_workflow(
                Research.run, start, id=name, task_queue=settings.greenlight_task_queue
            )
            await handle.result()
            return await handle.query(Research.state)

        async with (
            open_activities(settings, blobs, client) as callables,
            build_worker(client, settings, callables),
        ):
            yield run, pool


async def list_searches(pool: Pool, run_id: str) -> list[dict[str, Any]]:
    return await fetch_as_owner(
        pool,
        "SELECT jsonb_build_object('model', model, 'usd', settled_usd, 'error', error) FROM calls"
        " WHERE run_id = %(run)s AND kind = 'search' ORDER BY model",
        {"run": run_id},
    )


@pytest.mark.full
async def test_service_that_fails_is_told_on_top_and_another_answers(
    temporal: Client, database: str, tmp_path: Path
) -> None:
    told = {"brave_api_key": SecretStr("k"), "brave_base_url": DEAD}
    async with running(temporal, database, tmp_path, **told) as (run, pool):
        view = await run(search=["brave", "anthropic"])
        searches = await list_searches(pool, view.run_id)
    assert view.status == "completed"
    assert "lost-service" in [notice.code for notice in view.notices]
    assert [(each["model"], each["error"]) for each in searches] == [
        ("anthropic", ""),
        ("brave", "search-failed"),
    ]


@pytest.mark.full
async def test_search_that_the_budget_does_not_pay_for_is_not_made(
    temporal: Client, database: str, tmp_path: Path
) -> None:
    """Its fee is reserved before it is made; the model's calls before it were paid."""
    dear = {"greenlight_search_prices": {"anthropic": 0.5}}
    async with running(temporal, database, tmp_path, **dear) as (run, pool):
        view = await run(budget=0.1)
        searches = await list_searches(pool, view.run_id)
    assert searches == []
    assert 0 < view.usage.usd < 0.1
