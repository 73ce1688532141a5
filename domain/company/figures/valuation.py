"""A share's price beside the company's figures: its worth, its multiples, and the growth that it implies."""

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.company.figures import Figure, Fundamentals
from contracts.company.inputs import ValuationTerms
from contracts.company.valuation import SharePrice, Valuation
from contracts.evidence.rows import FigureRow, Period
from contracts.notices import Notice
from domain.company.figures.dates import name_company, say_price
from domain.company.figures.filed.accounts import SPLIT_RATIO
from domain.company.figures.filed.metrics import find_unit
from domain.company.figures.numbers import round_up, say_amount

RATIOS = {
    "price_to_sales": ("market_value", "revenue"),
    "price_to_earnings": ("market_value", "net_income"),
    "ev_to_sales": ("enterprise_value", "revenue"),
    "ev_to_operating_income": ("enterprise_value", "operating_income"),
    "diluted_ev_to_sales": ("diluted_enterprise_value", "revenue"),
}
"""By multiple: the worth, and what it is divided by; there is none of a loss, or of a worth of 0 or less."""
EARNINGS = ("price_to_earnings", "ev_to_operating_income")
"""Multiples that a loss leaves without meaning."""
YIELDS = {
    "free_cash_flow_yield": "free_cash_flow",
    "free_cash_flow_less_stock_compensation_yield": "free_cash_flow_less_stock_compensation",
}
"""By yield of the market value: what it is a yield of."""
GROWTHS = {
    "growth_implied": ("enterprise_value", "free_cash_flow"),
    "growth_implied_after_stock_compensation": (
        *("enterprise_value", "free_cash_flow_less_stock_compensation"),
    ),
    "diluted_growth_implied": ("diluted_enterprise_value", "free_cash_flow"),
}
"""By implied growth: the worth, and the cash flow that grows."""
DILUTIVE_SHARE = 0.02
"""Part of the shares outstanding from which on the shares that could be added are valued, too."""
MUCH = 0.1
"""Part of free cash flow from which on other income is noted beside the growth implied of it."""
RATE_STEP = 1.0
"""Points by which the discount rate is varied, both ways: one rate would pass for knowledge."""
GROWTH_RANGE = (-0.5, 1.0)
_STEPS = 60
CONVERTIBLE = "Convertible"
"""In the tags of debt that may become shares."""

Newest = Mapping[str, Figure]
"""The newest figure of each metric of a kind of period."""


def value_shares(
    fundamentals: Fundamentals, price: SharePrice, terms: ValuationTerms
) -> Valuation | None:
    """Return what a price means; None if `explain_no_value` has a reason."""
    if explain_no_value(fundamentals, price):
        return None
    twelve, year = (find_newest(fundamentals, period) for period in ("ttm", "year"))
    balance = find_newest(fundamentals, "instant")
    worths = {row.metric: row for row in _list_worths(fundamentals, price, balance)}
    flows = {metric: figure.value for metric, figure in twelve.items()}
    related, losses = relate(price, worths, flows, fundamentals.newest_end)
    cash = year.get("free_cash_flow")
    bases = [twelve, *([year] if cash and cash.end != fundamentals.newest_end else [])]
    growths = [row for basis in bases for row in _imply(price, worths, basis, terms)]
    after, left = "growth_implied_after_stock_compensation", _list_negative(bases)
    return Valuation(
        price=price,
        terms=terms,
        rows=[*worths.values(), *related, *growths],
        losses=[*losses, *([after] if growths and left else [])],
        notices=[
            *([Notice.of("valuation-given")] if price.origin == "given" else []),
            *_note_awards(fundamentals, worths, price),
            *(_note_growth(bases, left, terms) if growths else ()),
        ],
    )


def relate(
    price: SharePrice, worths: Mapping[str, FigureRow], twelve: Mapping[str, float], end: str
) -> tuple[list[FigureRow], list[str]]:
    """Return the multiples and yields over twelve months, and which multiples a loss leaves without meaning."""
    rows = list[FigureRow]()
    for name, (whole, part) in RATIOS.items():
        worth, value = worths[whole].value if whole in worths else 0, twelve.get(part, 0)
        if name == "price_to_earnings":
            rows += _relate_earnings(price, worth, twelve, end)
        elif worth > 0 and value > 0:
            rows.append(_to_row(price, name, "ttm", end, worth / value))
    for name, part in YIELDS.items():
        if part in twelve:
            percent = 100 * twelve[part] / worths["market_value"].value
            rows.append(_to_row(price, name, "ttm", end, percent))
    return rows, [name for name in EARNINGS if twelve.get(RATIOS[name][1], 1) <= 0]


def _relate_earnings(
    price: SharePrice, worth: float, twelve: Mapping[str, float], end: str
) -> Iterator[FigureRow]:
    """Yield P/E by the diluted EPS of twelve months, or by net income if none is filed of as many shares.

    A split or a year's listing leaves EPS of other shares than those that are outstanding and priced.
    """
    eps, income = twelve.get("diluted_eps"), twelve.get("net_income")
    if eps is not None and eps <= 0:
        return
    shares = worth / price.value
    earning = income / eps if income and eps else shares
    if eps and shares / SPLIT_RATIO < earning < shares * SPLIT_RATIO:
        yield _to_row(price, "price_to_earnings", "ttm", end, price.value / eps, of="diluted_eps")
    elif income and income > 0:
        yield _to_row(price, "price_to_earnings", "ttm", end, worth / income, of="net_income")


