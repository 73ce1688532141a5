"""What a reader of the figures must know: another currency, restated, other tags, missing."""

from collections.abc import Iterator, Sequence

from domain.fundamentals import metrics as m
from domain.fundamentals import ratios
from domain.fundamentals.accounts import Accounts
from domain.fundamentals.facts import GAAP, days
from domain.fundamentals.periods import LONG_YEAR_DAYS
from domain.fundamentals.series import Amount

MOST_RESTATED = 6

_EXPECTED = {
    "revenue": "revenue",
    "gross_profit": "gross profit",
    "operating_income": "operating income",
    "net_income": "net income",
    "diluted_eps": "diluted earnings per share",
    "operating_cash_flow": "operating cash flow",
    "capital_expenditure": "capital expenditure",
    "cash": "cash",
    "debt": "debt",
    "equity": "equity",
    "assets": "assets",
    "shares_outstanding": "shares outstanding",
}

Shown = Sequence[tuple[str, Amount]]


def notes(of: Accounts, shown: Shown) -> list[str]:
    """Return the notes to the figures that are shown."""
    parts = [part for name, amount in shown for part in _leaves(name, amount)]
    return [
        *_basis(of),
        *_weeks(of),
        *_splits(of, shown),
        *_tags(shown),
        *_restated(parts),
        *_sums(shown),
        *_missing(shown),
    ]


def _leaves(name: str, amount: Amount) -> Iterator[tuple[str, Amount]]:
    if not amount.parts:
        yield name, amount
    for part in amount.parts:
        yield from _leaves(name, part)


def _basis(of: Accounts) -> Iterator[str]:
    if of.taxonomy != GAAP:
        yield "The company reports under IFRS, not US GAAP."
    if of.currency != "USD":
        yield f"All amounts are in {of.currency}, the currency the company reports in."
    if not of.calendar.quarters:
        yield "The company files no quarterly figures with EDGAR: the twelve months are its last year."


def _weeks(of: Accounts) -> Iterator[str]:
    for year in of.calendar.years[:5]:
        if days(year.start, year.end) >= LONG_YEAR_DAYS:
            yield f"FY{year.name} (to {year.end}) had 53 weeks; years before and after had 52."
    newest = (of.calendar.quarters or [y.end for y in of.calendar.years])[:1]
    for end in newest:
        if ratios.is_longer(of, "ttm", end):
            yield f"The twelve months to {end} and those before differ by a week, growth includes it."


def _splits(of: Accounts, shown: Shown) -> Iterator[str]:
    first = min((amount.start or amount.end for _, amount in shown), default="")
    found = of.book.facts(GAAP, m.SPLIT, "pure")
    for end, ratio in {fact.end: fact.value for fact in found if fact.end >= first}.items():
        yield (
            f"The stock was split {ratio:g} for 1 about {end}: figures per share and numbers of"
            " shares from filings before are of the old shares unless restated since."
        )


def _tags(shown: Shown) -> Iterator[str]:
    ends: dict[str, dict[str, list[str]]] = {}
    for name, amount in shown:
        if amount.tag:
            ends.setdefault(name, {}).setdefault(amount.tag, []).append(amount.end)
    for name, tags in ends.items():
        if len(tags) > 1 and name != "shares_outstanding":
            told = (f"{tag} (to {max(found)})" for tag, found in tags.items())
            yield f"The tag of {name.replace('_', ' ')} changed: {', '.join(told)}."


def _restated(parts: Shown) -> Iterator[str]:
    told: dict[str, str] = {}
    for _, amount in parts:
        if amount.was and amount.tag:
            before, accession = amount.was
            period = f"{amount.start} to {amount.end}" if amount.start else amount.end
            told[f"{amount.tag} {period}"] = (
                f"{amount.tag} ({period}) was restated from {_plain(before)} in {accession} to"
                f" {_plain(amount.value)} in {amount.accessions[0]}."
            )
    found = list(told.values())
    yield from found[:MOST_RESTATED]
    if len(found) > MOST_RESTATED:
        yield f"{len(found) - MOST_RESTATED} more values were restated."


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _sums(shown: Shown) -> Iterator[str]:
    if any(name == "diluted_eps" and amount.formula for name, amount in shown):
        yield (
            "Diluted EPS of a computed period adds reported ones up: the number of shares changed"
            " a little in between."
        )


def _missing(shown: Shown) -> Iterator[str]:
    there = {name for name, _ in shown}
    gone = [told for name, told in _EXPECTED.items() if name not in there]
    if gone:
        yield f"Not to be told from what was filed under the tags that are read: {', '.join(gone)}."
