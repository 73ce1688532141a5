"""A company's valuation at a share price: its worth, multiples, yields and implied rates, with their notices."""

from contracts.company.figures import Fundamentals
from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.dates import MAX_TODAY_DAYS
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.kinds import applies
from domain.company.figures.translation import find_currency
from domain.company.figures.valuation.absent_multiples import (
    explain_no_table,
    note_missing_multiples,
)
from domain.company.figures.valuation.development import note_development
from domain.company.figures.valuation.implied_rates import (
    PricedFlows,
    build_table,
    choose_method,
)
from domain.company.figures.valuation.market_value import (
    find_newest,
    find_priced_shares,
    list_worths,
    to_row,
)
from domain.company.figures.valuation.multiples import (
    BOOKS,
    leave_out_old_dividends,
    leave_out_partners,
    relate,
    yield_of_run,
    yield_of_year,
)
from domain.company.figures.valuation.notes import (
    explain_given,
    note_average_shares,
    note_awards,
    note_count,
    note_earnings,
    note_growth,
    note_other_owners,
    note_preferred_charge,
    note_translation,
)


def value_shares(
    fundamentals: Fundamentals, price: SharePrice, terms: ValuationTerms
) -> Valuation | None:
    """Return the valuation at a price.

    Return None if `find_obstacle` has a reason against it.
    """
    if find_obstacle(fundamentals, price):
        return None
    note, fundamentals = note_translation(fundamentals), take_translated(fundamentals)
    twelve, year = (find_newest(fundamentals.figures, period) for period in ("ttm", "year"))
    balance = find_newest(fundamentals.figures, "instant")
    worths = {row.metric: row for row in list_worths(fundamentals, price, balance)}
    books = {metric: figure for metric, figure in balance.items() if metric in BOOKS}
    states = {gap.metric: gap.state for gap in fundamentals.gaps}
    own = leave_out_partners({**twelve, **books}, states)
    related, losses = relate(price, worths, own, fundamentals.newest_end, fundamentals.kind)
    cash = year.get("free_cash_flow")
    same_year = {metric: f for metric, f in year.items() if cash and f.end == cash.end}
    bases = [twelve, *([same_year] if cash and cash.end != fundamentals.newest_end else [])]
    if not {"dividend_yield"} & {*losses, *(row.metric for row in related)}:
        related = [*related, *yield_of_year(price, worths, year)]
    if run := yield_of_run(fundamentals, price, worths):
        related = [*related, run]
    fit, unfit = leave_out_old_dividends(fundamentals, related)
    unusual = next(note_earnings(twelve, year, related, price), None)
    flows = PricedFlows(fundamentals.kind, worths, fit, bases, unusual)
    table = build_table(price, flows, terms, fundamentals.past)
    rest = [basis.get("free_cash_flow_less_stock_compensation") for basis in bases]
    negative = [left for left in rest if left and left.value <= 0]
    known = {**twelve, **balance}
    is_of_cash = table and table.implied[0].metric == "growth_implied"
    return Valuation(
        price=price,
        terms=terms,
        rows=[*worths.values(), *related],
        implied=table,
        losses=losses,
        no_table=None if table else explain_no_table(fundamentals, known),
        notices=[
            *([explain_given(price)] if price.origin == "given" else []),
            *note,
            *([unusual] if unusual else []),
            *note_average_shares(fundamentals, related),
            *note_preferred_charge(fundamentals, worths),
            *note_other_owners(fundamentals),
            *note_development(fundamentals.kind, worths, related),
            *note_awards(fundamentals, worths, price),
            *note_count(fundamentals, worths),
            *note_missing_multiples(fundamentals, {**known, **worths}, related, losses),
            *(unfit if applies("growth_implied_by_dividends", fundamentals.kind) else ()),
            *(note_growth(negative, terms, choose_method(worths, bases)) if is_of_cash else ()),
        ],
    )


def find_obstacle(fundamentals: Fundamentals, price: SharePrice) -> Notice | None:
    """Return the reason why no valuation follows from a price.

    Return None if one does.
    """
    translated = take_translated(fundamentals)
    is_ads = fundamentals.is_ads and price.ads_ratio is None
    units = {f.unit for f in translated.figures if f.metric in ("revenue", "net_income")}
    if fundamentals.newest_end and count_days(fundamentals.newest_end, price.day) > MAX_TODAY_DAYS:
        return Notice.of("price-newer", end=fundamentals.newest_end)
    if other := units - {price.currency}:
        ads = Notice.of("price-of-ads") if is_ads else None
        return Notice.of("price-currency", currencies=sorted(other), ads=ads)
    if is_ads:
        return Notice.of("price-of-ads")
    if price.ads_ratio is None and fundamentals.is_foreign:
        return Notice.of("price-ads")
    is_earning = "diluted_eps" in find_newest(translated.figures, "ttm") and applies(
        "price_to_earnings", fundamentals.kind
    )
    is_paying = any(
        "dividends_per_share" in find_newest(translated.figures, period)
        for period in ("ttm", "quarter")
    )
    if not (find_priced_shares(translated) or is_earning or is_paying):
        return Notice.of("price-no-shares")
    return None


def take_translated(fundamentals: Fundamentals) -> Fundamentals:
    """Return fundamentals with the filer’s own translation to the price’s currency, if one was filed."""
    if not fundamentals.translated:
        return fundamentals
    plain = [f for f in fundamentals.figures if not find_currency(f)]
    figures = [*fundamentals.translated, *plain]
    return fundamentals.model_copy(update={"figures": figures, "translated": []})


def state_price(price: SharePrice, *, is_ads: bool = False) -> Valuation:
    """Return a valuation that holds a price alone, as nothing follows from it; of an ADS, it is no share's."""
    name = "ads_price" if is_ads and price.ads_ratio is None else "share_price"
    row = to_row(price, name, "instant", price.day, price.value)
    return Valuation(price=price, terms=ValuationTerms(), rows=[row])
