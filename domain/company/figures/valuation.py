"""A company's valuation at a share price: market value, multiples and yields; what it implies is in `price_table`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contracts.company.figures import Figure, Fundamentals, GapState
from contracts.company.filings import BusinessKind
from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.evidence.rows import Bound, FigureRow, Period
from contracts.notices import Notice
from domain.company.figures.dates import MAX_TODAY_DAYS, name_company, say_price
from domain.company.figures.development import WITHOUT_DEVELOPMENT, note_development
from domain.company.figures.filed.facts import count_days, parse_day
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.line_names import word_formula
from domain.company.figures.filed.metrics import METRICS, find_unit, say_metric
from domain.company.figures.filed.periods import QUARTERS_A_YEAR
from domain.company.figures.filed.splits import SPLIT_RATIO
from domain.company.figures.notes.earnings import is_unusual
from domain.company.figures.numbers import round_up, say_amount
from domain.company.figures.price_table.implied_rates import (
    DILUTIVE_SHARE,
    Method,
    PricedFlows,
    build_table,
    choose_method,
)
from domain.company.figures.translation import find_currency, find_rate

MEASURES = {
    name: [(whole, part) for f in metric.formulas for whole, _, part in [f.partition(" / ")]]
    for name, metric in METRICS.items()
    if metric.priced and metric.formulas
}
"""Numerator and denominator of each multiple or yield: the first known pair is used.

A loss, or a value of 0 or less, gives no multiple.
"""
BOOKS = (
    "net_asset_value_per_share",
    "book_value_per_share",
    "tangible_book_per_share",
    "tangible_book",
    "common_book",
    "equity",
    "property_book_per_share",
    "trust_per_share",
)
"""Metrics of a day that a share's price is divided by."""
OPPOSITE: dict[Bound, Bound] = {"at_most": "at_least", "at_least": "at_most"}
"""What a price is of a figure that is a bound."""
CLAIMS = (
    "noncontrolling_interest",
    "redeemable_interest",
    "claims_outside_equity",
    "entity_interest",
    "preferred_claims",
    "partners_units",
)
"""Claims of others than common shareholders that enterprise value holds, at their book values."""
PLAIN = ("enterprise_value", "operating_income")
"""Terms of a multiple or yield that its name tells, so that no cell repeats them."""
OF_OWNERS = (
    "price_to_earnings",
    "price_to_book",
    "price_to_property_book",
    "price_to_ffo",
    "price_to_sales",
)
"""Multiples of what belongs to common shareholders, named where a price means something on a condition alone."""
SPECIAL_DIVIDEND = "company-dividend-special"
"""Code of the note that four dividends like the newest quarter's are no yearly rate."""
PREFERRED_CHARGE = "company-preferred-charge"
"""Code of the note that income went to preferred shareholders at a rate which the newest quarter no longer has."""
WEEKEND = (5, 6)
DISCONTINUED_SHARE = 0.02
"""Discontinued income above this share of continuing income makes net income no base for growth or multiples."""
OF_CONTINUING = ("continuing_income", "continuing_before_partners")
"""Income from continuing operations, of which at most one is shown."""


def value_shares(
    fundamentals: Fundamentals, price: SharePrice, terms: ValuationTerms
) -> Valuation | None:
    """Compute a valuation from a price, or return None if `explain_no_value` has a reason."""
    if explain_no_value(fundamentals, price):
        return None
    note, fundamentals = _note_translation(fundamentals), take_translated(fundamentals)
    twelve, year = (find_newest(fundamentals.figures, period) for period in ("ttm", "year"))
    balance = find_newest(fundamentals.figures, "instant")
    worths = {row.metric: row for row in _list_worths(fundamentals, price, balance)}
    books = {metric: figure for metric, figure in balance.items() if metric in BOOKS}
    states = {gap.metric: gap.state for gap in fundamentals.gaps}
    own = leave_out_partners({**twelve, **books}, states)
    related, losses = relate(price, worths, own, fundamentals.newest_end, fundamentals.kind)
    cash = year.get("free_cash_flow")
    same_year = {metric: f for metric, f in year.items() if cash and f.end == cash.end}
    bases = [twelve, *([same_year] if cash and cash.end != fundamentals.newest_end else [])]
    if not {"dividend_yield"} & {*losses, *(row.metric for row in related)}:
        related = [*related, *_yield_of_year(price, worths, year)]
    if run := _yield_of_run(fundamentals, price, worths):
        related = [*related, run]
    flows = PricedFlows(fundamentals.kind, worths, related, bases)
    table = build_table(price, flows, terms, fundamentals.past)
    rest = [basis.get("free_cash_flow_less_stock_compensation") for basis in bases]
    negative = [left for left in rest if left and left.value <= 0]
    is_of_cash = table and table.implied[0].metric == "growth_implied"
    return Valuation(
        price=price,
        terms=terms,
        rows=[*worths.values(), *related],
        implied=table,
        losses=losses,
        notices=[
            *([_explain_given(price)] if price.origin == "given" else []),
            *note,
            *_note_earnings(twelve, year, related, price),
            *_note_preferred_charge(fundamentals, worths),
            *note_development(fundamentals.kind, worths, related),
            *_note_awards(fundamentals, worths, price),
            *_note_count(fundamentals, worths),
            *(_note_growth(negative, terms, choose_method(worths, bases)) if is_of_cash else ()),
        ],
    )


