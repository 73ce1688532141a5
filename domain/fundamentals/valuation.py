"""A share's price beside the company's figures: its multiples, and the growth that it implies."""

from collections.abc import Iterable, Iterator

from contracts.agents.tools import TableArgs, TableCell
from contracts.evidence.company import (
    Figure,
    Fundamentals,
    ImpliedGrowth,
    Period,
    SharePrice,
    Valuation,
    ValuationTerms,
)
from domain.fundamentals.numbers import format_money, format_number

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
YIELDS = ("free_cash_flow_yield", "free_cash_flow_less_stock_compensation_yield")
BILLION, TRILLION = 1e9, 1e12
RATE_STEP = 1.0
"""Points by which the discount rate is varied, both ways: one rate would pass for knowledge."""
GROWTH_RANGE = (-0.5, 1.0)
_STEPS = 60


def value_shares(
    fundamentals: Fundamentals, price: SharePrice, terms: ValuationTerms
) -> Valuation | None:
    """Return what a price means; None where shares are not known or are priced in another currency."""
    twelve = {metric: figure.value for metric, figure in _find_newest(fundamentals, "ttm").items()}
    balance = _find_newest(fundamentals, "instant")
    shares, net_cash = balance.get("shares_outstanding"), balance.get("net_cash")
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
    cash, left = list_cash_flows(fundamentals)
    yields = {
        name: 100 * each / market_value
        for name, each in zip(YIELDS, (cash, left), strict=True)
        if each is not None
    }
    worth = values.get("enterprise_value", 0)
    implied = [
        ImpliedGrowth(
            discount_rate=rate,
            growth=growth,
            growth_after_stock_compensation=find_growth(worth, left or 0, rate, terms),
        )
        for rate in (terms.discount_rate + step * RATE_STEP for step in (-1, 0, 1))
        if (growth := find_growth(worth, cash or 0, rate, terms)) is not None
    ]
    return Valuation(
        price=price, terms=terms, shares=shares.value, implied=implied, **values, **ratios, **yields
    )


def list_cash_flows(fundamentals: Fundamentals) -> tuple[float | None, float | None]:
    """Return the free cash flow of twelve months, and what stock compensation leaves of it."""
    twelve = _find_newest(fundamentals, "ttm")
    cash, paid = twelve.get("free_cash_flow"), twelve.get("stock_compensation")
    if cash is None:
        return None, None
    return cash.value, cash.value - paid.value if paid else None


def _find_newest(fundamentals: Fundamentals, period: Period) -> dict[str, Figure]:
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


NO_PRICE = (
    "No price was given: one (`price`) would add market value, enterprise value, multiples of sales, earnings and"
    " operating income, the yield of the free cash flow, and the growth that the price implies."
)


def describe_valuation(fundamentals: Fundamentals) -> Iterator[str]:
    """Yield the valuation as sentences, each with the day of what it is of, or what a price would add."""
    found = fundamentals.valuation
    if found is None:
        yield NO_PRICE
        return
    price, balance = found.price, _find_newest(fundamentals, "instant")
    yield (
        f"Market value at {format_number(price.value, 2)} {price.currency} a share ({price.origin}, {price.day}):"
        f" {_format_worth(found.market_value, price.currency)}, for {format_number(found.shares)} shares"
        f" outstanding on {balance['shares_outstanding'].end}"
    )
    if found.enterprise_value is not None:
        value = _format_worth(found.enterprise_value, price.currency)
        day = balance["net_cash"].end
        yield f"Enterprise value (EV, market value less net cash on {day}): {value}"
    twelve = f"twelve months (TTM) to {fundamentals.newest_end}"
    for name, words in SENTENCES.items():
        value = getattr(found, name)
        percent = "%" if name in YIELDS else ""
        if value is not None:
            yield f"{words}, {twelve}: {format_number(value, 1)}{percent}"
    yield from _describe_growth(fundamentals, found, twelve)


def build_valuation_table(fundamentals: Fundamentals, found: Valuation) -> TableArgs:
    """Return what a price means as a table: a row a measure, in cells short enough to be shown whole."""
    price, twelve = found.price, f"twelve months to {fundamentals.newest_end}"
    rows: list[list[TableCell]] = [
        ["Share price", f"{format_number(price.value, 2)} {price.currency}", price.day],
        ["Market value", _format_worth(found.market_value, price.currency), price.day],
    ]
    if found.enterprise_value is not None:
        worth = _format_worth(found.enterprise_value, price.currency)
        rows.append(["Enterprise value (EV), less net cash", worth, price.day])
    for name, words in SENTENCES.items():
        if (value := getattr(found, name)) is not None:
            rows.append([words, f"{format_number(value, 1)}{'%' * (name in YIELDS)}", twelve])
    for each in found.implied:
        after = each.growth_after_stock_compensation
        growths = {"": each.growth, " after stock compensation": after}
        rows += [
            [
                f"Implied growth of the free cash flow{of}, at {each.discount_rate:g}%",
                f"{format_number(growth, 1)}% a year for {found.terms.growth_years} years",
                twelve,
            ]
            for of, growth in growths.items()
            if growth is not None
        ]
    title = f"{fundamentals.company.name}: what the price means"
    return TableArgs(title=title, columns=["Measure", "Value", "Of"], rows=rows)


def _describe_growth(fundamentals: Fundamentals, found: Valuation, twelve: str) -> Iterator[str]:
    """Yield the growth that a price implies, of the free cash flow and of what stock compensation leaves."""
    cash, left = list_cash_flows(fundamentals)
    if not found.implied or cash is None:
        return
    terms, unit = found.terms, found.price.currency
    rates = [(each.discount_rate, each.growth) for each in found.implied]
    yield (
        "Growth that the price implies (reverse discounted cash flow) of the free cash flow,"
        f" {format_money(cash, unit)} in the {twelve}, before stock compensation: {_list_rates(rates)},"
        f" for {terms.growth_years} years, and {terms.terminal_growth:g}% a year afterwards; these"
        " rates are assumptions"
    )
    after = [
        (each.discount_rate, each.growth_after_stock_compensation)
        for each in found.implied
        if each.growth_after_stock_compensation is not None
    ]
    if left is None:
        return
    yield (
        f"The same of what stock compensation leaves of it, {format_money(left, unit)} in the {twelve}:"
        f" {_list_rates(after) or 'there is no growth that justifies the price'}"
    )


def _format_worth(value: float, currency: str) -> str:
    """Return what a company is worth, in billions where trillions would round too much away."""
    if abs(value) < TRILLION:
        return format_money(value, currency)
    return f"{format_number(value / BILLION, 1)} billion {currency}"


def _list_rates(rates: Iterable[tuple[float, float]]) -> str:
    return ", ".join(
        f"{format_number(growth, 1)}% a year at a discount rate of {rate:g}%"
        for rate, growth in rates
    )
