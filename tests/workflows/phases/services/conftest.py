"""Workers of their own take a server."""

import pytest
from temporalio.client import Client


@pytest.fixture(scope="session")
def temporal(quick_temporal: Client) -> Client:
    return quick_temporal
