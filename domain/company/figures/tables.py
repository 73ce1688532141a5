"""A company's key figures, and what prices mean, as grids for people."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from contracts.company.figures import Figure, Fundamentals
from contracts.company.valuation import Valuation
from contracts.evidence.rows import FigureRow, Period
from contracts.notices import Notice
from domain.company.figures.dates import date_figures
from domain.company.figures.filed.metrics import LABELS, METRICS, humanize, name_row
from domain.company.figures.grids import Cell, Grid, head_labels, name_currency, write_number

OTHER_DAY = "Of another day"
_OTHER: dict[Period, str] = {
    "ttm": "in twelve months to",
    "quarter": "in the quarter to",
    "year": "in the year to",
    "instant": "on",
}
LOSS = "none, a loss"
COVER_METRIC = "shares_outstanding"
"""Counted on the cover of a report, weeks after the period it is of."""
RANGE = "Implied yearly growth, over all cash flows and discount rates"

Newest = Mapping[tuple[str, Period], Figure]
"""The newest figure of each metric and kind of period."""


class _Column(NamedTuple):
    """The newest figures of kinds of period, which end on one day, or the growths to them."""

    head: str
    end: str
    periods: tuple[Period, ...]
    suffix: str = ""


def build_key_figures(fundamentals: Fundamentals, today: str) -> Grid:
    """Return the key figures, most important first: of each metric its newest of each kind of period.

    A growth stands beside what grows; the title has the age of the figures on the run's day.
    """
    newest: dict[tuple[str, Period], Figure] = {}
    for figure in fundamentals.figures:  # newest first
        newest.setdefault((figure.metric, figure.period), figure)
    columns = [*_list_columns(newest)]
    rows = []
    for name in sorted(LABELS, key=lambda name: not METRICS[name].key):
        own = {period: f for (metric, period), f in newest.items() if metric == name}
        cells = [Cell(_find(newest, name, column)) for column in columns]
        shown = [cell.row for cell in cells]
        others = (
            f"{write_number(f)} {_OTHER[p]} {f.end}" for p, f in own.items() if f not in shown
        )
        if own:
            label = name_row(name, {f.unit for f in own.values()})
            rows.append((label, [*cells, Cell(note=", ".join(others))]))
    title = date_figures(fundamentals, fundamentals.as_of or today, is_brief=True).text
    money = (f.unit for f in fundamentals.figures if f.metric in METRICS)
    head = head_labels([next((unit for unit in money if unit.isupper()), "USD")])
    return Grid(title.rstrip("."), head, [*(c.head for c in columns), OTHER_DAY], rows)


def _list_columns(newest: Newest) -> Iterator[_Column]:
    """Yield the columns, each with the newest day of its kind of period, and those of growth to it."""
    ends: dict[Period, str] = {}
    for (metric, period), figure in newest.items():
        if metric != COVER_METRIC:
            ends[period] = max(ends.get(period, ""), figure.end)
    day: Period = "quarter" if "quarter" in ends else "instant"
    with_day: tuple[Period, ...] = ("quarter", "instant") if day == "quarter" else ("instant",)
    heads: list[tuple[str, str, Period, tuple[Period, ...]]] = [
        ("Twelve months to", "of the twelve months", "ttm", ("ttm",)),
        ("Quarter to, or on,", "of the quarter", day, with_day)
        if day == "quarter"
        else ("On", "to that day", day, with_day),
        ("Fiscal year to", "of the year", "year", ("year",)),
    ]
    for head, of, period, periods in heads:
        if end := ends.get(period):
            yield _Column(f"{head} {end}", end, periods)
            yield _Column(f"Growth {of}, %", end, periods, "_growth")


def _find(newest: Newest, name: str, column: _Column) -> FigureRow | None:
    """Return a metric's figure in a column; None where its newest is of another day."""
    figures = (newest.get((name + column.suffix, period)) for period in column.periods)
    return next((f for f in figures if f and f.end == column.end), None)


def build_valuations(companies: Iterable[Fundamentals]) -> Grid | None:
    """Return what prices mean: a row a measure, a column a company with the days of its price and figures."""
    valued = [(each, each.valuation) for each in companies if each.valuation]
    if not valued:
        return None
    currencies = [found.price.currency for _, found in valued]
    rows: list[tuple[str, list[Cell]]] = []
    for name in (name for name, metric in METRICS.items() if metric.priced):
        same = [row for _, found in valued for row in found.rows if row.metric == name]
        if name == "growth_implied" and same:
            rows.append((RANGE, [Cell(note=_describe_range(found)) for _, found in valued]))
        for period in dict.fromkeys(row.period for row in same):
            label = name_row(name, {row.unit for row in same}) + ", fiscal year" * (
                period == "year"
            )
            rows.append((label, [show_measure(found, name, period) for _, found in valued]))
    tickers = ", ".join(each.company.ticker for each, _ in valued)
    heads = [
        f"{each.company.ticker}{name_currency(found.price.currency, currencies)}, price of"
        f" {found.price.day}, twelve months to {each.newest_end}"
        for each, found in valued
    ]
    return Grid(f"{tickers}: what the price of a share means", head_labels(currencies), heads, rows)


def show_measure(found: Valuation, name: str, period: Period) -> Cell:
    """Return what a price means as a cell: an implied growth by the middle discount rate first."""
    rows = [row for row in found.rows if (row.metric, row.period) == (name, period)]
    if not rows:
        return Cell(note=LOSS * (name in found.losses))
    middle = next((row for row in rows if row.rate == found.terms.discount_rate), rows[0])
    note = f" by {humanize(middle.of)}" if middle.of else ""
    if name == "share_price":
        note = f" ({Notice.of(f'price-{found.price.origin}').text})"
    elif middle.rate is not None:
        others = ", ".join(f"{row.value} at {row.rate:g}%" for row in rows if row is not middle)
        note = f" at {middle.rate:g}%" + f" ({others})" * bool(others)
    return Cell(middle, note)


def _describe_range(found: Valuation) -> str:
    """Return between what the implied growth lies, over all cash flows and all rates; empty of none."""
    growths = [r.value for r in found.rows if r.rate is not None and "diluted" not in r.metric]
    if not growths:
        return ""
    is_open = "growth_implied_after_stock_compensation" in found.losses
    return f"{min(growths)}% and more" if is_open else f"{min(growths)}% to {max(growths)}%"
