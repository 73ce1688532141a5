"""Property that earns nothing yet: what enterprise value holds of it, which multiples of earnings leave out."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.company.filings import BusinessKind
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from domain.company.figures.filed.metrics import METRICS, say_metric
from domain.company.figures.numbers import round_up, say_amount

WITHOUT_DEVELOPMENT = "enterprise_value_less_development"
"""Metric of enterprise value less development in progress and land held for development, both at cost."""


def note_development(
    kind: BusinessKind, worths: Mapping[str, FigureRow], related: Sequence[FigureRow]
) -> Iterator[Notice]:
    """Yield the part of enterprise value that earns nothing yet, and the multiples of all of it.

    Of a property company that files no line of it, yield that multiples of enterprise value may hold some.
    """
    whole, left = (worths.get(name) for name in ("enterprise_value", WITHOUT_DEVELOPMENT))
    of_value = [row for row in related if _divides_value(row.metric)]
    if kind != "reit" or not whole or not of_value:
        return
    if not left:
        yield Notice.of("valuation-development-unfiled")
        return
    idle = whole.value - left.value
    yield Notice.of(
        "valuation-development",
        amount=say_amount(idle, left.unit),
        share=round_up(100 * idle / whole.value),
        end=left.end,
        multiples=[_say_whole(row, whole.value / left.value) for row in of_value],
    )


def _divides_value(metric: str) -> bool:
    """Return whether a multiple or yield is of enterprise value, without development where that is known."""
    return any(WITHOUT_DEVELOPMENT in formula for formula in METRICS[metric].formulas)


def _say_whole(row: FigureRow, ratio: float) -> Notice:
    """Return a multiple of enterprise value without development as one of all of it, which is `ratio` times as much."""
    metric = say_metric(row.metric)
    if row.unit == "percent":
        return Notice.of("price-yield", "info", metric=metric, percent=round_up(row.value / ratio))
    return Notice.of("price-multiple", "info", metric=metric, times=round_up(row.value * ratio))
