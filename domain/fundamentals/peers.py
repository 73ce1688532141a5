"""Several companies side by side: the same measures for the same twelve months, as far as calendars allow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from contracts.agents.tools import TableArgs, TableCell
from contracts.evidence.company import Company, Measures, Peer, Valuation
from domain.fundamentals.derived_metrics import get_balance, get_flow
from domain.fundamentals.filed.accounts import Accounts
from domain.fundamentals.filed.facts import FiledFacts, parse_day
from domain.fundamentals.filed.metrics import find_unit, name_row
from domain.fundamentals.notes import describe_gap, format_price
from domain.fundamentals.numbers import format_money, format_number
from domain.fundamentals.valuation_text import MEASURES, WORTHS, format_measure

FLOWS = (
    *("revenue", "revenue_growth", "gross_margin", "operating_margin", "net_margin", "fcf_margin"),
    *("research_and_development_share_of_revenue", "stock_compensation_share_of_revenue"),
    *("free_cash_flow", "buybacks", "dividends", "diluted_shares_growth"),
)
"""Of twelve months."""
BALANCES = ("net_cash", "debt", "remaining_performance_obligation", "shares_outstanding")
"""Of the last day of the twelve months, or of the one that is told."""
VALUATIONS = (
    *("market_value", "enterprise_value", "price_to_sales", "price_to_earnings"),
    *("ev_to_sales", "ev_to_operating_income", "free_cash_flow_yield"),
    "free_cash_flow_less_stock_compensation_yield",
)
"""What prices mean, over each company's newest figures."""
Filings = tuple[Company, Mapping[str, Any]]
"""A company with its facts as EDGAR serves them."""
MIN_RANKED = 3
"""Companies of which sizes are ranked: of two, the larger one is plain."""
Valued = Sequence[tuple[Peer, Valuation]]
"""Companies with what their prices mean."""


def compare_companies(filings: Sequence[Filings], as_of: str | None = None) -> list[Peer]:
    """Return the companies' measures over the twelve months that end nearest to each other.

    The oldest of their newest quarters sets the date, so that none is ahead by a report; what a company
    has filed since stands beside it.
    """
    accounts = [(company, Accounts(FiledFacts(facts, as_of))) for company, facts in filings]
    ends = {c.ticker: a.calendar.quarters or [y.end for y in a.calendar.years] for c, a in accounts}
    date = min((found[0] for found in ends.values() if found), default="")
    return [
        _place(company, of, _find_nearest(ends[company.ticker], date), ends[company.ticker][0])
        for company, of in accounts
        if ends[company.ticker]
    ]


def _find_nearest(ends: Sequence[str], date: str) -> str:
    return min(ends, key=lambda end: abs((parse_day(end) - parse_day(date)).days))


def _place(company: Company, accounts: Accounts, end: str, newest: str) -> Peer:
    """Return a company's measures to a day, and to the newest one that it has filed."""
    return Peer(
        company=company,
        currency=accounts.currency,
        newer=_measure(accounts, newest) if newest > end else None,
        **dict(_measure(accounts, end)),
    )


def _measure(accounts: Accounts, end: str) -> Measures:
    amounts = {name: get_flow(accounts, "ttm", name, end) for name in FLOWS}
    amounts |= {name: get_balance(accounts, name, end) for name in BALANCES}
    known = {name: amount for name, amount in amounts.items() if amount}
    return Measures(
        end=end,
        values={name: amount.value for name, amount in known.items()},
        dates={name: amount.end for name, amount in known.items() if amount.end != end},
    )


def render_measures(peers: Sequence[Peer], number: int) -> Iterator[str]:
    """Yield one company's measures beside those of the others, for the page of its own figures."""
    if len(peers) < 2:
        return
    table, own = build_peer_table(peers), peers[number]
    columns = [n for n, (peer, _) in enumerate(_list_columns(peers), start=1) if peer is own]
    others = [p.company.ticker for p in peers if p is not own]
    yield ""
    yield f"{own.company.ticker} beside {', '.join(others)}: {_describe_ranks(peers)}. {_describe_calendars(peers)}"
    yield ""
    rows: list[list[TableCell]] = [[*table.columns], ["---"] * len(table.columns), *table.rows]
    for row in rows:
        yield f"| {' | '.join(str(row[n]) for n in (0, *columns))} |"


def build_peer_table(peers: Sequence[Peer]) -> TableArgs:
    """Return the table: a row a measure, a column a company and one for what it has filed since."""
    columns = [*_list_columns(peers)]
    rows: list[list[TableCell]] = []
    for name in (*FLOWS, *BALANCES):
        if name == BALANCES[0]:
            rows += _list_valuations(peers)
        if any(name in measures.values for _, measures in columns):
            day = ", on that day" if name in BALANCES else ""
            cells = (_format(name, *column, peers) for column in columns)
            rows.append([f"{name_row(name)}{day}", *cells])
    heads = (
        f"{peer.company.ticker}{'' if measures is peer else ', its newest'}, to {measures.end}"
        for peer, measures in columns
    )
    title = f"Companies side by side: {_describe_ranks(peers)}"
    return TableArgs(title=title, columns=["Figure", *heads], rows=rows)


