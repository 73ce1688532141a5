"""What a share's price implies at several required returns, and what the company did: the only yardsticks of a decision."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.rows import Bound, Period
from contracts.notices import Notice

Base = Literal["quarter", "ttm", "year", "year-2", "year-3", "years-3", "years-5"]
"""What a past value is of: the newest quarter or twelve months, one of the three newest fiscal years, or an average of some."""


UNCHOSEN = "yardstick-unchosen"
"""Code of a report's note that its decision judges the price by no cell of a table."""


class ImpliedRow(Contract):
    """What must hold at each required return so that the price is met; None where nothing between the bounds does."""

    metric: str
    name: Notice
    basis: Notice = Field(description="the amount, or the multiple, that it is computed by")
    record: str = Field(default="", description="metric that has to grow, or whose return it is")
    stand_in: str = Field(
        default="",
        description="metric of `past` that it is compared with, where none of `record` is known",
    )
    period: Period
    end: str
    of: str = Field(default="", description="the metric that the price is divided by")
    bound: Bound = Field(default="", exclude_if=lambda bound: not bound)
    values: list[float | None]


class HeldRow(Contract):
    """The price at each required return if a rate holds."""

    holds: float = Field(description="growth or return on equity, percent a year")
    values: list[float | None]


class PastValue(Contract):
    """A growth, or a return on equity, on one base, in percent a year."""

    base: Base
    start: str = Field(default="", description="end of the period that growth counts from")
    end: str
    value: float
    bound: Bound = Field(default="", exclude_if=lambda bound: not bound)


class PastRow(Contract):
    """What a company did, on every base that is filed."""

    metric: str
    name: Notice
    is_growth: bool = True
    values: list[PastValue]


class PriceTable(Contract):
    """Required returns as columns: what the price needs, the prices at which less would do, and what the company did."""

    price: float
    currency: str
    day: str
    returns: list[float] = Field(description="required returns, percent a year")
    holds: Literal["growth", "return"] = Field(
        description="whether the rates of `prices` are growth or returns on equity"
    )
    held: Notice = Field(description="name of what these rates are of")
    years: int = Field(description="of growth, before it slows")
    later: float = Field(description="growth after these years, percent a year")
    implied: list[ImpliedRow] = Field(description="the first is what `prices` are computed by")
    price_bound: Bound = Field(default="", exclude_if=lambda bound: not bound)
    prices: list[HeldRow]
    past: list[PastRow] = []

    def list_cells(self) -> Iterator["PriceCell"]:
        """Yield the cells of the prices that are known, by whose ids a decision picks one."""
        for row in self.prices:
            for n, (required, value) in enumerate(zip(self.returns, row.values, strict=True)):
                if value is not None:
                    yield PriceCell(
                        id=f"{required:g}%/{row.holds:g}%",
                        required=required,
                        needed=self.implied[0].values[n],
                        holds=row.holds,
                        price=value,
                    )


class PriceCell(Contract):
    """The price at which a required return is met if a rate holds, and the rate that today's price needs."""

    id: str
    required: float
    needed: float | None
    holds: float
    price: float


class Yardstick(Contract):
    """The cell by which a decision judges a price, with what code says of it."""

    cell: PriceCell
    holds: Literal["growth", "return"] = Field(description="what the cell's rate is")
    held: Notice = Field(description="name of what it is of")
    told: Notice = Field(
        description="what today's price needs, and what the company did on every base"
    )
    condition: Notice = Field(description="the price at which the cell's rate is enough")
