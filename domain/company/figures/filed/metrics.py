"""The metrics of a company, by metrics.json: their labels, tags, and where their figures are shown."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import Field, TypeAdapter

from contracts.base import Contract
from contracts.company.filings import BusinessKind
from contracts.evidence.rows import Bound, Period
from contracts.notices import Notice
from contracts.words import CATALOGUES, Language, say
from domain.company.figures.numbers import PER_SHARE

Moment = Literal["newest", "earlier"]
"""The newest period of its kind, or one before it."""


class Shown(Contract):
    """Where the figures of a metric, or of its growth, are shown."""

    newest: list[Period | Literal["year_end"]] = Field(
        default=[],
        description="kinds of period; `year_end`: the last day of the newest fiscal year",
    )
    earlier: list[Period] = []
    compared: bool = Field(default=False, description="beside other companies'")


class Metric(Shown):
    """A metric: its unit, its sources, and where it is shown. Its name is in the catalogues."""

    kinds: list[BusinessKind] = Field(
        default=[], description="kinds of business that have it; empty: all"
    )
    unit: Literal["money", "shares", "per_share", "percent", "times", "months"] = "money"
    whole: str = Field(
        default="",
        description="of one in percent: what it is a share of; of one per share: of which, if not of an ordinary one",
    )
    paid: bool = Field(
        default=False, description="a payment or cost: filed with a minus, its sign is off"
    )
    refundable: bool = Field(
        default=False,
        description="a payment that may be received instead: only if all are filed with a minus, their sign is off",
    )
    priced: bool = Field(default=False, description="what a share's price means")
    growth: Shown = Shown()
    lumpy: bool = Field(default=False, description="a flow whose growth says nothing")
    key: bool = Field(default=False, description="among the first rows of the key figures")
    expected: bool = Field(default=False, description="missing, it is noted")
    lasting: bool = Field(default=False, description="its growth over years is shown")
    defined: bool = Field(default=False, description="its formula is shown")
    lines: list[Period] = Field(
        default=["ttm", "quarter", "instant"],
        description="kinds of period of which a model has a line; of others it has a table",
    )
    tags: dict[str, list[str]] = Field(
        default={}, description="XBRL tags by taxonomy; the first that has a period wins"
    )
    formulas: list[str] = Field(
        default=[],
        description="how it is computed where it is not filed, `a + b? - c` or `a / b`; the first whose terms are known",
    )
    nil: list[str] = Field(
        default=[],
        description="formulas that come to 0 where the statement itself shows that there is none of it",
    )
    by_code: bool = Field(default=False, description="computed by code of its own")
    average_of: str = Field(
        default="", description="the metric whose mean, of a day and of that a year before, it is"
    )
    instead_of: str = Field(default="", description="the metric beside which it is not shown")
    undivided: bool = Field(
        default=False,
        description="not filed, it is unknown of a period with discontinued operations: its terms hold them, or one alone does",
    )
    positive: bool = Field(default=False, description="computed to 0 or less, it is unknown")
    most: float = Field(default=0, description="computed to more, it means nothing and is unknown")
    least: float = Field(default=0, description="computed to less, it is unknown")
    bound: Bound = Field(
        default="",
        description="what it is where a term that it takes off is not filed",
    )
    rounded: bool = Field(
        default=False,
        description="computed by earnings per share, which are rounded to cents: digits that it cannot know are left out",
    )
    residue: bool = Field(
        default=False, description="computed, it is what other lines leave, and is marked so"
    )
    owed: dict[str, str] = Field(
        default={},
        description="optional terms that are not none but unknown where another metric is not 0",
    )
    unless: list[str] = Field(
        default=[], description="metrics beside which it is unknown, unless they are negative"
    )
    unless_in_year: list[str] = Field(
        default=[], description="flows of twelve months beside which it is unknown"
    )
    only_in_year: list[str] = Field(
        default=[], description="flows of twelve months without all of which it is unknown"
    )
    unless_filed: list[str] = Field(
        default=[],
        description="metrics beside which it is unknown, of whatever period they are filed",
    )
    only_filed: list[str] = Field(
        default=[],
        description="metrics of which something is filed, of whatever period; else it is unknown",
    )
    rolled: bool = Field(
        default=False,
        description="twelve months are the last year plus this year's quarters less those of a year before, where known",
    )
    unless_lately: list[str] = Field(
        default=[],
        description="amounts of the newest quarter's or year's end beside which it is unknown of any period",
    )
    only_beside: list[str] = Field(
        default=[], description="metrics without any of which it is unknown"
    )
    added: bool = Field(
        default=False,
        description="its tags are parts that add up, equal amounts once; `A|B` are names of one part",
    )
    above: str = Field(
        default="",
        description="of added tags: only parts larger than this metric, which cannot hold them",
    )
    totals: list[str] = Field(
        default=[], description="the first reading that agrees with one of these metrics is taken"
    )
    reconciled: bool = Field(default=False, description="without such a total it is unknown")
    conflicts: list[str] = Field(
        default=[], description="metrics that contradict it where they are positive"
    )
    checked_by: str = Field(
        default="", description="a metric that it cannot be less than half of, or more than twice"
    )


METRICS = TypeAdapter(dict[str, Metric]).validate_json(
    files(__package__).joinpath("metrics.json").read_bytes()
)
"""The metrics by name, most important first."""


def _name_code(metric: str) -> str:
    return f"metric-{metric.replace('_', '-')}"


LABELS = {n: words for n in METRICS if (words := CATALOGUES["en"].get(_name_code(n)))}
"""English names by metric that is shown, most important first."""

ANCHORS = ("revenue", "net_income", "profit", "operating_cash_flow")
"""Metrics that define the company’s fiscal years and quarters by their periods."""

SPLIT_TAG = "StockholdersEquityNoteStockSplitConversionRatio1"
COMMON_INCOME_TAG = "NetIncomeLossAvailableToCommonStockholdersBasic"
PUBLIC_FLOAT_TAG = "EntityPublicFloat"
COVER_SHARES_TAG = "EntityCommonStockSharesOutstanding"
GROWTH = "_growth"
FACTORS = {"percent": 100.0, "months": 12.0}
"""The factor of a quotient of yearly amounts, by its unit."""
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COMPOUND = re.compile(
    r"\b(long|short|acquisition|equity|cash|share)(term|date|settled|based)\b", re.IGNORECASE
)
"""Words that IFRS tags write as one, as `LongtermBorrowings`."""
TERM = re.compile(r"([-+/]?) ?\b(\w+)(\??)")
"""A term of a formula: its sign, its metric, and whether it may be unknown."""


@cache
def list_shown(moment: Moment, period: Period | Literal["year_end"]) -> tuple[str, ...]:
    """Return the metrics and growths that are shown for a period, most important first.

    The fiscal year to date, which stands in for twelve months, has those of both twelve months and a quarter, as has
    the remainder of a fiscal year.
    """
    return tuple(_list_shown(moment, period))


def _list_shown(moment: Moment, period: Period | Literal["year_end"]) -> Iterator[str]:
    both = {"ttm", "quarter"} if period in ("to_date", "remainder") else {period}
    for name, metric in METRICS.items():
        is_shown = {*getattr(metric, moment)} >= both or period in getattr(metric, moment)
        if is_shown:
            yield name
        if (is_shown and _grows(metric, moment, period)) or period in getattr(
            metric.growth, moment
        ):
            yield name + GROWTH


@cache
def list_year_ago(period: Period) -> tuple[str, ...]:
    """Return the metrics that are shown for the period, or day, that the newest is compared with: its own and the earlier ones."""
    own = (name for name in list_shown("newest", period) if not name.endswith(GROWTH))
    return tuple(dict.fromkeys([*list_shown("earlier", period), *own]))


def _grows(metric: Metric, moment: Moment, period: Period | Literal["year_end"]) -> bool:
    """Return whether growth is shown for a metric: in the newest periods, and in each year if the newest has it."""
    if moment == "earlier":
        return period == "year" and "year" in metric.growth.newest
    is_counted = metric.unit in ("money", "per_share") or (
        metric.unit == "shares" and period != "instant"
    )
    return is_counted and not metric.lumpy and period not in ("year_end", "remainder")


def list_compared() -> Iterator[str]:
    """Yield the metrics, and growths, that are compared with other companies', most important first."""
    for name, metric in METRICS.items():
        yield from [name] * metric.compared
        yield from [name + GROWTH] * metric.growth.compared


