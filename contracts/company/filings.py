"""A company that files with the SEC, and its filings: documents, parts by segment, passages."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.documents import Axis, Day

ResultsKind = Literal["results", "report", "deadline"]
"""What is expected on a day: results by an 8-K, a report, or a report at the latest, by its deadline."""
PassageKind = Literal["guidance", "risk added", "risk removed"]
BusinessKind = Literal[
    "industrial",
    "bank",
    "insurer",
    "health_insurer",
    "reit",
    "utility",
    "investment",
    "blank_check",
]
"""The kind of business, which determines the figures that are meaningful.

Lenders and broker-dealers are banks, property companies are REITs; funds, business development companies and
mortgage REITs are investment companies. Everything else is industrial.
"""


class Company(Contract):
    """A company that files with the SEC."""

    cik: int
    ticker: str = Field(description="as the start names it")
    name: str
    exchange: str = ""
    industry: str = Field(default="", description="as the SEC classes it")
    sic: int = Field(default=0, description="the SEC's code of its industry; 0: unknown")
    fiscal_year_end: str = Field(default="", description="month and day, `09-27`")
    also: tuple[str, ...] = Field(
        default=(),
        description="further tickers by which the start names it, as of classes of shares",
    )


class Filing(Contract):
    """A report as it was filed, and its document."""

    form: str = Field(description="e.g. `10-K`")
    accession: str
    filed: Day
    end: str = Field(default="", description="ISO date, the last day of its period")
    items: str = Field(default="", description="of an 8-K: what it is on, e.g. `2.02,9.01`")
    document: str = Field(default="", description="the file's name; empty where none is known")
    cik: int = 0


class Part(Contract):
    """Revenue or operating income of a part of a company, as filed."""

    axis: Axis
    name: str
    metric: Literal["revenue", "operating_income"]
    period: Literal["year", "quarter"]
    end: str = Field(description="ISO date, the last day of the period")
    value: float
    unit: str
    whole: float | None = Field(default=None, description="the company's own, of the same period")
    form: str = Field(description="of the filing, e.g. `10-K`")
    filed: str
    accession: str


class Passage(Contract):
    """A verbatim passage of a filing: guidance, or a risk factor's heading."""

    kind: PassageKind
    quote: str
    source: int = Field(ge=1, description="1-based position in the run's sources")
    form: str
    filed: str
    start: int
    end: int
