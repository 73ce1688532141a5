"""A phase's additions to the report that a later phase writes."""

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.sources import Source
from contracts.notices import Notice, Told
from contracts.report.price_table import PriceTable
from contracts.report.report import Section
from contracts.report.unread_results import UnreadResults


class LookupHint(Contract):
    """The phrases by which pages are searched for lines of certain words."""

    asked: str = Field(description="pattern of the words, each at a word's beginning, in any case")
    phrases: list[str]


class NewestValue(Contract):
    """A figure on one basis, such as twelve months, which a text has to give beside that on another, such as a quarter."""

    twelve: float
    now: float
    told: Notice
    company: str = Field(default="", description="as in `subjects`")
    unit: str = Field(default="", description="`%`; empty: a multiple")


class ReportAdditions(Contract):
    """What code adds to a report on listed companies: the companies compared, notes, and closing sections."""

    subjects: list[str] = Field(
        default=[], description="what the run compares, e.g. tickers; what it is about first"
    )
    known: list[str] = Field(
        default=[], description="figures that code computed, which a text may name without a source"
    )
    notes: list[Told] = Field(default=[], description="what a reader must know before the rest")
    unread: dict[str, UnreadResults] = Field(
        default={}, description="of each subject: results that are out or due and were not read"
    )
    price_tables: dict[str, PriceTable] = Field(
        default={}, description="of each subject with a price: what that implies"
    )
    untabled: dict[str, Notice] = Field(
        default={}, description="of each subject without such a table: why there is none"
    )
    lookups: list[Source] = Field(
        default=[],
        description="pages in which what a report calls not found is looked up, and which nobody reads before",
    )
    hints: list[LookupHint] = Field(
        default=[], description="by which lines on what was not found are looked up in them"
    )
    beside: list[NewestValue] = Field(
        default=[], description="what is told where a decision gives twelve months' ratios alone"
    )
    sections: list[Section] = Field(default=[], description="what stands at the report's end")
