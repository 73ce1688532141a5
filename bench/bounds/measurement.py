"""`bench bounds`: exercises each bound of a stack in turn, and times how long two other tenants wait.

Everything is loopback and ends by itself. Floods run in processes of their own, on the same cores: their own
work is in the figures, too.
"""

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import httpx
from rich.table import Table

from bench.bounds import draughtsman, floods
from bench.bounds.addresses import APART, ATTACKERS, BESIDE
from bench.bounds.bystander import Waits, watch
from bench.harness import BenchClient, make_table, set_variables, start_bench
from bench.replay import serve
from contracts.access.principal import Principal
from store.access.access_keys import KeyRepository
from store.postgres.pool import Pool
from workflows.start.seeds import MAX_GIVEN_REPORT_CHARS

QUIET_SECONDS = 10
HELD_SECONDS = 8
MAX_SECONDS = 45
"""After which a flood is ended, however much of it is left."""
PAUSE_SECONDS = 3
REPORTS = {
    "lines": "".join(f"- {n} a\n" for n in range(20_000)),
    "more lines": "".join(f"- {n} a\n- {n} b\n" for n in range(10_000)),
    "marks": "[1]" * 33_000,
    "brackets": "[a" * 50_000,
    "words": "pumps sell well. " * 6_000,
}
Outcome = Counter[str]


@dataclass(frozen=True)
class Exercised:
    """A bound, what became of those who exceeded it, and what others waited for."""

    bound: str
    outcome: Outcome
    apart: Waits
    beside: Waits
    load: float
    """Load average of the machine when it was over."""


@dataclass
class Attacker:
    """A tenant with a key who does too much of everything."""

    url: str
    key: str
    http: httpx.AsyncClient
    _reports: dict[str, str] = field(default_factory=dict)

    async def flood(self, name: str, connections: int, **more: Any) -> Outcome:
        """Run a flood from one address, unless others are named."""
        options = {"addresses": ATTACKERS[:1], "seconds": MAX_SECONDS, **more}
        return await floods.start(floods.Flood(name, self.url, connections, **options))

    async def hold_streams(self, addresses: list[str]) -> Outcome:
        """Open 3,000 streams of one run with one key, and hold those that are accepted."""
        run = await self.start("deep_research")
        more = {"path": f"/v1/runs/{run}/stream", "key": self.key, "addresses": addresses}
        return await self.flood("hold_streams", 3_000, seconds=HELD_SECONDS, **more)

    async def read_blank_lines(self) -> Outcome:
        """Start runs that read an uploaded document with 6,000 blank lines."""
        body = b"Pumps sell." + b"\n" * 6_000 + b"Irrigated land is 1,000 hectares."
        headers = {"Content-Type": "application/octet-stream"}
        answer = await self.http.post(
            "/v1/files", params={"name": "pumps.md"}, content=body, headers=headers
        )
        files = [answer.raise_for_status().json()["id"]]
        return await self.finish("web_answer", 4, files=files)

    async def draw_charts(self) -> Outcome:
        """Start runs whose model draws charts of nearly equal values."""
        models = {"engineer": draughtsman.NAME}
        return await self.finish("one_shot", 7, model_overrides=models)

    async def compare(self) -> Outcome:
        """Compare long reports again and again."""
        one, other = [await self.give_report(name) for name in ("lines", "more lines")]
        return await self.get(f"/v1/runs/{one}/compare/{other}", connections=4)

    async def render(self, format: str) -> Outcome:
        """Get long reports in a format again and again, several at once."""
        runs = [await self.give_report(name) for name in ("marks", "brackets", "words")]
        getting = [
            self.get(f"/v1/runs/{run}/report?format={format}", connections=2) for run in runs
        ]
        return sum(await asyncio.gather(*getting), Counter())

    async def get(self, path: str, connections: int) -> Outcome:
        """Get a path with the attacker's key for some seconds."""
        return await self.flood("get_repeatedly", connections, path=path, key=self.key, rounds=5)

    async def start(self, definition: str, **options: Any) -> str:
        """Start a run and return its id."""
        body = {"query": "Where do pumps sell?", "fresh": True, "save_startup": False, **options}
        answer = await self.http.post(f"/v1/workflows/{definition}/run", json=body)
        return str(answer.raise_for_status().json()["run_id"])

    async def finish(self, definition: str, times: int, **options: Any) -> Outcome:
        """Start runs at once, leave them their questions, and count how they end."""
        runs = [await self.start(definition, **options) for _ in range(times)]
        for run in runs:
            await self._follow(run)
            await self.http.post(f"/v1/runs/{run}/answers", json={"answers": {}, "rest": None})
        return Counter(await asyncio.gather(*map(self._follow, runs)))

    async def give_report(self, name: str) -> str:
        """Return a finished run with a report as long as one may be that a start brings."""
        if name not in self._reports:
            markdown = (REPORTS[name] + "\n\n1. " + "&" * 600)[-MAX_GIVEN_REPORT_CHARS:]
            report = {"title": name, "sections": [], "markdown": markdown}
            given = {"synthesis": {"report": report}}
            run = await self.start("deep_research", given=given, only=["synthesis"])
            await self._follow(run)
            self._reports[name] = run
        return self._reports[name]

    async def _follow(self, run: str) -> str:
        """Return a run's status once it waits or has ended, or after some time."""
        answer = await self.http.get(f"/v1/runs/{run}/state", params={"wait": MAX_SECONDS})
        return str(answer.raise_for_status().json()["status"])


