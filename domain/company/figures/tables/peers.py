"""Several companies side by side: the same measures for the same twelve months, as far as calendars allow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from contracts.company.figures import Fundamentals, GapState
from contracts.company.valuation import Valuation
from contracts.evidence.rows import FigureRow, Period
from contracts.notices import Notice
from contracts.words import Language, say
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.sums import find_bound
from domain.company.figures.dates import is_apart
from domain.company.figures.filed.facts import parse_day
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import (
    GROWTH,
    METRICS,
    find_unit,
    is_instant,
    list_compared,
    name_row,
)
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import Missing
from domain.company.figures.numbers import is_per_share
from domain.company.figures.tables.grids import (
    UNSCALED,
    Cell,
    Grid,
    draw_grid,
    head_labels,
    name_currency,
    show_state,
)
from domain.company.figures.tables.key_figures import OF_DEBT, name_loss, note_cell
from domain.company.figures.tables.page_lines import PageLine
from domain.company.figures.valuation.multiples import MEASURES, leave_out_partners, relate

COMPARED = tuple(list_compared())
DIVISORS = {name for pairs in MEASURES.values() for pair in pairs for name in pair}
"""Additional metrics, needed only as denominators of multiples and yields."""
Filings = tuple[Fundamentals, Mapping[str, Any]]
"""A company's fundamentals, and its facts as EDGAR serves them."""
MAX_COLUMNS = 6
"""Columns that fit a page; with more, newer figures get their own table."""
_MAX_BEHIND_DAYS = 380
"""A year and the days by which calendars differ."""
MIN_RANKED = 3
"""Sizes are ranked from this many companies on: with two, the larger one is plain."""


class Measures(NamedTuple):
    """A company's compared figures, for the twelve months to a day and on that day; `losses` as in `Valuation`."""

    end: str
    rows: dict[str, FigureRow]
    losses: list[str]
    states: dict[str, GapState]
    """Why a measure’s figure is missing, by measure."""


class Peer(NamedTuple):
    """A company's measures over the twelve months that all have filed, and its newest where they end later."""

    found: Fundamentals
    currency: str
    common: Measures
    newer: Measures | None

    @property
    def ticker(self) -> str:
        """The ticker by which the start names it."""
        return self.found.company.ticker


def compare_companies(filings: Sequence[Filings], as_of: str | None = None) -> list[Peer]:
    """Return each company's measures over twelve months that end close together; empty for a single company.

    The oldest of their latest quarters sets the date, so that no company is ahead by a report. Newer figures
    are listed separately. A company that filed nothing for more than a year does not hold back the others.
    """
    if len(filings) < 2:
        return []
    peers = list[Peer]()
    every = [
        (found, Accounts(FiledFacts(facts, as_of), found.company.sic)) for found, facts in filings
    ]
    ends = [of.newest_end for _, of in every if of.newest_end]
    date = min((end for end in ends if not _is_outdated(end, max(ends))), default="")
    for found, of in every:
        ends = of.calendar.quarters or [year.end for year in of.calendar.years]
        distances = {abs((parse_day(end) - parse_day(date)).days): end for end in reversed(ends)}
        if distances:
            end = distances[min(distances)]
            newer = _measure(of, ends[0], found.valuation) if ends[0] > end else None
            peers.append(Peer(found, of.currency, _measure(of, end, found.valuation), newer))
    return peers


def _is_outdated(end: str, newest: str) -> bool:
    """Return True if `end` is over a year older than `newest`, so that the company is left out of the comparison."""
    return (parse_day(newest) - parse_day(end)).days > _MAX_BEHIND_DAYS


def _is_apart(one: str, other: str) -> bool:
    """Return whether one of two days is more than a year before the other."""
    return _is_outdated(min(one, other), max(one, other))


