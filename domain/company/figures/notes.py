"""Notes for readers of the figures: another currency, restatements, changed tags, missing metrics."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from contracts.company.figures import Fundamentals
from contracts.company.valuation import Peer, SharePrice
from domain.company.figures.derived_metrics import (
    Length,
    compute_net_cash,
    differs_by_week,
    find_unread_debt,
    get_flow,
)
from domain.company.figures.filed.accounts import DAYS_PER_MONTH, Accounts
from domain.company.figures.filed.facts import GAAP, count_days
from domain.company.figures.filed.metrics import METRICS, SPLIT_TAG, humanize
from domain.company.figures.filed.periods import LONG_YEAR_DAYS, QUARTER, shift_day
from domain.company.figures.filed.series import Amount
from domain.company.figures.numbers import find_scale, format_money, format_number

QUARTERS_A_YEAR = 4
QUARTERS = 8
"""Shown, newest first."""
MAX_RESTATED = 6
GROWTH_POINTS = 10.0
"""By how much free cash flow grows otherwise than operating income before a quarter that made it is told."""
MOST = 0.5
"""Of a change, the part that one quarter exceeds which made it."""
UNUSUAL = 0.1
"""Of free cash flow: what moves more than this beside it is told."""
TAX_POINTS = 5.0
"""By how much a tax rate differs from a year before that growth is told before tax, too."""
SPLIT_TOLERANCE = 0.01
"""Of a figure that a split alone has changed: what rounding a cent of earnings per share makes."""
MAX_AGE_DAYS = 183
"""Two quarters; who files in time has a newer one by then."""
QUARTER_DAYS = 91
"""Of thirteen weeks: results come as often."""
MAX_PRICE_DAYS = 8
"""A week, and the day itself: markets open at least once in it."""

NamedAmounts = Sequence[tuple[str, Amount]]
"""Metrics with their amounts."""


def describe_age(found: Fundamentals | Peer, day: str) -> str:
    """Return of when a company's figures are, how old they are on a day, and when newer ones come."""
    told = f"{_name(found)}: figures {describe_dates(found, day)}."
    return f"{told} {describe_next_results(found, day)}".rstrip()


def describe_next_results(found: Fundamentals | Peer, day: str) -> str:
    """Return when the next results come, or since when they and how many more are due; empty if unknown."""
    due = found.next_results
    if not due:
        return ""
    if due >= day:
        return f"Its next results are expected about {due}, 52 weeks after those of a year before."
    further = (count_days(due, day) - 1) // QUARTER_DAYS
    more = {0: "", 1: ", and those of a quarter more"}.get(
        further, f", and those of {further} quarters more"
    )
    following = shift_day(due, (further + 1) * QUARTER_DAYS)
    return (
        f"Results were due about {due}{more}: what was filed since is not among these figures."
        f" The next are due about {following}, by quarters of 13 weeks."
    )


def describe_dates(found: Fundamentals | Peer, day: str) -> str:
    """Return to which day figures are, when they were filed and, where a day is known, how old they are on it."""
    told = f"to {found.newest_end}, filed by {found.filed}"
    if not day:
        return told
    old = ": older than two quarters" if _is_old(found, day) else ""
    return f"{told}, {_count_months(found.newest_end, day)} before {day}{old}"


def describe_company(found: Fundamentals | Peer, day: str) -> str:
    """Return of when a company's figures and its price are, and how both fit the day that a run looks from."""
    told = describe_age(found, day)
    if not found.valuation:
        return told
    price = found.valuation.price
    old = f", {_count_months(price.day, day)} before {day}" if _is_past(price, day) else ""
    is_said = bool(found.next_results) and found.next_results < day
    gap = "" if is_said else describe_gap(price, found.newest_end)
    return f"{told} Its price: {format_price(price)} ({price.origin}, {price.day}){old}{gap}."


def describe_prices(found: Fundamentals) -> Iterator[str]:
    """Yield of whom no price is known beside others, and whether all prices are of one day."""
    days = {each.valuation.price.day for each in found.every if each.valuation}
    unknown = [_name(each) for each in found.every if not each.valuation]
    if days and unknown:
        yield f"No price is known of {', '.join(unknown)}: nothing is valued there."
    if len(days) > 1:
        yield f"The prices are of different days ({', '.join(sorted(days))}): what rests on them does not compare."


def format_price(price: SharePrice) -> str:
    """Return a share's price with its currency, and that of the depositary share it was divided from.

    A price below 1 has four decimals.
    """
    ratio = price.ads_ratio or 1
    share, whole = (
        f"{format_number(value, 2 if value >= 1 else 4)} {price.currency}"
        for value in (price.value, price.value * ratio)
    )
    return share if ratio == 1 else f"{share} ({whole} for an ADS of {ratio:g})"


