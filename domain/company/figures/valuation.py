"""A share's price beside the company's figures: its multiples, and the growth that it implies."""

from collections.abc import Mapping
from typing import Any

from contracts.company.figures import Figure, Fundamentals
from contracts.company.inputs import ValuationTerms
from contracts.company.valuation import DilutedValuation, ImpliedGrowth, SharePrice, Valuation
from contracts.evidence.rows import Period
from domain.company.figures.filed.accounts import SPLIT_RATIO
from domain.company.figures.notes import format_price

MULTIPLES = {
    "price_to_sales": ("market_value", "revenue"),
    "ev_to_sales": ("enterprise_value", "revenue"),
    "ev_to_operating_income": ("enterprise_value", "operating_income"),
}
"""Of what, by what of the last twelve months; none where that is a loss, or the whole is not above 0."""
EARNINGS = {"price_to_earnings": "net_income", "ev_to_operating_income": "operating_income"}
"""Multiples that a loss leaves without meaning."""
YIELDS = ("free_cash_flow_yield", "free_cash_flow_less_stock_compensation_yield")
DILUTIVE_SHARE = 0.02
"""Of the shares outstanding: from so many more on a price is told with them, too."""
RATE_STEP = 1.0
"""Points by which the discount rate is varied, both ways: one rate would pass for knowledge."""
GROWTH_RANGE = (-0.5, 1.0)
_STEPS = 60


def value_shares(
    fundamentals: Fundamentals, price: SharePrice, terms: ValuationTerms
) -> Valuation | None:
    """Return what a price means; None if `explain_no_value` has a reason."""
    twelve = {metric: figure.value for metric, figure in find_newest(fundamentals, "ttm").items()}
    balance = find_newest(fundamentals, "instant")
    shares, cash, net_cash = (balance.get(n) for n in ("shares_outstanding", "cash", "net_cash"))
    if not shares or explain_no_value(fundamentals, price):
        return None
    market_value = price.value * shares.value
    values = {"market_value": market_value}
    if net_cash and cash and net_cash.end == cash.end:  # else it is an older day's
        others = balance.get("noncontrolling_interest")
        values["enterprise_value"] = market_value - net_cash.value + (others.value if others else 0)
    more = find_dilutive_shares(fundamentals)
    return Valuation(
        price=price,
        terms=terms,
        shares=shares.value,
        dilutive_shares=more.value if more else None,
        diluted=_dilute(fundamentals, price, terms, values.get("enterprise_value")),
        implied=_imply(fundamentals, "ttm", values.get("enterprise_value", 0), terms),
        implied_by_year=_imply(fundamentals, "year", values.get("enterprise_value", 0), terms),
        **(_relate(price, shares.value, values, twelve) | values),
    )


def value_months(found: Valuation, twelve: Mapping[str, float]) -> Valuation:
    """Return what a price means over other twelve months than the newest: the same worth, by their figures."""
    worths = {"market_value": found.market_value}
    if found.enterprise_value is not None:
        worths["enterprise_value"] = found.enterprise_value
    names = (*MULTIPLES, *EARNINGS, *YIELDS, "diluted_eps")
    related = _relate(found.price, found.shares, worths, twelve)
    return found.model_copy(update=dict.fromkeys(names) | related)


def _relate(
    price: SharePrice, shares: float, worths: Mapping[str, float], twelve: Mapping[str, float]
) -> dict[str, Any]:
    """Return the multiples and yields of twelve months, and which of them a loss leaves without meaning."""
    ratios = {
        name: worths[whole] / twelve[part]
        for name, (whole, part) in MULTIPLES.items()
        if worths.get(whole, 0) > 0 and twelve.get(part, 0) > 0
    }
    cash, paid = twelve.get("free_cash_flow"), twelve.get("stock_compensation")
    left = cash - paid if cash is not None and paid is not None else None
    yields = {
        name: 100 * each / worths["market_value"]
        for name, each in zip(YIELDS, (cash, left), strict=True)
        if each is not None
    }
    losses = [n for n, part in EARNINGS.items() if part in twelve and twelve[part] <= 0]
    return {**ratios, **_relate_earnings(price, shares, twelve), **yields, "losses": losses}


def find_dilutive_shares(fundamentals: Fundamentals) -> Figure | None:
    """Return the shares that could be added, of the newest quarter or year that tells them."""
    return next((f for f in fundamentals.figures if f.metric == "dilutive_shares"), None)


