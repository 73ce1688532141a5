"""A share's price beside the company's figures: its multiples, and the growth that it implies."""

from collections.abc import Iterator

from contracts.evidence.company import (
    Fundamentals,
    ImpliedGrowth,
    SharePrice,
    Valuation,
    ValuationTerms,
)

MULTIPLES = {
    "price_to_sales": ("market_value", "revenue"),
    "price_to_earnings": ("market_value", "net_income"),
    "ev_to_sales": ("enterprise_value", "revenue"),
    "ev_to_operating_income": ("enterprise_value", "operating_income"),
}
"""Of what, by what of the last twelve months; none where that is a loss."""
SENTENCES = {
    "price_to_sales": "Price to sales (P/S)",
    "price_to_earnings": "Price to earnings (P/E)",
    "ev_to_sales": "Enterprise value to sales (EV/sales)",
    "ev_to_operating_income": "Enterprise value to operating income (EV/EBIT)",
    "free_cash_flow_yield": "Free cash flow yield, of the market value",
    "free_cash_flow_less_stock_compensation_yield": "Yield of the free cash flow less stock compensation",
}
BILLION = 1e9
RATE_STEP = 1.0
"""Points by which the discount rate is varied, both ways: one rate would pass for knowledge."""
GROWTH_RANGE = (-0.5, 1.0)
_STEPS = 60


def value_shares(
    fundamentals: Fundamentals, price: SharePrice, terms: ValuationTerms
) -> Valuation | None:
    """Return what a price means; None where shares are not known or are priced in another currency."""
    twelve = {f.metric: f.value for f in fundamentals.figures if f.period == "ttm"}
    newest = {f.metric: f for f in reversed(fundamentals.figures) if f.period == "instant"}
    shares, net_cash = newest.get("shares_outstanding"), newest.get("net_cash")
    currencies = {f.unit for f in fundamentals.figures if f.metric in ("revenue", "net_income")}
    if not shares or currencies - {price.currency}:
        return None
    market_value = price.value * shares.value
    values = {"market_value": market_value}
    if net_cash:
        values["enterprise_value"] = market_value - net_cash.value
    ratios = {
        name: values[whole] / twelve[part]
        for name, (whole, part) in MULTIPLES.items()
        if whole in values and twelve.get(part, 0) > 0
    }
    yields: dict[str, float] = {}
    if (cash := twelve.get("free_cash_flow")) is not None:
        yields["free_cash_flow_yield"] = 100 * cash / market_value
        if (paid := twelve.get("stock_compensation")) is not None:
            yields["free_cash_flow_less_stock_compensation_yield"] = (
                100 * (cash - paid) / market_value
            )
    implied = [
        ImpliedGrowth(discount_rate=rate, growth=growth)
        for rate in (terms.discount_rate + step * RATE_STEP for step in (-1, 0, 1))
        if cash and (growth := find_growth(values.get("enterprise_value", 0), cash, rate, terms))
    ]
    return Valuation(
        price=price, terms=terms, shares=shares.value, implied=implied, **values, **ratios, **yields
    )


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


NO_PRICE = (
    "No price was given: one (`price`) would add market value, enterprise value, multiples of sales, earnings and"
    " operating income, the yield of the free cash flow, and the growth that the price implies."
)
_TTM = "twelve months (TTM)"


def describe_valuation(fundamentals: Fundamentals) -> Iterator[str]:
    """Yield the valuation as sentences, or what a price would add."""
    found = fundamentals.valuation
    if found is None:
        yield NO_PRICE
        return
    price, terms = found.price, found.terms
    money = f"billion {price.currency}"
    yield (
        f"Market value at {price.value:,.2f} {price.currency} a share ({price.origin}, {price.day}):"
        f" {found.market_value / BILLION:,.1f} {money}, for {found.shares:,.0f} shares outstanding"
    )
    if found.enterprise_value is not None:
        value = found.enterprise_value / BILLION
        yield f"Enterprise value (EV, market value less net cash): {value:,.1f} {money}"
    for name, words in SENTENCES.items():
        value = getattr(found, name)
        percent = "%" if name.endswith("_yield") else ""
        if value is not None:
            yield f"{words}, {_TTM}: {value:.1f}{percent}"
    if found.implied:
        rates = ", ".join(
            f"{each.growth:.1f}% a year at a discount rate of {each.discount_rate:g}%"
            for each in found.implied
        )
        yield (
            "Growth that the price implies (reverse discounted cash flow): free cash flow, before stock"
            f" compensation, has to grow {rates}, for {terms.growth_years} years, and"
            f" {terms.terminal_growth:g}% a year afterwards; these rates are assumptions"
        )
