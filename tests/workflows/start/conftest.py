"""Starts, crons and retries are tested on the server that does them."""

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment


@pytest.fixture(scope="session")
def temporal(environment: WorkflowEnvironment) -> Client:
    return environment.client
