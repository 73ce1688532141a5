"""A gateway that sends its alerts to a receiver in the tests."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from temporalio.client import Client

from tests.activities.alerts.receiver import Receiver, receiving
from tests.api.conftest import Site, site_over
from tests.conftest import Postgres


@pytest.fixture(scope="package")
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


@pytest.fixture(scope="package")
async def site(
    postgres: Postgres,
    template: str,
    temporal: Client,
    tmp_path_factory: Any,
    receiver: Receiver,
) -> AsyncIterator[Site]:
    """A gateway that asks nobody for a key, and may send to the receiver."""
    allowed = {"greenlight_alert_allow": [receiver.address]}
    allowed |= {"greenlight_alert_pause": timedelta(milliseconds=100)}  # type: ignore[dict-item]
    folder = tmp_path_factory.mktemp("blobs")
    database = await postgres.database(template)
    async with site_over(database, temporal, folder, **allowed) as made:
        yield made
