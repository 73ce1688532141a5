"""A listed company as its filings and the news tell of it."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.models import Scope
from contracts.web import Source

Period = Literal["year", "quarter", "ttm", "instant"]


class Company(Contract):
    """Who files."""

    cik: int
    ticker: str
    name: str
    exchange: str = ""
    industry: str = Field(default="", description="as the SEC classes it")
    fiscal_year_end: str = Field(default="", description="month and day, `09-27`")


class Figure(Contract):
    """One figure of a company, reported or computed, and the filings it stands in."""

    metric: str = Field(description="e.g. `revenue`, `gross_margin`, `free_cash_flow`")
    period: Period
    start: str = Field(default="", description="ISO date; empty of an instant")
    end: str = Field(description="ISO date, the last day of the period")
    fiscal: str = Field(default="", description="the company's own name for it, e.g. `FY2025 Q3`")
    value: float
    unit: str = Field(description="`USD` or another currency, `shares`, `USD/shares`, `percent`")
    accessions: list[str] = Field(description="of the filings it stands in or is computed from")
    tag: str = Field(default="", description="of a reported one: its XBRL concept")
    formula: str = Field(default="", description="of a computed one: how")


class Fundamentals(Contract):
    """A company's figures, computed by code, newest period first."""

    company: Company
    as_of: str | None = Field(default=None, description="nothing filed later was read")
    figures: list[Figure]
    notes: list[str] = Field(
        default=[], description="what a reader must know: restated, missing, changed tags"
    )


class FactsRequest(Contract):
    """One company's facts, as far as they were filed on a day."""

    scope: Scope
    ticker: str = Field(min_length=1, max_length=20)
    as_of: str | None = None
    plan_hash: str = Field(default="", description="the approved plan, where there is one")


class CompanyFacts(Contract):
    """The figures, and the source whose text says each of them, so that it can be quoted."""

    fundamentals: Fundamentals
    source: Source


class Article(Contract):
    """A piece of news about a company that was read."""

    source: int = Field(ge=1, description="1-based position in the run's sources")
    url: str
    title: str
    publisher: str = ""
    published: str | None = Field(default=None, description="ISO date")
