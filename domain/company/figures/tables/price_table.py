"""What a price implies, and what the company did, as grids for people and for the page that models read."""

from collections.abc import Sequence
from typing import get_args

from contracts.company.figures import Fundamentals
from contracts.evidence.rows import FigureRow, Period
from contracts.notices import Notice
from contracts.report.price_table import Base, PastRow, PastValue, PriceTable
from contracts.words import Language, say
from domain.company.figures.dates import call_company
from domain.company.figures.filed.metrics import GROWTH, find_unit
from domain.company.figures.notes.dividends import PREFERRED_RETURNS
from domain.company.figures.tables.grids import Cell, Grid

HELD = "price_that_holds"
PAID_OUT = {
    "growth_implied_by_dividends": "paid-dividends",
    "growth_implied_by_ffo": "paid-ffo",
    "growth_implied_by_earnings": "paid-earnings",
}
"""Codes of what a needed growth takes as paid to the owners, by its metric."""
_PERIODS: dict[Base, Period] = {"quarter": "quarter", "ttm": "ttm"}


def explain_table(table: PriceTable) -> Notice:
    """Return how a table is computed, and that its required returns are nobody's estimate."""
    if table.holds == "return":
        return Notice.of("price-table-return", "info", later=table.later)
    shown = dict.fromkeys(row.metric for row in table.implied)
    paid = [Notice.of(PAID_OUT[name], "info") for name in shown if name in PAID_OUT]
    terms = {"years": table.years, "later": table.later, "paid": paid or None}
    return Notice.of("price-table-growth", "info", **terms)


def build_implied(found: Fundamentals, language: Language = "en") -> Grid | None:
    """Return what a company's price implies by required return, and the prices at which less would do; None without a price."""
    table = found.valuation.implied if found.valuation else None
    if not table:
        return None
    returns = [say(language, "column-required", rate=required) for required in table.returns]
    heads = [say(language, "column-by"), *returns]
    rows = list[tuple[str, list[Cell]]]()
    for row in table.implied:
        named = {"metric": row.metric, "period": row.period, "end": row.end, "unit": "percent"}
        named["bound"] = row.bound
        label = say(language, "row", metric=row.name, unit=say(language, "row-percent"))
        by = Cell(note=row.basis.say(language))
        rows.append((label, [by, *_place(named, table, row.values)]))
    first = Cell(note=say(language, "cell-first-row"))
    for held in table.prices:
        unit = find_unit(HELD, table.currency)
        named = {"metric": HELD, "period": "instant", "end": table.day, "unit": unit}
        named["bound"] = table.price_bound
        label = say(
            language,
            f"row-held-{table.holds}",
            rate=held.holds,
            currency=table.currency,
            metric=table.held,
        )
        rows.append((label, [first, *_place(named, table, held.values)]))
    price = Notice.of("price", "info", value=table.price, currency=table.currency)
    title = say(language, "grid-implied", company=call_company(found), price=price, day=table.day)
    more = explain_table(table).say(language)
    return Grid(title, say(language, "grid-by-return"), heads, rows, more)


def _place(named: dict[str, str], table: PriceTable, values: Sequence[float | None]) -> list[Cell]:
    """Return the values of a row as cells, each by its required return."""
    pairs = zip(table.returns, values, strict=True)
    return [
        Cell()
        if value is None
        else Cell(
            FigureRow.model_validate(
                {**named, "value": value, "rate": required, "price_day": table.day}
            )
        )
        for required, value in pairs
    ]


def build_past(
    past: Sequence[PastRow], found: Fundamentals, language: Language = "en"
) -> Grid | None:
    """Return what a company did: a row a metric, a column a base with its days; another day stands in its cell."""
    if not past:
        return None
    first = {value.base: value for row in reversed(past) for value in row.values}
    bases = [base for base in get_args(Base) if base in first]
    heads = [
        say(language, f"column-past-{base}", start=first[base].start, end=first[base].end)
        for base in bases
    ]
    rows = list[tuple[str, list[Cell]]]()
    for row in past:
        known = {value.base: value for value in row.values}
        cells = [_show_past(row, known.get(base), first[base], language) for base in bases]
        label = say(language, "row-grew" if row.is_growth else "row-earned", metric=row.name)
        rows.append((label, cells))
    title = say(language, "grid-past", company=call_company(found))
    notes = (note.say(language) for note in found.notes if note.code == PREFERRED_RETURNS)
    return Grid(title, say(language, "grid-a-year"), heads, rows, " ".join(notes))


def _show_past(row: PastRow, value: PastValue | None, of: PastValue, language: Language) -> Cell:
    if not value:
        return Cell()
    figure = FigureRow.model_validate(
        {
            "metric": f"{row.metric}{GROWTH}" if row.is_growth else row.metric,
            "period": _PERIODS.get(value.base, "year"),
            "end": value.end,
            "value": value.value,
            "unit": "percent",
            "bound": value.bound,
        }
    )
    day = say(language, "cell", day=value.end) if value.end != of.end else ""
    return Cell(figure, day)
