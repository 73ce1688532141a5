"""Tables of figures for people: units and days in the heads, figures as numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from contracts.agents.tools import TableArgs, TableCell
from contracts.company.figures import Figure, Fundamentals
from contracts.evidence.rows import FigureRow, Period
from domain.company.figures.filed.metrics import LABELS, METRICS, name_row
from domain.company.figures.lines import Cell
from domain.company.figures.notes import describe_dates
from domain.company.figures.numbers import MILLION, format_number

MAX_ROWS = 200
GROUPED_FROM, WHOLE_FROM = 1_000, 10_000
"""From where on a number's thousands stand apart, and it has no decimals."""
DIGITS = 2
"""Decimals of what is in percent or per share; anything else has one."""
UNSCALED = ("percent", "times")
OTHER_DAY = "Of another day"
_OTHER: dict[Period, str] = {
    "ttm": "in twelve months to",
    "quarter": "in the quarter to",
    "year": "in the year to",
    "instant": "on",
}
_COVER_METRIC = "shares_outstanding"
"""Counted on the cover of a report, weeks after the period it is of."""


class _Column(NamedTuple):
    """The newest figures of a kind of period, which end on one day."""

    head: str
    end: str
    periods: tuple[Period, ...]
    growth: str


def to_number(value: float, unit: str) -> TableCell:
    """Return a figure as a table holds it: amounts and numbers of shares in millions.

    A small one is a text, which keeps its decimals.
    """
    digits = DIGITS if unit == "percent" or unit.endswith("/shares") else 1
    number = value if unit in UNSCALED or unit.endswith("/shares") else value / MILLION
    if abs(number) >= GROUPED_FROM:
        return float(format_number(number, digits * (abs(number) < WHOLE_FROM)).replace(",", ""))
    is_tiny = 0 < abs(number) < 10**-digits
    return f"{Decimal(f'{number:.2g}'):f}" if is_tiny else format_number(number, digits)


def write_number(row: FigureRow) -> str:
    """Return a row's figure as a table shows it, its thousands apart."""
    number = to_number(row.value, row.unit)
    return f"{number:,}".removesuffix(".0") if isinstance(number, float) else str(number)


def show_cell(cell: Cell) -> TableCell:
    """Return a cell for people: a number, or a text if it has a note."""
    if cell.row is None:
        return cell.text
    number = to_number(cell.row.value, cell.row.unit)
    return write_number(cell.row) + cell.note if cell.note else number


def label_row(label: str, unit: str) -> str:
    """Return the label of a row with its unit, where that is not the table's own."""
    if unit.endswith("/shares"):
        return f"{label}, {unit.removesuffix('/shares')} per share"
    if unit == "percent" and ", share of " in label:
        return label.replace(", share of ", ", % of ")
    return f"{label}{({'percent': ', %', 'shares': ', millions of shares'}).get(unit, '')}"


def head_labels(currencies: Iterable[str]) -> str:
    """Return the head of the labels, which says in what amounts are counted."""
    [first, *others] = dict.fromkeys(currencies)
    return f"Millions of {'the currency in the head' if others else first}"


def name_currency(currency: str, currencies: Iterable[str]) -> str:
    """Return what a head says of a column's currency: nothing where all have the same."""
    return f", {currency}" if len({*currencies}) > 1 else ""


def build_table(fundamentals: Fundamentals, today: str) -> TableArgs:
    """Return the key figures, most important first: of each metric its newest of each kind of period.

    A growth stands beside what grows; the title says how old they are on the day that the run looks from.
    """
    by_metric: dict[str, dict[Period, Figure]] = {}
    for figure in fundamentals.figures:  # newest first
        by_metric.setdefault(figure.metric, {}).setdefault(figure.period, figure)
    names = sorted(by_metric.keys() & LABELS.keys(), key=_rank)[:MAX_ROWS]
    units = [next(iter(by_metric[name].values())).unit for name in names]
    labels = [label_row(name_row(name), unit) for name, unit in zip(names, units, strict=True)]
    columns = [*_list_columns(by_metric)]
    table: dict[str, list[TableCell]] = {_head(names, units): [*labels]}
    for column in columns:
        table[column.head] = [_show(by_metric.get(name, {}), column) for name in names]
        grown = [_show(by_metric.get(f"{name}_growth", {}), column) for name in names]
        table[column.growth] = grown
    table[OTHER_DAY] = [", ".join(_list_others(by_metric[name], columns)) or None for name in names]
    kept = {head: cells for head, cells in table.items() if any(c is not None for c in cells)}
    dates = describe_dates(fundamentals, fundamentals.as_of or today)
    title = f"{fundamentals.company.name}: key figures {dates}"
    rows = [[*row] for row in zip(*kept.values(), strict=True)]
    return TableArgs(title=title, columns=[*kept], rows=rows)


def _head(names: Iterable[str], units: Iterable[str]) -> str:
    money = (u for n, u in zip(names, units, strict=True) if METRICS[n].unit == "money")
    return head_labels([next(money, "USD")])


def _list_columns(by_metric: dict[str, dict[Period, Figure]]) -> Iterator[_Column]:
    """Yield the columns, each with the newest day of its kind of period."""
    ends: dict[Period, str] = {}
    for metric, by_period in by_metric.items():
        for period, figure in by_period.items() if metric != _COVER_METRIC else ():
            ends[period] = max(ends.get(period, ""), figure.end)
    if end := ends.get("ttm"):
        yield _Column(f"Twelve months to {end}", end, ("ttm",), "Growth of the twelve months, %")
    if end := ends.get("quarter"):
        both: tuple[Period, ...] = ("quarter", "instant")
        yield _Column(f"Quarter to, or on, {end}", end, both, "Growth of the quarter, %")
    elif end := ends.get("instant"):
        yield _Column(f"On {end}", end, ("instant",), "Growth to that day, %")
    if end := ends.get("year"):
        yield _Column(f"Fiscal year to {end}", end, ("year",), "Growth of the year, %")


def _show(by_period: Mapping[Period, Figure], column: _Column) -> TableCell:
    """Return a metric's figure in a column; None where its newest is of another day."""
    figure = _find(by_period, column)
    return to_number(figure.value, figure.unit) if figure else None


def _find(by_period: Mapping[Period, Figure], column: _Column) -> Figure | None:
    figures = (by_period.get(period) for period in column.periods)
    return next((f for f in figures if f and f.end == column.end), None)


def _list_others(by_period: Mapping[Period, Figure], columns: Sequence[_Column]) -> Iterator[str]:
    """Yield the newest figures of a metric that no column has, each with its day."""
    shown = [_find(by_period, column) for column in columns]
    for period, figure in by_period.items():
        if figure not in shown:
            yield f"{write_number(figure)} {_OTHER[period]} {figure.end}"


def _rank(metric: str) -> tuple[bool, int]:
    return not METRICS[metric].key, [*LABELS].index(metric)
