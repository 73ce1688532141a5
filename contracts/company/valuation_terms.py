"""The assumptions of a valuation (DCF): discount rate, terminal growth, years of growth, and their bounds."""

from math import inf

from pydantic import Field, ValidationInfo, field_validator

from contracts.base import Contract, Wrong


class ValuationTerms(Contract):
    """The assumptions of a valuation, which a start may change."""

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
        """Refuse perpetual growth at or above the discount rate, which has no value."""
        if growth >= info.data.get("discount_rate", inf):
            raise Wrong("growth-without-end", n=info.data["discount_rate"])
        return growth
