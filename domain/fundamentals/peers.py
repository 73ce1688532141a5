"""Several companies side by side: the same measures for the same twelve months, as far as calendars allow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contracts.agents.tools import TableArgs, TableCell
from contracts.evidence.company import Company, Peer
from domain.fundamentals.accounts import Accounts
from domain.fundamentals.derived_metrics import get_balance, get_flow
from domain.fundamentals.facts import FiledFacts, parse_day
from domain.fundamentals.metrics import NAMES
from domain.fundamentals.text import format_money

FLOWS = (
    *("revenue", "revenue_growth", "gross_margin", "operating_margin", "net_margin", "fcf_margin"),
    *("research_and_development_share_of_revenue", "stock_compensation_share_of_revenue"),
    *("free_cash_flow", "buybacks", "dividends"),
)
"""Of twelve months."""
BALANCES = ("net_cash", "debt", "remaining_performance_obligation")
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
    values = {name: amount.value for name, amount in amounts.items() if amount}
    return Peer(company=company, end=end, currency=accounts.currency, values=values)


def render_peers(peers: Sequence[Peer]) -> Iterator[str]:
    """Yield the companies as a table with ranks, and how far their calendars are apart."""
    if len(peers) < 2:
        return
    table = build_peer_table(peers)
    yield ""
    yield f"{table.title} (rank in brackets, 1 is the highest). {_describe_calendars(peers)}"
    yield ""
    yield f"| {' | '.join(table.columns)} |"
    yield "|---" * len(table.columns) + "|"
    yield from (f"| {' | '.join(map(str, row))} |" for row in table.rows)


def build_peer_table(peers: Sequence[Peer]) -> TableArgs:
    """Return the table: a row a measure, a column a company."""
    rows: list[list[TableCell]] = []
    for name in (*FLOWS, *BALANCES):
        values = [peer.values.get(name) for peer in peers]
        if any(value is not None for value in values):
            rows.append([_name_row(name), *(_format(name, n, peers) for n in range(len(peers)))])
    columns = ["Figure", *(f"{peer.company.ticker}, to {peer.end}" for peer in peers)]
    return TableArgs(
        title="Companies side by side, twelve months (TTM)", columns=columns, rows=rows
    )


def _describe_calendars(peers: Sequence[Peer]) -> str:
    days = [parse_day(peer.end) for peer in peers]
    apart = (max(days) - min(days)).days
    if not apart:
        return "All periods end on the same day."
    return f"Their fiscal calendars differ: the periods end up to {apart} days apart."


def _name_row(name: str) -> str:
    if name.endswith("_growth"):
        return f"{NAMES[name.removesuffix('_growth')][0]}, growth on a year before"
    return (
        f"{NAMES[name][0]}, of revenue"
        if name.endswith(("_margin", "_revenue"))
        else NAMES[name][0]
    )


def _format(name: str, number: int, peers: Sequence[Peer]) -> str:
    """Return a company's value with its rank; amounts in several currencies have none."""
    value = peers[number].values.get(name)
    if value is None:
        return "–"
    is_percent = name.endswith(("_margin", "_growth", "_revenue"))
    said = f"{value:.1f}%" if is_percent else format_money(value, peers[number].currency)
    if not is_percent and len({peer.currency for peer in peers}) > 1:
        return said
    rank = 1 + sum(other.values.get(name, value) > value for other in peers)
    return f"{said} ({rank})"
