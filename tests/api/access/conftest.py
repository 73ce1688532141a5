"""A gateway of its own for each file: once a key was made, everybody needs one."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

import httpx
import pytest
from temporalio.client import Client

from contracts.access.principal import KeyScope, Principal
from store.access.access_keys import KeyRepository
from store.postgres.pool import Pool
from tests.api.conftest import Site, site_over


@pytest.fixture(scope="module")
def engine(quick_temporal: Client) -> Client:
    """The server of a file's gateway; files that cancel, delete or schedule runs take the dev server."""
    return quick_temporal


@pytest.fixture(scope="module")
async def site(
    database: str, engine: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A gateway in which nobody has a key at first."""
    async with site_over(database, engine, tmp_path_factory.mktemp("blobs")) as made:
        yield made


@pytest.fixture(scope="module")
async def keys(database: str) -> AsyncIterator[KeyRepository]:
    async with Pool(database, max_size=1) as pool:
        yield KeyRepository(pool)


async def sign_in(
    site: Site,
    keys: KeyRepository,
    tenant_id: str,
    user_id: str,
    stack: AsyncExitStack,
    scope: KeyScope = "decide",
) -> Site:
    """Return the gateway as the holder of a new key sees it."""
    holder = Principal(tenant_id=tenant_id, user_id=user_id, scope=scope)
    _, token = await keys.create(holder)
    headers = {"Authorization": f"Bearer {token}"}
    client = httpx.AsyncClient(
        base_url=site.http.base_url, headers=headers, timeout=40, trust_env=False, verify=False
    )
    return replace(site, http=await stack.enter_async_context(client))
