"""The figures as a compact page for models: the newest as lines to quote, then years and quarters as tables.

The filings of each figure stand in the figures themselves and in the run's table, not on the page: a
reader of the page needs its room.
"""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import accumulate

from contracts.company.figures import Figure, Fundamentals
from contracts.company.valuation import SharePrice
from contracts.evidence.rows import FigureRow, Period
from contracts.notices import Notice
from domain.company.figures.dates import count_months, date_figures, explain_kind, say_price
from domain.company.figures.debt_basis import note_debt_basis
from domain.company.figures.filed.line_names import word_formula
from domain.company.figures.filed.metrics import GROWTH, LABELS, METRICS
from domain.company.figures.notes.earnings import OF_EARNINGS, is_unusual
from domain.company.figures.numbers import (
    MILLION,
    count_digits,
    find_unit_of_whole,
    format_number,
    say_amount,
)
from domain.company.figures.share_bases import label_row, note_shares, say_shares
from domain.company.figures.tables.changes import build_changes
from domain.company.figures.tables.grids import UNSCALED, Cell, Grid, draw_grid, head_labels
from domain.company.figures.tables.key_figures import (
    COVER_METRIC,
    build_valuations,
    choose_shown,
    find_newest_days,
)
from domain.company.figures.tables.page_lines import PageLine, state
from domain.company.figures.tables.price_table import build_implied, build_past, explain_table
from domain.company.figures.tables.years import build_remainder
from domain.company.figures.valuation.market_value import find_newest
from domain.company.figures.valuation.valuation import state_price

MAX_CHARS = 30_000
"""Room of a company's page: figures, notes and tables of a bank or a property company take 26,000."""

LEFT_OUT = "Left out of this page for lack of room: {} lines, of lesser figures."
_RANKS = {name: rank for rank, name in enumerate(LABELS)}
_PERIODS: dict[Period, str] = {
    "ttm": "twelve months (TTM) to",
    "to_date": "{months} to",
    "remainder": "{months} to",
    "quarter": "quarter to",
    "instant": "on",
    "year": "fiscal year to",
}
SUMS: tuple[Period, ...] = ("ttm", "remainder")
"""Periods that companies do not file, so that their figures may be added up from other periods."""
CENTS_FROM = 0.1
"""A quotient per share has cents from here on, as a filed amount has those that it is filed with."""
MOVED_DEBT = 0.1
"""Relative change of debt since its due dates were filed from which on its newest amount is shown with them."""
DUE_LATER, MOST_DUE = "_later", 0.9
"""End of the names of debt that falls due after the years filed; without it, parts below this share of debt are not all."""
_TABLES: dict[Period, str] = {
    "ttm": "Twelve months (TTM)",
    "year": "Fiscal years",
    "to_date": "Fiscal years to date",
    "quarter": "Quarters",
    "instant": "Balance",
}


def list_lines(fundamentals: Fundamentals, today: str = "") -> list[PageLine]:
    """Return the figures as lines, the most important first, at most `MAX_CHARS` characters and a line that counts what is left out.

    `today` is the run's day; the age of the figures is relative to `as_of`, else to it.
    """
    lines = [*_list_lines(fundamentals, today)]
    sizes = accumulate(len(line.text) + 1 for line in lines)
    shown = sum(size <= MAX_CHARS for size in sizes)
    cut = sum(bool(line.text) for line in lines[shown:])
    return [*lines[:shown], *([PageLine(LEFT_OUT.format(cut))] if cut else [])]


def _list_lines(fundamentals: Fundamentals, today: str) -> Iterator[PageLine]:
    figures = choose_shown(fundamentals.figures)
    growths = {(f.metric, f.period, f.end): f for f in figures if f.metric.endswith(GROWTH)}
    latest = sorted(_choose_latest(figures), key=_rank)
    usual = _find_usual(figures)
    stated = set[tuple[str, Period, str]]()
    yield from map(PageLine, _list_header(fundamentals, today))
    for figure in latest:
        growth = growths.get((f"{figure.metric}{GROWTH}", figure.period, figure.end))
        year = usual.get(figure.metric) if figure.period == "ttm" else None
        told = [figure, *([growth] if growth else []), *([year] if year else [])]
        stated |= {(f.metric, f.period, f.end) for f in told}
        yield state(f"{render_figure(figure, growth)}{_compare(year)}", *told)
    for figure in sorted(_choose_translated(fundamentals.translated), key=_rank):
        yield state(f"As translated by the filer: {render_figure(figure)}", figure)
    if price := fundamentals.unused_price:
        alone = state_price(price, is_ads=fundamentals.is_ads).rows
        yield from (state(_say_price(each, price), each) for each in alone)
    valuation = build_valuations([fundamentals])
    past = build_past(fundamentals.past, fundamentals)
    grids = (build_changes(fundamentals), past, build_remainder(fundamentals))
    for grid in (*grids, valuation, build_implied(fundamentals)):
        yield from draw_grid(grid) if grid else ()
        if grid and grid is grids[0] and grid.more:
            yield from (PageLine(""), PageLine(f"Note: {grid.more}"))
    yield PageLine("")
    notices = [*_note_debt(figures), *_list_notes(fundamentals)]
    yield from (PageLine(f"Note: {notice.text}") for notice in notices)
    days = {f.end for f in figures if f.period == "instant" and f.metric != COVER_METRIC}
    for period, title in _TABLES.items():
        of_period = [f for f in figures if f.period == period and _is_tabled(f, days)]
        yield from _draw_periods(title, of_period, stated)
        stated |= {(f.metric, "ttm", f.end) for f in of_period if period == "year"}
    yield from _define(figures)


