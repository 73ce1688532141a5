"""A listed company as its filings and the news tell of it."""

import re
from itertools import zip_longest
from math import inf
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from contracts.base import Contract, Json, Text
from contracts.documents import Axis, Day
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.lost_inputs import LostInput
from contracts.models.call import Scope

CIK = r"CIK(\d{1,10})"
"""The SEC's number of a company in place of a ticker, which one that is delisted has no more."""


def _ticker(text: str) -> str:
    if not re.fullmatch(rf"[A-Z0-9][A-Z0-9.-]{{0,9}}|{CIK}", text, re.ASCII):
        raise ValueError(
            "must be 1 to 10 letters, digits, dots or hyphens, as in AAPL or BRK.B, or a number of"
            " the SEC's, as in CIK1418091"
        )
    return text


Ticker = Annotated[
    str, StringConstraints(strip_whitespace=True, to_upper=True), AfterValidator(_ticker)
]
"""As exchanges list it; written in small letters it is the same."""


def _amount(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("float_type", "must be a number")
    return value


MAX_COMPANIES = 6
"""Side by side: a table has room for each, and for what all but the last to file have filed since."""

Price = Annotated[float, BeforeValidator(_amount), Field(ge=0.0001, le=1e9, allow_inf_nan=False)]
_PRICE = TypeAdapter[float](Price)
_THOUSANDS = re.compile(r"(?<!\d)\d+,\d{3}(?!\d)\S*")
"""One price with a comma in it, or two: nobody knows."""


def _list_prices(said: object) -> object:
    """Return prices with commas between them, or a single one, as a list; an empty place is None."""
    if isinstance(said, str) and (unclear := _THOUSANDS.search(said)):
        raise PydanticCustomError(
            "price",
            "must have a blank after a comma between two prices, as 230, 155, and no comma within one: {said}",
            {"said": unclear[0]},
        )
    parts = said.split(",") if isinstance(said, str) else said
    if not isinstance(parts, list):
        return [] if parts is None else [_PRICE.validate_python(parts)]
    prices = [None if isinstance(part, str) and not part.strip() else part for part in parts]
    while prices and prices[-1] is None:
        prices.pop()
    return [_PRICE.validate_python(prices[0])] if len(prices) == 1 else prices


Prices = Annotated[
    list[Price | None],
    BeforeValidator(_list_prices),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number"},
                {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
                {"type": "string"},  # the last: forms are drawn by it
            ]
        }
    ),
]
"""Of companies, in their order: a number, several with commas between, or a list."""


class ValuationTerms(Contract):
    """What a valuation assumes; a start may change it."""

    discount_rate: float = Field(default=9, gt=0, le=30, description="percent a year")
    terminal_growth: float = Field(
        default=2.5,
        ge=-5,
        le=6,
        validate_default=True,
        description="percent a year, after the years of growth; less than `discount_rate`",
    )
    growth_years: int = Field(default=10, ge=1, le=30, description="that a price looks ahead")

    @field_validator("terminal_growth")
    @classmethod
    def _require_an_end(cls, growth: float, info: ValidationInfo) -> float:
        """Refuse growth for ever that no rate discounts: it has no value."""
        if growth >= info.data.get("discount_rate", inf):
            raise ValueError(f"must be less than discount_rate, {info.data['discount_rate']:g}")
        return growth


