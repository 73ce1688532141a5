"""The figures as sentences, one per line, so that each can be quoted and verified."""

from collections.abc import Iterator

from contracts.evidence.company import Figure, Fundamentals
from domain.fundamentals.metrics import NAMES

MAX_CHARS = 8_000

_RANKS = {name: rank for rank, name in enumerate(NAMES)}
SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_ORDINALS = {"Q1": "first", "Q2": "second", "Q3": "third", "Q4": "fourth"}
_LATEST_PERIODS = ("ttm", "quarter", "instant")
_DETAILS = ("cost_of_revenue", "capital_expenditure", "diluted_shares")
_COVER_METRIC = "shares_outstanding"
"""Counted on the cover of a report, weeks after the period it is of."""


def name_source(fundamentals: Fundamentals) -> str:
    """Return the title of the figures as a source."""
    company = fundamentals.company
    return f"{company.name} ({company.ticker}): figures from its SEC filings (EDGAR)"


def render_text(fundamentals: Fundamentals) -> str:
    """Return the figures as lines, most important first, at most 8,000 characters."""
    lines: list[str] = []
    size = 0
    for line in _list_lines(fundamentals):
        size += len(line) + 1
        if size > MAX_CHARS:
            break
        lines.append(line)
    return "\n".join(lines)


def _list_lines(fundamentals: Fundamentals) -> Iterator[str]:
    figures = fundamentals.figures
    growth = {(f.metric, f.period, f.end): f for f in figures if f.metric.endswith("_growth")}
    shown = [f for f in figures if not f.metric.endswith("_growth")]
    newest = {
        period: max(
            (f.end for f in shown if f.period == period and f.metric != _COVER_METRIC), default=""
        )
        for period in _LATEST_PERIODS
    }
    latest = [f for f in shown if f.period in newest and f.end >= newest[f.period]]
    latest = [f for f in latest if f.metric not in _DETAILS]
    earlier = [f for f in shown if f not in latest]

    def render(figure: Figure) -> str:
        change = growth.get((f"{figure.metric}_growth", figure.period, figure.end))
        line = render_figure(figure, change)
        # A line that is quoted alone names the company.
        return f"{fundamentals.company.name}'s {line[0].lower()}{line[1:]}"

    yield from _list_header(fundamentals)
    yield from map(render, sorted(latest, key=lambda f: _LATEST_PERIODS.index(f.period)))
    yield from (f"Note: {note}" for note in fundamentals.notes)
    earlier.sort(key=lambda f: f.end, reverse=True)
    # Years before quarters, then the metric's importance, then newest first.
    yield from map(render, sorted(earlier, key=lambda f: (f.period != "year", _RANKS[f.metric])))


def _list_header(fundamentals: Fundamentals) -> Iterator[str]:
    company = fundamentals.company
    listing = f", listed on {company.exchange}" if company.exchange else ""
    industry = f", industry {company.industry}" if company.industry else ""
    yield f"{company.name} ({company.ticker}{listing}), CIK {company.cik}{industry}."
    if company.fiscal_year_end:
        yield f"Its fiscal year ends about {company.fiscal_year_end} (month and day)."
    if fundamentals.as_of:
        yield f"Figures as they were filed by {fundamentals.as_of}; nothing filed later was read."


def render_figure(figure: Figure, growth: Figure | None = None) -> str:
    """Return one figure as a sentence, with its growth where that is known."""
    accessions = dict.fromkeys(figure.accessions)
    formula = f"; computed: {figure.formula}" if figure.formula else ""
    plural = "s" if len(accessions) > 1 else ""
    return (
        f"{_name(figure)}, {_name_period(figure)}: {_format_value(figure)}{_format_growth(growth)}"
        f"{formula}; filing{plural} {', '.join(accessions)}"
    )


def _name(figure: Figure) -> str:
    name, *negative = NAMES[figure.metric]
    if figure.value >= 0:
        return name
    return negative[0] if negative else f"Negative {name[0].lower()}{name[1:]}"


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
    ordinal = f"{_ORDINALS[quarter]} quarter of fiscal {year.removeprefix('FY')}"
    return f"{ordinal} ({figure.fiscal}, to {figure.end})"


def _format_value(figure: Figure) -> str:
    """Return a value in short and in full; the short form of a negative one has no sign."""
    value, size, unit = figure.value, abs(figure.value), figure.unit
    if unit == "percent":
        return f"{size:.1f}% ({value:.2f}%) of revenue"
    if unit.endswith("/shares"):
        currency = unit.removesuffix("/shares")
        short = f"{size:.2f} {currency} per share"
        return short if value >= 0 else f"{short} ({value:.2f} {currency})"
    short = format_money(size, unit)
    return f"{short} ({value:,.0f} {unit})" if value < 0 or size >= SCALES[-1][0] else short


def format_money(value: float, unit: str) -> str:
    """Return an amount as people write it, e.g. `408.6 billion USD`."""
    scale, word = find_scale(value)
    digits = 0 if not word else 2 if abs(value) < 10 * scale else 1
    return f"{value / scale:,.{digits}f} {word}{unit}"


def find_scale(value: float) -> tuple[float, str]:
    """Return what to divide a value by, and the word for it with a space behind it."""
    return next(((scale, f"{word} ") for scale, word in SCALES if abs(value) >= scale), (1.0, ""))


def _format_growth(growth: Figure | None) -> str:
    if growth is None:
        return ""
    if not growth.value:
        return ", as much as a year before"
    word = "more" if growth.value > 0 else "less"
    return f", {abs(growth.value):.1f}% ({abs(growth.value):.2f}%) {word} than a year before"
