"""A document's structure: its headings with offsets, and the figures tagged in a filing."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field

from contracts.base import Contract, Wrong


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Wrong("value-day") from None


Day = Annotated[str, AfterValidator(_day)]
DayOrNone = Annotated[Day | None, BeforeValidator(lambda said: said or None)]
"""An ISO day; an empty text is none."""


class PageSection(Contract):
    """A heading of a page, and the spans of it and of its section in the snapshot."""

    heading: str = Field(max_length=120)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class KnownDocuments(NamedTuple):
    """Documents that a run is given before it starts."""

    lengths: Sequence[int] = ()
    """Characters of the longest ones."""
    is_all: bool = False
    """Whether the run can read no other documents."""


NONE_KNOWN = KnownDocuments()


READER_VERSION = 12
"""Incremented when readers extract other text, so that documents in collections are read again."""
PAGE_BREAK = "\f"
"""Separates the pages in a document's text, as in `pdftotext`'s output."""

UnreadCode = Literal[
    "pages_without_text",
    "pages_cut",
    "text_cut",
    "images",
    "slides_hidden",
    "sheets_hidden",
    "rows_hidden",
    "columns_hidden",
    "sheets_cut",
    "rows_cut",
    "formulas_without_value",
    "attachments",
    "comments",
    "headers",
    "parts_encrypted",
    "parts_broken",
    "characters_broken",
    "text_hidden",
    "results",
]


class UnreadPart(Contract):
    """A part of a document that was not read, or is hidden in the original; every reader of its text is informed."""

    code: UnreadCode
    count: int = Field(
        ge=1,
        description="how many pages, images, slides, sheets, rows, columns, characters, attachments, comments or headers; "
        "`results`: periods whose results a company has told, or has to, since its figures",
    )
    of: int | None = Field(default=None, ge=1, description="of how many; None: not known")
    names: list[str] = Field(
        default=[], max_length=20, description="the first of them, by name or number"
    )

    @property
    def is_negligible(self) -> bool:
        """Whether the loss is negligible: a few invalid bytes in a long text."""
        return self.code == "characters_broken" and self.count * 1_000 < (self.of or 0)


UnreadParts = Annotated[
    list[UnreadPart], Field(max_length=20, description="what of it the text does not hold")
]


class PartlyRead(Contract):
    """A document that was read in part: some of it has no text."""

    name: str
    unread: list[UnreadPart]


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


class ShareCount(Contract):
    """A share count on a filing's cover, in total or of one class, on a day."""

    member: str = Field(description="the class's name in the filing's taxonomy; empty of all")
    day: Day
    value: float = Field(gt=0)


class CoverPage(Contract):
    """Tagged data on a filing's cover: share counts, and the titles of listed securities."""

    shares: tuple[ShareCount, ...] = ()
    titles: tuple[str, ...] = ()
