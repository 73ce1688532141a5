"""The command `channels` against a real gateway."""

import asyncio
import re
from collections.abc import Iterator

import pytest

from contracts.alerts import CHANNEL_KINDS, RUN_ALERTS
from greenlight import cli
from greenlight.stack.home import Addresses, Home
from tests.activities.alerts.receiver import Receiver
from tests.api.conftest import Site
from tests.greenlight.terminal.conftest import CommandLine, CommandOutput, home, type_in
from tests.support.words import en

__all__ = ["home", "type_in"]


@pytest.fixture
def stack(home: Home, site: Site) -> Iterator[None]:
    """A note of a running stack that leads to the gateway."""
    url = str(site.http.base_url)
    addresses = Addresses(
        gateway=url,
        temporal="",
        temporal_ui=None,
        database="",
        offline={},
        library=None,
        home=str(home.path),
        pids={},
    )
    with home.lock():
        home.publish(addresses)
        yield


@pytest.mark.usefixtures("stack")
async def test_channel_is_made_tried_listed_and_removed(
    type_in: CommandLine, receiver: Receiver
) -> None:
    async def run(*words: str) -> CommandOutput:
        return await asyncio.to_thread(type_in, "channels", *words)

    receiver.reset()
    made = await run("add", "webhook", receiver.url, "--name", "Ops", "--event", "run.failed")
    found = re.search(r"(channel-\w+)", made.out)
    secret = re.search(r"whsec_[A-Za-z0-9+/]{43}=", made.out)
    assert found, made.err
    assert secret, made.out
    tried = await run("test", found[1])
    assert (tried.code, tried.out) == (0, f"{en('cli-alert-delivered')}\n"), tried.err
    assert receiver.verify(secret[0])[0]["type"] == "channel.test", made.out
    listed, log = await run("list"), await run("log", found[1])
    assert found[1] in listed.out
    assert "Ops" in listed.out
    assert "delivered" in log.out
    assert secret[0] not in listed.out + log.out
    again = await run("replay", found[1], receiver.ids[0])
    assert again.out == f"{en('cli-alert-delivered')}\n"
    assert receiver.ids.count(receiver.ids[0]) == 2, "other tests' runs may tell this channel, too"
    assert (await run("remove", found[1])).code == 0
    assert en("cli-no-channels") in (await run("list")).out


@pytest.mark.usefixtures("stack")
async def test_refused_address_is_explained(type_in: CommandLine) -> None:
    refused = await asyncio.to_thread(type_in, "channels", "add", "ntfy", "https://ntfy.sh")
    assert refused.code == 2
    assert "target: " in refused.err


def test_command_line_knows_the_kinds_and_events() -> None:
    assert (cli.CHANNEL_KINDS, cli.ALERTS) == (CHANNEL_KINDS, RUN_ALERTS)