def take_translated(fundamentals: Fundamentals) -> Fundamentals:
    """Return fundamentals whose amounts are the filer's translation to the price's currency, where it filed one."""
    if not fundamentals.translated:
        return fundamentals
    plain = [f for f in fundamentals.figures if not find_currency(f)]
    figures = [*fundamentals.translated, *plain]
    return fundamentals.model_copy(update={"figures": figures, "translated": []})


def _note_translation(fundamentals: Fundamentals) -> list[Notice]:
    """Return the notice that multiples are of amounts that the filer translated, and at which rate."""
    if not (translated := fundamentals.translated):
        return []
    own = next(filter(None, map(find_currency, fundamentals.figures)))
    rate = round_up(find_rate(fundamentals.figures, translated), 4)
    to = find_currency(translated[0])
    return [Notice.of("valuation-translated", own=own, to=to, rate=rate)]


def state_price(price: SharePrice, *, is_ads: bool = False) -> Valuation:
    """Return a valuation that holds a price alone, as nothing follows from it; of an ADS, it is no share's."""
    name = "ads_price" if is_ads and price.ads_ratio is None else "share_price"
    row = _to_row(price, name, "instant", price.day, price.value)
    return Valuation(price=price, terms=ValuationTerms(), rows=[row])


def _explain_given(price: SharePrice) -> Notice:
    """Return how a price given at the start is taken; on a weekend no shares trade."""
    is_weekend = parse_day(price.day).weekday() in WEEKEND
    return Notice.of("valuation-given", closed=price.day if is_weekend else None)


def relate(
    price: SharePrice,
    worths: Mapping[str, FigureRow],
    twelve: Mapping[str, FigureRow],
    end: str,
    kind: BusinessKind,
) -> tuple[list[FigureRow], list[str]]:
    """Return the multiples and yields over twelve months, and which multiples a loss leaves without meaning."""
    known = {name: row.value for name, row in {**twelve, **worths}.items()}
    for name in _list_unfit_earnings(known):
        known.pop(name, None)
    rows, losses = list[FigureRow](), list[str]()
    for name, quotients in MEASURES.items():
        other = METRICS[name].instead_of
        if not applies(name, kind) or other in {row.metric for row in rows} | {*losses}:
            continue
        ours = [pair for pair in quotients if all(applies(part, kind) for part in pair)]
        found = [pair for pair in ours if known.keys() >= {*pair}]
        for whole, part in found[:1]:
            is_yield = find_unit(name, "") == "percent"
            of = name_basis(ours, whole, part, is_yield=is_yield)
            if known[part] <= 0 and part != "revenue":
                losses.append(name)
            elif known[part] > 0 and (is_yield or known[whole] > 0):
                value = known[whole] / known[part] * (100 if is_yield else 1)
                bound = OPPOSITE.get(twelve[part].bound, "") if part in twelve else ""
                rows.append(_to_row(price, name, "ttm", end, value, of=of, bound=bound))
    return rows, losses


def name_basis(ours: Sequence[tuple[str, str]], whole: str, part: str, *, is_yield: bool) -> str:
    """Return the term by which a multiple or yield is not the plain one, where it has several readings; else nothing."""
    wholes, parts = ({pair[n] for pair in ours} for n in (0, 1))
    is_of_whole = len(wholes) > 1 and (is_yield or len(parts) == 1)
    basis = whole if is_of_whole else part if len(parts) > 1 else PLAIN[0]
    return "" if basis in PLAIN else basis


