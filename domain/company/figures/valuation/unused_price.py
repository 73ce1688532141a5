"""Why a price cannot be compared with a company's figures, and what it would mean on an assumption."""

from contracts.company.figures import Fundamentals
from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.dates import name_company, say_price
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.numbers import round_up, say_amount
from domain.company.figures.valuation.market_value import find_priced_shares
from domain.company.figures.valuation.valuation import find_obstacle, value_shares

OF_OWNERS = (
    "price_to_earnings",
    "price_to_book",
    "price_to_property_book",
    "price_to_ffo",
    "price_to_sales",
)
"""Multiples of what belongs to common shareholders, named where a price means something on a condition alone."""


def explain_no_value(fundamentals: Fundamentals, price: SharePrice) -> Notice | None:
    """Return why a price cannot be compared with a company's figures, or None if it can."""
    if not (why := find_obstacle(fundamentals, price)):
        return None
    is_ads = fundamentals.is_ads and price.ads_ratio is None
    then = None
    if why.code == "price-ads":
        then = _value_if_ordinary(fundamentals, price)
    elif is_ads and why.code in ("price-of-ads", "price-currency"):
        then = _settle_ads(fundamentals, price)
    is_nothing = why.code == "price-newer"  # an assumption makes no old figures new
    return Notice.of(
        "company-price-unused",
        price=say_price(price),
        company=name_company(fundamentals),
        why=why,
        follows=Notice.of("price-follows-nothing" if is_nothing else "price-follows-assumed"),
        then=then,
    )


def _value_if_ordinary(fundamentals: Fundamentals, price: SharePrice) -> Notice | None:
    """Return what a price means if the traded share is one ordinary share; None where no shares are known."""
    ordinary = price.model_copy(update={"ads_ratio": 1.0})
    found = value_shares(fundamentals, ordinary, ValuationTerms())
    shares = find_priced_shares(fundamentals)
    market = (
        next((row for row in found.rows if row.metric == "market_value"), None) if found else None
    )
    if not found or not shares or not market:
        return None
    return Notice.of(
        "price-if-ordinary",
        "info",
        count=say_amount(shares.value, "shares"),
        market=say_amount(market.value, price.currency),
        multiples=_list_multiples(found) or None,
        currency=price.currency if fundamentals.translated else None,
    )


def _settle_ads(fundamentals: Fundamentals, price: SharePrice) -> Notice:
    """Return what would settle the price of an ADS, and its multiples if it is of one ordinary share."""
    ordinary = price.model_copy(update={"ads_ratio": 1.0})
    found = value_shares(fundamentals, ordinary, ValuationTerms())
    multiples = _list_multiples(found) if found else None
    currency = price.currency if multiples and fundamentals.translated else None
    return Notice.of("price-if-ads", "info", multiples=multiples or None, currency=currency)


def _list_multiples(found: Valuation) -> list[Notice]:
    """Return the multiples of what belongs to common shareholders, which are in proportion to the price."""
    return [
        Notice.of(
            "price-multiple", "info", metric=say_metric(row.metric), times=round_up(row.value, 2)
        )
        for row in found.rows
        if row.metric in OF_OWNERS
    ]
