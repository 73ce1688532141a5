"""Temporal for test runs, and a newsroom for runs that need pages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client

from tests.workflows.support.newsroom import Newsroom, newsroom_over


@pytest.fixture(scope="session")
def temporal(quick_temporal: Client) -> Client:
    """A client of the test server; the engine's own tests take the dev server."""
    return quick_temporal


@pytest.fixture
async def newsroom(temporal: Client, database: str, tmp_path: Path) -> AsyncIterator[Newsroom]:
    """An empty one, over a database that the module's tests share."""
    async with newsroom_over(temporal, database, tmp_path) as made:
        yield made