def _yield_of_year(
    price: SharePrice, worths: Mapping[str, FigureRow], year: Mapping[str, Figure]
) -> Iterator[FigureRow]:
    """Yield the dividend yield of the last fiscal year, for companies whose dividend of twelve months is not known.

    Yield nothing if the newest dividend is of an earlier fiscal year, because the company may have suspended it since.
    """
    last = max((f.end for f in year.values()), default="")
    for part, whole in MEASURES["dividend_yield"]:
        paid, worth = year.get(part), worths.get(whole)
        if paid and paid.end == last and paid.value > 0 and worth and worth.value > 0:
            percent = 100 * paid.value / worth.value
            yield _to_row(price, "dividend_yield", "year", paid.end, percent, of=part)
            return


def _yield_of_run(
    fundamentals: Fundamentals, price: SharePrice, worths: Mapping[str, FigureRow]
) -> FigureRow | None:
    """Return the yield of four dividends like the newest quarter's: per share as filed, else those paid on common shares."""
    quarter = find_newest(fundamentals.figures, "quarter")
    if any(note.code == SPECIAL_DIVIDEND for note in fundamentals.notes):
        return None
    for name, whole in (
        ("dividends_per_share", "share_price"),
        ("common_dividends", "market_value"),
    ):
        newest, worth = quarter.get(name), worths.get(whole)
        if newest and worth and newest.end == fundamentals.newest_end and worth.value > 0:
            value = 100 * QUARTERS_A_YEAR * newest.value / worth.value
            of = "" if whole == "share_price" else name
            return _to_row(price, "dividend_run_yield", "quarter", newest.end, value, of=of)
    return None


def leave_out_partners(
    flows: Mapping[str, FigureRow], states: Mapping[str, GapState]
) -> dict[str, FigureRow]:
    """Return flows without funds from operations of which partners have a part: no price of common shares is for it."""
    is_shared = states.get("ffo_per_share") == "conflicting"
    return {n: v for n, v in flows.items() if n != "funds_from_operations" or not is_shared}


def _list_unfit_earnings(known: Mapping[str, float]) -> Iterator[str]:
    """Yield the earnings that no price is divided by: of other shares, with discontinued operations, or twice there."""
    if not _are_of_priced_shares(known):
        yield from ("continuing_eps", "diluted_eps")
    net = known.get("net_income")
    continuing = next((known[name] for name in OF_CONTINUING if name in known), 0.0)
    is_divided = bool(net and continuing and abs(net / continuing - 1) > DISCONTINUED_SHARE)
    yield "net_income" if is_divided else "continuing_income"
    if "continuing_eps" in known:
        is_same = known["continuing_eps"] == known.get("diluted_eps")
        yield "continuing_eps" if is_same else "diluted_eps"
    elif is_divided:
        yield "diluted_eps"


def _are_of_priced_shares(known: Mapping[str, float]) -> bool:
    """Return whether EPS refers to about the share count that is priced; a split or a recent listing breaks that."""
    income, eps, price = (known.get(n) for n in ("net_income", "diluted_eps", "share_price"))
    if not (income and eps and price) or eps <= 0:
        return True
    if "market_value" not in known:
        return True
    priced = known["market_value"] / price
    return priced / SPLIT_RATIO < income / eps < priced * SPLIT_RATIO