def is_instant(metric: str) -> bool:
    """Return whether a metric is of a day, not of a period."""
    return "instant" in METRICS[metric.removesuffix(GROWTH)].newest


def is_of_average(metric: str) -> bool:
    """Return whether a metric is a flow over the average of an amount, so that a quarter's is a fourth of a year's."""
    divisors = [formula.partition(" / ")[2] for formula in METRICS[metric].formulas]
    return any(METRICS[name].average_of for name in divisors if name in METRICS)


def find_unit(metric: str, currency: str) -> str:
    """Return the unit of a metric's figures."""
    unit = "percent" if metric.endswith(GROWTH) else METRICS[metric].unit
    return {"money": currency, "per_share": f"{currency}{PER_SHARE}"}.get(unit, unit)


def name_row(
    metric: str, units: Collection[str], language: Language = "en", at: str | None = None
) -> str:
    """Return a metric's name in a table, with its unit unless that is the table's currency.

    `at` names its period or day.
    """
    named = {"metric": say_metric(metric.removesuffix(GROWTH))} | ({"at": at} if at else {})
    if metric.endswith(GROWTH):
        return say(language, "row-growth", **named)
    kind, whole = METRICS[metric].unit, METRICS[metric].whole.replace(" ", "-")
    if kind in ("money", "times"):
        return say(language, "row", **named)
    currencies = {unit.partition("/")[0] for unit in units if kind == "per_share"}
    currency = {"currency": min(currencies)} if len(currencies) == 1 else {}
    code = f"{kind}-{whole}".rstrip("-").replace("_", "-")
    return say(language, "row", **named, unit=say(language, f"row-{code}", **currency))


def say_metric(metric: str) -> Notice:
    """Return the name of a metric that is shown."""
    return Notice.of(_name_code(metric), "info")


def spell_tag(tag: str) -> str:
    """Return a tag as words, such as `Labor and related expense`, without the number that marks a newer version."""
    words = _WORD_START.sub(" ", tag.rstrip("0123456789")).capitalize()
    return _COMPOUND.sub(r"\1-\2", words)


@cache
def find_tag_kind(tag: str) -> str:
    """Return whether a tag is read as an amount of money, a number of shares or an amount per share."""
    kinds = (
        metric.unit for metric in METRICS.values() for tags in metric.tags.values() if tag in tags
    )
    return next(kinds, "money")


def name_tag(metric: str) -> str:
    """Return the first tag of a metric; its periods may be computed from other tags' facts."""
    return next((tag for tags in METRICS[metric].tags.values() for tag in tags), metric)
