"""The page of operations, figures for Prometheus, and what was spent."""

import re
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

from temporalio.client import Client

from contracts.phases.edit import SENTENCE_EDIT
from store.access.access_keys import KeyRepository
from store.postgres.pool import Pool
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site, site_over
from tests.api.test_validation_errors import told
from tests.support.product.published import read_description


async def test_the_page_of_operations_runs_nothing(site: Site) -> None:
    page = await site.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" not in page.text
    assert "//" not in page.text.replace("<!doctype", "")


async def test_the_page_of_operations_names_every_one(site: Site) -> None:
    page = (await site.get("/docs")).text
    for path, methods in read_description()["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in page


async def test_spend_and_metrics_count_what_runs_took(site: Site) -> None:
    run = (await site.complete()).rpartition("/")[2]
    row = (await site.get(f"/v1/runs/{run}")).json()
    assert row["offline"]
    today = datetime.now(UTC).date()
    spent = (await site.get("/v1/spend", definition_id="deep_research")).json()["items"]
    assert {item["day"] for item in spent} <= {str(today), str(today - timedelta(1))}
    assert (await site.get("/v1/spend", until=str(today - timedelta(2)))).json()["items"] == []
    told(await site.get("/v1/spend", since="yesterday"), 422, "invalid-input")
    told(await site.get("/v1/spend", colour="red"), 422, "invalid-input")
    before = await count_completed(site)
    metrics = await site.get("/metrics")
    after = await count_completed(site)  # runs that other tests have left may end meanwhile
    assert metrics.headers["content-type"].startswith("text/plain")
    counted = re.search(
        r'^greenlight_runs\{status="completed"\} ([\d.]+)$', metrics.text, re.MULTILINE
    )
    assert counted
    assert before <= float(counted[1]) <= after


async def count_completed(site: Site) -> int:
    """Return how many runs have completed; edits of sentences are listed where they are asked for."""
    listed = await site.runs(status="completed")
    return len(listed | await site.runs(status="completed", definition_id=SENTENCE_EDIT))


async def test_metrics_count_the_runs_of_all_users_of_the_callers_tenant(
    database: str, quick_temporal: Client, tmp_path: Path
) -> None:
    async with (
        site_over(database, quick_temporal, tmp_path) as made,
        Pool(database, max_size=1) as pool,
        AsyncExitStack() as stack,
    ):
        keys = KeyRepository(pool)
        ana, ben, mallory = [
            await sign_in(made, keys, tenant, user, stack)
            for tenant, user in (("acme", "ana"), ("acme", "ben"), ("evil", "mallory"))
        ]
        started = [(caller, await caller.start()) for caller in (ana, ben, ben, mallory)]
        counted = [count_runs((await each.get("/metrics")).text) for each in (ana, ben, mallory)]
        for caller, run in started:
            await caller.post(f"{run}/cancel")
    assert counted == [3, 3, 1]


def count_runs(metrics: str) -> float:
    """Return the runs of all statuses."""
    return sum(map(float, re.findall(r"^greenlight_runs\{.*\} ([\d.]+)$", metrics, re.MULTILINE)))
