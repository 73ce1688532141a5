"""Temporal for test runs, and a newsroom for runs that need pages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client

from tests.support.temporal.sandbox import WorkflowRunners
from tests.workflows.support.in_process import make_client
from tests.workflows.support.newsroom import Newsroom, newsroom_over


@pytest.fixture(scope="session")
async def in_process() -> Client:
    """A client of runs in this process."""
    return await make_client()


@pytest.fixture(scope="session")
def local_temporal(request: pytest.FixtureRequest) -> Client:
    """A client of runs in this process, or of the dev server with `--all`."""
    name = "quick_temporal" if WorkflowRunners.is_complete else "in_process"
    made: Client = request.getfixturevalue(name)
    return made


@pytest.fixture(scope="session")
def temporal(local_temporal: Client) -> Client:
    """A client for runs whose server does not matter; folders and tests of which it does take another."""
    return local_temporal


@pytest.fixture
async def newsroom(
    quick_temporal: Client, database: str, tmp_path: Path
) -> AsyncIterator[Newsroom]:
    """An empty one, over a database that the module's tests share."""
    async with newsroom_over(quick_temporal, database, tmp_path) as made:
        yield made
