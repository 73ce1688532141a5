"""Notes for readers of the figures: another currency, restatements, changed tags, missing metrics."""

from collections.abc import Iterator, Sequence

from contracts.evidence.company import Fundamentals, Peer
from domain.fundamentals.derived_metrics import differs_by_week, get_flow
from domain.fundamentals.filed.accounts import DAYS_PER_MONTH, Accounts
from domain.fundamentals.filed.facts import GAAP, count_days
from domain.fundamentals.filed.metrics import SPLIT_TAG, humanize
from domain.fundamentals.filed.periods import LONG_YEAR_DAYS
from domain.fundamentals.filed.series import Amount
from domain.fundamentals.numbers import format_number

MAX_RESTATED = 6
MAX_AGE_DAYS = 183
"""Two quarters; who files in time has a newer one by then."""

_EXPECTED = (
    *("revenue", "gross_profit", "operating_income", "net_income", "diluted_eps"),
    *("operating_cash_flow", "capital_expenditure", "cash", "debt", "equity", "assets"),
    *("pretax_income", "income_tax", "diluted_shares", "fcf_per_share", "shares_outstanding"),
)

NamedAmounts = Sequence[tuple[str, Amount]]
"""Metrics with their amounts."""


def describe_age(found: Fundamentals | Peer, day: str) -> str:
    """Return of when a company's figures are, and how old they are on a day."""
    months = format_number(count_days(found.newest_end, day) / DAYS_PER_MONTH)
    old = ": older than two quarters" if _is_old(found, day) else ""
    return (
        f"{found.company.name} ({found.company.ticker}): figures to {found.newest_end}, filed by"
        f" {found.filed}, {months} months before {day}{old}."
    )


def warn_of_age(found: Fundamentals, today: str) -> list[str]:
    """Return of which companies newer figures should have been filed by the day that the run looks from."""
    day = found.as_of or today
    return [describe_age(each, day) for each in _list_companies(found) if _is_old(each, day)]


def _list_companies(found: Fundamentals) -> list[Fundamentals | Peer]:
    companies: list[Fundamentals | Peer] = [found, *found.peers[1:]]
    return [company for company in companies if company.newest_end]


def _is_old(found: Fundamentals | Peer, day: str) -> bool:
    return count_days(found.newest_end, day) > MAX_AGE_DAYS


def describe_basis(found: Fundamentals, today: str) -> Iterator[str]:
    """Yield what a reader has to know of a report before its figures: their age, and what was left out."""
    day = found.as_of or today
    if found.as_of:
        yield f"As of {day}: nothing that was filed or published later was read."
    yield from (describe_age(each, day) for each in _list_companies(found))
    if others := ", ".join(company.ticker for company in found.companies[1:]):
        yield (
            f"News, guidance, risk factors and parts were read of {found.company.ticker} alone, not of"
            f" {others}."
        )


def write_notes(accounts: Accounts, shown: NamedAmounts) -> list[str]:
    """Return the notes on the figures that are shown."""
    return [
        *_note_accounts(accounts),
        *_note_splits(accounts, shown),
        *_note_changed_tags(shown),
        *_note_restatements(shown),
        *_note_metrics(shown),
    ]


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


def _note_splits(accounts: Accounts, shown: NamedAmounts) -> Iterator[str]:
    first = min((amount.start or amount.end for _, amount in shown), default="")
    splits = accounts.facts.list_facts(GAAP, SPLIT_TAG, "pure")
    for end, ratio in {fact.end: fact.value for fact in splits if fact.end >= first}.items():
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


def _note_restatements(shown: NamedAmounts) -> Iterator[str]:
    notes: dict[str, str] = {}
    for amount in (part for _, whole in shown for part in _leaves(whole)):
        if amount.restated_from and amount.tag:
            before, accession = amount.restated_from
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
    if missing := [humanize(name) for name in _EXPECTED if name not in names]:
        yield f"Not found under the tags that are read: {', '.join(missing)}."