def _dilute(
    fundamentals: Fundamentals, price: SharePrice, terms: ValuationTerms, worth: float | None
) -> DilutedValuation | None:
    """Return what a price means with the shares that could be added; None where they are few."""
    more = find_dilutive_shares(fundamentals)
    shares = find_newest(fundamentals, "instant")["shares_outstanding"]
    if worth is None or not more or more.value < DILUTIVE_SHARE * shares.value:
        return None
    worth += price.value * more.value
    sales = find_newest(fundamentals, "ttm").get("revenue")
    return DilutedValuation(
        enterprise_value=worth,
        ev_to_sales=worth / sales.value if sales and worth > 0 and sales.value > 0 else None,
        implied=_imply(fundamentals, "ttm", worth, terms),
    )


def _imply(
    fundamentals: Fundamentals, period: Period, worth: float, terms: ValuationTerms
) -> list[ImpliedGrowth]:
    """Return the growth that a worth implies of a period's cash flow, by discount rate."""
    cash, left = list_cash_flows(fundamentals, period)
    return [
        ImpliedGrowth(
            discount_rate=rate,
            growth=growth,
            growth_after_stock_compensation=find_growth(worth, left or 0, rate, terms),
        )
        for rate in list_rates(terms)
        if (growth := find_growth(worth, cash or 0, rate, terms)) is not None
    ]


def _relate_earnings(
    price: SharePrice, shares: float, twelve: Mapping[str, float]
) -> dict[str, float]:
    """Return P/E by the diluted EPS of twelve months, or by net income where none is filed of as many shares.

    A split or a year's listing leaves EPS of other shares than those that are outstanding and priced.
    """
    eps, income = twelve.get("diluted_eps"), twelve.get("net_income")
    if eps is not None and eps <= 0:
        return {}
    earning = income / eps if income and eps else shares
    if eps and shares / SPLIT_RATIO < earning < shares * SPLIT_RATIO:
        return {"price_to_earnings": price.value / eps, "diluted_eps": eps}
    return {"price_to_earnings": price.value * shares / income} if income and income > 0 else {}


def explain_no_value(fundamentals: Fundamentals, price: SharePrice) -> str:
    """Return the note on a price that cannot be set against a company's figures; empty if it can."""
    shares = find_newest(fundamentals, "instant").get("shares_outstanding")
    if other := _list_currencies(fundamentals) - {price.currency}:
        why = f"they are in {', '.join(sorted(other))} (`price_currency` says in what it is given)"
    elif fundamentals.is_foreign and price.ads_ratio is None:
        why = (
            "as a foreign issuer it may be traded as depositary shares of several ordinary shares each (`ads_ratio`"
            " says how many; 1 if the price is of an ordinary share)"
        )
    elif not shares or shares.value <= 0:
        why = "its shares outstanding are not filed"
    else:
        return ""
    return f"The price of {format_price(price)} was not set against its figures: {why}."


def _list_currencies(fundamentals: Fundamentals) -> set[str]:
    return {f.unit for f in fundamentals.figures if f.metric in ("revenue", "net_income")}


def list_rates(terms: ValuationTerms) -> list[float]:
    """Return the discount rates at which a price is looked at, lowest first."""
    return [terms.discount_rate + step * RATE_STEP for step in (-1, 0, 1)]


def list_cash_flows(
    fundamentals: Fundamentals, period: Period = "ttm"
) -> tuple[float | None, float | None]:
    """Return the free cash flow of a period, and what stock compensation leaves of it.

    None of a fiscal year that is the twelve months themselves, and of what is not filed.
    """
    newest = find_newest(fundamentals, period)
    cash, paid = newest.get("free_cash_flow"), newest.get("stock_compensation")
    if cash is None or (period == "year" and cash.end == fundamentals.newest_end):
        return None, None
    return cash.value, cash.value - paid.value if paid and paid.end == cash.end else None


def find_newest(fundamentals: Fundamentals, period: Period) -> dict[str, Figure]:
    """Return the newest figure of each metric."""
    return {f.metric: f for f in reversed(fundamentals.figures) if f.period == period}


def find_growth(value: float, cash: float, rate: float, terms: ValuationTerms) -> float | None:
    """Return the yearly growth of the cash flow, in percent, at which it is worth a value today.

    None where no growth between -50 and 100 percent makes it so, or nothing is earned.
    """
    if value <= 0 or cash <= 0 or rate <= terms.terminal_growth:
        return None
    low, high = GROWTH_RANGE
    if not _discount(cash, low, rate, terms) <= value <= _discount(cash, high, rate, terms):
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _discount(cash, middle, rate, terms) < value:
            low = middle
        else:
            high = middle
    return round(100 * low, 1)


def _discount(cash: float, growth: float, rate: float, terms: ValuationTerms) -> float:
    """Return the value today of a cash flow that grows for some years, and more slowly ever after."""
    factor = (1 + growth) / (1 + rate / 100)
    years = sum(cash * factor**year for year in range(1, terms.growth_years + 1))
    last, slow = cash * factor**terms.growth_years, terms.terminal_growth / 100
    return years + last * (1 + slow) / (rate / 100 - slow)
