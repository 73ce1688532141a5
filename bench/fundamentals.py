"""Our figures of companies beside those that edgartools computes from the same facts.

Needs no stack, but a folder of EDGAR's companyfacts files, `CIK##########.json`, and a Python that has
edgartools. It is no dependency of ours: 330 MB to be compared with.
"""

import asyncio
import json
import os
import tempfile
import time
from asyncio.subprocess import PIPE
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from contracts.evidence.company import Company
from domain.fundamentals.accounts import Accounts
from domain.fundamentals.compute import QUARTERS, YEARS, fundamentals
from domain.fundamentals.facts import Book
from domain.fundamentals.metrics import ANCHORS, CAPEX, GROSS_PROFIT, OPERATING_INCOME
from offline.filings.cabinet import facts_files

METRICS = (*ANCHORS, GROSS_PROFIT, OPERATING_INCOME, CAPEX)
INSTALL = (
    "fundamentals needs edgartools: python3 -m venv /tmp/oracle && /tmp/oracle/bin/pip install"
    " edgartools, then --oracle /tmp/oracle/bin/python"
)

_ORACLE = """
import json, sys, time
from edgar.entity.parser import EntityFactsParser

for path, asked in json.load(sys.stdin):
    told = json.load(open(path, encoding="utf-8"))
    begun = time.perf_counter()
    facts, found = EntityFactsParser.parse_company_facts(told), []
    for tag, period, end, year in asked:
        try:
            if period == "ttm":
                metric = facts.get_ttm(tag, as_of=end)
                found.append(metric.value if str(metric.as_of_date) == end else None)
            else:
                fact = facts.get_annual_fact(tag, year)
                found.append(fact.numeric_value if str(fact.period_end) == end else None)
        except Exception as error:
            print(tag, period, end, repr(error), file=sys.stderr)
            found.append(None)
    print(json.dumps([time.perf_counter() - begun, found]))
"""

Asked = tuple[str, str, str, int]


@dataclass(frozen=True)
class Ours:
    """What we say of one company: what was asked, our values, and how long all of it took."""

    name: str
    path: Path
    asked: list[Asked]
    values: list[float]
    seconds: float


async def measure(folder: Path, python: str) -> Table | str:
    """Return a row for each company and kind of period, or what is missing."""
    ours = [_ours(path) for path in facts_files(folder).values() if path.suffix == ".json"]
    if not ours:
        return f"no CIK##########.json in {folder}"
    theirs = await _theirs(python, ours)
    if theirs is None:
        return INSTALL
    table = Table(title="Fundamentals, beside edgartools")
    for name in (
        "",
        "period",
        "compared",
        "the same",
        "largest difference",
        "ms",
        "edgartools: ms",
    ):
        table.add_column(name, justify="left" if name in {"", "period"} else "right")
    for company, (seconds, values) in zip(ours, theirs, strict=True):
        for period in ("ttm", "year"):
            times = (f"{company.seconds * 1000:.0f}", f"{seconds * 1000:.0f}")
            table.add_row(company.name, period, *_row(company, values, period), *times)
    return table


def _ours(path: Path) -> Ours:
    told: dict[str, Any] = json.loads(path.read_bytes())
    begun = time.perf_counter()
    name = str(told.get("entityName"))
    fundamentals(told, Company(cik=int(told["cik"]), ticker="X", name=name))
    seconds = time.perf_counter() - begun
    of = Accounts(Book(told))
    asked: list[Asked] = []
    values: list[float] = []
    for metric in METRICS:
        for end in of.calendar.quarters[:QUARTERS]:
            if (amount := of.ttm(metric.name, end)) and (tag := _tag(of, metric.name, end)):
                asked.append((tag, "ttm", end, 0))
                values.append(amount.value)
        for year in of.calendar.years[:YEARS]:
            if amount := of.year(metric.name, year.end):
                asked.append((amount.tag, "year", year.end, year.name))
                values.append(amount.value)
    return Ours(name, path, asked, values, seconds)


def _tag(of: Accounts, name: str, end: str) -> str:
    """Return under which tag a metric is reported by then."""
    found = of.to_date(name, end)
    return found.tag if found else ""


async def _theirs(python: str, ours: list[Ours]) -> list[tuple[float, list[float | None]]] | None:
    asked = json.dumps([(str(company.path.absolute()), company.asked) for company in ours])
    with tempfile.TemporaryDirectory(prefix="greenlight-oracle-") as home:
        process = await asyncio.create_subprocess_exec(
            *(python, "-c", _ORACLE), stdin=PIPE, stdout=PIPE, env={**os.environ, "HOME": home}
        )
        told, _ = await process.communicate(asked.encode())
    if process.returncode:
        return None
    return [tuple(json.loads(line)) for line in told.decode().splitlines()]


def _row(company: Ours, theirs: list[float | None], period: str) -> tuple[str, str, str]:
    pairs = [
        (mine, other)
        for (_, kind, _, _), mine, other in zip(company.asked, company.values, theirs, strict=True)
        if kind == period and other is not None
    ]
    apart = [abs(mine - other) / max(abs(mine), 1) for mine, other in pairs]
    same = sum(difference < 1e-9 for difference in apart)
    return str(len(pairs)), str(same), f"{100 * max(apart, default=0):.2f}%"