def _measure(accounts: Accounts, end: str, valuation: Valuation | None) -> Measures:
    """Return a company's measures to a day, and what its price means by them."""
    rows, states = dict[str, FigureRow](), dict[str, GapState]()
    for name in dict.fromkeys((*COMPARED, *DIVISORS)):
        period: Period = "instant" if is_instant(name) else "ttm"
        amount = accounts.find(period, name, end)
        if isinstance(amount, Missing):
            states[name] = amount.state
        else:
            named = {"metric": name, "period": period, "end": amount.end, "value": amount.value}
            unit = find_unit(name, accounts.currency)
            bound = find_bound(name, amount)
            rows[name] = FigureRow.model_validate({**named, "unit": unit, "bound": bound})
    losses = list[str]()
    if valuation:
        worths = {row.metric: row for row in valuation.rows if row.period == "instant"}
        related, losses = _relate(
            accounts, end, valuation, worths, leave_out_partners(rows, states)
        )
        rows |= worths | {row.metric: row for row in related}
    return Measures(end, rows, losses, states)


def _relate(
    accounts: Accounts,
    end: str,
    valuation: Valuation,
    worths: Mapping[str, FigureRow],
    flows: Mapping[str, FigureRow],
) -> tuple[list[FigureRow], list[str]]:
    """Return the multiples and yields of a price over twelve months to a day, and those that a loss leaves out.

    A price in another currency than the accounts is divided by none of these: its multiples are those of the valuation,
    by amounts that the filer translated, where they are of the same day.
    """
    if valuation.price.currency == accounts.currency:
        return relate(valuation.price, worths, flows, end, accounts.kind)
    rows = [row for row in valuation.rows if row.metric in MEASURES and row.end == end]
    return [row for row in rows if row.period == "ttm"], valuation.losses if rows else []


def render_measures(peers: Sequence[Peer], number: int) -> Iterator[PageLine]:
    """Yield one company's measures compared with its peers', for its page of figures."""
    if len(peers) < 2:
        return
    grid, own = build_peer_grid(peers), peers[number]
    columns = [n for n, (peer, _) in enumerate(_list_columns(peers)) if peer is own]
    others = ", ".join(p.ticker for p in peers if p is not own)
    title = f"{own.ticker} beside {others}: {_explain_ranks(peers, 'en')}"
    yield from draw_grid(
        Grid(
            title,
            head_labels([own.currency]),
            [grid.columns[n] for n in columns],
            [(label, [cells[n] for n in columns]) for label, cells in grid.rows],
        )
    )
    yield from (PageLine(f"Note: {notice.text}") for notice in list_calendar_notices(peers))


def build_peer_grids(peers: Sequence[Peer], language: Language = "en") -> Iterator[Grid]:
    """Yield the measures as tables that fit a page: one, or that of all companies and that of newer figures."""
    columns = [*_list_columns(peers)]
    if len(columns) <= MAX_COLUMNS:
        yield build_peer_grid(peers, language)
        return
    for is_newer in (False, True):
        if part := [each for each in columns if (each[1] is each[0].newer) == is_newer]:
            grid = build_peer_grid(peers, language, part)
            yield grid._replace(title=say(language, "grid-peers-newer")) if is_newer else grid


def build_peer_grid(
    peers: Sequence[Peer],
    language: Language = "en",
    columns: Sequence[tuple[Peer, Measures]] | None = None,
) -> Grid:
    """Return the measures as a table: a row per measure, a column per company and per newer period."""
    columns = columns or [*_list_columns(peers)]
    currencies = [peer.currency for peer, _ in columns]
    rows = []
    for name in COMPARED:
        units = {each.rows[name].unit for _, each in columns if name in each.rows}
        known = [p for p in peers if name in p.common.losses or name in p.common.rows]
        is_priced = not name.endswith("_growth") and METRICS[name].priced
        is_shared = len(known) > 1 or not (is_priced or _is_of_kinds(name))
        if units and is_shared:
            cells = [_to_cell(name, *column, peers, language) for column in columns]
            at = say(language, "row-on-day") if is_instant(name) else None
            label = name_row(name, units, language, at)
            if name == "share_price" and any(peer.newer for peer in peers):
                label = say(language, "row-newest", row=label)
            rows.append((label, cells))
    heads = [
        say(
            language,
            "column-peer" if each is peer.common else "column-peer-newest",
            company=peer.ticker,
            end=f"{each.end}{name_currency(peer.currency, currencies)}",
        )
        for peer, each in columns
    ]
    title = say(language, "grid-peers", ranks=_explain_ranks(peers, language))
    return Grid(title, head_labels(currencies, language), heads, rows)


