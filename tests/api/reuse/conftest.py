"""Runs from runs start and end as others do: the test server is enough."""

import pytest

from tests.api.conftest import Site


@pytest.fixture(scope="session")
def site(quick_site: Site) -> Site:
    return quick_site
