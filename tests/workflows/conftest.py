"""Temporal as runs need it, and a newsroom for runs whose pages matter."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client

from tests.sandbox import WorkflowRunners
from tests.workflows.support.memory_temporal import MemoryTemporal
from tests.workflows.support.newsroom import Newsroom, newsroom_over


@pytest.fixture(scope="session")
async def temporal(request: pytest.FixtureRequest) -> Client:
    """A client of the dev server in a complete run; else of none: runs are in the test's own process."""
    if WorkflowRunners.is_complete:
        client: Client = request.getfixturevalue("environment").client
        return client
    return await MemoryTemporal.connect()


@pytest.fixture
async def newsroom(
    quick_temporal: Client, database: str, tmp_path: Path
) -> AsyncIterator[Newsroom]:
    """An empty one, over a database that the module's tests share."""
    async with newsroom_over(quick_temporal, database, tmp_path) as made:
        yield made
