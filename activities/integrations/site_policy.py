"""Domains that an operator allows or denies to agents."""

from dataclasses import dataclass

import httpx


@dataclass(frozen=True)
class SitePolicy:
    """Domains with all below them; what is denied is denied, and no allowed one allows all."""

    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()

    @classmethod
    def of(cls, allow: str, deny: str) -> "SitePolicy":
        """Return the sites of two settings: domains, separated by commas."""
        return cls(_domains(allow), _domains(deny))

    @property
    def are_all(self) -> bool:
        """Whether nothing is kept away."""
        return not self.allow and not self.deny

    def refusal(self, url: str) -> str:
        """Return why a page may not be read, or nothing; what is no URL is for others to refuse."""
        try:
            host = _host(httpx.URL(url))
        except httpx.InvalidURL:
            return ""
        above = {host, *(host[n + 1 :] for n, letter in enumerate(host) if letter == ".")}
        if self.deny & above:
            return f"{host!r} is denied by GREENLIGHT_WEB_DENY."
        if self.allow and not self.allow & above:
            return f"{host!r} is not among the sites of GREENLIGHT_WEB_ALLOW."
        return ""


def _domains(setting: str) -> frozenset[str]:
    names = (name.strip() for name in setting.split(","))
    return frozenset(_host(httpx.URL(scheme="http", host=name)) for name in names if name)


def _host(url: httpx.URL) -> str:
    """Return a host as DNS spells it, however it is written."""
    return url.raw_host.decode("ascii").rstrip(".")
