"""A share's price beside the company's figures: its multiples, and the growth that it implies."""

from collections.abc import Iterable, Iterator, Mapping

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
from domain.fundamentals.filed.accounts import SPLIT_RATIO
from domain.fundamentals.notes import describe_gap, format_price
from domain.fundamentals.numbers import format_money, format_number

MULTIPLES = {
    "price_to_sales": ("market_value", "revenue"),
    "ev_to_sales": ("enterprise_value", "revenue"),
    "ev_to_operating_income": ("enterprise_value", "operating_income"),
}
"""Of what, by what of the last twelve months; none where that is a loss, or the whole is not above 0."""
WORTHS = {
    "market_value": "Market value",
    "enterprise_value": "Enterprise value (EV), less net cash",
}
SENTENCES = {
    "price_to_sales": "Price to sales (P/S)",
    "price_to_earnings": "Price to earnings (P/E)",
    "ev_to_sales": "Enterprise value to sales (EV/sales)",
    "ev_to_operating_income": "Enterprise value to operating income (EV/EBIT)",
    "free_cash_flow_yield": "Free cash flow yield, of the market value",
    "free_cash_flow_less_stock_compensation_yield": "Yield of the free cash flow less stock compensation",
}
YIELDS = ("free_cash_flow_yield", "free_cash_flow_less_stock_compensation_yield")
MEASURES = WORTHS | SENTENCES
"""What a price means, as a table calls it."""
IMPLIED = "Implied growth of the free cash flow"
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
    if not shares or _list_currencies(fundamentals) - {price.currency}:
        return None
    market_value = price.value * shares.value
    values = {"market_value": market_value}
    if net_cash:
        values["enterprise_value"] = market_value - net_cash.value
    ratios = {
        name: values[whole] / twelve[part]
        for name, (whole, part) in MULTIPLES.items()
        if values.get(whole, 0) > 0 and twelve.get(part, 0) > 0
    }
    ratios |= _relate_earnings(price, shares.value, twelve)
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
        for rate in list_rates(terms)
        if (growth := find_growth(worth, cash or 0, rate, terms)) is not None
    ]
    return Valuation(
        price=price, terms=terms, shares=shares.value, implied=implied, **values, **ratios, **yields
    )


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
    """Return why a price says nothing of a company: the note where `value_shares` has none."""
    if other := _list_currencies(fundamentals) - {price.currency}:
        why = f"they are in {', '.join(sorted(other))} (`price_currency` says in what it is given)"
    else:
        why = "its shares outstanding are not filed"
    return f"The price of {format_price(price)} was not set against its figures: {why}."


def _list_currencies(fundamentals: Fundamentals) -> set[str]:
    return {f.unit for f in fundamentals.figures if f.metric in ("revenue", "net_income")}


def list_rates(terms: ValuationTerms) -> list[float]:
    """Return the discount rates at which a price is looked at, lowest first."""
    return [terms.discount_rate + step * RATE_STEP for step in (-1, 0, 1)]


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
    "There is no valuation: a price (`price`) would add the company's worth, its multiples and yields, and the growth"
    " that the price implies."
)


def describe_valuation(fundamentals: Fundamentals) -> Iterator[str]:
    """Yield the valuation as sentences, each with the day of what it is of, or what a price would add."""
    found = fundamentals.valuation
    if found is None:
        yield NO_PRICE
        return
    price, balance = found.price, _find_newest(fundamentals, "instant")
    yield (
        f"Market value at {format_price(price)} a share ({price.origin}, {price.day}):"
        f" {_format_worth(found.market_value, price.currency)}, for {format_number(found.shares)} shares"
        f" outstanding on {balance['shares_outstanding'].end}"
    )
    if gap := describe_gap(price, fundamentals.newest_end):
        yield f"The price is of {price.day}{gap}"
    if found.enterprise_value is not None:
        value = _format_worth(found.enterprise_value, price.currency)
        day = balance["net_cash"].end
        yield f"Enterprise value (EV, market value less net cash on {day}): {value} at the price of {price.day}"
    twelve = f"twelve months to {fundamentals.newest_end}"
    for name, words in SENTENCES.items():
        value = getattr(found, name)
        percent = "%" if name in YIELDS else ""
        if name == "price_to_earnings":
            words += f" {_name_basis(found)}"
        if value is not None:
            yield f"{words}, {twelve}: {format_number(value, 1)}{percent} at the price of {price.day}"
    yield from _describe_growth(fundamentals, found, twelve)