def _explain_ranks(peers: Sequence[Peer], language: Language) -> str:
    """Return what the numbers in brackets say: a rank among all, or among those of the same kind."""
    if len({peer.found.kind for peer in peers}) > 1:
        return say(language, "grid-ranks-kind")
    return say(language, "grid-ranks", n=len(peers))


def _is_of_kinds(name: str) -> bool:
    """Return whether only some kinds of business have the metric; then a single company has nothing to compare."""
    return bool(METRICS[name.removesuffix(GROWTH)].kinds)


def _list_columns(peers: Sequence[Peer]) -> Iterator[tuple[Peer, Measures]]:
    for peer in peers:
        yield peer, peer.common
        if peer.newer:
            yield peer, peer.newer


def _to_cell(
    name: str, peer: Peer, measures: Measures, peers: Sequence[Peer], language: Language
) -> Cell:
    """Return a measure with its day, where that is another, and with its company's rank."""
    row = measures.rows.get(name)
    if not applies(name, peer.found.kind):
        return show_state("does_not_apply", language)
    if row is None:
        if name in measures.losses:
            return Cell(note=name_loss(name, language))
        return show_state(_find_state(name, peer, measures), language)
    is_day = row.period == "instant" and (not row.price_day or row.metric == "share_price")
    day = row.end if is_day and row.end != measures.end else ""
    kin = [
        each
        for each in peers
        if each.found.kind == peer.found.kind and not _is_apart(each.common.end, peer.common.end)
    ]
    same = [each.common.rows[name] for each in kin if name in each.common.rows]
    is_ranked = measures is peer.common and _are_comparable(same, kin)
    rank = 1 + sum(other.value > row.value for other in same) if is_ranked else None
    is_other = row.unit.isupper() and row.unit != peer.currency
    more = [row.unit, *([str(rank)] if rank else [])] if is_other else rank
    return Cell(row, note_cell(language, day=day, of=row.of, more=more))


def _find_state(name: str, peer: Peer, measures: Measures) -> GapState | None:
    """Return why a company lacks a measure; for a measure of price that needs debt, why its debt is missing."""
    if METRICS[name.removesuffix(GROWTH)].priced:
        needs_debt = peer.found.valuation and name in OF_DEBT
        return measures.states.get("net_cash") if needs_debt else None
    state = measures.states.get(name)
    is_growth = name.endswith(
        GROWTH
    )  # growth is also missing after a loss, so "not filed" would be wrong
    return None if is_growth and state == "not_filed" else state


def _are_comparable(same: Sequence[FigureRow], peers: Sequence[Peer]) -> bool:
    """Return whether a measure ranks companies: not counts, sizes of two or of several currencies, and what one alone has.

    Prices must be of one day and of the time of the figures.
    """
    is_size = same[0].unit not in UNSCALED
    currencies = {row.unit for row in same}
    if same[0].unit == "shares" or is_per_share(same[0].unit) or len(same) < 2:
        return False
    if is_size and (len(currencies) > 1 or len(peers) < MIN_RANKED):
        return False
    valued = [(e, e.found.valuation) for e in peers if e.found.valuation and same[0].price_day]
    days = {value.price.day for _, value in valued}
    apart = [e for e, value in valued if is_apart(value.price, (e.newer or e.common).end)]
    return len(days) < 2 and not apart


def list_calendar_notices(peers: Sequence[Peer]) -> Iterator[Notice]:
    """Yield notices of how far the periods are apart, and of companies with newer figures than those ranked."""
    days = [parse_day(peer.common.end) for peer in peers]
    if apart := (max(days) - min(days)).days:
        yield Notice.of("peers-calendars", days=apart)
    newer = [(peer.ticker, peer.newer.end) for peer in peers if peer.newer]
    for ticker, end in newer:
        yield Notice.of("peers-newer", ticker=ticker, end=end)
    if newer and sum(bool(peer.found.valuation) for peer in peers) > 1:
        yield Notice.of("peers-multiples")