def describe_gap(price: SharePrice, end: str) -> str:
    """Return how a sentence on a price ends that stands over figures of another time; empty of the same."""
    if count_days(end, price.day) <= MAX_AGE_DAYS:
        return ""
    return f", over figures to {end}, {_count_months(end, price.day)} older: what was filed since is not in them"


def warn_of_age(found: Fundamentals, today: str) -> list[str]:
    """Return of which companies figures or prices are too old for the day that the run looks from."""
    day = found.as_of or today
    return [describe_company(each, day) for each in found.every if _is_stale(each, day)]


def _is_stale(found: Fundamentals | Peer, day: str) -> bool:
    price = found.valuation.price if found.valuation else None
    is_apart = price and (_is_past(price, day) or describe_gap(price, found.newest_end))
    return _is_old(found, day) or bool(is_apart)


def _is_past(price: SharePrice, day: str) -> bool:
    return count_days(price.day, day) > MAX_PRICE_DAYS


def _is_old(found: Fundamentals | Peer, day: str) -> bool:
    return bool(found.newest_end) and count_days(found.newest_end, day) > MAX_AGE_DAYS


def _name(found: Fundamentals | Peer) -> str:
    return f"{found.company.name} ({found.company.ticker})"


def _count_months(first: str, last: str) -> str:
    return f"{format_number(count_days(first, last) / DAYS_PER_MONTH)} months"


def describe_basis(found: Fundamentals, today: str) -> Iterator[str]:
    """Yield what a reader has to know before the figures: of which days they and the prices are."""
    day = found.as_of or today
    if found.as_of:
        yield f"As of {day}: nothing that was filed or published later was read."
    yield from (describe_company(each, day) for each in found.every if each.newest_end)
    yield from describe_prices(found)
    yield from found.head_notes


def write_notes(accounts: Accounts, shown: NamedAmounts) -> list[str]:
    """Return the notes on the figures that are shown."""
    return [
        *_note_accounts(accounts),
        *_note_debt(accounts),
        *_note_gaps(accounts),
        *_note_tax(accounts),
        *_note_quarter(accounts),
        *_note_taxes_paid(accounts),
        *_note_net_cash(accounts),
        *_note_splits(accounts, shown),
        *_note_changed_tags(shown),
        *_note_restatements(accounts, shown),
        *_note_metrics(shown),
    ]


def _note_debt(accounts: Accounts) -> Iterator[str]:
    """Yield that no debt was found although the company owes some, and what is therefore not shown."""
    end = accounts.newest_end
    if sign := find_unread_debt(accounts, end):
        yield (
            f"No debt was found on {end} under the tags that are read, although interest or borrowings are filed"
            f" to {sign.end} ({sign.accession}): net cash, enterprise value and the growth that a price implies are"
            " not shown."
        )


def _note_accounts(accounts: Accounts) -> Iterator[str]:
    if accounts.taxonomy != GAAP:
        yield "The company reports under IFRS, not US GAAP."
    if accounts.currency != "USD":
        yield f"All amounts are in {accounts.currency}, the currency the company reports in."
    if not accounts.calendar.quarters:
        yield "The company files no quarterly figures with EDGAR: the twelve months are its last year."
    calendar = accounts.calendar
    for year in calendar.years[:5]:
        if count_days(year.start, year.end) >= LONG_YEAR_DAYS:
            yield f"FY{year.name} (to {year.end}) had 53 weeks; years before and after had 52."
    for end in (calendar.quarters or [year.end for year in calendar.years])[:1]:
        if differs_by_week(accounts, end):
            yield f"The twelve months to {end} and those before differ by a week, growth includes it."
        cash, share = (
            get_flow(accounts, "ttm", name, end) for name in ("free_cash_flow", "fcf_per_share")
        )
        if cash and not share:
            yield f"Free cash flow per share is not told: no diluted shares are filed of the twelve months to {end}."


def _note_gaps(accounts: Accounts) -> Iterator[str]:
    """Yield the quarters of which nothing, or no revenue, is filed, but for a company that never tells it."""
    ends = accounts.calendar.quarters[:QUARTERS]
    for later, earlier in pairwise(ends):
        if count_days(earlier, later) > QUARTER.stop:
            yield f"Nothing is filed of the quarters between {earlier} and {later}."
    unknown = [end for end in ends if not get_flow(accounts, "quarter", "revenue", end)]
    if 0 < len(unknown) < len(ends):
        yield f"Revenue is not filed of the quarters to {', '.join(unknown)}."


