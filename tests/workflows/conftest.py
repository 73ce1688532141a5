"""Temporal as runs need it, and a newsroom for runs whose pages matter."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from tests.workflows.support.newsroom import Newsroom, newsroom_over


@pytest.fixture(scope="session")
def temporal(memory_temporal: Client) -> Client:
    """A client of Temporal in this process; the engine's own tests take a server."""
    return memory_temporal


@pytest.fixture
async def newsroom(
    environment: WorkflowEnvironment, database: str, tmp_path: Path
) -> AsyncIterator[Newsroom]:
    """An empty one, over a database that the module's tests share."""
    async with newsroom_over(environment.client, database, tmp_path) as made:
        yield made