def _list_columns(peers: Sequence[Peer]) -> Iterator[tuple[Peer, Measures]]:
    for peer in peers:
        yield peer, peer
        if peer.newer:
            yield peer, peer.newer


def _list_valuations(peers: Sequence[Peer]) -> Iterator[list[TableCell]]:
    """Yield what prices mean where two companies have it, each in the column of its newest figures."""
    valued = [(peer, peer.valuation) for peer in peers if peer.valuation]
    if len(valued) < 2:
        return
    prices = (f"{format_price(of.price)} on {of.price.day}" for _, of in valued)
    yield ["Share price", *_place_newest(valued, prices, peers)]
    for name in VALUATIONS:
        values = [getattr(of, name) for _, of in valued]
        known = [value for value in values if value is not None]
        if known and len(known) + sum(name in of.losses for _, of in valued) > 1:
            is_ranked = _are_comparable(valued, name)
            cells = (_format_valuation(of, name, values, is_ranked) for _, of in valued)
            yield [MEASURES[name], *_place_newest(valued, cells, peers)]


def _place_newest(
    valued: Valued, cells: Iterable[str], peers: Sequence[Peer]
) -> Iterator[TableCell]:
    by_ticker = dict(zip((peer.company.ticker for peer, _ in valued), cells, strict=True))
    for peer, measures in _list_columns(peers):
        is_newest = measures is (peer.newer or peer)
        yield by_ticker.get(peer.company.ticker, "–") if is_newest else "–"


def _are_comparable(valued: Valued, name: str) -> bool:
    """Tell whether prices are of one day and over figures of that time, and amounts in one currency."""
    is_of_time = not any(describe_gap(of.price, (peer.newer or peer).end) for peer, of in valued)
    days, currencies = ({getattr(of.price, n) for _, of in valued} for n in ("day", "currency"))
    is_plain = name in WORTHS and (len(currencies) > 1 or len(valued) < MIN_RANKED)
    return is_of_time and len(days) == 1 and not is_plain


def _format_valuation(
    found: Valuation, name: str, values: Sequence[float | None], is_ranked: bool
) -> str:
    value = getattr(found, name)
    if value is None:
        return format_measure(found, name) or "–"
    rank = 1 + sum(other is not None and other > value for other in values)
    return f"{format_measure(found, name)}{f' ({rank})' * is_ranked}"


def _describe_ranks(peers: Sequence[Peer]) -> str:
    return (
        f"twelve months (TTM) that all have filed; in brackets the rank among {len(peers)}, of which 1 has"
        " the largest figure, which need not be the best"
    )


def _describe_calendars(peers: Sequence[Peer]) -> str:
    """Return how far apart the periods end, and who has filed newer figures than those that are ranked."""
    days = [parse_day(peer.end) for peer in peers]
    apart = (max(days) - min(days)).days
    told = "All ranked periods end on the same day."
    if apart:
        told = f"Their fiscal calendars differ: the ranked periods end up to {apart} days apart."
    valued = [(peer, peer.valuation) for peer in peers if peer.valuation]
    is_ranked = len(valued) > 1 and any(_are_comparable(valued, name) for name in VALUATIONS)
    besides = " but for what its price means" if is_ranked else ""
    for peer in peers:
        if peer.newer:
            told += (
                f" {peer.company.ticker} has filed newer figures, to {peer.newer.end}, which not all have:"
                f" they stand in a column of their own, without ranks{besides}."
            )
    return told


def _format(name: str, peer: Peer, measures: Measures, peers: Sequence[Peer]) -> str:
    """Return a value with its company's rank.

    None have newer ones, counts, sizes of two companies, mixed currencies, and what one alone has.
    """
    value, unit = measures.values.get(name), find_unit(name, peer.currency)
    if value is None:
        return "–"
    is_percent = unit == "percent"
    said = f"{format_number(value, 1)}%" if is_percent else format_money(value, unit)
    said += f", on {measures.dates[name]}" if name in measures.dates else ""
    others = [other.values[name] for other in peers if other is not peer and name in other.values]
    currencies = {each.currency for each in peers}
    is_plain = not is_percent and (len(currencies) > 1 or len(peers) < MIN_RANKED)
    if measures is not peer or unit == "shares" or is_plain or not others:
        return said
    return f"{said} ({1 + sum(other > value for other in others)})"
