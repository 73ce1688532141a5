"""Several companies side by side: the same measures for the same twelve months, as far as calendars allow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from contracts.agents.tools import TableArgs
from contracts.company.filings import Company
from contracts.company.valuation import Measures, Peer, Valuation
from contracts.evidence.rows import FigureRow
from domain.company.figures.derived_metrics import get_balance, get_flow
from domain.company.figures.filed.accounts import Accounts
from domain.company.figures.filed.facts import FiledFacts, parse_day
from domain.company.figures.filed.metrics import find_unit, list_compared, name_row
from domain.company.figures.lines import Cell, PageLine, draw_table
from domain.company.figures.notes import describe_gap, format_price
from domain.company.figures.numbers import format_money, format_number
from domain.company.figures.tables import head_labels, label_row, name_currency, show_cell
from domain.company.figures.valuation import value_months
from domain.company.figures.valuation_text import MEASURES, WORTHS, measure

FLOWS = tuple(list_compared(of_days=False))
"""Of twelve months."""
PRICED = ("operating_income", "net_income", "diluted_eps", "stock_compensation")
"""Of twelve months, with some of `FLOWS`: by what a price is divided, without rows of their own."""
BALANCES = tuple(list_compared(of_days=True))
"""Of the last day of the twelve months, or of the one that is told."""
VALUATIONS = (
    *("market_value", "enterprise_value", "price_to_sales", "price_to_earnings"),
    *("ev_to_sales", "ev_to_operating_income", "free_cash_flow_yield"),
    "free_cash_flow_less_stock_compensation_yield",
)
"""What prices mean, over the months that all have filed and over each company's newest."""
IN_EACH = "; market value and EV below are the newest, in every column"
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
    amounts = {name: get_flow(accounts, "ttm", name, end) for name in (*FLOWS, *PRICED)}
    amounts |= {name: get_balance(accounts, name, end) for name in BALANCES}
    known = {name: amount for name, amount in amounts.items() if amount}
    return Measures(
        end=end,
        values={name: amount.value for name, amount in known.items()},
        dates={name: amount.end for name, amount in known.items() if amount.end != end},
    )


def render_measures(peers: Sequence[Peer], number: int) -> Iterator[PageLine]:
    """Yield one company's measures beside those of the others, for the page of its own figures."""
    if len(peers) < 2:
        return
    own = peers[number]
    heads, rows = _build_grid(peers)
    columns = [n for n, (peer, _) in enumerate(_list_columns(peers)) if peer is own]
    others = [p.company.ticker for p in peers if p is not own]
    yield PageLine("")
    yield PageLine(
        f"{own.company.ticker} beside {', '.join(others)}: {_describe_ranks(peers)}. {_describe_calendars(peers)}"
    )
    yield PageLine("")
    yield from draw_table(
        ["Figure", *(heads[n] for n in columns)],
        ((label, [cells[n] for n in columns]) for label, cells in rows),
    )


def build_peer_table(peers: Sequence[Peer]) -> TableArgs:
    """Return the table: a row a measure, a column a company and one for what it has filed since."""
    heads, rows = _build_grid(peers)
    currencies = [peer.currency for peer, _ in _list_columns(peers)]
    named = (
        f"{head}{name_currency(currency, currencies)}"
        for head, currency in zip(heads, currencies, strict=True)
    )
    return TableArgs(
        title=f"Companies side by side: {_describe_ranks(peers)}",
        columns=[head_labels(currencies), *named],
        rows=[[_label(label, cells), *map(show_cell, cells)] for label, cells in rows],
    )


def _label(label: str, cells: Sequence[Cell]) -> str:
    """Return the label of a row with the unit of its figures."""
    return label_row(label, next((cell.row.unit for cell in cells if cell.row), ""))


def _build_grid(peers: Sequence[Peer]) -> tuple[list[str], list[tuple[str, list[Cell]]]]:
    """Return the heads of the columns, and the labelled rows of measures."""
    columns = [*_list_columns(peers)]
    rows: list[tuple[str, list[Cell]]] = []
    for name in (*FLOWS, *BALANCES):
        if name == BALANCES[0]:
            rows += _list_valuations(peers)
        if any(name in measures.values for _, measures in columns):
            day = ", on that day" if name in BALANCES else ""
            cells = [_to_cell(name, *column, peers) for column in columns]
            rows.append((f"{name_row(name)}{day}", cells))
    heads = [
        f"{peer.company.ticker}{'' if measures is peer else ', its newest'}, to {measures.end}"
        for peer, measures in columns
    ]
    return heads, rows


