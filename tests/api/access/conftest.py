"""A gateway of its own for each file: once a key was made, everybody needs one."""

from collections.abc import AsyncIterator

import pytest
from temporalio.client import Client

from store.keys import KeyRepository
from store.postgres.pool import Pool
from tests.api.conftest import Site, site_over


@pytest.fixture(scope="module")
async def site(
    database: str, temporal: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A gateway in which nobody has a key at first."""
    async with site_over(database, temporal, tmp_path_factory.mktemp("blobs")) as made:
        yield made


@pytest.fixture(scope="module")
async def keys(database: str) -> AsyncIterator[KeyRepository]:
    async with Pool(database, max_size=1) as pool:
        yield KeyRepository(pool)
