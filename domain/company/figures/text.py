"""The figures as a compact page for models: the newest as lines to quote, then years and quarters as tables.

The filings of each figure stand in the figures themselves and in the run's table, not on the page: a
reader of the page needs its room.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from contracts.company.figures import Figure, Fundamentals
from contracts.company.valuation import Valuation
from contracts.evidence.rows import FigureRow, Period
from contracts.notices import Notice
from contracts.words import say
from domain.company.figures.dates import date_figures
from domain.company.figures.filed.metrics import LABELS, METRICS, humanize, name_row
from domain.company.figures.grids import Cell, Grid, draw_grid, head_labels
from domain.company.figures.lines import PageLine, state
from domain.company.figures.numbers import MILLION, format_money, format_number, say_amount
from domain.company.figures.tables import COVER_METRIC

MAX_CHARS = 16_000

_RANKS = {name: rank for rank, name in enumerate(LABELS)}
_ORDINALS = {"Q1": "first", "Q2": "second", "Q3": "third", "Q4": "fourth"}
_LATEST_PERIODS: tuple[Period, ...] = ("ttm", "quarter", "instant")
NONE_FILED = "none filed"
"""In the place of debt where net cash is known: it is taken as none, and a filed 0 says more."""
MIN_YEARS = 3
"""Fiscal years from which on an average growth is shown."""
_SAME = 1e-3
"""Of a step: what a growth of four decimals leaves of a value before exact."""
TINY = 1 / 3
"""Growth from less than this part of the last year's share of revenue says little."""
_TABLES: dict[Period, str] = {"year": "Fiscal years", "quarter": "Quarters", "instant": "Balance"}


def name_source(fundamentals: Fundamentals) -> str:
    """Return the title of the figures as a source."""
    company = fundamentals.company
    return f"{company.name} ({company.ticker}): figures from its SEC filings (EDGAR)"


def list_lines(fundamentals: Fundamentals, today: str = "") -> Iterator[PageLine]:
    """Yield the figures as lines, most important first, at most 16,000 characters.

    `today` is the run's day, to which their age is told unless `as_of` says another.
    """
    size = 0
    for line in _list_lines(fundamentals, today):
        size += len(line.text) + 1
        if size > MAX_CHARS:
            break
        yield line


def _list_lines(fundamentals: Fundamentals, today: str) -> Iterator[PageLine]:
    figures = fundamentals.figures
    growth = {(f.metric, f.period, f.end): f for f in figures if f.metric.endswith("_growth")}
    shown = [f for f in figures if f.metric in _RANKS]
    latest = [*_choose_latest(shown)]
    latest.sort(key=lambda f: (_LATEST_PERIODS.index(f.period), _RANKS[f.metric]))
    yield from map(PageLine, _list_header(fundamentals, today))
    for figure in latest:
        grown = growth.get((f"{figure.metric}_growth", figure.period, figure.end))
        yield state(render_rows([figure], grown), figure, *([grown] if grown else []))
    yield from _describe_years(shown)
    found = fundamentals.valuation
    yield from _list_measures(found) if found else ()
    notices = [*_note_debt(shown), *fundamentals.every_note]
    notices += found.notices if found else [Notice.of("valuation-none")]
    yield from (PageLine(f"Note: {notice.text}") for notice in notices)
    for period, title in _TABLES.items():
        of_period = [f for f in figures if f.period == period and f.metric != COVER_METRIC]
        yield from _draw_periods(title, of_period)
    defined = {f.metric: f.formula for f in reversed(latest) if METRICS[f.metric].defined}
    for metric in sorted(defined, key=lambda name: _RANKS[name]):
        if defined[metric]:
            yield PageLine(f"{LABELS[metric]} is computed: {defined[metric]}.")


def _choose_latest(shown: Sequence[Figure]) -> Iterator[Figure]:
    """Yield the figures of the newest days that have a line: others stand in the tables alone."""
    newest: dict[Period, str] = {}
    for f in shown:
        if f.metric != COVER_METRIC:
            newest[f.period] = max(newest.get(f.period, ""), f.end)
    has_table = len({f.end for f in shown if f.period == "quarter"}) > 1
    for f in shown:
        metric = METRICS[f.metric]
        in_table = metric.not_shown_quarterly or (metric.quarter_in_table and has_table)
        is_newest = f.end >= newest.get(f.period, "") or "year_end" in metric.newest
        is_elsewhere = metric.shown_as_percent or (f.period == "quarter" and in_table)
        if f.period in _LATEST_PERIODS and is_newest and not is_elsewhere:
            yield f


