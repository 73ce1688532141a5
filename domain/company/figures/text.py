"""The figures as a compact page: the newest as sentences to quote, then years and quarters as tables.

The filings of each figure stand in the figures themselves and in the run's table, not on the page: a
reader of the page needs its room.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from contracts.company.figures import Figure, Fundamentals
from contracts.evidence.rows import Period
from domain.company.figures.filed.metrics import LABELS, METRICS, Metric, name_row, name_whole
from domain.company.figures.lines import Cell, PageLine, draw_table, state
from domain.company.figures.notes import describe_dates, describe_next_results
from domain.company.figures.numbers import MILLION, format_millions, format_money, format_number
from domain.company.figures.valuation_text import describe_valuation

MAX_CHARS = 16_000

_RANKS = {name: rank for rank, name in enumerate(LABELS)}
_ORDINALS = {"Q1": "first", "Q2": "second", "Q3": "third", "Q4": "fourth"}
_LATEST_PERIODS: tuple[Period, ...] = ("ttm", "quarter", "instant")
NONE_FILED = "none filed"
"""In the place of debt where net cash is known: it is taken as none, and a filed 0 says more."""
_COVER_METRIC = "shares_outstanding"
"""Counted on the cover of a report, weeks after the period it is of."""
MIN_YEARS = 3
"""Of which growth a year is an average."""
_SAME = 1e-3
"""Of a step: what a growth of four decimals leaves of a value before exact."""
TINY = 1 / 3
"""Of the last year's part of the revenue: growth from less than that says little."""
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
    newest = {
        period: max(
            (f.end for f in shown if f.period == period and f.metric != _COVER_METRIC), default=""
        )
        for period in _LATEST_PERIODS
    }
    quarters = {f.end for f in shown if f.period == "quarter"}
    has_table = len(quarters) > 1
    latest = [
        f
        for f in shown
        if f.period in newest
        and f.end >= newest[f.period]
        and _has_line(METRICS[f.metric], f.period, has_table=has_table)
    ]
    latest.sort(key=lambda f: (_LATEST_PERIODS.index(f.period), _RANKS[f.metric]))
    yield from map(PageLine, _list_header(fundamentals, today))
    for figure in latest:
        grown = growth.get((f"{figure.metric}_growth", figure.period, figure.end))
        yield state(render_figure(figure, grown), figure, *([grown] if grown else []))
    yield from _describe_debt(shown)
    yield from _describe_years(shown)
    yield from describe_valuation(fundamentals)
    yield from (PageLine(f"Note: {note}") for note in fundamentals.every_note)
    for period, title in _TABLES.items():
        of_period = [f for f in figures if f.period == period and f.metric != _COVER_METRIC]
        yield from _render_table(title, of_period)
    defined = {f.metric: f.formula for f in reversed(latest) if METRICS[f.metric].defined}
    for metric in sorted(defined, key=lambda name: _RANKS[name]):
        if defined[metric]:
            yield PageLine(f"{LABELS[metric]} is computed: {defined[metric]}.")


def _has_line(metric: Metric, period: Period, *, has_table: bool) -> bool:
    """Tell whether the newest figure of a metric has a line, given whether quarters have a table."""
    if metric.shown_as_percent or "year_end" in metric.newest:
        return False
    is_elsewhere = metric.not_shown_quarterly or (metric.quarter_in_table and has_table)
    return period != "quarter" or not is_elsewhere


def _describe_debt(shown: Iterable[Figure]) -> Iterator[PageLine]:
    """Yield when the debt falls due, as the last annual report tells it, or as what it is filed."""
    debts = {f.end: f for f in shown if f.metric == "debt"}
    due = [f for f in shown if "year_end" in METRICS[f.metric].newest]
    newest = debts.get(max(debts, default=""))
    if days := {f.end for f in shown if f.metric == "net_cash"}:
        taken = f"; “{NONE_FILED}” is a day of which neither debt nor interest is filed, and net cash takes it as none"
        yield PageLine(
            f"Total debt leaves out operating leases{taken if debts and days - set(debts) else ''}"
        )
    if newest and newest.value and newest.tag:
        yield PageLine(f"Total debt on {newest.end} is filed as {newest.tag} alone")
    if newest and newest.value and not due:
        yield PageLine(
            "When the debt falls due is not filed as figures: the notes of the annual report tell it"
        )
    if due:
        day, unit = due[0].end, due[0].unit
        parts = (f"{format_money(f.value, unit)} {METRICS[f.metric].due}" for f in due)
        whole = (
            f", where total debt is {format_money(debts[day].value, unit)}" if day in debts else ""
        )
        total = format_money(sum(f.value for f in due), unit)
        yield state(
            f"Debt that falls due, on {day}: {', '.join(parts)}; in all {total}{whole}", *due
        )


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
    if fundamentals.as_of:
        yield f"As of {fundamentals.as_of}, nothing filed later was read."
    if fundamentals.figures:
        dates = describe_dates(fundamentals, fundamentals.as_of or today)
        yield f"Newest figures {dates}."
    if due := describe_next_results(fundamentals, fundamentals.as_of or today):
        yield due