def _note_tax(accounts: Accounts) -> Iterator[str]:
    """Yield where net income grew otherwise than what was earned before tax, as one tax rate was unusual."""
    for length, of, ends in _list_lengths(accounts):
        end = ends[0] if ends else ""
        before = accounts.calendar.find_year_before(end) if end else ""
        rates = _list_tax_rates(accounts, length, (end, before))
        growths = [
            get_flow(accounts, length, f"{name}_growth", end)
            for name in ("net_income", "pretax_income")
            if before
        ]
        if not all((before, *rates, *growths)):
            continue
        now, then, net, pretax = (each.value for each in (*rates, *growths) if each)
        if abs(now - then) >= TAX_POINTS:
            yield (
                f"Growth of net income in the {of} to {end} was {format_number(net, 1)}%, of income before tax"
                f" {format_number(pretax, 1)}%: the tax rate was {format_number(now, 1)}%, and"
                f" {format_number(then, 1)}% a year before."
            )


def _list_tax_rates(accounts: Accounts, length: Length, ends: Sequence[str]) -> list[Amount | None]:
    return [get_flow(accounts, length, "effective_tax_rate", end) for end in ends if end]


def _note_quarter(accounts: Accounts) -> Iterator[str]:
    """Yield where free cash flow grew otherwise than operating income, as one quarter made the growth."""
    for length, of, ends in _list_lengths(accounts):
        end = ends[0] if ends and length != "quarter" else ""
        growths = [
            get_flow(accounts, length, f"{name}_growth", end)
            for name in ("free_cash_flow", "operating_income")
            if end
        ]
        changes = _list_changes(accounts, end)
        whole = sum(changes.values())
        if not all((*growths, whole)):
            continue
        cash, operating = (each.value for each in growths if each)
        day = max(changes, key=lambda day: changes[day] / whole)
        if abs(cash - operating) >= GROWTH_POINTS and changes[day] / whole > MOST:
            scale, word = find_scale(whole)
            parts = " of the ".join(
                format_number(each / scale, 1) for each in (changes[day], whole)
            )
            yield (
                f"Growth of free cash flow in the {of} to {end} was {format_number(cash, 1)}%, of operating income"
                f" {format_number(operating, 1)}%: the quarter to {day} alone brought {parts} {word}{accounts.currency}."
            )


def _note_taxes_paid(accounts: Accounts) -> Iterator[str]:
    """Yield where free cash flow is unusual, as far more or less tax was paid than the period was charged."""
    for length, of, ends in _list_lengths(accounts):
        end = ends[0] if ends and length != "quarter" else ""
        cash, gap = _measure_taxes_paid(accounts, length, end)
        if not cash or abs(gap) < UNUSUAL * abs(cash):
            continue
        way = "above" if gap > 0 else "below"
        told = (
            f"Income taxes paid in the {of} to {end} were {format_money(abs(gap), accounts.currency)} {way} the"
            f" income tax of that time: without the difference, free cash flow would have been"
            f" {format_money(cash + gap, accounts.currency)}"
        )
        year_before = accounts.calendar.find_year_before(end)
        before, gap_before = _measure_taxes_paid(accounts, length, year_before)
        rates = [
            rate.value for rate in _list_tax_rates(accounts, length, (end, year_before)) if rate
        ]
        is_usual = len(rates) == 2 and max(rates) - min(rates) < TAX_POINTS
        if before + gap_before > 0 and is_usual:
            growth = 100 * ((cash + gap) / (before + gap_before) - 1)
            told += f", {format_number(growth, 1)}% on a year before so reckoned"
        yield f"{told}."


def _measure_taxes_paid(accounts: Accounts, length: Length, end: str) -> tuple[float, float]:
    """Return a period's free cash flow, and how much more tax was paid than charged; zeros where unknown."""
    names = ("free_cash_flow", "income_taxes_paid", "income_tax")
    cash, paid, charged = (get_flow(accounts, length, name, end) if end else None for name in names)
    return (cash.value, paid.value - charged.value) if cash and paid and charged else (0.0, 0.0)


def _note_net_cash(accounts: Accounts) -> Iterator[str]:
    """Yield what moved net cash within a year beside free cash flow and what was paid to owners."""
    end = next(iter(accounts.calendar.quarters), "")
    before = accounts.calendar.find_year_before(end) if end else ""
    now, then = (compute_net_cash(accounts, day) if day else None for day in (end, before))
    cash = get_flow(accounts, "ttm", "free_cash_flow", end) if end else None
    if not (now and then and cash):
        return
    paid = [get_flow(accounts, "ttm", name, end) for name in ("buybacks", "dividends")]
    explained = cash.value - sum(amount.value for amount in paid if amount)
    rest = now.value - then.value - explained
    if abs(rest) < UNUSUAL * abs(cash.value):
        return
    change, left, other = (
        format_money(value, accounts.currency)
        for value in (now.value - then.value, explained, rest)
    )
    told = (
        f"Net cash changed by {change} in the year to {end}; free cash flow less buybacks and dividends comes to"
        f" {left}. The other {other} is acquisitions, issued shares, debt's changes in value and the like"
    )
    if withheld := get_flow(accounts, "ttm", "share_tax_withholding", end):
        amount = format_money(withheld.value, accounts.currency)
        told += f", and {amount} of taxes paid for employees' shares, which settle stock compensation in cash"
    yield f"{told}."


