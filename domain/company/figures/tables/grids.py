"""Grids of figures, and their two renderers: a table for people, and the lines of a page for models."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple, get_args

from contracts.agents.tool_definitions import TableArgs, TableCell
from contracts.company.figures import Figure, GapState
from contracts.evidence.rows import FigureRow, PlacedRow
from contracts.words import Language, say, write_digits
from domain.company.figures.filed.metrics import GROWTH, METRICS
from domain.company.figures.numbers import (
    MILLION,
    count_digits,
    count_price_digits,
    format_number,
    is_per_share,
)
from domain.company.figures.tables.page_lines import PageLine, place

GROUPED_FROM, WHOLE_FROM = 1_000, 10_000
"""Numbers from these sizes on have grouped thousands, and no decimals."""
MAX_ROWS = 200
"""Rows that a table for people may have."""
UNSCALED = ("percent", "times", "months")
"""Units of ratios and durations."""


class Cell(NamedTuple):
    """A cell's row, and a note that follows its figure (such as a rank) or replaces it."""

    row: FigureRow | None = None
    note: str = ""
    state: GapState | None = None
    """Why there is no figure, where the note is the short word for it."""


class Grid(NamedTuple):
    """A table of figures: title with the unit of amounts, column heads, and labelled rows of cells."""

    title: str
    head: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    more: str = ""
    """Text printed below the table for people, after the explanation of its abbreviations."""


def show_grid(grid: Grid, language: Language = "en") -> TableArgs:
    """Return a grid as a table for people: figures as numbers, columns without a cell left out.

    Rows beyond `MAX_ROWS` are left out, counted, and named in the note.
    """
    used = [
        n for n in range(len(grid.columns)) if any(cells[n] != Cell() for _, cells in grid.rows)
    ]
    cells = [cell for _, row in grid.rows for cell in row]
    return TableArgs(
        title=grid.title,
        columns=[grid.head, *(grid.columns[n] for n in used)],
        rows=[
            [label, *(to_number(row[n], language) for n in used)]
            for label, row in grid.rows[:MAX_ROWS]
        ],
        rows_left_out=len(grid.rows[MAX_ROWS:]),
        note=" ".join(
            filter(None, (_explain_states(cells, language), grid.more, _say_left(grid, language)))
        ),
    )


def _say_left(grid: Grid, language: Language) -> str:
    """Return how many rows have no room, and the first of them; empty where all have."""
    left = grid.rows[MAX_ROWS:]
    return say(language, "grid-rows-left", n=len(left), name=left[0][0]) if left else ""


def _explain_states(cells: Sequence[Cell], language: Language) -> str:
    """Return what the short words in a grid's cells mean; empty where there are none."""
    found = [state for state in get_args(GapState) if any(cell.state == state for cell in cells)]
    told = [say(language, f"legend-{state.replace('_', '-')}") for state in found]
    empty = [say(language, "legend-empty")] * any(cell == Cell() for cell in cells)
    return say(language, "legend", parts=[*told, *empty]) if told else ""


def draw_grid(grid: Grid) -> Iterator[PageLine]:
    """Yield the lines of a grid as a Markdown table under its title."""
    yield from map(PageLine, ("", f"{grid.title}:", ""))
    yield PageLine(f"| {' | '.join([grid.head, *grid.columns])} |")
    yield PageLine(f"|{'---|' * (1 + len(grid.columns))}")
    for label, cells in grid.rows:
        text, placed = f"| {label} |", list[PlacedRow]()
        for cell in cells:
            figure = ""
            if cell.row:
                is_percent = cell.row.unit == "percent"
                figure = (
                    f"{format_number(cell.row.value, 1)}%{_say_bound(cell.row, 'en')}"
                    if is_percent
                    else write_number(cell.row)
                )
                start = len(text) + 1
                placed.append(place(start, start + len(figure), cell.row))
            text += f" {figure + cell.note or '–'} |"
        yield PageLine(text, tuple(placed))


def show_state(state: GapState | None, language: Language) -> Cell:
    """Return a cell with the short word of a state in place of a figure; empty without one."""
    if state is None:
        return Cell()
    return Cell(note=say(language, f"cell-{state.replace('_', '-')}"), state=state)


def head_labels(currencies: Iterable[str], language: Language = "en") -> str:
    """Return the head of the labels, which says in what amounts are counted."""
    [first, *others] = dict.fromkeys(currencies)
    return say(language, "grid-mixed") if others else say(language, "grid-in", unit=first)


def name_currency(currency: str, currencies: Iterable[str]) -> str:
    """Return the currency for a column's head, or nothing if all columns have the same."""
    return f", {currency}" if len({*currencies}) > 1 else ""


def to_number(cell: Cell, language: Language = "en") -> TableCell:
    """Convert a cell to a table value: amounts and share counts in millions, None if empty.

    A small number becomes text to keep its decimals, as does a number with a note.
    """
    row = cell.row
    if row is None or cell.note or row.bound:
        return (write_number(row, language) if row else "") + cell.note or None
    return _scale(row)


def _scale(row: FigureRow) -> float | str:
    is_of_share = is_per_share(row.unit)
    is_scaled = not is_of_share and row.unit not in UNSCALED
    is_growth = row.rate is not None or row.metric.endswith(GROWTH)
    digits = 2 if is_of_share or (row.unit == "percent" and not is_growth) else 1
    if is_of_share and row.rate is not None:
        digits = count_price_digits(row.value)
    elif is_of_share and _is_as_filed(row):
        digits = count_digits(row.value)
    number = row.value / MILLION if is_scaled else row.value
    if abs(number) >= GROUPED_FROM:
        return float(format_number(number, digits * (abs(number) < WHOLE_FROM)).replace(",", ""))
    if row.unit != "percent" and 0 < abs(number) < 10**-digits:
        return f"{Decimal(f'{number:.2g}'):f}"
    return format_number(number, digits) if number else "0"


def _is_as_filed(row: FigureRow) -> bool:
    """Return whether an amount per share is filed, or adds up filed ones: a quotient has digits that mean nothing."""
    is_read = row.metric in METRICS and bool(METRICS[row.metric].tags)
    return is_read and not (isinstance(row, Figure) and "/" in row.formula)


def write_number(row: FigureRow, language: Language = "en") -> str:
    """Write a row's figure as tables show it, with thousands separators."""
    number = _scale(row)
    text = f"{number:,}".removesuffix(".0") if isinstance(number, float) else number
    return write_digits(language, text) + _say_bound(row, language)


def _say_bound(row: FigureRow, language: Language) -> str:
    return say(language, f"bound-{row.bound.replace('_', '-')}") if row.bound else ""