def _render_table(title: str, figures: Iterable[Figure]) -> Iterator[PageLine]:
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
    yield PageLine("")
    yield PageLine(
        f"{title}, in millions of {currency} or of shares, except per share and in percent:"
    )
    yield PageLine("")
    rows = []
    for metric, row in by_metric.items():
        taken_as_none = by_metric.get("net_cash", {}) if metric == "debt" else {}
        cells = [
            Cell(_format_cell(row[end]), row[end])
            if end in row
            else Cell(NONE_FILED if end in taken_as_none else "–")
            for end in ends
        ]
        rows.append((name_row(metric), cells))
    yield from draw_table(["", *(_name_column(columns[end]) for end in ends)], rows)


def _rank(figure: Figure) -> tuple[int, str]:
    """Order a growth behind what grows."""
    name = figure.metric.removesuffix("_growth")
    return _RANKS.get(name, len(_RANKS)), figure.metric


def _name_column(figure: Figure) -> str:
    return f"{figure.fiscal} to {figure.end}" if figure.fiscal else figure.end


def _format_cell(figure: Figure) -> str:
    value, unit = figure.value, figure.unit
    if unit == "percent":
        return f"{format_number(value, 1)}%"
    if unit.endswith("/shares"):
        return format_number(value, 2)
    return format_millions(value, 10_000)


def render_figure(figure: Figure, growth: Figure | None = None) -> str:
    """Return one figure as a sentence, with its growth where that is known."""
    value = f"{_format_value(figure)}{_format_growth(figure, growth)}"
    return f"{_name(figure)}, {_name_period(figure)}: {value}"


def _name(figure: Figure) -> str:
    metric = METRICS[figure.metric]
    if figure.value >= 0:
        return metric.label
    return metric.negative or f"Negative {metric.label[0].lower()}{metric.label[1:]}"


def _name_period(figure: Figure) -> str:
    year, _, quarter = figure.fiscal.partition(" ")
    if figure.period == "instant":
        return f"on {figure.end}"
    if figure.period == "ttm":
        return f"twelve months (TTM) to {figure.end}"
    if figure.period == "year":
        return f"fiscal {year.removeprefix('FY')} ({year}, to {figure.end})"
    if not year:
        return f"quarter from {figure.start} to {figure.end}"
    return f"{_ORDINALS[quarter]} quarter of fiscal {year.removeprefix('FY')} (to {figure.end})"


def _format_value(figure: Figure) -> str:
    """Return a value in short and in full; the short form of a negative one has no sign."""
    value, size, unit = figure.value, abs(figure.value), figure.unit
    if unit == "percent":
        return f"{format_number(value, 2)}% of {name_whole(figure.metric)}"
    if unit.endswith("/shares"):
        currency = unit.removesuffix("/shares")
        short = f"{format_number(size, 2)} {currency} per share"
        return short if value >= 0 else f"{short} ({format_number(value, 2)} {currency})"
    short = format_money(size, unit)
    return f"{short} ({format_number(value)} {unit})" if value < 0 or size >= MILLION else short


def _format_growth(figure: Figure, growth: Figure | None) -> str:
    if growth is None:
        return ""
    if not growth.value:
        return ", as much as a year before"
    word = "more" if growth.value > 0 else "less"
    size = abs(growth.value)
    is_cents = figure.unit.endswith("/shares")
    digits = _count_digits(figure.value, growth.value, 0.01 if is_cents else 1.0)
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
