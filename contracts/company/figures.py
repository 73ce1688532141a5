"""A listed company's figures, and the request that reads them."""

from itertools import zip_longest
from typing import Literal

from pydantic import Field

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Contract
from contracts.company.changes import ChangedFigure
from contracts.company.filings import BusinessKind, Company, Part, Passage, ResultsKind
from contracts.company.inputs import MAX_COMPANIES, Ticker
from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.evidence.rows import FigureRow, Period
from contracts.evidence.sources import Source
from contracts.models.call import WebRequest
from contracts.notices import Notice
from contracts.report.price_table import PastRow
from contracts.runs.lost_inputs import LostInput
from contracts.words import Language

Interval = Literal["quarter", "half_year", "year"]
"""How often a company reports figures."""
GapState = Literal["conflicting", "other_businesses", "not_filed", "not_computed", "does_not_apply"]
"""Why a figure is missing: it contradicts others, was not filed, lacks what it is computed from, or does not apply.

`other_businesses` is shown for a conflict of reports of which one leaves out businesses that were put up for sale since.
"""


class FigureGap(Contract):
    """A metric without a figure in a period, and why."""

    metric: str
    period: Period
    end: str
    state: GapState
    reason: Notice


class Figure(FigureRow):
    """One figure of a company, reported or computed."""

    start: str = Field(default="", description="ISO date; empty of an instant")
    fiscal: str = Field(default="", description="the company's own name for it, e.g. `FY2025 Q3`")
    tag: str = Field(default="", description="of a reported one: its XBRL concept")
    formula: str = Field(default="", description="of a computed one: how")

    @property
    def state(self) -> Literal["reported", "derived"]:
        """Whether a filing states the figure, or it is computed."""
        return "derived" if self.formula else "reported"


class Fundamentals(Contract):
    """A company's figures, computed by code, newest period first."""

    company: Company
    as_of: str | None = Field(default=None, description="nothing filed later was read")
    filed: str = Field(default="", description="day on which the newest of their filings was filed")
    next_results: str = Field(
        default="", description="day on which they are expected, by those a year before"
    )
    results_lag: int = Field(
        default=0,
        description="days after the period's end, by its newest report of that form, if not by those a year before",
    )
    results_kind: ResultsKind = Field(
        default="results", description="what is expected on that day, as the filer did before"
    )
    results_told: str = Field(
        default="",
        description="day on which results of a later period were told in a filing that was read",
    )
    source: int = Field(default=0, description="1-based position in the run's sources")
    figures: list[Figure]
    changes: list[ChangedFigure] = Field(
        default=[],
        description="key figures of the newest periods, each with its change on every basis",
    )
    past: list[PastRow] = Field(
        default=[], description="growth and returns on every base, as a price is set beside them"
    )
    translated: list[Figure] = Field(
        default=[],
        description="the newest figures in the price's currency, as filed beside those in the company's own",
    )
    gaps: list[FigureGap] = Field(
        default=[], description="of the newest periods: metrics that are looked for and not shown"
    )
    head_notes: list[Notice] = Field(
        default=[],
        description="what opens a report: companies that are not compared, how the price was taken",
    )
    filed_facts: Source | None = Field(
        default=None, description="the page of all facts of its newest filings; no agent reads it"
    )
    filed_notions: dict[str, list[str]] = Field(
        default={}, description="the tags in words under which what people ask for is filed"
    )
    notes: list[Notice] = Field(
        default=[], description="restated figures, missing ones, changed tags"
    )
    kind: BusinessKind = "industrial"
    interval: Interval = "quarter"
    is_foreign: bool = Field(
        default=False,
        description="files 20-F or 40-F: what trades in the United States may be a depositary share",
    )
    ads_ratio: float | None = Field(
        default=None,
        description="ordinary shares in the listed security of a foreign company, by its cover",
    )
    is_ads: bool = Field(
        default=False, description="the price is of a depositary share, by the question or a cover"
    )
    valuation: Valuation | None = Field(default=None, description="where a price is known")
    unused_price: SharePrice | None = Field(
        default=None, description="that nothing is computed from; `head_notes` say why"
    )
    parts: list[Part] = Field(default=[], description="by segment, product and region")
    passages: list[Passage] = Field(
        default=[], description="guidance, and risk factors that changed"
    )
    closes: dict[str, float] = Field(
        default={}, description="the share's closing prices of the last year, by ISO date"
    )
    newest_end: str = Field(
        default="", description="last day of the newest period; empty without figures"
    )
    divided_years: list[str] = Field(
        default=[],
        description="ends of fiscal years whose cash flows hold discontinued operations that revenue leaves out",
    )
    unlike_remainder: list[str] = Field(
        default=[],
        exclude_if=lambda names: not names,
        description="flows of which the newest quarter does not compare with the quarters that a fiscal year leaves in sum",
    )
    others: list["Fundamentals"] = Field(
        default=[], description="those to compare it with, without figures and parts"
    )

    @property
    def every_note(self) -> list[Notice]:
        """All notes, those that open a report first."""
        return [*self.head_notes, *self.notes]

    @property
    def every(self) -> "list[Fundamentals]":
        """The fundamentals of this company and of the companies compared with it."""
        return [self, *self.others]


class FactsRequest(WebRequest):
    """One company's facts, as far as they were filed on a day."""

    ticker: Ticker
    as_of: str | None = None
    today: str = Field(
        default="",
        description="the run's day, on which figures have their age unless `as_of` is given",
    )
    language: Language = Field(default="en", description="of the words of tables and charts")
    peers: list[Ticker] = Field(
        default=[], max_length=MAX_COMPANIES - 1, description="tickers to compare it with"
    )
    prices: list[SharePrice | None] = Field(
        default=[],
        description="of its share, then of theirs in their order; left out: the price source's",
    )
    ads_ratios: list[float | None] = Field(
        default=[], description="of its depositary share, then of theirs in their order"
    )
    is_ads: bool = Field(default=False, description="the question prices a depositary share")
    notions: list[str] = Field(
        default=[], description="what the question asks for, by the names of the notions"
    )
    terms: ValuationTerms = ValuationTerms()

    @property
    def each(self) -> "list[FactsRequest]":
        """The requests for each company: its own, and its peers'."""
        priced = zip_longest([self.ticker, *self.peers], self.prices, self.ads_ratios)
        return [
            self.model_copy(
                update={"ticker": ticker, "peers": [], "prices": [price], "ads_ratios": [ratio]}
            )
            for ticker, price, ratio in priced
        ]


class CompanyFacts(Contract):
    """The figures, and the sources whose text states each of them for quoting."""

    fundamentals: Fundamentals = Field(description="its passages count in `documents`")
    source: Source
    documents: list[Source] = Field(default=[], description="the filings that were read themselves")
    lost: list[LostInput] = Field(
        default=[], description="filings and prices not read, exhibits not made"
    )
    artifacts: list[Artifact] = Field(
        default=[], description="charts and tables of its figures and of the others'"
    )
    others: list["CompanyFacts"] = Field(
        default=[], description="of those to compare it with, in full"
    )