def _list_measures(found: Valuation) -> Iterator[PageLine]:
    """Yield what a price means: a line a measure, with its growths by discount rate, or that a loss leaves none."""
    for _, same in groupby(found.rows, key=lambda row: (row.metric, row.period)):
        rows = [*same]
        yield state(render_rows(rows), *rows)
    yield from (PageLine(f"{LABELS[name]}: {say('en', 'cell-loss')}") for name in found.losses)


def _note_debt(shown: Iterable[Figure]) -> Iterator[Notice]:
    """Yield what the debt leaves out, and when it falls due or that this is not filed."""
    debts = {f.end: f for f in shown if f.metric == "debt"}
    due = [f for f in shown if "year_end" in METRICS[f.metric].newest]
    newest = debts.get(max(debts, default=""))
    if days := {f.end for f in shown if f.metric == "net_cash"}:
        yield Notice.of("debt-leases")
        if debts and days - set(debts):
            yield Notice.of("debt-none-filed", none=NONE_FILED)
    if newest and newest.value and newest.tag:
        yield Notice.of("debt-tag", end=newest.end, tag=newest.tag)
    if due:
        total = sum(f.value for f in due)
        of = debts.get(due[0].end)
        debt = say_amount(of.value, of.unit) if of else None
        whole = say_amount(total, due[0].unit)
        yield Notice.of("debt-due", end=due[0].end, total=whole, debt=debt)
    elif newest and newest.value:
        yield Notice.of("debt-due-unfiled")


def _describe_years(shown: Iterable[Figure]) -> Iterator[PageLine]:
    """Yield the growth from the first fiscal year that is told: a year to the last one, in all to the newest months.

    The average joins two years alone, and either may be an odd one.
    """
    figures = [f for f in shown if METRICS[f.metric].lasting]
    newest = {f.metric: f for f in figures if f.period == "ttm"}
    revenues = {f.end: f.value for f in figures if (f.metric, f.period) == ("revenue", "year")}
    grown: dict[str, list[str]] = {}
    for metric in sorted({f.metric for f in figures}, key=lambda name: _RANKS[name]):
        years = sorted(
            (f for f in figures if (f.metric, f.period) == (metric, "year")), key=lambda f: f.end
        )
        if len(years) < MIN_YEARS or years[0].value <= 0:
            continue
        first, last, now = years[0], years[-1], newest.get(metric)
        name, begin = LABELS[metric].lower(), f"from the fiscal year to {first.end} to"
        if last.value > 0:
            rate = 100 * ((last.value / first.value) ** (1 / (len(years) - 1)) - 1)
            told = f"{name} {format_number(rate, 1)}%{_describe_base(first, last, revenues)}"
            grown.setdefault(f"a year, on average {begin} that to {last.end}", []).append(told)
        if now and now.value > 0 and now.end > last.end:
            told = f"{name} {format_number(100 * (now.value / first.value - 1), 1)}%"
            grown.setdefault(f"in all {begin} the twelve months to {now.end}", []).append(told)
    yield from (PageLine(f"Growth {over}: {', '.join(parts)}") for over, parts in grown.items())


def _describe_base(first: Figure, last: Figure, revenues: Mapping[str, float]) -> str:
    """Return, in brackets, of how little of the revenue growth began; empty where it was not little."""
    whole = [revenues.get(f.end, 0) for f in (first, last)]
    if min(whole) <= 0:
        return ""
    before, after = (100 * f.value / of for f, of in zip((first, last), whole, strict=True))
    if before >= TINY * after:
        return ""
    return f" (from little: {format_number(before, 1)}% of revenue, and {format_number(after, 1)}% in the last)"


def _list_header(fundamentals: Fundamentals, today: str) -> Iterator[str]:
    company = fundamentals.company
    listing = f", listed on {company.exchange}" if company.exchange else ""
    industry = f", industry {company.industry}" if company.industry else ""
    yield f"{company.name} ({company.ticker}{listing}), CIK {company.cik}{industry}."
    if company.fiscal_year_end:
        yield f"Its fiscal year ends about {company.fiscal_year_end} (month and day)."
    day = fundamentals.as_of or today
    if fundamentals.as_of:
        yield Notice.of("company-as-of", day=day).text
    if fundamentals.figures:
        yield date_figures(fundamentals, day).text


