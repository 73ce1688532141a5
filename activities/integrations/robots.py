"""What a site's robots.txt asks of us (RFC 9309), read once an hour."""

import asyncio
import re
import string
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from contracts.errors import FetchRefused

AGENT = "greenlight"
"""Our name in a robots.txt; there as in the User-Agent, case is nothing."""

LONGEST_PAUSE_SECONDS = 5.0
"""A Crawl-delay is honoured up to here: we read single pages, not whole sites."""
TTL_SECONDS = 3_600.0
KNOWN_SITES = 1_000
MOST_CHARS = 500_000

_END = "\n"
_Rule = tuple[str, str]
Read = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True)
class Rules:
    """What one site asks of us."""

    paths: tuple[tuple[str, bool], ...] = ()
    pause_seconds: float = 0

    def allow(self, path: str) -> bool:
        """Whether a path with its query may be read: the longest pattern that fits decides."""
        spelled = _spelled(path) + _END
        fitting = [(len(rule), allowed) for rule, allowed in self.paths if _fits(rule, spelled)]
        return max(fitting, default=(0, True))[1]


@dataclass
class _Site:
    rules: Rules = field(default_factory=Rules)
    until: float = float("-inf")
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


class Robots:
    """Keeps the rules of the sites asked lately."""

    def __init__(self, ttl_seconds: float = TTL_SECONDS) -> None:
        self._sites: dict[str, _Site] = {}
        self._ttl_seconds = ttl_seconds

    async def rules(self, origin: str, read: Read) -> Rules:
        """Return a site's rules, read by one of those who ask; a failure to read is the asker's."""
        site = self._sites.setdefault(origin, _Site())
        now = asyncio.get_running_loop().time
        async with site.reading:
            if site.until < now():
                site.rules = await _rules(read)
                site.until = now() + self._ttl_seconds
        while len(self._sites) > KNOWN_SITES:
            del self._sites[next(iter(self._sites))]
        return site.rules


async def _rules(read: Read) -> Rules:
    """Return what a robots.txt says; one that is refused to us is none."""
    try:
        body = await read()
    except FetchRefused:
        return Rules()
    return parsed(body.decode("utf-8-sig", errors="replace")[:MOST_CHARS])


def parsed(text: str) -> Rules:
    """Return the rules for our agent, else those for all."""
    groups = _groups(text)
    lines = groups.get(AGENT, groups.get("*", []))
    pauses = [float(value) for name, value in lines if name == "crawl-delay" and _is_number(value)]
    return Rules(
        tuple((_pattern(v), name == "allow") for name, v in lines if name.endswith("allow") and v),
        min(max(pauses, default=0), LONGEST_PAUSE_SECONDS),
    )


def _groups(text: str) -> dict[str, list[_Rule]]:
    """Return the lines for each agent; agents named in a row share the lines that follow."""
    groups: dict[str, list[_Rule]] = {}
    agents: list[str] = []
    is_named = False
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        match name.lower():
            case "user-agent":
                agents = [*(agents if is_named else []), value.partition("/")[0].lower()]
                groups.setdefault(agents[-1], [])
                is_named = True
            case "allow" | "disallow" | "crawl-delay" as rule:
                for agent in agents:
                    groups[agent].append((rule, value))
                is_named = False
            case _:
                pass
    return groups


def _is_number(value: str) -> bool:
    return bool(re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", value))


def _spelled(path: str) -> str:
    """Return a path or pattern with what is not ASCII escaped, in capitals."""
    escaped = quote(path, safe=string.punctuation)
    return re.sub("%[0-9a-fA-F]{2}", lambda found: found[0].upper(), escaped)


def _pattern(value: str) -> str:
    spelled = _spelled(value)
    return spelled[:-1] + _END if spelled.endswith("$") else spelled


def _fits(pattern: str, path: str) -> bool:
    """Tell whether a path begins as a pattern says; in time linear in both."""
    first, *others = pattern.split("*")
    at = len(first) if path.startswith(first) else -1
    for part in others:
        found = path.find(part, at) if at >= 0 else -1
        at = found + len(part) if found >= 0 else -1
    return at >= 0