class CompanyInputs(ValuationTerms):
    """The company that a start asks about, in its `inputs`, and what its price is held against."""

    ticker: Ticker = Field(description="of several companies with commas between: AAPL, SNOW")
    tickers: list[Ticker] = Field(
        default=[],
        max_length=MAX_COMPANIES,
        description="the same as a list, up to six, `ticker` among them; the first, unless that is given",
    )
    price: Prices = Field(
        default=[],
        description="of a share; of several companies in their order, `ticker` first, with a comma and a blank"
        " between: 230, 155; of one left out its last close, where prices are known",
    )
    ads_ratio: Prices = Field(
        default=[],
        description="ordinary shares in one depositary share (ADS) of which `price` is, of several companies in their"
        " order; 1: the price is of an ordinary share. A company that files 20-F or 40-F is not valued without it",
    )
    price_currency: Annotated[
        str, StringConstraints(strip_whitespace=True, to_upper=True, pattern="^[A-Za-z]{3}$")
    ] = Field(default="USD", description="in which `price` is given: that of the figures")
    company_name: Text = Field(
        default="", max_length=200, description="without it, the name that it files under"
    )
    news_limit: int | None = Field(
        default=None,
        ge=0,
        le=20,
        description="articles on each company; without it, as the definition says",
    )
    as_of: Day | None = Field(
        default=None, description="a day, as 2025-12-31: nothing filed or published later is read"
    )

    @model_validator(mode="before")
    @classmethod
    def _list_companies(cls, data: Any) -> Any:
        """Read tickers with commas between them, in whichever field, as a list; the first is `ticker`."""
        if not isinstance(data, dict):
            return data
        one, several = data.get("ticker"), data.get("tickers")
        if isinstance(one, str) and "," in one and not several:
            one, several = None, one
        if not isinstance(several, str | list):
            return data
        tickers = several.split(",") if isinstance(several, str) else several
        first = one or next(iter(tickers), None)
        return {**data, "tickers": tickers, **({"ticker": first} if first else {})}

    @field_validator("tickers")
    @classmethod
    def _limit_companies(cls, tickers: list[str], info: ValidationInfo) -> list[str]:
        """Refuse more companies than are compared: `ticker` is one of them."""
        if len({*tickers, info.data.get("ticker")} - {None}) > MAX_COMPANIES:
            raise ValueError(f"must name at most {MAX_COMPANIES} companies, `ticker` among them")
        return tickers

    @field_validator("price", "ads_ratio")
    @classmethod
    def _limit_prices(cls, prices: list[float | None], info: ValidationInfo) -> list[float | None]:
        """Refuse more prices than companies: it is not known of what they are."""
        if "tickers" in info.data and "ticker" in info.data:
            count = len({info.data["ticker"], *info.data["tickers"]})
            if len(prices) > count:
                told = "one company" if count == 1 else f"{count} companies"
                raise ValueError(f"must be one a company: {len(prices)} are given for {told}")
        return prices

    @field_validator("as_of")
    @classmethod
    def _refuse_day_to_come(cls, day: str | None, info: ValidationInfo) -> str | None:
        """Refuse a day of which nothing can be known yet, where it is told which is the `latest_day`."""
        latest = (info.context or {}).get("latest_day")
        if day and latest and day > latest:
            raise ValueError(f"must not be a day to come, as {day} is")
        return day

    @property
    def peers(self) -> list[str]:
        """The companies to set beside it."""
        return [ticker for ticker in dict.fromkeys(self.tickers) if ticker != self.ticker]


_NAMING = ("ticker", "tickers", "price")


def name_companies(inputs: Json) -> Json:
    """Return a start's inputs with its companies and their prices in one form, however they were written.

    `ticker` is the first, `tickers` all of several. What cannot be read stays, to be told where it is checked.
    """
    try:
        read = CompanyInputs.model_validate({n: inputs[n] for n in _NAMING if n in inputs})
    except ValidationError:
        return inputs
    named: Json = {name: said for name, said in inputs.items() if name not in _NAMING}
    named["ticker"] = read.ticker
    if read.peers:
        named["tickers"] = [read.ticker, *read.peers]
    if read.price:
        named["price"] = read.price[0] if len(read.price) == 1 else [*read.price]
    return named


Period = Literal["year", "quarter", "ttm", "instant"]


class Company(Contract):
    """A company that files with the SEC."""

    cik: int
    ticker: str = Field(description="as the start names it")
    name: str
    exchange: str = ""
    industry: str = Field(default="", description="as the SEC classes it")
    fiscal_year_end: str = Field(default="", description="month and day, `09-27`")
    also: tuple[str, ...] = Field(
        default=(),
        description="further tickers by which the start names it, as of classes of shares",
    )


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
    """What a price means beside the figures of the last twelve months; None: no profit or figure."""

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
    """Revenue or operating income of a part of a company, as a filing tells it."""

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
    """What a filing says, to the letter: what is expected, or a risk factor's heading."""

    kind: Literal["guidance", "risk added", "risk removed"]
    quote: str
    source: int = Field(ge=1, description="1-based position in the run's sources")
    form: str
    filed: str
    start: int
    end: int


