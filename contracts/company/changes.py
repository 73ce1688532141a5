"""The change of a key figure against each base: a year before, the average quarter, without one-off items."""

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.rows import Period


class ChangeBasis(Contract):
    """What a figure is set against, and its change against that."""

    end: str
    value: float
    change: float | None = Field(
        default=None, description="percent; None where it says nothing, as before or after a loss"
    )


class ChangedFigure(Contract):
    """A key figure of a period, and its change on all bases that are known."""

    metric: str
    period: Period
    end: str
    unit: str
    value: float
    year_before: ChangeBasis | None = None
    quarters_before: ChangeBasis | None = Field(
        default=None, description="of a quarter: the average of the three quarters before it"
    )
    without_items: float | None = Field(
        default=None,
        description="percent against a year before, without the named items that need not recur",
    )

    @property
    def changes(self) -> list[float]:
        """Its changes in percent, that against the year before first."""
        bases = (self.year_before, self.quarters_before)
        known = [basis.change for basis in bases if basis and basis.change is not None]
        return [*known, *([] if self.without_items is None else [self.without_items])]
