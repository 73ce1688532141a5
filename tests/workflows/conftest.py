"""A newsroom, for runs whose pages matter."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from tests.conftest import SCRIPTS
from tests.workflows.support.newsroom import Newsroom, newsroom_over


@pytest.fixture
async def newsroom(temporal: Client, database: str, tmp_path: Path) -> AsyncIterator[Newsroom]:
    """An empty one, over a database that the module's tests share."""
    async with newsroom_over(temporal, database, tmp_path) as made:
        yield made


@pytest.fixture(scope="session")
async def temporal() -> AsyncIterator[Client]:  # trial
    started = await WorkflowEnvironment.start_time_skipping(
        test_server_existing_path=str(SCRIPTS / "temporal-test-server")
    )
    async with started:
        service = started.client.service_client
        yield await Client.connect(service.config.target_host, namespace=started.client.namespace)