def _list_worths(
    fundamentals: Fundamentals, price: SharePrice, balance: Mapping[str, Figure]
) -> Iterator[FigureRow]:
    """Yield the price, and what the company is worth at it: its shares, and all of it, with awards too."""
    cash, net_cash = (balance.get(n) for n in ("cash", "net_cash"))
    shares, more = find_priced_shares(fundamentals), find_dilutive_shares(fundamentals)
    if not shares:
        yield _to_row(price, "share_price", "instant", price.day, price.value)
        return
    of = "" if shares.metric == "shares_outstanding" else shares.metric
    more = None if of else more
    market, added = price.value * shares.value, price.value * more.value if more else 0.0
    yield _to_row(price, "share_price", "instant", price.day, price.value)
    yield _to_row(price, "market_value", "instant", shares.end, market, of=of)
    if more:
        yield _to_row(price, "diluted_market_value", "instant", shares.end, market + added)
    if units := balance.get("partners_units"):
        whole_market = market + units.value
        yield _to_row(price, "whole_market_value", "instant", shares.end, whole_market, of=of)
    if not net_cash or not cash or net_cash.end != cash.end:  # it is of an older day
        return
    claims = {name: each.value for name in CLAIMS if (each := balance.get(name))}
    if "partners_units" in claims:  # the same interest, under two tags
        claims.pop("entity_interest", None)
    preferred, owed = find_conversions(fundamentals, more) if more else (0.0, 0.0)
    if preferred:  # at least what its shares would be worth, not their book value
        claims["preferred_claims"] = max(claims.get("preferred_claims", 0), price.value * preferred)
    whole = market - net_cash.value + sum(claims.values())
    yield _to_row(price, "enterprise_value", "instant", net_cash.end, whole, of=of)
    if (idle := balance.get("development_property")) and idle.end == net_cash.end:
        yield from _leave_out_development(price, idle, whole, of)
    is_once = bool(owed) or not _name_convertible(fundamentals)
    if more and is_once and more.value >= DILUTIVE_SHARE * shares.value:
        awards = price.value * (
            more.value - preferred - owed
        )  # the others are in the claims and the debt
        yield _to_row(price, "diluted_enterprise_value", "instant", net_cash.end, whole + awards)


def _leave_out_development(
    price: SharePrice, idle: Figure, whole: float, of: str
) -> Iterator[FigureRow]:
    """Yield what a property company's enterprise value holds of property that earns nothing yet, and the rest of it."""
    if idle.value > 0:
        yield _to_row(price, "development_deducted", "instant", idle.end, idle.value)
        yield _to_row(price, WITHOUT_DEVELOPMENT, "instant", idle.end, whole - idle.value, of=of)


def _to_row(
    price: SharePrice, metric: str, period: Period, end: str, value: float, **more: Any
) -> FigureRow:
    """Return what a price means as a row."""
    unit = find_unit(metric, price.currency)
    named = {"metric": metric, "period": period, "end": end, "value": value, "unit": unit}
    return FigureRow.model_validate({**named, "price_day": price.day, **more})


def _note_earnings(
    twelve: Mapping[str, Figure],
    year: Mapping[str, Figure],
    related: Sequence[FigureRow],
    price: SharePrice,
) -> Iterator[Notice]:
    """Yield that the P/E is of unusual twelve months, as those of the last fiscal year earned far more or less."""
    now, then = twelve.get("continuing_eps"), year.get("continuing_eps")
    ratio = next((row for row in related if row.metric == "price_to_earnings"), None)
    if not (ratio and now and then) or now.end == then.end:
        return
    if is_unusual(now.value, then.value):
        values = {"twelve": round_up(now.value, 2), "year": round_up(then.value, 2)}
        multiple = round_up(price.value / then.value)
        yield Notice.of("valuation-earnings", **values, fiscal=then.fiscal, multiple=multiple)


def _note_preferred_charge(
    fundamentals: Fundamentals, worths: Mapping[str, FigureRow]
) -> Iterator[Notice]:
    """Yield market value to twelve months' income at the newest quarter's charge for preferred shares, and to four such quarters."""
    twelve, quarter = (find_newest(fundamentals.figures, p) for p in ("ttm", "quarter"))
    market, income = worths.get("market_value"), twelve.get("net_income")
    charge, newest = (quarter.get(n) for n in ("claims_before_common", "shareholders_income"))
    is_noted = any(note.code == PREFERRED_CHARGE for note in fundamentals.notes)
    if not (is_noted and market and income and charge and newest) or newest.value <= 0:
        return
    left = income.value - QUARTERS_A_YEAR * charge.value
    if left > 0:
        run = round_up(market.value / (QUARTERS_A_YEAR * newest.value))
        multiple = round_up(market.value / left)
        yield Notice.of("valuation-preferred-charge", multiple=multiple, run=run)


def _note_awards(
    fundamentals: Fundamentals, worths: Mapping[str, FigureRow], price: SharePrice
) -> Iterator[Notice]:
    """Yield how many shares could be added, and whether debt counts them as well."""
    more, market = find_dilutive_shares(fundamentals), worths.get("market_value")
    if more and market and not market.of:
        share = 100 * more.value / (market.value / price.value)
        how = Notice.of(f"valuation-awards-{'loss' if more.tag else 'profit'}")
        found = zip(("preferred", "debt"), find_conversions(fundamentals, more), strict=True)
        kinds = {name: say_amount(count, "shares") for name, count in found if count}
        added = say_amount(more.value, "shares")
        yield Notice.of("valuation-awards", shares=added, share=round_up(share), **kinds, how=how)
        filed = _name_convertible(fundamentals)
        if filed and "debt" not in kinds and share >= 100 * DILUTIVE_SHARE:
            yield Notice.of("valuation-convertibles", debt=filed)