def _define(figures: Iterable[Figure]) -> Iterator[PageLine]:
    """Yield how metrics are computed: not how several periods of one add up, which defines nothing."""
    formulas = dict[str, str]()
    for figure in figures:  # newest first
        metric = METRICS.get(figure.metric)
        is_sum = metric and metric.rolled and figure.period in SUMS
        if metric and metric.defined and figure.formula and not is_sum:
            formulas.setdefault(figure.metric, figure.formula)
    for name, formula in sorted(formulas.items(), key=lambda each: _RANKS[each[0]]):
        yield PageLine(f"{LABELS[name]} is computed: {word_formula(formula)}.")


def _list_notes(found: Fundamentals) -> Iterator[Notice]:
    """Yield a company's notes and those of its valuation, or that there is none."""
    yield from found.every_note
    is_unused = any(note.code == "company-price-unused" for note in found.every_note)
    none = [] if is_unused else [Notice.of("valuation-none")]
    yield from found.valuation.notices if found.valuation else none
    table = found.valuation.implied if found.valuation else None
    yield from [explain_table(table)] if table else ()


def _choose_latest(figures: Sequence[Figure]) -> Iterator[Figure]:
    """Yield the latest figures that get a line of their own; others appear only in tables.

    The twelve months of a metric without another period get a line too, since no table shows them.
    """
    days = find_newest_days(figures)
    periods = Counter((f.metric, f.period) for f in figures)
    listed = {f.metric for f in figures if periods[f.metric, f.period] > 1}
    for f in figures:
        metric = METRICS.get(f.metric)
        is_newest = f.end >= days.get(f.period, "") or (metric and "year_end" in metric.newest)
        is_alone = metric and metric.earlier and f.period == "ttm" and f.metric not in listed
        length = "ttm" if f.period == "to_date" else f.period
        if metric and is_newest and (length in metric.lines or is_alone):
            yield f


def _choose_translated(figures: Sequence[Figure]) -> Iterator[Figure]:
    """Yield the translated key figures, those of a fiscal year once."""
    years = {(f.metric, f.end) for f in figures if f.period == "year"}
    for f in figures:
        if METRICS[f.metric].key and (f.period != "ttm" or (f.metric, f.end) not in years):
            yield f


def _find_usual(figures: Sequence[Figure]) -> dict[str, Figure]:
    """Return the last fiscal year's figures of what twelve months of unusual earnings make unusual."""
    twelve, year = (find_newest(figures, period) for period in ("ttm", "year"))
    now, then = (
        found.get("continuing_eps") or found.get("diluted_eps") for found in (twelve, year)
    )
    if not now or not then or now.end <= then.end or not is_unusual(now.value, then.value):
        return {}
    names = (*OF_EARNINGS, "continuing_eps", "diluted_eps")
    return {name: year[name] for name in names if name in year}


def _compare(year: Figure | None) -> str:
    """Return the end of a line of unusual twelve months: the fiscal year's figure."""
    return f" (unusual: {year.fiscal} had {_write_value(year)})" if year else ""


def _is_tabled(figure: Figure, days: Container[str]) -> bool:
    """Return whether a figure is in a table: a cover's number of shares, of none of the `days`, and growth of a balance sheet have lines alone."""
    is_growth = figure.period == "instant" and figure.metric.endswith(GROWTH)
    is_cover = figure.metric == COVER_METRIC and figure.end not in days
    return not is_cover and not is_growth


def _note_debt(figures: Iterable[Figure]) -> Iterator[Notice]:
    """Yield what the debt leaves out, and when it falls due or that this is not filed."""
    debts = {f.end: f for f in figures if f.metric == "debt"}
    rungs = [f for f in figures if f.metric.startswith("debt_due_")]
    due = [f for f in rungs if f.end == max(each.end for each in rungs)]
    newest = debts.get(max(debts, default=""))
    yield from note_debt_basis(figures)
    if due:
        of = debts.get(due[0].end)
        debt = say_amount(of.value, of.unit) if of else None
        total = sum(f.value for f in due)
        short = next(
            (f for f in figures if f.metric == "short_term_debt" and f.end == due[0].end), None
        )
        beside = say_amount(short.value, short.unit) if short and short.value else None
        whole = say_amount(total + short.value, due[0].unit) if short and beside else None
        moved = newest if of and newest and _has_moved(of, newest) else None
        now = say_amount(moved.value, moved.unit) if moved else None
        later = moved.end if moved else None
        is_whole = any(f.metric.endswith(DUE_LATER) for f in due)
        is_part = not is_whole and of is not None and total < MOST_DUE * of.value
        yield Notice.of(
            "debt-due",
            end=due[0].end,
            total=say_amount(total, due[0].unit),
            short=beside,
            whole=whole,
            debt=debt,
            left=Notice.of("debt-due-left", "info") if is_part else None,
            later=later,
            now=now,
        )
    elif newest and newest.value:
        yield Notice.of("debt-due-unfiled")