def _list_changes(accounts: Accounts, end: str) -> dict[str, float]:
    """Return by how much free cash flow differs from a year before in each of the four quarters to a day."""
    changes: dict[str, float] = {}
    while end and len(changes) < QUARTERS_A_YEAR:
        before = accounts.calendar.find_year_before(end)
        now, then = (
            get_flow(accounts, "quarter", "free_cash_flow", day) if day else None
            for day in (end, before)
        )
        if not now or not then:
            return {}
        changes[end] = now.value - then.value
        end = accounts.calendar.find_quarter_before(end)
    return changes if len(changes) == QUARTERS_A_YEAR else {}


def _list_lengths(accounts: Accounts) -> Iterator[tuple[Length, str, list[str]]]:
    """Yield the kinds of period, each with its name and its last days, newest first; of two that are one the first."""
    quarters, years = accounts.calendar.quarters, [year.end for year in accounts.calendar.years]
    yield "ttm", "twelve months", quarters
    yield "quarter", "quarter", quarters
    yield "year", "fiscal year", years if years[:1] != quarters[:1] else []


def _list_splits(accounts: Accounts, shown: NamedAmounts) -> dict[str, float]:
    """Return the splits of the stock since the first period that is shown: how many for one, by day."""
    first = min((amount.start or amount.end for _, amount in shown), default="")
    splits = accounts.facts.list_facts(GAAP, SPLIT_TAG, "pure")
    return {fact.end: fact.value for fact in splits if fact.end >= first}


def _note_splits(accounts: Accounts, shown: NamedAmounts) -> Iterator[str]:
    for end, ratio in _list_splits(accounts, shown).items():
        yield (
            f"The stock was split {ratio:g} for 1 about {end}: figures per share and numbers of"
            " shares from filings before are of the old shares unless restated since."
        )


def _note_changed_tags(shown: NamedAmounts) -> Iterator[str]:
    last: dict[str, dict[str, str]] = {}
    for name, amount in shown:
        if amount.tag and name != "shares_outstanding":
            by_tag = last.setdefault(name, {})
            by_tag[amount.tag] = max(by_tag.get(amount.tag, ""), amount.end)
    for name, by_tag in last.items():
        if len(by_tag) > 1:
            tags = ", ".join(f"{tag} (to {end})" for tag, end in by_tag.items())
            yield f"The tag of {name.replace('_', ' ')} changed: {tags}."


def _note_restatements(accounts: Accounts, shown: NamedAmounts) -> Iterator[str]:
    """Yield what was restated, but for what a split did to it: that is a note of its own."""
    notes: dict[str, str] = {}
    splits = _list_splits(accounts, shown).values()
    for amount in (part for _, whole in shown for part in _leaves(whole)):
        if amount.restated_from and amount.tag:
            before, accession = amount.restated_from
            small, large = sorted((abs(before), abs(amount.value)))
            if any(abs(large - ratio * small) <= SPLIT_TOLERANCE * large for ratio in splits):
                continue
            period = f"{amount.start} to {amount.end}" if amount.start else amount.end
            notes[f"{amount.tag} {period}"] = (
                f"{amount.tag} ({period}) was restated from {_format(before)} in {accession} to"
                f" {_format(amount.value)} in {amount.accessions[0]}."
            )
    yield from list(notes.values())[:MAX_RESTATED]
    if len(notes) > MAX_RESTATED:
        yield f"{len(notes) - MAX_RESTATED} more values were restated."


def _leaves(amount: Amount) -> Iterator[Amount]:
    if not amount.parts:
        yield amount
    for part in amount.parts:
        yield from _leaves(part)


def _format(value: float) -> str:
    return format_number(value, 0 if value == int(value) else 2)


def _note_metrics(shown: NamedAmounts) -> Iterator[str]:
    if any(name == "diluted_eps" and amount.formula for name, amount in shown):
        yield (
            "Diluted EPS of a computed period adds reported ones up: the number of shares changed"
            " a little in between."
        )
    names = {name for name, _ in shown}
    expected = (name for name, metric in METRICS.items() if metric.expected)
    if missing := [humanize(name) for name in expected if name not in names]:
        yield f"Not found under the tags that are read: {', '.join(missing)}."
