"""Computes what a price needs at each required return, and the prices at which less would do."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from contracts.company.figures import Figure
from contracts.company.filings import BusinessKind
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.evidence.rows import Bound, FigureRow, Period, say_bound
from contracts.notices import Notice
from contracts.report.price_table import HeldRow, ImpliedRow, PastRow, PriceTable
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.notes.growth.past_growth import GROWN
from domain.company.figures.numbers import count_price_digits, round_up, say_amount

RETURNS = (7.0, 8.0, 9.0, 10.0, 12.0)
"""Required returns, in percent a year, that are shown in addition to the start’s own discount rate."""
GROWTH_RATES = (0.0, 3.0, 6.0, 9.0, 12.0)
FAST_RATES = (15.0, 18.0)
"""Rates of growth that are shown as well where a company grew faster than by the one before."""
EQUITY_RETURNS = (8.0, 10.0, 12.0, 15.0, 18.0)
HIGH_RETURNS = (20.0, 25.0, 30.0, 40.0)
"""Returns on equity that are shown as well where a company earned more in a year than the one before."""
GROWTHS = {
    "growth_implied": ("", "free_cash_flow"),
    "growth_implied_after_stock_compensation": ("", "free_cash_flow_less_stock_compensation"),
    "growth_implied_by_current_tax": ("", "cash_flow_by_current_tax"),
    "diluted_growth_implied": ("diluted_", "free_cash_flow"),
}
"""Prefix of the value that an implied growth is solved for (`diluted_`: with potential shares), and its cash flow."""
OF_PRICE: Mapping[str, Mapping[str, Sequence[str]]] = {
    "growth_implied_by_dividends": {
        "dividend_yield": ("dividends_per_share",),
        "dividend_run_yield": ("dividends_per_share",),
    },
    "growth_implied_by_ffo": {
        "price_to_ffo": ("ffo_per_share", "funds_from_operations"),
        "price_to_all_ffo": ("all_owners_ffo",),
    },
    "growth_implied_by_earnings": {"price_to_earnings": ("diluted_eps", "net_income")},
}
"""Maps each implied growth to its multiples and yields, and these to the metrics of past growth to compare it with.

