"""What a document says of itself: where its headings stand, and the figures that a filing tags."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from contracts.base import Contract


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("must be a day as in 2025-06-30") from None


Day = Annotated[str, AfterValidator(_day)]


class PageSection(Contract):
    """A heading of a page, and where it and what stands under it are in the snapshot."""

    heading: str = Field(max_length=120)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


Axis = Literal["segment", "product", "region"]


class TaggedFigure(Contract):
    """A figure of a period as a filing tags it: of the whole company, or of one of its parts."""

    axis: Axis | Literal[""] = Field(description="empty of the whole")
    member: str = Field(description="the part's name in the filing's taxonomy")
    label: str = Field(description="what stands first in its row")
    concept: str
    start: Day
    end: Day
    value: float
    unit: str