def build_valuation_table(companies: Iterable[Fundamentals]) -> TableArgs | None:
    """Return what prices mean: a row a measure, a column a company with the days of its price and figures."""
    valued = [(each, each.valuation) for each in companies if each.valuation]
    if not valued:
        return None
    tickers = ", ".join(each.company.ticker for each, _ in valued)
    heads = (
        f"{each.company.ticker}, price of {found.price.day}, twelve months to {each.newest_end}"
        for each, found in valued
    )
    columns = [_list_measures(found) for _, found in valued]
    return TableArgs(
        title=f"{tickers}: what the price of a share means",
        columns=["Measure", *heads],
        rows=[
            [name, *(column[name] for column in columns)]
            for name in columns[0]
            if any(column[name] for column in columns)
        ],
    )


def _list_measures(found: Valuation) -> dict[str, TableCell]:
    """Return what a price means, by name; None of what it has no meaning for."""
    price, terms = found.price, found.terms
    cells: dict[str, TableCell] = {"Share price": f"{format_price(price)} ({price.origin})"}
    for name, words in MEASURES.items():
        cells[words] = format_measure(found, name)
    growths = {each.discount_rate: each for each in found.implied}
    cells[f"{IMPLIED}, a year for {terms.growth_years} years"] = _describe_range(found)
    for rate in list_rates(terms):
        cells[f"{IMPLIED}, at a discount rate of {rate:g}%"] = (
            _describe_rate(found, growths[rate]) if rate in growths else None
        )
    return cells


def format_measure(found: Valuation, name: str) -> str | None:
    """Return one of the `MEASURES` as a table shows it; None where there is none."""
    value: float | None = getattr(found, name)
    if value is None:
        return None
    if name in WORTHS:
        return _format_worth(value, found.price.currency)
    told = f"{format_number(value, 1)}{'%' * (name in YIELDS)}"
    return f"{told} {_name_basis(found)}" if name == "price_to_earnings" else told


def _name_basis(found: Valuation) -> str:
    """Return by which earnings P/E is, and so of which shares: diluted ones, or those of the market value."""
    return "by diluted EPS" if found.diluted_eps else "by net income and market value"


def _describe_rate(found: Valuation, implied: ImpliedGrowth) -> str:
    """Return the growth implied at a rate, and after stock compensation where that is filed."""
    after = implied.growth_after_stock_compensation
    told = f"{format_number(implied.growth, 1)}%"
    if not found.has_stock_compensation:
        return told
    left = "none" if after is None else f"{format_number(after, 1)}%"
    return f"{told}; after stock compensation {left}"


def _describe_range(found: Valuation) -> str:
    """Return between what the implied growth lies, over both cash flows and all rates; empty of none."""
    before = [each.growth for each in found.implied]
    after = [each.growth_after_stock_compensation for each in found.implied]
    known = [*before, *(growth for growth in after if growth is not None)]
    if not known:
        return ""
    low, high = (f"{format_number(of(known), 1)}%" for of in (min, max))
    is_open = found.has_stock_compensation and None in after
    return f"{low} and more" if is_open else f"{low} to {high}"


def _describe_growth(fundamentals: Fundamentals, found: Valuation, twelve: str) -> Iterator[str]:
    """Yield the growth that a price implies, of the free cash flow and of what stock compensation leaves."""
    cash, left = list_cash_flows(fundamentals)
    if not found.implied or cash is None:
        return
    terms, unit = found.terms, found.price.currency
    rates = [(each.discount_rate, each.growth) for each in found.implied]
    over = "before and after stock compensation, " if found.has_stock_compensation else ""
    yield (
        f"{IMPLIED}, {over}at discount rates of {rates[0][0]:g}% to {rates[-1][0]:g}%:"
        f" {_describe_range(found)} a year"
    )
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
