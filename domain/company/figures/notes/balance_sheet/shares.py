"""Notes on the number of shares: splits, jumps, and counts that do not fit together."""

from collections.abc import Iterator, Sequence

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.line_names import word_formula
from domain.company.figures.filed.metrics import GROWTH, list_shown, say_metric
from domain.company.figures.filed.splits import SPLIT_RATIO, ShareBasis, name_terms
from domain.company.figures.notes.periods import get_all, list_newest, name_period
from domain.company.figures.numbers import round_up, say_amount

SHARE_POINTS = 0.5
"""Basic shares are noted if they changed by this many points otherwise than diluted ones."""


def note_count_apart(accounts: Accounts) -> Iterator[Notice]:
    """Yield that the newest count of shares is far from the newest diluted shares, where no split or jump is noted."""
    end = accounts.newest_end
    periods: Sequence[Period] = ("quarter", "ttm")
    count = accounts.get("instant", "shares_outstanding", end)
    averages = ((each, accounts.get(each, "diluted_shares", end)) for each in periods)
    found = next(((length, each) for length, each in averages if each), None)
    if not (count and found) or accounts.basis.jumps or accounts.basis.unseen:
        return
    length, diluted = found
    fewer, more = sorted((count.value, diluted.value))
    if more > SPLIT_RATIO * fewer > 0:
        yield Notice.of(
            "company-count-apart",
            count=say_amount(count.value, "shares"),
            end=count.end,
            diluted=say_amount(diluted.value, "shares"),
            period=name_period(length, diluted.end),
        )


def note_splits(basis: ShareBasis, first: str) -> Iterator[Notice]:
    """Yield the splits since a day, those that no number of shares shows, and other jumps of shares."""
    for split in basis.splits:
        if split.filed >= first:
            yield Notice.of("company-split", **name_terms(split.ratio), filed=split.filed)
    for ratio, days in _group_unseen(basis, first).items():
        yield Notice.of("company-split-unseen", **name_terms(ratio), filed=min(days))
    for jump in basis.jumps:
        if jump.after.end >= first:
            counts = [say_amount(each.value, "shares") for each in jump]
            ends = {"first": jump.before.end, "last": jump.after.end}
            yield Notice.of("company-share-jump", before=counts[0], after=counts[1], **ends)


def _group_unseen(basis: ShareBasis, first: str) -> dict[float, list[str]]:
    """Return the days of filings since a day that name a split which shares do not show, by its ratio."""
    unseen: dict[float, list[str]] = {}
    for fact in basis.unseen:
        if fact.end >= first:
            unseen.setdefault(fact.value, []).append(fact.filed)
    return unseen


def note_shares_by_days(accounts: Accounts) -> Iterator[Notice]:
    """Yield which amounts per share of twelve months divide by an average that is weighted by days, and by how many shares."""
    end = accounts.newest_end
    by_count: dict[str, list[Notice]] = {}
    for name in list_shown("newest", "ttm"):
        found = accounts.get("ttm", name, end) if not name.endswith(GROWTH) else None
        if found and found.over:
            by_count.setdefault(found.over, []).append(say_metric(name))
    for shares, metrics in by_count.items():
        count = accounts.get("ttm", shares, end)
        if count and count.parts:
            yield Notice.of(
                "company-shares-by-days",
                "info",
                end=end,
                metrics=metrics,
                shares=Notice.of(f"unit-{shares.replace('_', '-')}", "info"),
                count=say_amount(count.value, "shares"),
            )


def note_implied_count(accounts: Accounts) -> Iterator[Notice]:
    """Yield a notice of the number of shares implied by the dividends, if no number is filed, with the filed value of the shares."""
    year = next(iter(accounts.calendar.years), None)
    count = accounts.get("year", "dividend_shares", year.end) if year else None
    others = accounts.get("year", "float_shares", year.end) if year else None
    if year and count:
        yield Notice.of(
            "company-implied-count",
            year=f"FY{year.name}",
            count=say_amount(count.value, "shares"),
            others=say_amount(others.value, "shares") if others else None,
            how=word_formula(others.formula) if others else None,
        )


def note_basic_shares(accounts: Accounts) -> Iterator[Notice]:
    """Yield how the average of basic shares changed where that of diluted shares changed otherwise."""
    for length, end in list_newest(accounts):
        before = accounts.calendar.find_year_before(end)
        found = [
            get_all(accounts, length, d, "basic_shares", "diluted_shares") for d in (end, before)
        ]
        grown = accounts.get(length, f"diluted_shares{GROWTH}", end)
        if length == "quarter" or not all(found) or not grown:
            continue
        basic, diluted = (
            100 * (now.value / then.value - 1) if then.value else 0.0
            for now, then in zip(*found, strict=True)
        )
        if abs(basic - diluted) >= SHARE_POINTS:
            yield Notice.of(
                "company-basic-shares",
                period=name_period(length, end),
                basic=round_up(basic),
                diluted=round_up(diluted),
            )
        return
