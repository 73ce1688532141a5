"""A company's fiscal years side by side, and what their filed quarters leave of them, as grids for people."""

from contracts.company.figures import Figure, Fundamentals
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from contracts.words import Language, say, write_digits
from domain.company.figures.accounts.growth import is_from_tiny_base
from domain.company.figures.dates import call_company
from domain.company.figures.filed.metrics import LABELS, METRICS
from domain.company.figures.filed.periods import count_quarters
from domain.company.figures.numbers import format_number
from domain.company.figures.share_bases import label_row, note_shares
from domain.company.figures.tables.grids import Cell, Grid, head_labels, show_state, write_number
from domain.company.figures.tables.key_figures import choose_shown, count_span, head_column

LEAST_YEARS = 3
"""Fiscal years from which on they have a table of their own."""


def build_years(fundamentals: Fundamentals, language: Language = "en") -> Grid | None:
    """Return the figures of all fiscal years that are shown, newest first; None of fewer than three.

    The key figures have the newest year, and its growth from the one before. A text that names an older one has it here.
    """
    figures = [f for f in choose_shown(fundamentals.figures) if f.period == "year"]
    ends = sorted({f.end for f in figures if f.metric == "revenue"}, reverse=True)
    if len(ends) < LEAST_YEARS:
        return None
    rows = list[tuple[str, list[Cell]]]()
    for name in sorted(LABELS, key=lambda name: not METRICS[name].key):
        own = {f.end: f for f in figures if f.metric == name}
        if len(own) > 1:
            every = own.values()
            cells = [
                Cell(f, note_shares(f, every, language)) if (f := own.get(end)) else Cell()
                for end in ends
            ]
            rows.append((label_row(name, every, language), cells))
    heads = [head_column("year", "", end, None, language) for end in ends]
    title = say(language, "grid-years", company=call_company(fundamentals))
    unit = next((f.unit for f in figures if f.unit.isupper()), "USD")
    return Grid(title, head_labels([unit], language), heads, rows)


def build_remainder(fundamentals: Fundamentals, language: Language = "en") -> Grid | None:
    """Return the flows of a fiscal year’s unfiled quarters, in sum and on average, next to the newest quarter."""
    figures = choose_shown(fundamentals.figures)
    quarters = {f.metric: f for f in reversed(figures) if f.period == "quarter"}
    found = [f for f in figures if f.period == "remainder"]
    revenue = next((f.value for f in found if f.metric == "revenue"), 0.0)
    rows = list[tuple[str, list[Cell]]]()
    for figure in sorted(found, key=lambda f: [*LABELS].index(f.metric)):
        now = quarters.get(figure.metric)
        if now and now.end > figure.end:
            label = label_row(figure.metric, [figure, now], language)
            is_unlike = figure.metric in fundamentals.unlike_remainder
            compared = _compare_average(figure, now, revenue, language, is_unlike=is_unlike)
            rows.append((label, [Cell(figure), *compared, Cell(now)]))
    if not rows:
        return None
    [first, *_], newest = found, max(f.end for f in quarters.values())
    heads = [
        say(language, "column-remainder", end=first.end, months=count_span(first)),
        say(language, "column-average"),
        say(language, "column-on-average"),
        say(language, "column-part-quarter", end=newest),
    ]
    title = say(language, "grid-remainder", company=call_company(fundamentals))
    unit = next((f.unit for f in found if f.unit.isupper()), "USD")
    held = " ".join(note.say(language) for note in fundamentals.notes if _is_of_remainder(note))
    return Grid(title, head_labels([unit], language), heads, rows, held)


def _is_of_remainder(note: Notice) -> bool:
    """Return whether a note names gains or charges that need not recur in a fiscal year's unfiled quarters."""
    period = note.params.get("period")
    is_of_it = isinstance(period, Notice) and period.code == "period-remainder"
    return is_of_it and note.code == "company-held"


def _compare_average(
    figure: Figure, now: Figure, revenue: float, language: Language, *, is_unlike: bool
) -> tuple[Cell, Cell]:
    """Return a quarter's amount on average of several quarters with a `revenue`, and how far the newest is from it.

    Both are empty of a ratio. A change from a tiny base is named, but not shown, as is one of amounts that are unlike.
    """
    if not figure.unit.isupper():
        return Cell(), Cell()
    count = count_quarters(figure.start, figure.end)
    average = figure.value / count
    change = 100 * (now.value / average - 1) if average > 0 and now.value >= 0 else None
    if METRICS[figure.metric].lumpy:
        change = None
    row = FigureRow(metric="", period="quarter", end=figure.end, value=average, unit=figure.unit)
    average_cell = Cell(note=write_number(row, language))
    if is_unlike:
        return average_cell, show_state("does_not_apply", language)
    more = "" if change is None else f"{write_digits(language, format_number(change, 1))}%"
    if change is not None and is_from_tiny_base(now.value, average, revenue / count):
        more = say(language, "cell-tiny-base")
    return average_cell, Cell(note=more)
