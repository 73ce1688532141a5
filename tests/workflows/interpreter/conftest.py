"""The engine is tested on the server that it runs on, where what a test shows depends on it."""

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment


@pytest.fixture(scope="session")
def temporal(environment: WorkflowEnvironment) -> Client:
    return environment.client
