"""Which addresses are public, and that nothing else is ever connected to."""

import asyncio
import socket
from threading import Event
from typing import Any

import httpcore
import pytest

from activities.integrations.http.page_fetcher import parse_url
from activities.integrations.http.ssrf_guard import GuardedNetwork, is_public, resolve
from contracts.errors import FetchFailed, FetchRefused, GreenlightError
from tests.support.refusals import refused

PRIVATE_ADDRESSES = """
127.0.0.1 127.8.8.8 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 192.0.2.1
198.18.0.1 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 ::1 :: fe80::1 fc00::1
fd00:ec2::254 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1
64:ff9b:1::7f00:1 168.63.129.16 ::ffff:168.63.129.16 64:ff9b::a83f:8110 2002:7f00:1:: 2001::1 2001:db8::1 3fff::1 100::1 fec0::1
"""
PUBLIC = ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]


class Recorder(httpcore.AsyncNetworkBackend):
    """A network that records connections without making them."""

    def __init__(self, *, answers: bool = True) -> None:
        self.connected: list[tuple[str, int]] = []
        self.tls_names: list[str | None] = []
        self.answers = answers

    async def connect_tcp(self, host: str, port: int, *_: Any) -> httpcore.AsyncNetworkStream:
        self.connected.append((host, port))
        if not self.answers:
            raise httpcore.ConnectError
        return Stream(self)


class Stream(httpcore.AsyncNetworkStream):
    def __init__(self, network: Recorder) -> None:
        self.network = network

    async def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, *_: Any, **__: Any
    ) -> httpcore.AsyncNetworkStream:
        self.network.tls_names.append(server_hostname)
        raise httpcore.ConnectError

    async def aclose(self) -> None:
        pass


def answering(*addresses: str) -> Any:
    async def resolve(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolve


async def connect(host: str, network: Recorder) -> None:
    """Connect to a host as a URL spells it."""
    url = parse_url(f"http://{host}/")
    guard = GuardedNetwork(frozenset(), network=network)
    await guard.connect_tcp(url.raw_host.decode("ascii"), url.port or 80)


@pytest.mark.parametrize("address", PRIVATE_ADDRESSES.split())
def test_a_private_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(address)


async def test_the_address_that_was_checked_is_the_one_connected_to() -> None:
    """A name that answers otherwise a second time is not asked a second time."""
    network, asked = Recorder(), []

    async def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"] if len(asked) == 1 else ["127.0.0.1"]

    await GuardedNetwork(frozenset(), rebinding, network).connect_tcp("evil.test", 80)
    assert network.connected == [("93.184.216.34", 80)]


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["fe80::1%eth0"]]
)
async def test_a_host_with_any_private_address_is_not_connected_to(addresses: list[str]) -> None:
    network = Recorder()
    guard = GuardedNetwork(frozenset(), answering(*addresses), network)
    with refused(FetchRefused, "host-private", host="evil.test"):
        await guard.connect_tcp("evil.test", 80)
    assert network.connected == []


@pytest.mark.parametrize(
    "host",
    [
        *("127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "0177.1", "0"),
        *("localhost", "LOCALHOST", "localhost.", "127.0.0.1.", "127.0.0.1%00.example.com"),
        *("[::1]", "[::]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:0:127.0.0.1]"),
        *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1%lo]", "[fe80::1%25lo]"),
        *("127\u30020\u30020\u30021", "\uff11\uff12\uff17.0.0.1", "\u2460\u2461\u2466.0.0.1"),
        *(
            "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
            "loc\u00adalhost",
            "\u200b127.0.0.1",
        ),
        *("me@127.0.0.1", "example.com@127.0.0.1", "example.com\\@127.0.0.1", "127.0.0.1\t"),
    ],
    ids=ascii,
)
async def test_no_spelling_of_this_machine_is_connected_to(host: str) -> None:
    network = Recorder()
    with pytest.raises((FetchRefused, FetchFailed)):
        await connect(host, network)
    assert network.connected == []


async def test_an_allowed_pair_lets_through_that_port_only() -> None:
    network = Recorder()
    guard = GuardedNetwork(frozenset({"127.0.0.1:8080"}), network=network)
    await guard.connect_tcp("127.0.0.1", 8080)
    with pytest.raises(FetchRefused):
        await guard.connect_tcp("127.0.0.1", 8081)
    assert network.connected == [("127.0.0.1", 8080)]


async def test_every_address_is_tried_before_giving_up() -> None:
    network = Recorder(answers=False)
    guard = GuardedNetwork(frozenset(), answering("1.1.1.1", "2606:4700::1111"), network)
    with refused(FetchFailed, "host-mute", host="up.test"):
        await guard.connect_tcp("up.test", 443)
    assert network.connected == [("1.1.1.1", 443), ("2606:4700::1111", 443)]


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "try again"), FetchFailed),
        (socket.gaierror(socket.EAI_NONAME, "no such name"), FetchRefused),
        (UnicodeError("label too long"), FetchRefused),
    ],
)
async def test_an_unknown_host_is_tried_again_only_if_that_may_help(
    error: Exception, raised: type[GreenlightError]
) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        raise error

    with refused(raised, "host-unknown", host="who.test"):
        await GuardedNetwork(frozenset(), resolve).connect_tcp("who.test", 80)


async def test_a_host_is_looked_up_while_other_work_holds_all_threads() -> None:
    """The event loop's own threads, 32 at most, wait for something slow."""
    ended = Event()
    slow = [asyncio.create_task(asyncio.to_thread(ended.wait)) for _ in range(32)]
    await asyncio.sleep(0)
    try:
        async with asyncio.timeout(10):
            assert await resolve("127.0.0.1", 80) == ["127.0.0.1"]
    finally:
        ended.set()
        await asyncio.gather(*slow)


async def test_the_certificate_is_checked_for_the_name_not_the_address() -> None:
    network = Recorder()
    guard = GuardedNetwork(frozenset(), answering("1.1.1.1"), network)
    async with httpcore.AsyncConnectionPool(network_backend=guard) as pool:
        with pytest.raises(httpcore.ConnectError):
            await pool.request("GET", "https://shop.test/")
    assert network.tls_names == ["shop.test"]
