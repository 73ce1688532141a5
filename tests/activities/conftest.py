"""Two sites on the loopback interface, for tests of fetching and searching."""

from collections.abc import AsyncIterator

import pytest

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
