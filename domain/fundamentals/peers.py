"""Several companies side by side: the same measures for the same twelve months, as far as calendars allow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contracts.agents.tools import TableArgs, TableCell
from contracts.evidence.company import Company, Peer
from domain.fundamentals.derived_metrics import get_balance, get_flow
from domain.fundamentals.filed.accounts import Accounts
from domain.fundamentals.filed.facts import FiledFacts, parse_day
from domain.fundamentals.filed.metrics import find_unit, name_row
from domain.fundamentals.numbers import format_money, format_number

FLOWS = (
    *("revenue", "revenue_growth", "gross_margin", "operating_margin", "net_margin", "fcf_margin"),
    *("research_and_development_share_of_revenue", "stock_compensation_share_of_revenue"),
    *("free_cash_flow", "buybacks", "dividends", "diluted_shares_growth"),
)
"""Of twelve months."""
BALANCES = ("net_cash", "debt", "remaining_performance_obligation", "shares_outstanding")
"""Of the last day of the twelve months, or of the one that is told."""
Filings = tuple[Company, Mapping[str, Any]]
"""A company with its facts as EDGAR serves them."""


def compare_companies(filings: Sequence[Filings], as_of: str | None = None) -> list[Peer]:
    """Return the companies' measures over the twelve months that end nearest to each other.

    The oldest of their newest quarters sets the date, so that none is ahead by a report.
    """
    accounts = [(company, Accounts(FiledFacts(facts, as_of))) for company, facts in filings]
    ends = {c.ticker: a.calendar.quarters or [y.end for y in a.calendar.years] for c, a in accounts}
    date = min((found[0] for found in ends.values() if found), default="")
    return [
        _measure(c, a, _find_nearest(ends[c.ticker], date)) for c, a in accounts if ends[c.ticker]
    ]


def _find_nearest(ends: Sequence[str], date: str) -> str:
    return min(ends, key=lambda end: abs((parse_day(end) - parse_day(date)).days))


def _measure(company: Company, accounts: Accounts, end: str) -> Peer:
    amounts = {name: get_flow(accounts, "ttm", name, end) for name in FLOWS}
    amounts |= {name: get_balance(accounts, name, end) for name in BALANCES}
    known = {name: amount for name, amount in amounts.items() if amount}
    return Peer(
        company=company,
        end=end,
        currency=accounts.currency,
        values={name: amount.value for name, amount in known.items()},
        dates={name: amount.end for name, amount in known.items() if amount.end != end},
    )


def render_measures(peers: Sequence[Peer], number: int) -> Iterator[str]:
    """Yield one company's measures beside those of the others, for the page of its own figures."""
    if len(peers) < 2:
        return
    table = build_peer_table(peers)
    own, others = peers[number], [p.company.ticker for p in peers if p is not peers[number]]
    yield ""
    yield f"{own.company.ticker} beside {', '.join(others)}: {_describe_ranks(peers)}. {_describe_calendars(peers)}"
    yield ""
    yield f"| Figure | {table.columns[number + 1]} |"
    yield "|---|---|"
    yield from (f"| {row[0]} | {row[number + 1]} |" for row in table.rows)


def build_peer_table(peers: Sequence[Peer]) -> TableArgs:
    """Return the table: a row a measure, a column a company."""
    rows: list[list[TableCell]] = []
    for name in (*FLOWS, *BALANCES):
        values = [peer.values.get(name) for peer in peers]
        if any(value is not None for value in values):
            day = ", on that day" if name in BALANCES else ""
            cells = (_format(name, n, peers) for n in range(len(peers)))
            rows.append([f"{name_row(name)}{day}", *cells])
    columns = ["Figure", *(f"{peer.company.ticker}, to {peer.end}" for peer in peers)]
    title = f"Companies side by side: {_describe_ranks(peers)}"
    return TableArgs(title=title, columns=columns, rows=rows)


def _describe_ranks(peers: Sequence[Peer]) -> str:
    return (
        f"twelve months (TTM); in brackets the rank among {len(peers)}, of which 1 has the largest"
        " figure, which need not be the best"
    )


def _describe_calendars(peers: Sequence[Peer]) -> str:
    days = [parse_day(peer.end) for peer in peers]
    apart = (max(days) - min(days)).days
    if not apart:
        return "All periods end on the same day."
    return f"Their fiscal calendars differ: the periods end up to {apart} days apart."


def _format(name: str, number: int, peers: Sequence[Peer]) -> str:
    """Return a company's value with its rank; counts, amounts in several currencies and what it alone has have none."""
    peer = peers[number]
    value, unit = peer.values.get(name), find_unit(name, peer.currency)
    if value is None:
        return "–"
    is_percent = unit == "percent"
    said = f"{format_number(value, 1)}%" if is_percent else format_money(value, unit)
    said += f", on {peer.dates[name]}" if name in peer.dates else ""
    others = [other.values[name] for other in peers if other is not peer and name in other.values]
    is_mixed = not is_percent and len({each.currency for each in peers}) > 1
    if unit == "shares" or is_mixed or not others:
        return said
    return f"{said} ({1 + sum(other > value for other in others)})"
