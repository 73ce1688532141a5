"""Guard against server-side request forgery: connections go to checked public addresses only."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Network, ip_address

import httpcore

from contracts.errors import FetchFailed, FetchRefused
from contracts.notices import Notice

Resolve = Callable[[str, int], Awaitable[list[str]]]

_NAT64 = IPv6Network("64:ff9b::/96")
_AZURE = IPv4Address("168.63.129.16")
"""Azure's WireServer: the same address in every network, with settings and secrets of the machine."""
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NOT_PUBLIC = [
    IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
]


def is_public(address: str) -> bool:
    """Return whether an address is one that anybody on the internet could reach."""
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return ip.is_global and not ip.is_multicast and ip != _AZURE
    # The IPv4 address that a mapped or translated IPv6 address leads to.
    embedded = ip.ipv4_mapped or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
    if embedded:
        return is_public(str(embedded))
    return ip in _GLOBAL_UNICAST and not any(ip in network for network in _NOT_PUBLIC)


_LOOKUPS = ThreadPoolExecutor(32, "address-lookup")
"""Threads of look-ups alone: a slow name server holds one for half a minute, even after its caller has given up.

The event loop's own executor has four threads and one for each processor, and other work waits for them.
"""


def _look_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for *_, sockaddr in found]


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host as the system gives them, however the host is spelled."""
    loop = asyncio.get_running_loop()
    found = await loop.run_in_executor(_LOOKUPS, _look_up, host, port)
    return list(dict.fromkeys(found))


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Opens TCP connections for the HTTP client to addresses that it has checked.

    Checking when the socket is opened also covers redirects, and names that change their address between two
    look-ups.
    """

    def __init__(
        self,
        allow: frozenset[str],
        resolve: Resolve = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._allow = allow
        self._resolve = resolve
        self._network = network or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of the host that answers, if all of them are allowed."""
        failure: Exception | None = None
        for address in await self.resolve_checked(host, port):
            try:
                return await self._network.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise FetchFailed(Notice.of("host-mute", host=host, port=str(port))) from failure

    async def resolve_checked(self, host: str, port: int) -> list[str]:
        """Return a host's addresses, all allowed; raise FetchRefused or FetchFailed otherwise."""
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            may_pass = getattr(error, "errno", None) == socket.EAI_AGAIN
            unknown = FetchFailed if may_pass else FetchRefused
            raise unknown(Notice.of("host-unknown", host=host)) from error
        is_safe = all("%" not in address and is_public(address) for address in addresses)
        if f"{host}:{port}" not in self._allow and not is_safe:
            raise FetchRefused(Notice.of("host-private", host=host))
        return addresses