def list_bounds(attacker: Attacker) -> dict[str, Callable[[], Awaitable[Outcome]]]:
    """Return what exercises each bound, by its name in the table."""
    flood = attacker.flood
    return {
        "3,000 streams of a key": lambda: attacker.hold_streams(ATTACKERS),
        "the same from one address": lambda: attacker.hold_streams(ATTACKERS[:1]),
        "900 junk keys, 6 times": lambda: flood("send_junk_keys", 900, rounds=6),
        "3,000 half heads": lambda: flood("hold_half_heads", 3_000, seconds=HELD_SECONDS),
        "heads of 40 MB": lambda: flood(
            "send_large_heads", 4, bytes=40_000_000, seconds=HELD_SECONDS
        ),
        "40 uploads of 19 MB": lambda: flood(
            "upload", 40, bytes=19_000_000, path="/v1/files", key=attacker.key
        ),
        "6,000 blank lines": attacker.read_blank_lines,
        "nearly equal charts": attacker.draw_charts,
        "compare of 100 kB": attacker.compare,
        "html of 100 kB": lambda: attacker.render("html"),
        "pdf of 100 kB": lambda: attacker.render("pdf"),
        "docx of 100 kB": lambda: attacker.render("docx"),
    }


@asynccontextmanager
async def open_parties(bench: BenchClient) -> AsyncIterator[tuple[Attacker, dict[str, str]]]:
    """Yield the attacker, and the keys of the other tenants by their addresses."""
    url = bench.stack.addresses.gateway
    async with Pool(bench.stack.addresses.database, max_size=1) as pool:
        keys = KeyRepository(pool)
        names = ("evil", "apart", "beside")
        holders = [Principal(tenant_id=name, user_id=name) for name in names]
        evil, apart, beside = [(await keys.create(holder))[1] for holder in holders]
    transport = httpx.AsyncHTTPTransport(local_address=ATTACKERS[0])
    headers = {"Authorization": f"Bearer {evil}"}
    async with httpx.AsyncClient(
        base_url=url, transport=transport, headers=headers, timeout=2 * MAX_SECONDS
    ) as http:
        yield Attacker(url, evil, http), {APART: apart, BESIDE: beside}


async def exercise(
    url: str, keys: dict[str, str], bound: str, attack: Callable[[], Awaitable[Outcome]]
) -> Exercised:
    """Exercise one bound while the other tenants work."""
    async with (
        watch(url, APART, keys[APART]) as apart,
        watch(url, BESIDE, keys[BESIDE]) as beside,
    ):
        outcome = await attack()
    await asyncio.sleep(PAUSE_SECONDS)
    return Exercised(bound, outcome, apart, beside, os.getloadavg()[0])


async def wait_quietly() -> Outcome:
    """Do nothing, as the baseline."""
    await asyncio.sleep(QUIET_SECONDS)
    return Counter()


async def measure() -> list[Exercised]:
    """Start a stack and exercise each of its limits, and nothing at all for comparison."""
    found = []
    async with serve(draughtsman.Draughtsman()) as model:
        servers = {draughtsman.NAME: {"url": model, "key": "any"}}
        prices = {draughtsman.NAME: {"input_usd": 0.1, "output_usd": 0.5}}
        with set_variables(
            GREENLIGHT_SERVERS=json.dumps(servers), GREENLIGHT_PRICES=json.dumps(prices)
        ):
            async with start_bench() as bench, open_parties(bench) as (attacker, keys):
                bounds = {"nothing": wait_quietly, **list_bounds(attacker)}
                for bound, attack in bounds.items():
                    found.append(await exercise(attacker.url, keys, bound, attack))
    return found


def make_tables(found: list[Exercised]) -> list[Table]:
    """Tabulate the longest waits."""
    title = (
        f"Longest waits of other tenants in s, at {APART} and beside the flood at {BESIDE}, "
        f"on {os.cpu_count()} cores"
    )
    columns = ("bound", "list", "first question", "list beside", "first question beside")
    table = make_table(title, *columns, "refused", "load", "what became of the excess")
    for each in found:
        waits = (each.apart.lists, each.apart.questions, each.beside.lists, each.beside.questions)
        shown = [f"{max(seconds):.2f}" if seconds else "none" for seconds in waits]
        refused = len(each.apart.refused) + len(each.beside.refused)
        outcome = ", ".join(f"{count} {name}" for name, count in each.outcome.most_common())
        table.add_row(each.bound, *shown, str(refused), f"{each.load:.1f}", outcome)
    return [table]


def to_json(found: list[Exercised]) -> list[dict[str, Any]]:
    """Return every wait and refusal."""
    return [asdict(each) for each in found]