def _to_row(name: str, peer: Peer, measures: Measures) -> FigureRow | None:
    """Return a measure as a row; None where it is not known."""
    if name not in measures.values:
        return None
    return FigureRow(
        metric=name,
        period="instant" if name in BALANCES else "ttm",
        end=measures.dates.get(name, measures.end),
        value=measures.values[name],
        unit=find_unit(name, peer.currency),
    )


def _list_columns(peers: Sequence[Peer]) -> Iterator[tuple[Peer, Measures]]:
    for peer in peers:
        yield peer, peer
        if peer.newer:
            yield peer, peer.newer


def _list_valuations(peers: Sequence[Peer]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield what prices mean where two companies have it, in each column by the figures of its months."""
    valued = [(peer, peer.valuation) for peer in peers if peer.valuation]
    if len(valued) < 2:
        return
    columns = [
        (measures is peer, measures.end, _value(peer, measures))
        for peer, measures in _list_columns(peers)
    ]
    alike = [found for is_common, _, found in columns if is_common and found]
    is_apart = any(peer.newer for peer in peers)
    prices = [Cell(_format_day(found)) for *_, found in columns]
    yield f"Share price{IN_EACH * is_apart}", prices
    for name in VALUATIONS:
        values = [getattr(found, name) for found in alike]
        known = [value for value in values if value is not None]
        if known and len(known) + sum(name in found.losses for found in alike) > 1:
            is_ranked = _are_comparable(valued, name)
            cells = [
                _rank((found and measure(found, name, end)) or Cell("–"), values)
                if is_ranked and is_common
                else (found and measure(found, name, end)) or Cell("–")
                for is_common, end, found in columns
            ]
            yield MEASURES[name], cells


def _value(peer: Peer, measures: Measures) -> Valuation | None:
    """Return what a company's price means by the figures of a column."""
    if not peer.valuation or measures is (peer.newer or peer):
        return peer.valuation
    return value_months(peer.valuation, measures.values)


def _format_day(found: Valuation | None) -> str:
    return f"{format_price(found.price)} on {found.price.day}" if found else "–"


def _are_comparable(valued: Valued, name: str) -> bool:
    """Tell whether prices are of one day and over figures of that time, and amounts in one currency."""
    is_of_time = not any(describe_gap(of.price, (peer.newer or peer).end) for peer, of in valued)
    days, currencies = ({getattr(of.price, n) for _, of in valued} for n in ("day", "currency"))
    is_plain = name in WORTHS and (len(currencies) > 1 or len(valued) < MIN_RANKED)
    return is_of_time and len(days) == 1 and not is_plain


def _rank(cell: Cell, values: Iterable[float | None]) -> Cell:
    """Return a cell with the rank of its figure among all values, behind its note."""
    if cell.row is None:
        return cell
    value = cell.row.value
    rank = f" ({1 + sum(other is not None and other > value for other in values)})"
    return cell._replace(note=cell.note + rank)


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
    for peer in peers:
        if peer.newer:
            told += (
                f" {peer.company.ticker} has filed newer figures, to {peer.newer.end}, which not all have:"
                " they stand in a column of their own, without ranks."
            )
    if any(peer.newer for peer in peers) and sum(bool(peer.valuation) for peer in peers) > 1:
        told += (
            " Multiples and yields set the newest market value and EV against the figures of each column: those of the"
            " months that all have filed compare like with like."
        )
    return told


def _to_cell(name: str, peer: Peer, measures: Measures, peers: Sequence[Peer]) -> Cell:
    """Return a value with its company's rank.

    None have newer ones, counts, sizes of two companies, mixed currencies, and what one alone has.
    """
    row = _to_row(name, peer, measures)
    if row is None:
        return Cell("–")
    is_percent = row.unit == "percent"
    said = f"{format_number(row.value, 1)}%" if is_percent else format_money(row.value, row.unit)
    note = f", on {row.end}" if name in measures.dates else ""
    cell = Cell(said, row, note)
    values = [other.values[name] for other in peers if name in other.values]
    currencies = {each.currency for each in peers}
    is_plain = not is_percent and (len(currencies) > 1 or len(peers) < MIN_RANKED)
    if measures is not peer or row.unit == "shares" or is_plain or len(values) < 2:
        return cell
    return _rank(cell, values)
