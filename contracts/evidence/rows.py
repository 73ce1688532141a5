"""Figures that a page states, as data stored with its text."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.notices import Notice

Period = Literal["year", "quarter", "ttm", "to_date", "remainder", "instant"]
"""A figure's period: a fiscal year, a quarter, the trailing twelve months, the fiscal year to date, or a day.

`remainder` is what the quarters filed in a fiscal year leave of it, several quarters in sum.
"""

Bound = Literal["", "at_most", "at_least", "computed"]
"""Whether a figure is a bound of an amount that is not filed in full, or is computed as what other lines leave."""


def say_bound(bound: Bound) -> Notice | None:
    """Return the words that follow a figure which is a bound or a remainder; None for an exact figure."""
    return Notice.of(f"bound-{bound.replace('_', '-')}", "info") if bound else None


class FigureRow(Contract):
    """A figure, and what it is of."""

    metric: str = Field(description="e.g. `revenue`, `gross_margin`, `free_cash_flow`")
    period: Period
    end: str = Field(description="ISO date, the last day of the period")
    value: float
    unit: str = Field(description="`USD` or another currency, `shares`, `USD/shares`, `percent`")
    accessions: list[str] = Field(
        default=[], description="of the filings it stands in or is computed from"
    )
    of: str = Field(
        default="",
        exclude_if=lambda of: not of,
        description="the metric that it divides by, where that may be one or another",
    )
    bound: Bound = Field(default="", exclude_if=lambda bound: not bound)
    rate: float | None = Field(
        default=None,
        exclude_if=lambda rate: rate is None,
        description="of an implied growth: the discount rate, percent a year",
    )
    price_day: str = Field(
        default="",
        exclude_if=lambda day: not day,
        description="of what a share's price means: the day of the price",
    )


class PlacedRow(Contract):
    """A row, and the stretch of the page's text that states it."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    row: FigureRow


class PageRows(Contract):
    """The index of a page of figures: its rows, in the order of the text."""

    rows: list[PlacedRow]
