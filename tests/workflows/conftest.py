"""Temporal as runs need it, and a newsroom for runs whose pages matter."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client

from tests.conftest import time_skipping_server
from tests.sandbox import WorkflowRunners
from tests.workflows.support.newsroom import Newsroom, newsroom_over


@pytest.fixture(scope="session")
async def test_server() -> AsyncIterator[Client]:
    """A client of Temporal's test server that leaves its time alone."""
    async with time_skipping_server() as started:
        service = started.client.service_client
        yield await Client.connect(service.config.target_host, namespace=started.client.namespace)


@pytest.fixture(scope="session")
def temporal(request: pytest.FixtureRequest) -> Client:
    """A client of the dev server in a complete run; else of the test server, which takes a fifth of its time.

    The test server loses an update that meets a workflow at work, and keeps tasks for a worker that has gone:
    tests of those, such as the interpreter's, run on the dev server.
    """
    if WorkflowRunners.is_complete:
        client: Client = request.getfixturevalue("environment").client
        return client
    server: Client = request.getfixturevalue("test_server")
    return server


@pytest.fixture
async def newsroom(temporal: Client, database: str, tmp_path: Path) -> AsyncIterator[Newsroom]:
    """An empty one, over a database that the module's tests share."""
    async with newsroom_over(temporal, database, tmp_path) as made:
        yield made