def _draw_periods(title: str, figures: Iterable[Figure]) -> Iterator[PageLine]:
    """Yield a table of the metrics that have several periods, newest first."""
    by_metric = {
        metric: {figure.end: figure for figure in same}
        for metric, same in groupby(sorted(figures, key=_rank), key=lambda f: f.metric)
    }
    by_metric = {metric: row for metric, row in by_metric.items() if len(row) > 1}
    columns = {f.end: f for row in by_metric.values() for f in row.values()}
    if not columns:
        return
    units = {f.unit for f in columns.values()} - {"percent", "shares"}
    currency = min((unit.partition("/")[0] for unit in units), default="USD")
    ends = sorted(columns, reverse=True)
    rows = []
    for metric, row in by_metric.items():
        taken_as_none = by_metric.get("net_cash", {}) if metric == "debt" else {}
        cells = [
            Cell(row.get(end), NONE_FILED * (end in taken_as_none and end not in row))
            for end in ends
        ]
        rows.append((name_row(metric, {f.unit for f in row.values()}), cells))
    heads = [f"{fiscal} to {end}" if (fiscal := columns[end].fiscal) else end for end in ends]
    yield from draw_grid(Grid(title, head_labels([currency]), heads, rows))


def _rank(figure: Figure) -> tuple[int, str]:
    """Order a growth behind what grows."""
    name = figure.metric.removesuffix("_growth")
    return _RANKS.get(name, len(_RANKS)), figure.metric


def render_rows(rows: Sequence[FigureRow], growth: Figure | None = None) -> str:
    """Return a row as a line, with its growth where that is known; several of one measure differ in their rates."""
    first = rows[0]
    by = f" by {humanize(first.of)}" if first.of else ""
    at = f" at the price of {first.price_day}" if first.price_day not in ("", first.end) else ""
    values = _format_value(first) + "".join(f", {row.value}% at {row.rate:g}%" for row in rows[1:])
    return f"{_name(first)}{by}, {_name_period(first)}: {values}{_format_growth(first, growth)}{at}"


def _name(row: FigureRow) -> str:
    label = LABELS[row.metric]
    if row.value >= 0 or row.rate is not None:
        return label
    return METRICS[row.metric].negative or f"Negative {label[0].lower()}{label[1:]}"


def _name_period(row: FigureRow) -> str:
    fiscal, start = (row.fiscal, row.start) if isinstance(row, Figure) else ("", "")
    year, _, quarter = fiscal.partition(" ")
    if row.period == "instant":
        return f"on {row.end}"
    if row.period == "ttm":
        return f"twelve months (TTM) to {row.end}"
    if row.period == "year":
        return (
            f"fiscal {year.removeprefix('FY')} ({year}, to {row.end})"
            if year
            else f"fiscal year to {row.end}"
        )
    if not year:
        return f"quarter from {start} to {row.end}"
    return f"{_ORDINALS[quarter]} quarter of fiscal {year.removeprefix('FY')} (to {row.end})"


def _format_value(row: FigureRow) -> str:
    """Return a value in short and in full; the short form of a negative one has no sign."""
    value, size, unit = row.value, abs(row.value), row.unit
    if row.rate is not None:
        return f"{format_number(value, 1)}% at a discount rate of {row.rate:g}%"
    if unit == "percent":
        return f"{format_number(value, 2)}% of {METRICS[row.metric].whole}"
    if unit == "times":
        return format_number(value, 1)
    if unit.endswith("/shares"):
        currency = unit.removesuffix("/shares")
        short = f"{format_number(size, 2 if size >= 1 else 4)} {currency} per share"
        return short if value >= 0 else f"{short} ({format_number(value, 2)} {currency})"
    short = format_money(size, unit)
    return f"{short} ({format_number(value)} {unit})" if value < 0 or size >= MILLION else short


def _format_growth(row: FigureRow, growth: Figure | None) -> str:
    if growth is None:
        return ""
    if not growth.value:
        return ", as much as a year before"
    word = "more" if growth.value > 0 else "less"
    size = abs(growth.value)
    is_cents = row.unit.endswith("/shares")
    digits = _count_digits(row.value, growth.value, 0.01 if is_cents else 1.0)
    return f", {format_number(size, digits)}% {word} than a year before"


def _count_digits(value: float, growth: float, step: float) -> int:
    """Return the decimals that a growth has, of values which may be rounded to more than a `step`."""
    before = value / (1 + growth / 100) if growth > -100 else 0.0
    if not value or not before:
        return 2
    for power in range(12, 0, -1) if step >= 1 else ():  # cents are never rounded
        counts = value / 10**power, before / 10**power
        if all(abs(n - round(n)) < _SAME <= n for n in counts):
            step = 10.0**power
            break
    doubt = 50 * step / abs(before) * (1 + abs(value / before))
    return 2 if doubt < 0.05 else 1 if doubt < 0.5 else 0
