"""Two sites: one the fetcher may read, one it must never reach."""

from pathlib import Path

import pytest

from activities.integrations.http.page_fetcher import PageFetcher
from store.blobs import BlobStore
from tests.activities.web.site import Site


@pytest.fixture(scope="session")
def fetcher(_sites: tuple[Site, Site]) -> PageFetcher:
    allow = [_sites[0].host]
    return PageFetcher(allow, timeout_seconds=3, max_bytes=100_000)


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path.as_uri())