def _say_price(row: FigureRow, price: SharePrice) -> str:
    """Return a price from which nothing follows as a line."""
    return f"{LABELS[row.metric]}, on {row.price_day}: {say_price(price).text}"


def _has_moved(before: Figure, now: Figure) -> bool:
    """Return whether debt has changed by a material part since an earlier day."""
    return now.end > before.end and abs(now.value - before.value) > MOVED_DEBT * before.value


def _list_header(fundamentals: Fundamentals, today: str) -> Iterator[str]:
    company = fundamentals.company
    listing = company.exchange and f", listed on {company.exchange}"
    industry = company.industry and f", industry {company.industry}"
    yield f"{company.name} ({company.ticker}{listing}), CIK {company.cik}{industry}."
    if company.fiscal_year_end:
        yield f"Its fiscal year ends about {company.fiscal_year_end} (month and day)."
    day = fundamentals.as_of or today
    if fundamentals.as_of:
        yield Notice.of("company-as-of", day=day).text
    if fundamentals.figures:
        yield date_figures(fundamentals, day).text
    if kind := explain_kind(fundamentals):
        yield kind.text


def _draw_periods(
    title: str, figures: Iterable[Figure], stated: Container[tuple[str, Period, str]]
) -> Iterator[PageLine]:
    """Yield a table of the metrics that have several periods, or one that no line states, newest first."""
    found = dict[str, dict[str, Figure]]()
    for figure in sorted(figures, key=_rank):
        found.setdefault(figure.metric, {})[figure.end] = figure
    by_metric = {
        metric: row
        for metric, row in found.items()
        if len(row) > 1 or any((f.metric, f.period, f.end) not in stated for f in row.values())
    }
    columns = {f.end: f for row in by_metric.values() for f in row.values()}
    if not columns:
        return
    units = {f.unit.partition("/")[0] for row in by_metric.values() for f in row.values()}
    currency = min(filter(str.isupper, units), default="USD")
    ends = sorted(columns, reverse=True)
    rows = [
        (label_row(metric, row.values()), [_show_cell(row.get(end), row.values()) for end in ends])
        for metric, row in by_metric.items()
    ]
    heads = [_head_period(columns[end]) for end in ends]
    yield from draw_grid(Grid(title, head_labels([currency]), heads, rows))


def _show_cell(figure: Figure | None, row: Collection[Figure]) -> Cell:
    """Return a figure of a row as a cell, with its shares if the row's figures are of several counts."""
    return Cell(figure, note_shares(figure, row)) if figure else Cell()


def _head_period(figure: Figure) -> str:
    """Return the head of a period's column: its fiscal name, or the months to date, and its last day."""
    is_to_date = figure.period == "to_date"
    name = count_months(figure.start, figure.end).text if is_to_date else figure.fiscal
    return f"{name} to {figure.end}" if name else figure.end


def _rank(figure: Figure) -> tuple[int, int, str]:
    """Sort key: kind of period, then importance, with growth after its metric."""
    name = figure.metric.removesuffix(GROWTH)
    return [*_PERIODS].index(figure.period), _RANKS.get(name, len(_RANKS)), figure.metric


def render_figure(figure: Figure, growth: Figure | None = None) -> str:
    """Return a figure as a line, with its growth where that is known."""
    fiscal = f"{figure.fiscal}, " if figure.fiscal else ""
    months = count_months(figure.start, figure.end).text if figure.period == "to_date" else ""
    period = f"{fiscal}{_PERIODS[figure.period].format(months=months)} {figure.end}"
    over = f" {say_shares(figure.of).text}" if figure.of else ""
    line = f"{LABELS[figure.metric]}, {period}: {_write_value(figure)}{over}"
    if growth is None:
        return line
    change = "more" if growth.value >= 0 else "less"
    before = "a year before" if growth.period != "instant" else f"on {growth.start}"
    return f"{line}, {format_number(abs(growth.value), 1)}% {change} than {before}"


def _write_value(row: FigureRow) -> str:
    """Return a value with its unit, a large one in short and in full."""
    value, currency = row.value, find_unit_of_whole(row.unit)
    if row.bound:
        plain = _write_value(row.model_copy(update={"bound": ""}))
        return f"{row.bound.replace('_', ' ')} {plain}"
    if row.unit == "percent":
        return f"{format_number(value, 2)}% of {METRICS[row.metric].whole}"
    if row.unit in UNSCALED:
        return f"{format_number(row.value, 1)} {row.unit}"
    if currency != row.unit:
        digits = 2 if row.of and abs(value) >= CENTS_FROM else count_digits(value)
        return f"{format_number(value, digits)} {currency} per share"
    full = f"{format_number(value)} {row.unit}"
    return f"{say_amount(value, row.unit).text} ({full})" if abs(value) >= MILLION else full