def _name_convertible(fundamentals: Fundamentals) -> str:
    """Return the lines of a debt that holds convertible debt; empty of another."""
    debt = find_newest(fundamentals.figures, "instant").get("debt")
    filed = debt.tag + debt.formula if debt and debt.value else ""
    return word_formula(filed) if "Convertible" in filed else ""


def _note_count(fundamentals: Fundamentals, worths: Mapping[str, FigureRow]) -> Iterator[Notice]:
    """Yield a notice if diluted shares replace a missing share count, or if no count is known."""
    market = worths.get("market_value")
    if not market:
        yield Notice.of("valuation-no-count")
    elif market.of and (shares := find_priced_shares(fundamentals)):
        count = say_amount(shares.value, "shares")
        of = "implied" if market.of == "dividend_shares" else "diluted"
        yield Notice.of(f"valuation-{of}-count", shares=count, end=shares.end)


def _note_growth(negative: list[Figure], terms: ValuationTerms, method: Method) -> Iterator[Notice]:
    """Yield the method and assumptions of an implied growth rate, and the cash flows that have none."""
    how = Notice.of(f"growth-of-{method}", "info")
    years, later = terms.growth_years, terms.terminal_growth
    yield Notice.of("valuation-growth", how=how, years=years, later=later)
    for left in negative:
        amount = say_amount(left.value, left.unit)
        period = Notice.of(f"period-{left.period}", end=left.end)
        yield Notice.of("valuation-no-cash-left", amount=amount, period=period)


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


def _list_multiples(found: Valuation) -> list[Notice]:
    """Return the multiples of what belongs to common shareholders, which are in proportion to the price."""
    return [
        Notice.of(
            "price-multiple", "info", metric=say_metric(row.metric), times=round_up(row.value, 2)
        )
        for row in found.rows
        if row.metric in OF_OWNERS
    ]


def _settle_ads(fundamentals: Fundamentals, price: SharePrice) -> Notice:
    """Return what would settle the price of an ADS, and its multiples if it is of one ordinary share."""
    ordinary = price.model_copy(update={"ads_ratio": 1.0})
    found = value_shares(fundamentals, ordinary, ValuationTerms())
    multiples = _list_multiples(found) if found else None
    currency = price.currency if multiples and fundamentals.translated else None
    return Notice.of("price-if-ads", "info", multiples=multiples or None, currency=currency)


def explain_no_value(fundamentals: Fundamentals, price: SharePrice) -> Notice | None:
    """Return why a price cannot be compared with a company's figures, or None if it can."""
    newest, given, fundamentals = (
        fundamentals.newest_end,
        fundamentals,
        take_translated(fundamentals),
    )
    is_earning = "diluted_eps" in find_newest(fundamentals.figures, "ttm") and applies(
        "price_to_earnings", fundamentals.kind
    )
    is_ads = fundamentals.is_ads and price.ads_ratio is None
    units = {f.unit for f in fundamentals.figures if f.metric in ("revenue", "net_income")}
    if newest and count_days(newest, price.day) > MAX_TODAY_DAYS:
        why = Notice.of("price-newer", end=newest)
    elif other := units - {price.currency}:
        ads = Notice.of("price-of-ads") if is_ads else None
        why = Notice.of("price-currency", currencies=sorted(other), ads=ads)
    elif is_ads:
        why = Notice.of("price-of-ads")
    elif price.ads_ratio is None and fundamentals.is_foreign:
        why = Notice.of("price-ads")
    elif not find_priced_shares(fundamentals) and not is_earning:
        why = Notice.of("price-no-shares")
    else:
        return None
    then = None
    if why.code == "price-ads":
        then = _value_if_ordinary(given, price)
    elif is_ads and why.code in ("price-of-ads", "price-currency"):
        then = _settle_ads(given, price)
    company = name_company(fundamentals)
    is_nothing = why.code == "price-newer"  # an assumption makes no old figures new
    return Notice.of(
        "company-price-unused",
        price=say_price(price),
        company=company,
        why=why,
        follows=Notice.of("price-follows-nothing" if is_nothing else "price-follows-assumed"),
        then=then,
    )


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