class Fundamentals(Contract):
    """A company's figures, computed by code, newest period first."""

    company: Company
    as_of: str | None = Field(default=None, description="nothing filed later was read")
    filed: str = Field(default="", description="day on which the newest of their filings was filed")
    next_results: str = Field(
        default="", description="day on which they are expected, by those a year before"
    )
    source: int = Field(default=0, description="1-based position in the run's sources")
    figures: list[Figure]
    head_notes: list[str] = Field(
        default=[],
        description="what opens a report: companies that are not compared, how the price was taken",
    )
    notes: list[str] = Field(default=[], description="restated figures, missing ones, changed tags")
    is_foreign: bool = Field(
        default=False,
        description="files 20-F or 40-F: what trades in the United States may be a depositary share",
    )
    valuation: Valuation | None = Field(default=None, description="where a price is known")
    parts: list[Part] = Field(default=[], description="by segment, product and region")
    passages: list[Passage] = Field(
        default=[], description="guidance, and risk factors that changed"
    )
    closes: dict[str, float] = Field(
        default={}, description="the share's closing prices of the last year, by ISO date"
    )
    peers: list[Peer] = Field(default=[], description="itself first, then those to compare it with")

    @property
    def every_note(self) -> list[str]:
        """All notes, those that open a report first."""
        return [*self.head_notes, *self.notes]

    @property
    def every(self) -> "list[Fundamentals | Peer]":
        """What is known of the company, and of those beside it."""
        return [self, *self.peers[1:]]

    @property
    def newest_end(self) -> str:
        """The last day of the newest period; empty without figures."""
        return max((f.end for f in self.figures if f.period != "instant"), default="")


class FactsRequest(Contract):
    """One company's facts, as far as they were filed on a day."""

    scope: Scope
    ticker: Ticker
    as_of: str | None = None
    today: str = Field(
        default="",
        description="the run's day, on which figures have their age unless `as_of` is given",
    )
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
    terms: ValuationTerms = ValuationTerms()
    plan_hash: str = Field(default="", description="the approved plan, where there is one")

    @property
    def each(self) -> "list[FactsRequest]":
        """The requests of single companies: its own, and those of its peers."""
        priced = zip_longest([self.ticker, *self.peers], self.prices, self.ads_ratios)
        return [
            self.model_copy(
                update={"ticker": ticker, "peers": [], "prices": [price], "ads_ratios": [ratio]}
            )
            for ticker, price, ratio in priced
        ]


class CompanyFacts(Contract):
    """The figures, and the source whose text says each of them, so that it can be quoted."""

    fundamentals: Fundamentals = Field(description="its passages count in `documents`")
    source: Source
    documents: list[Source] = Field(default=[], description="the filings that were read themselves")
    lost: list[LostInput] = Field(default=[], description="filings and prices that were not read")
    others: list["CompanyFacts"] = Field(
        default=[], description="of those to compare it with, as its `peers` after itself"
    )


class Article(Contract):
    """A piece of news about a company that was read."""

    ticker: str = Field(default="", description="of the company; left out: the first")
    source: int = Field(ge=1, description="1-based position in the run's sources")
    url: str
    title: str
    publisher: str = ""
    published: str | None = Field(default=None, description="ISO date")


class RepeatsRequest(Contract):
    """Articles, and filings that some of them may merely repeat, by the keys of their texts."""

    scope: Scope
    articles: list[str]
    filings: list[str]


class Repeats(Contract):
    """Which articles repeat filings."""

    repeated: list[bool] = Field(description="of each article, in their order")


class ScoredArticle(Article):
    """An article with its tone, and the claim that the tone rests on."""

    sentiment: float = Field(ge=-1, le=1, description="from -1, bad news, to 1, good news")
    claim: Claim = Field(description="what it says, with the passage that says so")

    @property
    def counts(self) -> bool:
        """Tell whether the article says the passage: verification leaves out quotes that no page has."""
        return bool(self.claim.citations) and self.claim.verdict != "contradicted"


class Spread(Contract):
    """The spread of articles' tones, computed by code from those whose passage was found."""

    scored: int = 0
    positive: int = 0
    neutral: int = 0
    negative: int = 0
    mean: float | None = None
    deviation: float | None = Field(default=None, description="standard deviation")
    lowest: float | None = None
    highest: float | None = None


class Sentiment(Contract):
    """The tone of the news on a company; without news, why there is nothing to say."""

    company: str = Field(default="", description="its name or ticker")
    text: str
    articles: list[ScoredArticle]
    spread: Spread
    gaps: list[str] = []
    others: "list[Sentiment]" = Field(default=[], description="of those to compare it with")
