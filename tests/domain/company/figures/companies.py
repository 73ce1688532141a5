"""Facts as EDGAR lists them, made for a test; and the sample's two companies."""

import json
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from typing import Any

from contracts.company.figures import Figure, Fundamentals
from contracts.company.filings import Company
from contracts.notices import Notice
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.figures_page import list_lines
from domain.company.figures.filed.metrics import spell_tag
from domain.company.figures.tables.page_lines import PageLine, join_lines
from offline.filings.filing_store import Cabinet

Row = dict[str, Any]
REVENUE, INCOME = "RevenueFromContractWithCustomerExcludingAssessedTax", "NetIncomeLoss"
QUARTERS = (("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31"))
LINE = "tag-"
"""How the code of a line's name begins."""
APPLE, SNOWFLAKE = 320193, 1640147


@cache
def sample(cik: int) -> dict[str, Any]:
    """Return the facts of one of the sample's companies."""
    body = Cabinet().facts(cik)
    assert body is not None
    told: dict[str, Any] = json.loads(body)
    return told


@cache
def of_sample(cik: int, as_of: str | None = None) -> Fundamentals:
    """Return the fundamentals of one of the sample's companies."""
    return of(sample(cik), as_of)


def row(
    start: str, end: str, value: float, filed: str, form: str = "10-Q", name: str = "", fy: int = 0
) -> Row:
    """Return a fact; without a start it is of a day."""
    span = {"start": start} if start else {}
    accession = name or f"{form}-{filed}"
    told = {"end": end, "val": value, "accn": accession, "fy": fy, "form": form, "filed": filed}
    return span | told


def listed(
    tags: dict[str, list[Row]], unit: str = "USD", taxonomy: str = "us-gaap"
) -> dict[str, Any]:
    """Return facts of tags that share a unit."""
    return {"facts": {taxonomy: {tag: {"units": {unit: rows}} for tag, rows in tags.items()}}}


def year(number: int, quarters: tuple[float, ...], *, to_date: bool = False) -> list[Row]:
    """Return a calendar year's facts: three 10-Qs and a 10-K, which reports the year alone.

    With `to_date` the 10-Qs report the year to date, as they do of cash flows.
    """
    rows = []
    sums = [*accumulate(quarters)]
    for n, (first, last) in enumerate(QUARTERS[:3]):
        start = f"{number}-01-01" if to_date else f"{number}-{first}"
        value = sums[n] if to_date else quarters[n]
        rows.append(row(start, f"{number}-{last}", value, f"{number}-{n * 3 + 5:02d}-05"))
    whole = row(f"{number}-01-01", f"{number}-12-31", sums[3], f"{number + 1}-02-05", "10-K")
    return [*rows, whole | {"fy": number}]


def of(told: dict[str, Any], as_of: str | None = None) -> Fundamentals:
    """Return the fundamentals of a company that nobody knows."""
    company = Company(cik=1, ticker="ACME", name="Acme Corp.")
    return compute_fundamentals(told, company, as_of)


def render_text(found: Fundamentals, today: str = "") -> str:
    """Return the text of a company's figures."""
    return join_lines(list_lines(found, today))[0]


def list_texts(lines: Iterable[PageLine]) -> list[str]:
    """Return the texts of lines."""
    return [line.text for line in lines]


def figure(found: Fundamentals, metric: str, period: str, end: str) -> Figure | None:
    """Return the only figure for these keys, or None."""
    fits = [f for f in found.figures if (f.metric, f.period, f.end) == (metric, period, end)]
    assert len(fits) <= 1, "a figure stands there once"
    return fits[0] if fits else None


def value(found: Fundamentals, metric: str, period: str, end: str) -> float | None:
    """Return the figure's value, or None."""
    one = figure(found, metric, period, end)
    return one.value if one else None


def spell_line(name: str | Notice) -> str:
    """Return a line's name by its tag in words, however the catalogue words it."""
    return name if isinstance(name, str) else spell_tag(name.code.removeprefix(LINE))


def find_notices(found: Fundamentals, code: str) -> list[dict[str, Any]]:
    """Return the parameters of the notices of a code, those of nested ones in their place; lines by their tags in words."""

    def read(value: object) -> Any:
        if not isinstance(value, Notice):
            return value
        if value.code.startswith(LINE):
            return spell_line(value)
        return {n: read(v) for n, v in value.params.items()}

    return [read(note) for note in found.every_note if note.code == code]


def named(found: Fundamentals, cik: int) -> Fundamentals:
    """Return fundamentals of the company as EDGAR names it."""
    [one] = [c for c in Cabinet().list_companies() if c.cik == cik]
    company = Company(cik=cik, ticker=one.ticker, name=one.name, exchange=one.exchange)
    return found.model_copy(update={"company": company})
