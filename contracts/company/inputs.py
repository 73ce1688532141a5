"""A start's inputs about companies: tickers, prices, a day."""

import re
from typing import Annotated, Any

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

from contracts.base import Json, Text, Wrong
from contracts.company.valuation_terms import ValuationTerms
from contracts.documents import Day

CIK = r"CIK(\d{1,10})"
"""The SEC's number of a company in place of a ticker, which one that is delisted has no more."""


def _ticker(text: str) -> str:
    if not re.fullmatch(rf"[A-Z0-9][A-Z0-9.-]{{0,9}}|{CIK}", text, re.ASCII):
        raise Wrong("ticker-malformed")
    return text


Ticker = Annotated[
    str, StringConstraints(strip_whitespace=True, to_upper=True), AfterValidator(_ticker)
]
"""As listed by exchanges, in upper case."""


def _amount(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("float_type", "must be a number")
    return value


MAX_COMPANIES = 6
"""Maximum number of compared companies: a table has a column for each, and for newer figures of all but one."""


Price = Annotated[float, BeforeValidator(_amount), Field(ge=0.0001, le=1e9, allow_inf_nan=False)]


_PRICE = TypeAdapter[float](Price)


_THOUSANDS = re.compile(r"(?<!\d)\d+,\d{3}(?!\d)\S*")
"""Ambiguous: one price with a thousands separator, or two prices."""


def _list_prices(said: object) -> object:
    """Split prices at commas, or wrap a single one, into a list; an empty place is None."""
    if isinstance(said, str) and (unclear := _THOUSANDS.search(said)):
        raise Wrong("price-unclear", said=unclear[0])
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
"""Prices of companies in their order: a number, several with commas between, or a list."""


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
    ] = Field(
        default="USD",
        description="in which `price` is given: that of the figures, or one that they are filed in too",
    )
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
        """Split tickers at commas, in either field, into a list; the first is `ticker`."""
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
            raise Wrong("companies-many", n=MAX_COMPANIES)
        return tickers

    @field_validator("price", "ads_ratio")
    @classmethod
    def _limit_prices(cls, prices: list[float | None], info: ValidationInfo) -> list[float | None]:
        """Refuse more prices than companies, because they cannot be assigned."""
        if "tickers" in info.data and "ticker" in info.data:
            count = len({info.data["ticker"], *info.data["tickers"]})
            if len(prices) > count:
                raise Wrong("prices-many", n=count, given=len(prices))
        return prices

    @field_validator("as_of")
    @classmethod
    def _refuse_day_to_come(cls, day: str | None, info: ValidationInfo) -> str | None:
        """Refuse a day after the validation context's `latest_day`, if given."""
        latest = (info.context or {}).get("latest_day")
        if day and latest and day > latest:
            raise Wrong("day-to-come", day=day)
        return day

    @property
    def peers(self) -> list[str]:
        """Tickers of the companies to compare the first one with."""
        return [ticker for ticker in dict.fromkeys(self.tickers) if ticker != self.ticker]


_NAMING = ("ticker", "tickers", "price")


def name_companies(inputs: Json) -> Json:
    """Normalize the companies and prices in a start's inputs.

    `ticker` is the first, `tickers` lists all if there are several. Invalid inputs are returned unchanged, to
    be reported by validation.
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
