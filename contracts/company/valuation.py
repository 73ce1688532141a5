"""A share's price and what it means: multiples, implied growth, measures beside others."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.company.filings import Company, Passage
from contracts.company.inputs import Price, ValuationTerms
from contracts.documents import Day
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice

PriceOrigin = Literal["given", "close"]
"""Whoever started the run gave it, or a service of prices knows it as the day's last."""


class SharePrice(Contract):
    """A share's price on a day."""

    value: Price
    ads_ratio: float | None = Field(
        default=None,
        description="ordinary shares in the depositary share whose price was divided by it; None: not known to be one",
    )
    currency: str = "USD"
    day: Day
    origin: PriceOrigin

    def divide(self, ads_ratio: float) -> "SharePrice":
        """Return the price of one ordinary share, given how many a depositary share holds."""
        return self.model_copy(update={"value": self.value / ads_ratio, "ads_ratio": ads_ratio})


class Valuation(Contract):
    """What a share price means by a company's newest figures."""

    price: SharePrice
    terms: ValuationTerms
    rows: list[FigureRow] = Field(
        description="the price, what the company is worth, multiples, yields, implied growths by discount rate"
    )
    losses: list[str] = Field(
        default=[], description="metrics without a row, as what they divide by is a loss"
    )
    notices: list[Notice] = Field(default=[], description="what a reader of the rows must know")


class Measures(Contract):
    """What a company is compared by, over twelve months and on the day on which they end."""

    end: str = Field(description="of the twelve months, ISO date")
    rows: list[FigureRow] = Field(description="its figures, and what its price means by them")
    losses: list[str] = Field(default=[], description="as in `Valuation`")


class Peer(Measures):
    """A company's measures beside those of others, over the twelve months that all of them have filed."""

    company: Company
    currency: str
    newer: Measures | None = Field(default=None, description="its newest, where they end later")
    newest_end: str = Field(default="", description="of its newest figures, which may be later")
    filed: str = Field(default="", description="day on which its newest figures were filed")
    next_results: str = Field(default="", description="of one beside the first")
    source: int = Field(default=0, description="1-based position in the run's sources")
    passages: list["Passage"] = Field(default=[], description="of one beside the first")
    closes: dict[str, float] = Field(default={}, description="of one beside the first")
    valuation: Valuation | None = Field(default=None, description="where a price is known")
