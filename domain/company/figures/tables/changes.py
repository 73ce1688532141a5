"""The changes of a company's key figures on every basis: as a grid, and as what a text that gives one basis has to add."""

from collections.abc import Iterator
from itertools import permutations

from contracts.company.changes import ChangeBasis, ChangedFigure
from contracts.company.figures import Fundamentals
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from contracts.report.additions import NewestValue
from contracts.words import Language, say
from domain.company.figures.dates import call_company, name_company
from domain.company.figures.filed.metrics import GROWTH, name_row, say_metric
from domain.company.figures.notes.growth.growth import has_seasons
from domain.company.figures.notes.periods import name_period
from domain.company.figures.numbers import say_amount
from domain.company.figures.tables.grids import Cell, Grid, head_labels

APART_POINTS = 3.0
"""Add a note with the other bases if their changes differ from the given one by this many percentage points, or in sign."""
PRETAX, AFTER_TAX = "pretax_income", ("net_income", "continuing_income", "diluted_eps")
"""Income from which items are taken out, and those below it, of whose items the tax would have to be known."""


def build_changes(found: Fundamentals, language: Language = "en") -> Grid | None:
    """Return the key figures of the newest periods, each with its change on every basis in one row; None without any."""
    if not found.changes:
        return None
    codes = ("amount-now", "year-before", "on-year", "quarters-before", "on-quarters", "without")
    heads = [say(language, f"column-change-{code}") for code in codes]
    rows = [_build_row(each, language) for each in found.changes]
    unit = next((each.unit for each in found.changes if each.unit.isupper()), "USD")
    title = say(language, "grid-changes", company=call_company(found))
    is_left_out = any(e.metric == PRETAX and e.without_items is not None for e in found.changes)
    is_untaxed = any(e.metric in AFTER_TAX and e.without_items is None for e in found.changes)
    is_of_seasons = has_seasons(found) and any(
        each.quarters_before and each.quarters_before.change is not None for each in found.changes
    )
    told = {"untaxed": is_left_out and is_untaxed, "seasons": is_of_seasons}
    more = [say(language, f"grid-changes-{code}") for code, is_told in told.items() if is_told]
    return Grid(title, head_labels([unit], language), heads, rows, " ".join(more))


def _build_row(each: ChangedFigure, language: Language) -> tuple[str, list[Cell]]:
    """Return a figure's label with its period, and its cells; a change that says nothing is left empty."""
    year, quarters, without = each.year_before, each.quarters_before, each.without_items
    now = ChangeBasis(end=each.end, value=each.value)
    known = (year.change if year else None, quarters.change if quarters else None, without)
    on_year, on_quarters, rest = (_to_change(each, change) for change in known)
    amounts = [_to_amount(each, basis) for basis in (now, year, quarters)]
    metric = name_row(each.metric, {each.unit}, language)
    label = say(
        language, f"row-change-{each.period.replace('_', '-')}", metric=metric, end=each.end
    )
    return label, [*amounts[:2], on_year, amounts[2], on_quarters, rest]


def _to_amount(each: ChangedFigure, basis: ChangeBasis | None) -> Cell:
    if basis is None:
        return Cell()
    terms = {"metric": each.metric, "period": each.period, "unit": each.unit}
    return Cell(FigureRow.model_validate({**terms, "end": basis.end, "value": basis.value}))


def _to_change(each: ChangedFigure, change: float | None) -> Cell:
    if change is None:
        return Cell()
    terms = {"metric": f"{each.metric}{GROWTH}", "period": each.period, "end": each.end}
    return Cell(FigureRow.model_validate({**terms, "value": change, "unit": "percent"}))


def list_bases(found: Fundamentals) -> Iterator[NewestValue]:
    """Yield each change of a key figure with its change on another basis, and the note for a text that gives only one."""
    for each in found.changes:
        told = Notice.of("because", "info", what=name_company(found), why=say_bases(each))
        for one, other in permutations(each.changes, 2):
            if abs(one - other) >= APART_POINTS or one * other < 0:
                named = {"told": told, "company": call_company(found), "unit": "%"}
                yield NewestValue.model_validate({"twelve": abs(one), "now": abs(other), **named})


def say_bases(each: ChangedFigure) -> Notice:
    """Return a key figure's changes on all bases as one sentence."""
    year, quarters = each.year_before, each.quarters_before
    return Notice.of(
        "company-bases",
        "info",
        metric=say_metric(each.metric),
        period=name_period(each.period, each.end),
        amount=say_amount(each.value, each.unit),
        year=year.change if year else None,
        quarters=quarters.change if quarters else None,
        without=each.without_items,
    )
