"""A share's price and what it means: multiples, implied growth, measures beside others."""

from pydantic import Field

from contracts.base import Contract
from contracts.company.filings import Company, Passage
from contracts.company.inputs import Price, ValuationTerms
from contracts.documents import Day

GIVEN = "given at the start"
"""Of a price: by whoever started the run, of a share as it is on the run's day."""


class SharePrice(Contract):
    """A share's price on a day."""

    value: Price
    ads_ratio: float | None = Field(
        default=None,
        description="ordinary shares in the depositary share whose price was divided by it; None: not known to be one",
    )
    currency: str = "USD"
    day: Day
    origin: str = Field(description="who says so")

    def divide(self, ads_ratio: float) -> "SharePrice":
        """Return the price of one ordinary share, given how many a depositary share holds."""
        return self.model_copy(update={"value": self.value / ads_ratio, "ads_ratio": ads_ratio})


class ImpliedGrowth(Contract):
    """The growth of the free cash flow at which a price is fair."""

    discount_rate: float = Field(description="percent a year")
    growth: float = Field(description="percent a year")
    growth_after_stock_compensation: float | None = Field(
        default=None, description="percent a year, of what stock compensation leaves of it"
    )


class DilutedValuation(Contract):
    """What a price means with the shares that awards and convertibles could add."""

    enterprise_value: float
    ev_to_sales: float | None = None
    implied: list[ImpliedGrowth] = Field(default=[], description="as in `Valuation`")


class Valuation(Contract):
    """Multiples of a share price over trailing-twelve-month figures. None means no profit or no figure."""

    price: SharePrice
    terms: ValuationTerms
    shares: float = Field(description="outstanding")
    market_value: float
    dilutive_shares: float | None = Field(
        default=None, description="that awards and convertibles could add; not in `market_value`"
    )
    diluted: DilutedValuation | None = Field(
        default=None, description="with `dilutive_shares`, where these are many"
    )
    enterprise_value: float | None = Field(
        default=None, description="market value less net cash, with non-controlling interests"
    )
    price_to_sales: float | None = None
    price_to_earnings: float | None = None
    diluted_eps: float | None = Field(
        default=None,
        description="by which P/E divides the price; None: it divides market value by net income",
    )
    ev_to_sales: float | None = None
    ev_to_operating_income: float | None = None
    free_cash_flow_yield: float | None = Field(default=None, description="percent")
    free_cash_flow_less_stock_compensation_yield: float | None = Field(
        default=None, description="percent"
    )
    losses: list[str] = Field(
        default=[], description="fields without meaning, as what they divide by is a loss"
    )
    implied: list[ImpliedGrowth] = Field(default=[], description="by discount rate, lowest first")
    implied_by_year: list[ImpliedGrowth] = Field(
        default=[],
        description="the same of the last fiscal year's cash flow, where that is another",
    )

    @property
    def has_stock_compensation(self) -> bool:
        """Tell whether it is filed what is paid in shares: without it the cash flow has one form alone."""
        return self.free_cash_flow_less_stock_compensation_yield is not None


class Measures(Contract):
    """What a company is compared by, over twelve months and on the day on which they end."""

    end: str = Field(description="of the twelve months, ISO date")
    values: dict[str, float] = Field(description="metric -> value; shares of revenue in percent")
    dates: dict[str, str] = Field(
        default={}, description="of what is of another day: metric -> day"
    )


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
