"""A receiver that is down for ten minutes of real time gets each alert once and in order, signed by the standard."""

import asyncio
import time
from datetime import timedelta

import pytest
from temporalio.client import Client

from greenlight.stack.ports import reserve_ports
from tests.activities.alerts.receiver import Receiver, receiving
from tests.api.conftest import site_over
from tests.conftest import Postgres

DOWN_SECONDS = 600
FIRST_PAUSE = timedelta(seconds=2)
"""Attempts after 2 s, 8 s, 32 s, 128 s and 512 s; with the five seconds of an installation the last one comes half an hour in."""
pytestmark = [pytest.mark.full, pytest.mark.timeout(1_200)]


async def test_receiver_that_was_down_for_ten_minutes_gets_each_alert_once_and_in_order(
    postgres: Postgres, template: str, temporal: Client, tmp_path_factory: pytest.TempPathFactory
) -> None:
    port = reserve_ports({"hook": 0})["hook"]
    database, folder = await postgres.database(template), tmp_path_factory.mktemp("blobs")
    settings = {
        "greenlight_alert_allow": [f"127.0.0.1:{port}"],
        "greenlight_alert_pause": FIRST_PAUSE,
    }
    async with site_over(database, temporal, folder, **settings) as site:
        hook = {"kind": "webhook", "target": f"http://127.0.0.1:{port}{Receiver().path}"}
        channel = (await site.post("/v1/channels", hook)).json()
        log = f"/v1/channels/{channel['id']}/deliveries"
        began = time.monotonic()
        runs = [await site.complete()]
        await asyncio.sleep(DOWN_SECONDS / 2)
        runs.append(await site.complete())
        await asyncio.sleep(DOWN_SECONDS - (time.monotonic() - began))
        waiting = (await site.get(log)).json()["items"]
        assert [each["status"] for each in waiting] == ["queued"] * 6
        assert [each["attempts"] for each in waiting[:-1]] == [0] * 5
        assert waiting[-1]["attempts"] >= 4
        async with receiving(port) as receiver:
            while len(receiver.got) < 6:  # noqa: ASYNC110 - the test's own limit ends it
                await asyncio.sleep(1)
            await asyncio.sleep(10)  # nothing comes twice
            told = receiver.verify(channel["secret"])
            sent = [(each["type"], each["data"]["run_id"]) for each in told]
            ids = receiver.ids
    each_run = ("run.waiting", "run.waiting", "run.ended")
    assert sent == [(kind, run.rpartition("/")[2]) for run in runs for kind in each_run]
    assert ids == [each["id"] for each in waiting[::-1]]
    assert len({*ids}) == len(receiver.got) == 6