The comparison uses the first metric with a known growth.
"""
OF_BOOK = {
    "return_implied_on_tangible_equity": ("price_to_tangible_book", "return_on_tangible_equity"),
    "return_implied_on_equity": ("price_to_book", "return_on_equity"),
    "return_implied_on_all_equity": ("price_to_all_equity", "return_on_all_equity"),
}
"""Multiple of book value that an implied return on equity is solved from, and the return that was earned."""
OPPOSITE: dict[Bound, Bound] = {"at_most": "at_least", "at_least": "at_most"}
"""The bound of a quotient by the bound of its divisor."""
Method = Literal["enterprise", "market"]
"""Cash flow before interest goes with enterprise value, and that after interest with the market value of the shares."""
UNLEVERED = "cash_flow_without_interest"
STAND_INS = ("operating_income", "revenue")
"""Metrics that are compared with a needed growth if its own metric’s growth is unknown; the first known one is used.
"""
DILUTIVE_SHARE = 0.02
"""Potential shares are valued too if they exceed this share of the shares outstanding."""
_GROWTH_RANGE = (-0.5, 1.0)
_STEPS = 60
Reprice = Callable[[float, float], float]
"""Returns the factor on the price if a rate holds, at a required return."""


class Cash(NamedTuple):
    """A cash flow of a period, what it has to be worth, and of this the claims that come before the shares."""

    metric: str
    part: str
    record: str
    basis: Figure
    amount: float
    worth: float
    before_shares: float


class Multiple(NamedTuple):
    """A multiple or yield, what it implies, what has to grow, and which earnings it is of where these are unusual."""

    metric: str
    record: str
    found: FigureRow
    earned: Notice | None = None


class PricedFlows(NamedTuple):
    """What a company is worth at a price, its multiples, and its cash flows of twelve months and of the fiscal year."""

    kind: BusinessKind
    worths: Mapping[str, FigureRow]
    related: Sequence[FigureRow]
    bases: Sequence[Mapping[str, Figure]]
    unusual: Notice | None = None
    """Notice that twelve months earned far more or less than the last fiscal year, with P/E by that."""


def build_table(
    price: SharePrice, flows: PricedFlows, terms: ValuationTerms, past: Sequence[PastRow]
) -> PriceTable | None:
    """Return the table of a price; None where no cash flow, dividend, earnings or book value carries one."""
    returns = sorted({*RETURNS, terms.discount_rate})
    known = {row.metric for row in past}
    rows = [*_list_rows(flows, terms, returns, known)]
    if not rows:
        return None
    rows.sort(key=lambda each: _rank_book(each[0], known))
    found = [_compare(row, known) for row, _ in rows]
    plain, more = (
        (EQUITY_RETURNS, HIGH_RETURNS) if found[0].metric in OF_BOOK else (GROWTH_RATES, FAST_RATES)
    )
    rates = [*plain, *_list_higher(found[0], past, plain[-1], more)]
    share = price.value * (price.ads_ratio or 1)
    prices = [
        HeldRow(
            holds=rate,
            values=[_round_price(share, rows[0][1](rate, required)) for required in returns],
        )
        for rate in rates
    ]
    return PriceTable(
        price=round_up(share, 2 if share >= 1 else 4),
        currency=price.currency,
        day=price.day,
        returns=returns,
        holds="return" if found[0].metric in OF_BOOK else "growth",
        held=say_metric(found[0].record),
        years=terms.growth_years,
        later=terms.terminal_growth,
        implied=found,
        price_bound=OPPOSITE.get(found[0].bound, ""),
        prices=prices,
        past=[*past],
    )


def _list_higher(
    row: ImpliedRow, past: Sequence[PastRow], highest: float, more: Sequence[float]
) -> Iterator[float]:
    """Yield further rates to choose from, as far as what a row is compared with did more in a year than the rate before."""
    compared = row.stand_in or row.record
    did = [value for each in past if each.metric == compared for value in each.values]
    most = max((value.value for value in did if value.base != "quarter"), default=0.0)
    for before, rate in pairwise((highest, *more)):
        if most > before:
            yield rate


def _rank_book(row: ImpliedRow, known: Collection[str]) -> tuple[bool, bool]:
    """Sort key of returns on book value: those known of the company, then the others of a book value that is no bound."""
    is_unknown = row.metric in OF_BOOK and row.record not in known
    return is_unknown, is_unknown and bool(row.bound)


def _compare(row: ImpliedRow, known: Collection[str]) -> ImpliedRow:
    """Return a row with a metric that its growth is compared with, where that of its own metric is not known."""
    if row.record in known or row.metric in OF_BOOK:
        return row
    stand_in = next((name for name in STAND_INS if name in known), "")
    return row.model_copy(update={"stand_in": stand_in})


def _list_rows(
    flows: PricedFlows, terms: ValuationTerms, returns: Sequence[float], past: Collection[str]
) -> Iterator[tuple[ImpliedRow, Reprice]]:
    """Yield what a price needs by each measure of the kind of business, the main one first; `past` has known growths."""
    if applies("growth_implied", flows.kind):
        for cash in _list_cash(flows, past):
            yield from _by_cash(cash, flows.worths, terms, returns)
    related = {row.metric: row for row in reversed(flows.related)}
    for metric, records in OF_PRICE.items():
        found = next((related[name] for name in records if name in related), None)
        if found and applies(metric, flows.kind) and found.value > 0:
            names = records[found.metric]
            record = next((name for name in names if name in past), names[0])
            for each in _list_unusual(Multiple(metric, record, found), flows.unusual):
                yield _by_multiple(each, terms, returns)
    for metric, (name, record) in OF_BOOK.items():
        if name in related and applies(metric, flows.kind):
            yield _by_book(metric, record, related[name], terms, returns)


def _list_cash(flows: PricedFlows, past: Collection[str]) -> Iterator[Cash]:
    """Yield the cash flows that are positive, with what they have to be worth.

    One before interest is compared with its own past growth, where that differs from that after interest.
    """
    method = choose_method(flows.worths, flows.bases)
    market = flows.worths.get("market_value")
    for metric, (diluted, part) in GROWTHS.items():
        worth, plain = (flows.worths.get(f"{of}{method}_value") for of in (diluted, ""))
        if not worth or not plain or not market:
            continue
        if diluted and worth.value < (1 + DILUTIVE_SHARE) * plain.value and method == "market":
            continue
        for basis in flows.bases:
            amount = _find_cash(basis, part, method)
            if amount is not None and amount > 0 and worth.value > 0:
                before = worth.value - market.value if not diluted else 0.0
                is_unlevered = method == "enterprise" and part == "free_cash_flow"
                record = UNLEVERED if is_unlevered and UNLEVERED in past else part
                yield Cash(metric, part, record, basis[part], amount, worth.value, before)


def choose_method(worths: Mapping[str, FigureRow], bases: Sequence[Mapping[str, Figure]]) -> Method:
    """Return by which value growths are solved: enterprise value if every cash flow is known before interest."""
    priced = [basis for basis in bases if "free_cash_flow" in basis]
    is_unlevered = all(UNLEVERED in basis for basis in priced)
    return "enterprise" if is_unlevered and "enterprise_value" in worths else "market"


def _find_cash(basis: Mapping[str, Figure], part: str, method: Method) -> float | None:
    """Return a cash flow of a period as a method takes it: after interest as filed, or before it."""
    cash = basis.get(part)
    if not cash or method == "market":
        return cash.value if cash else None
    return cash.value + basis[UNLEVERED].value - basis["free_cash_flow"].value


def _by_cash(
    cash: Cash, worths: Mapping[str, FigureRow], terms: ValuationTerms, returns: Sequence[float]
) -> Iterator[tuple[ImpliedRow, Reprice]]:
    """Yield the growths of a cash flow at which it is worth the company; nothing where no return has one."""
    values = [find_growth(cash.worth, cash.amount, required, terms) for required in returns]
    if not any(value is not None for value in values):
        return
    basis = Notice.of(
        "implied-of-cash",
        "info",
        amount=say_amount(cash.amount, cash.basis.unit),
        period=_name_period(cash.basis.period, cash.basis.end),
        how=Notice.of("implied-unlevered", "info") if cash.amount != cash.basis.value else None,
    )
    record = cash.record if cash.record in GROWN else "free_cash_flow"
    row = _to_row(cash.metric, record, basis, cash.basis, values)
    market = worths["market_value"].value

    def reprice(rate: float, required: float) -> float:
        worth = discount(cash.amount, rate / 100, required, terms)
        return (worth - cash.before_shares) / market

    yield row, reprice


def _by_multiple(
    of: Multiple, terms: ValuationTerms, returns: Sequence[float]
) -> tuple[ImpliedRow, Reprice]:
    """Return the growths at which what a multiple is of, all of it paid to the owners, is worth the price."""
    found = of.found
    times = 100 / found.value if found.unit == "percent" else found.value
    values = [find_growth(times, 1.0, required, terms) for required in returns]

    def reprice(rate: float, required: float) -> float:
        return discount(1.0, rate / 100, required, terms) / times

    basis = _say_multiple(found, of.earned)
    return _to_row(of.metric, of.record, basis, found, values), reprice


def _list_unusual(of: Multiple, unusual: Notice | None) -> Iterator[Multiple]:
    """Yield P/E of unusual twelve months and of the last fiscal year, each named as such; another multiple as it is."""
    if not unusual or of.found.metric != "price_to_earnings":
        yield of
        return
    told = unusual.params
    year = {"period": "year", "end": told["end"], "value": told["multiple"]}
    earned = Notice.of("implied-unusual", "info", other=told.get("twelve_other"))
    yield of._replace(earned=earned)
    earned = Notice.of("implied-year", "info", fiscal=told["fiscal"], other=told.get("other"))
    found = FigureRow.model_validate({**of.found.model_dump(), **year})
    yield of._replace(found=found, earned=earned)


def _by_book(
    metric: str, record: str, found: FigureRow, terms: ValuationTerms, returns: Sequence[float]
) -> tuple[ImpliedRow, Reprice]:
    """Return the returns on equity at which book value, growing for good, is worth the price."""
    later = terms.terminal_growth
    values: list[float | None] = [
        round_up(found.value * (required - later) + later) for required in returns
    ]

    def reprice(rate: float, required: float) -> float:
        return (rate - later) / (required - later) / found.value

    return _to_row(metric, record, _say_multiple(found), found, values), reprice


def _say_multiple(found: FigureRow, earned: Notice | None = None) -> Notice:
    """Return a multiple by name, and which earnings it is of where these are unusual."""
    code = "implied-of-percent" if found.unit == "percent" else "implied-of-times"
    value = round_up(found.value)
    bound = say_bound(found.bound)
    of = say_metric(found.metric)
    return Notice.of(code, "info", of=of, value=value, bound=bound, earned=earned)


def _to_row(
    metric: str, record: str, basis: Notice, of: FigureRow, values: list[float | None]
) -> ImpliedRow:
    named = {"metric": metric, "name": say_metric(metric), "basis": basis, "record": record}
    bound = of.bound if of.unit == "times" else OPPOSITE.get(of.bound, "")
    return ImpliedRow.model_validate(
        {**named, "period": of.period, "end": of.end, "bound": bound, "values": values}
    )


def _name_period(period: Period, end: str) -> Notice:
    return Notice.of("column-ttm" if period == "ttm" else "column-year", "info", end=end)


def _round_price(price: float, factor: float) -> float | None:
    """Return a price with the digits that such a computation can carry; None where nothing is left for the shares."""
    value = price * factor
    if value <= 0:
        return None
    return round_up(value, count_price_digits(value))


def find_growth(value: float, cash: float, rate: float, terms: ValuationTerms) -> float | None:
    """Return the yearly growth in percent at which a cash flow's present value equals `value`.

    Return None if no growth between -50 and 100 percent does so, or if value or cash flow is not positive.
    """
    if value <= 0 or cash <= 0 or rate <= terms.terminal_growth:
        return None
    low, high = _GROWTH_RANGE
    if not discount(cash, low, rate, terms) <= value <= discount(cash, high, rate, terms):
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if discount(cash, middle, rate, terms) < value:
            low = middle
        else:
            high = middle
    return round(100 * low, 1)


def discount(cash: float, growth: float, rate: float, terms: ValuationTerms) -> float:
    """Return the value today of a cash flow that grows for some years, and more slowly ever after."""
    factor = (1 + growth) / (1 + rate / 100)
    years = sum(cash * factor**year for year in range(1, terms.growth_years + 1))
    last, slow = cash * factor**terms.growth_years, terms.terminal_growth / 100
    return years + last * (1 + slow) / (rate / 100 - slow)
