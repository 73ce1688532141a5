"""Reports are made of runs that the test server can do."""

import pytest

from tests.api.conftest import Site


@pytest.fixture(scope="session")
def site(quick_site: Site) -> Site:
    return quick_site
