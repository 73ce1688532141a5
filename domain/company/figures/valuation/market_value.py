"""What a company is worth at a share price: its market value, and its enterprise value."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contracts.company.figures import Figure, Fundamentals
from contracts.company.valuation import SharePrice
from contracts.evidence.rows import FigureRow, Period
from domain.company.figures.filed.line_names import word_formula
from domain.company.figures.filed.metrics import find_unit
from domain.company.figures.valuation.development import WITHOUT_DEVELOPMENT
from domain.company.figures.valuation.implied_rates import (
    DILUTIVE_SHARE,
)

CLAIMS = (
    "noncontrolling_interest",
    "redeemable_interest",
    "claims_outside_equity",
    "entity_interest",
    "preferred_claims",
    "partners_units",
)
"""Claims of others than common shareholders that enterprise value holds, at their book values."""


def list_worths(
    fundamentals: Fundamentals, price: SharePrice, balance: Mapping[str, Figure]
) -> Iterator[FigureRow]:
    """Yield the price, and what the company is worth at it: its shares, and all of it, with awards too."""
    cash, net_cash = (balance.get(n) for n in ("cash", "net_cash"))
    shares, more = find_priced_shares(fundamentals), find_dilutive_shares(fundamentals)
    if not shares:
        yield to_row(price, "share_price", "instant", price.day, price.value)
        return
    of = "" if shares.metric == "shares_outstanding" else shares.metric
    more = None if of else more
    market, added = price.value * shares.value, price.value * more.value if more else 0.0
    yield to_row(price, "share_price", "instant", price.day, price.value)
    yield to_row(price, "market_value", "instant", shares.end, market, of=of)
    if more:
        yield to_row(price, "diluted_market_value", "instant", shares.end, market + added)
    if units := balance.get("partners_units"):
        whole_market = market + units.value
        yield to_row(price, "whole_market_value", "instant", shares.end, whole_market, of=of)
    if not net_cash or not cash or net_cash.end != cash.end:  # it is of an older day
        return
    claims = {name: each.value for name in CLAIMS if (each := balance.get(name))}
    if "partners_units" in claims:  # the same interest, under two tags
        claims.pop("entity_interest", None)
    preferred, owed = find_conversions(fundamentals, more) if more else (0.0, 0.0)
    if preferred:  # at least what its shares would be worth, not their book value
        claims["preferred_claims"] = max(claims.get("preferred_claims", 0), price.value * preferred)
    whole = market - net_cash.value + sum(claims.values())
    yield to_row(price, "enterprise_value", "instant", net_cash.end, whole, of=of)
    if (idle := balance.get("development_property")) and idle.end == net_cash.end:
        yield from _leave_out_development(price, idle, whole, of)
    is_once = bool(owed) or not name_convertible(fundamentals)
    if more and is_once and more.value >= DILUTIVE_SHARE * shares.value:
        awards = price.value * (
            more.value - preferred - owed
        )  # the others are in the claims and the debt
        yield to_row(price, "diluted_enterprise_value", "instant", net_cash.end, whole + awards)


def _leave_out_development(
    price: SharePrice, idle: Figure, whole: float, of: str
) -> Iterator[FigureRow]:
    """Yield what a property company's enterprise value holds of property that earns nothing yet, and the rest of it."""
    if idle.value > 0:
        yield to_row(price, "development_deducted", "instant", idle.end, idle.value)
        yield to_row(price, WITHOUT_DEVELOPMENT, "instant", idle.end, whole - idle.value, of=of)


def to_row(
    price: SharePrice, metric: str, period: Period, end: str, value: float, **more: Any
) -> FigureRow:
    """Return what a price means as a row."""
    unit = find_unit(metric, price.currency)
    named = {"metric": metric, "period": period, "end": end, "value": value, "unit": unit}
    return FigureRow.model_validate({**named, "price_day": price.day, **more})


def find_priced_shares(fundamentals: Fundamentals) -> Figure | None:
    """Return the shares outstanding, else the diluted shares or those that dividends imply; None if the count is implausible."""
    shares = find_newest(fundamentals.figures, "instant").get("shares_outstanding")
    if shares and shares.value > 0:
        return shares
    if any(
        gap.metric == "shares_outstanding" and gap.state == "conflicting"
        for gap in fundamentals.gaps
    ):
        return None
    recent = (f for f in fundamentals.figures if f.end == fundamentals.newest_end)
    diluted = (f for f in recent if f.metric == "diluted_shares" and f.period != "ttm")
    implied = (f for f in fundamentals.figures if f.metric == "dividend_shares")
    return next((f for f in (*diluted, *implied) if f.value > 0), None)


def find_dilutive_shares(fundamentals: Fundamentals) -> Figure | None:
    """Return the potentially dilutive shares of the newest quarter or year that reports them."""
    return next((f for f in fundamentals.figures if f.metric == "dilutive_shares"), None)


def find_conversions(fundamentals: Fundamentals, more: Figure) -> tuple[float, float]:
    """Return how many of the potentially dilutive shares are of convertible preferred shares, and of convertible debt."""
    same = {
        f.metric: f.value
        for f in fundamentals.figures
        if (f.period, f.end) == (more.period, more.end)
    }
    names = ("preferred_conversion_shares", "debt_conversion_shares")
    preferred, debt = (min(same.get(name, 0.0), more.value) for name in names)
    return preferred, min(debt, more.value - preferred)


def find_newest(figures: Sequence[Figure], period: Period) -> dict[str, Figure]:
    """Return the newest figure of each metric; the newest are the first."""
    return {f.metric: f for f in reversed(figures) if f.period == period}


def name_convertible(fundamentals: Fundamentals) -> str:
    """Return the lines of a debt that holds convertible debt; empty of another."""
    debt = find_newest(fundamentals.figures, "instant").get("debt")
    filed = debt.tag + debt.formula if debt and debt.value else ""
    return word_formula(filed) if "Convertible" in filed else ""
