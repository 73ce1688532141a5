"""Loopback addresses of the parties of a measurement."""

import httpx

ATTACKERS = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
"""Addresses of a flood; an address may have 1,000 connections."""
APART, BESIDE = "127.0.0.1", ATTACKERS[0]
"""Addresses of the other tenants: one of their own, and one shared with the flood."""


def resolve(url: str) -> tuple[str, int]:
    """Return host and port of a URL."""
    parsed = httpx.URL(url)
    return parsed.host, parsed.port or 80
