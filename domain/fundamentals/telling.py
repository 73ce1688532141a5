"""The figures in sentences, one a line, so that each can be quoted and checked."""

from collections.abc import Iterator

from contracts.evidence.company import Figure, Fundamentals

MOST_CHARS = 8_000

_NAMES = {
    "revenue": "Revenue",
    "cost_of_revenue": "Cost of revenue",
    "gross_profit": "Gross profit",
    "operating_income": "Operating income",
    "net_income": "Net income",
    "diluted_eps": "Diluted earnings per share (EPS)",
    "operating_cash_flow": "Operating cash flow",
    "capital_expenditure": "Capital expenditure",
    "free_cash_flow": "Free cash flow",
    "fcf_per_share": "Free cash flow per share",
    "diluted_shares": "Diluted shares",
    "gross_margin": "Gross margin",
    "operating_margin": "Operating margin",
    "net_margin": "Net margin",
    "fcf_margin": "Free cash flow margin",
    "cash": "Cash and cash equivalents",
    "short_term_investments": "Short-term investments",
    "debt": "Total debt",
    "equity": "Shareholders' equity",
    "assets": "Total assets",
    "shares_outstanding": "Shares outstanding",
    "book_value_per_share": "Book value per share",
}
_BELOW_ZERO = {
    "gross_profit": "Gross loss",
    "operating_income": "Operating loss",
    "net_income": "Net loss",
    "diluted_eps": "Diluted loss per share (EPS)",
    "operating_cash_flow": "Cash used in operations (negative operating cash flow)",
}
_SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_ORDINALS = {"Q1": "first", "Q2": "second", "Q3": "third", "Q4": "fourth"}
_RANKS = {"ttm": 0, "quarter": 1, "instant": 2}
_WEIGHTY = ("revenue", "net_income", "operating_income", "free_cash_flow", "diluted_eps")
_DETAILS = ("cost_of_revenue", "capital_expenditure", "diluted_shares")
_COVER = "shares_outstanding"
"""Counted on the cover of a report, weeks after what the report is of."""


def title_of(found: Fundamentals) -> str:
    """Return what the source is called."""
    return f"{found.company.name} ({found.company.ticker}): figures from its SEC filings (EDGAR)"


def told(found: Fundamentals) -> str:
    """Return the text: what matters most first, at most 8,000 characters."""
    kept: list[str] = []
    size = 0
    for line in _lines(found):
        size += len(line) + 1
        if size > MOST_CHARS:
            break
        kept.append(line)
    return "\n".join(kept)


def _lines(found: Fundamentals) -> Iterator[str]:
    growth = {(f.metric, f.period, f.end): f for f in found.figures if f.metric.endswith("_growth")}
    shown = [f for f in found.figures if not f.metric.endswith("_growth")]
    yield from _head(found)
    newest = {
        length: max((f.end for f in shown if f.period == length and f.metric != _COVER), default="")
        for length in _RANKS
    }
    first = [f for f in shown if f.period in _RANKS and f.end >= newest[f.period]]
    first = [f for f in first if f.metric not in _DETAILS]
    rest = [f for f in shown if f not in first]

    def whose(told: str) -> str:  # a line that is quoted alone says whose figure it is
        return f"{found.company.name}'s {told[0].lower()}{told[1:]}"

    for figure in sorted(first, key=lambda f: _RANKS[f.period]):
        yield whose(
            line(figure, growth.get((f"{figure.metric}_growth", figure.period, figure.end)))
        )
    yield from (f"Note: {note}" for note in found.notes)
    for figure in sorted(rest, key=_by_weight):
        yield whose(
            line(figure, growth.get((f"{figure.metric}_growth", figure.period, figure.end)))
        )


def _by_weight(figure: Figure) -> tuple[bool, int, int]:
    """Return a rank by which years come before quarters, and results before what they are of."""
    names = [*dict.fromkeys([*_WEIGHTY, *_NAMES])]
    return figure.period != "year", names.index(figure.metric), -int(figure.end.replace("-", ""))


def _head(found: Fundamentals) -> Iterator[str]:
    company = found.company
    listed = f", listed on {company.exchange}" if company.exchange else ""
    industry = f", industry {company.industry}" if company.industry else ""
    yield f"{company.name} ({company.ticker}{listed}), CIK {company.cik}{industry}."
    if company.fiscal_year_end:
        yield f"Its fiscal year ends about {company.fiscal_year_end} (month and day)."
    if found.as_of:
        yield f"Figures as they were filed by {found.as_of}; nothing filed later was read."


def line(figure: Figure, growth: Figure | None = None) -> str:
    """Return one figure as a sentence, with how it changed where that is known."""
    accessions = dict.fromkeys(figure.accessions)
    how = f"; computed: {figure.formula}" if figure.formula else ""
    plural = "s" if len(accessions) > 1 else ""
    return (
        f"{_name(figure)}, {_period(figure)}: {_value(figure)}{_change(growth)}{how};"
        f" filing{plural} {', '.join(accessions)}"
    )


def _name(figure: Figure) -> str:
    name = _NAMES[figure.metric]
    if figure.value >= 0:
        return name
    return _BELOW_ZERO.get(figure.metric, f"Negative {name[0].lower()}{name[1:]}")


def _period(figure: Figure) -> str:
    year, _, quarter = figure.fiscal.partition(" ")
    if figure.period == "instant":
        return f"on {figure.end}"
    if figure.period == "ttm":
        return f"twelve months (TTM) to {figure.end}"
    if figure.period == "year":
        return f"fiscal {year.removeprefix('FY')} ({year}, to {figure.end})"
    if not year:
        return f"quarter from {figure.start} to {figure.end}"
    named = f"{_ORDINALS[quarter]} quarter of fiscal {year.removeprefix('FY')}"
    return f"{named} ({figure.fiscal}, to {figure.end})"


def _value(figure: Figure) -> str:
    """Return a value short and long; of a negative one the short form has no sign."""
    value, size, unit = figure.value, abs(figure.value), figure.unit
    if unit == "percent":
        return f"{size:.1f}% ({value:.2f}%) of revenue"
    if unit.endswith("/shares"):
        short = f"{size:.2f} {unit.removesuffix('/shares')} per share"
        return short if value >= 0 else f"{short} ({value:.2f} {unit.removesuffix('/shares')})"
    short = money(size, unit)
    return f"{short} ({value:,.0f} {unit})" if value < 0 or size >= _SCALES[-1][0] else short


def money(value: float, unit: str) -> str:
    """Return an amount as people say it, e.g. `408.6 billion USD`."""
    for scale, word in _SCALES:
        if abs(value) >= scale:
            digits = 2 if abs(value) < 10 * scale else 1
            return f"{value / scale:.{digits}f} {word} {unit}"
    return f"{value:,.0f} {unit}"


def _change(growth: Figure | None) -> str:
    if growth is None:
        return ""
    if not growth.value:
        return ", as much as a year before"
    word = "more" if growth.value > 0 else "less"
    return f", {abs(growth.value):.1f}% ({abs(growth.value):.2f}%) {word} than a year before"