def _list_worths(
    fundamentals: Fundamentals, price: SharePrice, balance: Newest
) -> Iterator[FigureRow]:
    """Yield the price, and what the company is worth at it: its shares, and all of it, with awards too."""
    shares, cash, net_cash = (balance.get(n) for n in ("shares_outstanding", "cash", "net_cash"))
    more = find_dilutive_shares(fundamentals)
    if not shares:
        return
    market, added = price.value * shares.value, price.value * more.value if more else 0.0
    yield _to_row(price, "share_price", "instant", price.day, price.value)
    yield _to_row(price, "market_value", "instant", shares.end, market)
    if more:
        yield _to_row(price, "diluted_market_value", "instant", shares.end, market + added)
    if not net_cash or not cash or net_cash.end != cash.end:  # it is of an older day
        return
    others = balance.get("noncontrolling_interest")
    whole = market - net_cash.value + (others.value if others else 0)
    yield _to_row(price, "enterprise_value", "instant", net_cash.end, whole)
    if more and more.value >= DILUTIVE_SHARE * shares.value:
        yield _to_row(price, "diluted_enterprise_value", "instant", net_cash.end, whole + added)


def _imply(
    price: SharePrice, worths: Mapping[str, FigureRow], basis: Newest, terms: ValuationTerms
) -> Iterator[FigureRow]:
    """Yield the growths of a period's cash flows that a price implies, by discount rate."""
    for name, (whole, part) in GROWTHS.items():
        worth, cash = worths.get(whole), basis.get(part)
        is_shown = name != "diluted_growth_implied" or (cash and cash.period == "ttm")
        for rate in list_rates(terms) if worth and cash and is_shown else ():
            growth = find_growth(worth.value, cash.value, rate, terms) if worth and cash else None
            if growth is not None and cash:
                yield _to_row(price, name, cash.period, cash.end, growth, rate=rate)


def _to_row(
    price: SharePrice, metric: str, period: Period, end: str, value: float, **more: Any
) -> FigureRow:
    """Return what a price means as a row."""
    unit = find_unit(metric, price.currency)
    named = {"metric": metric, "period": period, "end": end, "value": value, "unit": unit}
    return FigureRow.model_validate({**named, "price_day": price.day, **more})


def _note_awards(
    fundamentals: Fundamentals, worths: Mapping[str, FigureRow], price: SharePrice
) -> Iterator[Notice]:
    """Yield how many shares could be added, and whether debt counts them as well."""
    if more := find_dilutive_shares(fundamentals):
        share = 100 * more.value / (worths["market_value"].value / price.value)
        how = Notice.of(f"valuation-awards-{'loss' if more.tag else 'profit'}")
        added = say_amount(more.value, "shares")
        yield Notice.of("valuation-awards", shares=added, share=round_up(share), how=how)
    debt = find_newest(fundamentals, "instant").get("debt")
    filed = debt.tag + debt.formula if debt and debt.value else ""
    if "diluted_enterprise_value" in worths and CONVERTIBLE in filed:
        yield Notice.of("valuation-convertibles", debt=filed)


def _list_negative(bases: list[dict[str, Figure]]) -> list[Figure]:
    """Return the cash flows of which stock compensation leaves nothing."""
    found = (basis.get("free_cash_flow_less_stock_compensation") for basis in bases)
    return [left for left in found if left and left.value <= 0]


def _note_growth(
    bases: list[dict[str, Figure]], negative: list[Figure], terms: ValuationTerms
) -> Iterator[Notice]:
    """Yield what an implied growth assumes, and which cash flows give none or count twice."""
    yield Notice.of("valuation-growth", years=terms.growth_years, later=terms.terminal_growth)
    for left in negative:
        amount = say_amount(left.value, left.unit)
        period = Notice.of(f"period-{left.period}", end=left.end)
        yield Notice.of("valuation-no-cash-left", amount=amount, period=period)
    cash, other = (bases[0].get(name) for name in ("free_cash_flow", "other_income"))
    if cash and other and other.value > MUCH * cash.value:
        share = round_up(100 * other.value / cash.value)
        amount = say_amount(other.value, other.unit)
        yield Notice.of("valuation-interest", end=other.end, amount=amount, share=share)


def explain_no_value(fundamentals: Fundamentals, price: SharePrice) -> Notice | None:
    """Return the notice on a price that cannot be set against a company's figures; None if it can."""
    shares = find_newest(fundamentals, "instant").get("shares_outstanding")
    units = {f.unit for f in fundamentals.figures if f.metric in ("revenue", "net_income")}
    if other := units - {price.currency}:
        why = Notice.of("price-currency", currencies=sorted(other))
    elif fundamentals.is_foreign and price.ads_ratio is None:
        why = Notice.of("price-ads")
    elif not shares or shares.value <= 0:
        why = Notice.of("price-no-shares")
    else:
        return None
    company = name_company(fundamentals)
    return Notice.of("company-price-unused", price=say_price(price), company=company, why=why)


def find_dilutive_shares(fundamentals: Fundamentals) -> Figure | None:
    """Return the shares that could be added, of the newest quarter or year that tells them."""
    return next((f for f in fundamentals.figures if f.metric == "dilutive_shares"), None)


def list_rates(terms: ValuationTerms) -> list[float]:
    """Return the discount rates at which a price is looked at, lowest first."""
    return [terms.discount_rate + step * RATE_STEP for step in (-1, 0, 1)]


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
