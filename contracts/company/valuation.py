"""A share's price and what it means: multiples, yields, and what it implies."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.company.inputs import Price
from contracts.company.valuation_terms import ValuationTerms
from contracts.documents import Day
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from contracts.report.price_table import PriceTable

PriceOrigin = Literal["given", "close"]
"""Whether the start gave the price, or a price service reported it as a close."""


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


class Closes(Contract):
    """A year of a share's closes, oldest first."""

    prices: list[SharePrice] = []
    unreadable: int = Field(default=0, description="rows of that year that cannot be read")

    @property
    def last(self) -> SharePrice | None:
        """The newest close."""
        return self.prices[-1] if self.prices else None


class PastPrice(Contract):
    """What a share cost on a day in the past, or why that is not known."""

    ticker: str
    price: SharePrice | None = None
    why: Notice | None = None
    unreadable: int = Field(
        default=0, description="rows of the year to that day that cannot be read"
    )

    def tell(self) -> Notice:
        """Return the notice that gives the price and its day, or the reason why there is no price."""
        if self.price is None:
            return Notice.of("past-price-none", company=self.ticker, why=self.why)
        price = self.price
        shown = Notice.of("price", "info", value=price.value, currency=price.currency)
        left = {"n": self.unreadable} if self.unreadable else {}
        return Notice.of("past-price", company=self.ticker, price=shown, day=price.day, **left)


class PastPrices(Contract):
    """What companies' shares cost on a day in the past."""

    prices: list[PastPrice]


class Valuation(Contract):
    """A company's valuation at a share price, by its latest figures."""

    price: SharePrice
    terms: ValuationTerms
    rows: list[FigureRow] = Field(
        description="the price, what the company is worth, multiples, yields"
    )
    implied: PriceTable | None = Field(
        default=None, description="what the price needs at several required returns"
    )
    no_table: Notice | None = Field(
        default=None, description="why there is no such table, if there is a price and none of it"
    )
    losses: list[str] = Field(
        default=[], description="metrics without a row, as what they divide by is a loss"
    )
    notices: list[Notice] = Field(default=[], description="what a reader of the rows must know")
