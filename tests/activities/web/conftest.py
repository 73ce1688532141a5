"""Two sites: one the fetcher may read, one it must never reach."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from activities.integrations.fetch import PageFetcher
from store.blobs import BlobStore
from tests.activities.web.site import Site
from tests.activities.web.site import site as serving


@pytest.fixture(scope="session")
async def _sites() -> AsyncIterator[tuple[Site, Site]]:
    async with serving() as one, serving() as other:
        yield one, other


@pytest.fixture
def site(_sites: tuple[Site, Site]) -> Site:
    return _sites[0].reset()


@pytest.fixture
def private_site(_sites: tuple[Site, Site]) -> Site:
    made = _sites[1].reset()
    made.puts("/")
    return made


@pytest.fixture(scope="session")
def fetcher(_sites: tuple[Site, Site]) -> PageFetcher:
    allow = [_sites[0].host]
    return PageFetcher(allow, timeout_seconds=3, max_bytes=100_000)


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path.as_uri())
