"""The operator's allowed and denied sites."""

from dataclasses import dataclass

import httpx

from contracts.notices import Notice


@dataclass(frozen=True)
class SitePolicy:
    """Domains, with all below them, that an operator allows or denies; no allowed one allows all."""

    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()

    @classmethod
    def of(cls, allow: str, deny: str) -> "SitePolicy":
        """Return the sites of two settings: domains, separated by commas."""
        return cls(_parse_domains(allow), _parse_domains(deny))

    def refusal(self, url: str) -> Notice | None:
        """Return why a page may not be read, or None; invalid URLs are refused elsewhere."""
        try:
            host = _get_host(httpx.URL(url))
        except httpx.InvalidURL:
            return None
        above = {host, *(host[n + 1 :] for n, letter in enumerate(host) if letter == ".")}
        if self.deny & above:
            return Notice.of("site-denied", host=host)
        if self.allow and not self.allow & above:
            return Notice.of("site-not-allowed", host=host)
        return None


def _parse_domains(setting: str) -> frozenset[str]:
    names = (name.strip() for name in setting.split(","))
    return frozenset(_get_host(httpx.URL(scheme="http", host=name)) for name in names if name)


def _get_host(url: httpx.URL) -> str:
    """Return a host as DNS spells it, however it is written."""
    return url.raw_host.decode("ascii").rstrip(".")
