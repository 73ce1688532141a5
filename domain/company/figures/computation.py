"""Computing a company's fundamentals from its facts: bounded in size, newest period first."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any

from contracts.company.figures import Figure, FigureGap, Fundamentals
from contracts.company.filings import Company
from contracts.evidence.rows import Period
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.growth import explain_remainder
from domain.company.figures.accounts.sums import find_bound
from domain.company.figures.filed.kinds import is_asked
from domain.company.figures.filed.metrics import (
    GROWTH,
    METRICS,
    find_unit,
    list_shown,
    list_year_ago,
)
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import (
    NO_AVERAGE,
    NO_TOTAL,
    NOT_FILED,
    Amount,
    Missing,
    find_root,
)
from domain.company.figures.notes.every_note import write_notes
from domain.company.figures.notes.growth.changes import list_changed
from domain.company.figures.notes.growth.past_growth import list_past
from domain.company.figures.notes.periods import QUARTERS, YEARS

MAX_BYTES = 140_000
"""Limit of the figures as JSON without notes; beyond it the least important figures are left out."""


def compute_fundamentals(
    company_facts: Mapping[str, Any], company: Company, as_of: str | None = None, today: str = ""
) -> Fundamentals:
    """Compute a company's fundamentals from EDGAR's `company_facts`.

    The result is empty if the company filed no figures, or none by `as_of`. Facts with a filing date after `today`,
    the run's day, are left out, because that date must be a typing error.
    """
    accounts = Accounts(FiledFacts(company_facts, as_of or today or None), company.sic)
    found, read = list[tuple[Figure, Amount]](), set[tuple[Period, str, str]]()
    for period, end, names in _list_periods(accounts):
        named = period in {"year", "quarter"}
        for name in names:
            if (key := (period, name, end)) in read:
                continue
            read.add(key)
            amount = accounts.find(period, name, end)
            if isinstance(amount, Amount) and not _is_earlier_cover(accounts, amount, end):
                fiscal = accounts.calendar.name_period(amount.end, as_year=period == "year")
                figure = Figure(
                    metric=name,
                    period=period,
                    start=amount.start,
                    end=amount.end,
                    fiscal=fiscal if named else "",
                    value=round(amount.value, 4),
                    unit=find_unit(name, accounts.currency),
                    accessions=list(amount.accessions),
                    tag=amount.tag,
                    formula=amount.formula,
                    of=amount.over,
                    bound=find_bound(name, amount),
                )
                found.append((figure, amount))
    sizes = accumulate(len(figure.model_dump_json()) + 1 for figure, _ in found)
    found = found[: sum(size <= MAX_BYTES for size in sizes)]
    found.sort(key=lambda each: each[0].end, reverse=True)
    shown = [(figure.metric, amount) for figure, amount in found]
    gaps = [*_list_gaps(accounts)] if shown else []
    return Fundamentals(
        company=company,
        as_of=as_of,
        filed=max((amount.filed for _, amount in found), default=""),
        kind=accounts.kind,
        interval=accounts.calendar.interval,
        is_foreign=accounts.is_foreign,
        newest_end=max((each.end for each, _ in found if each.period != "instant"), default=""),
        divided_years=[
            end for end in accounts.list_years(YEARS) if accounts.find_apart("year", end)
        ],
        unlike_remainder=[
            name
            for end in accounts.list_years(1)
            for name in list_shown("newest", "remainder")
            if not name.endswith(GROWTH) and explain_remainder(accounts, name, end)
        ],
        figures=[figure for figure, _ in found],
        changes=[*list_changed(accounts)] if shown else [],
        past=[*list_past(accounts)] if shown else [],
        gaps=gaps,
        notes=write_notes(accounts, shown, gaps) if shown else [],
    )


def _is_earlier_cover(accounts: Accounts, amount: Amount, end: str) -> bool:
    """Return whether an earlier day's number of shares is that of a report's cover, which is of a later day."""
    return amount.end > end and end < accounts.newest_end


def _list_gaps(accounts: Accounts) -> Iterator[FigureGap]:
    """Yield the metrics that every company is asked for and that the newest period of each lacks.

    Of a metric that is not filed in one of them and withheld in another, the latter is the reason.
    """
    gaps = dict[str, FigureGap | None]()
    newest_year = next((year.end for year in accounts.calendar.years), "")
    for period, end, names in _list_periods(accounts):
        for name in names:
            known = gaps.get(name)
            if name.endswith(GROWTH) or (name in gaps and not _is_unfiled(known)):
                continue
            found = accounts.find(period, name, end)
            is_reason = name not in gaps or (end >= newest_year and _has_reason(found))
            if isinstance(found, Missing) and is_reason:
                gaps[name] = FigureGap(metric=name, period=period, end=end, **found._asdict())
            else:
                gaps.setdefault(name, None)
    for name, gap in gaps.items():
        if gap and (is_asked(name, accounts.kind) or _is_own_conflict(gap) or _lacks_claim(gap)):
            yield gap


def _has_reason(found: Amount | Missing) -> bool:
    """Return whether a metric is withheld, or has no mean, rather than not filed."""
    return isinstance(found, Missing) and (
        found.state == "conflicting" or find_root(found.reason).code == "gap-average-apart"
    )


def _is_own_conflict(gap: FigureGap) -> bool:
    """Return whether filings disagree on a metric, rather than on a term of one that exists by its sign alone."""
    metric = METRICS[gap.metric]
    return gap.state == "conflicting" and bool(metric.tags or not metric.positive)


def _lacks_claim(gap: FigureGap) -> bool:
    """Return whether a book value is left out since the claim of others on the equity is not filed."""
    is_unfiled = gap.state == "not_filed" and METRICS[gap.metric].defined
    return is_unfiled and find_root(gap.reason).code not in (
        NOT_FILED.reason.code,
        NO_TOTAL.reason.code,
        NO_AVERAGE,
    )


def _is_unfiled(gap: FigureGap | None) -> bool:
    return gap is not None and gap.state == "not_filed"


def _list_periods(accounts: Accounts) -> Iterator[tuple[Period, str, Iterable[str]]]:
    """Yield the periods to show, their last days and their metrics, most important first."""
    years = [year.end for year in accounts.calendar.years[:YEARS]]
    quarters = accounts.calendar.quarters[:QUARTERS]
    latest = (quarters or years)[:1]
    compared = set[str]()
    for end in latest:
        yield "ttm", end, list_shown("newest", "ttm")
        if accounts.shows_to_date(end):
            yield from _list_to_date(accounts, end)
        if quarters:
            yield "quarter", end, list_shown("newest", "quarter")
        yield "instant", end, list_shown("newest", "instant")
        days = (
            accounts.calendar.find_year_end_before(end),
            accounts.calendar.find_year_before(end),
        )
        compared = {day for day in days if day and day != end}
        known = {*list_shown("earlier", "instant")}
        known |= {name for name in list_year_ago("instant") if accounts.get("instant", name, end)}
        named = [name for name in list_year_ago("instant") if name in known]
        yield from (("instant", day, named) for day in sorted(compared, reverse=True))
    yield from (("year", end, list_shown("newest", "year")) for end in years[:1])
    yield from (("instant", end, list_shown("newest", "year_end")) for end in years[:1])
    yield from (("remainder", end, list_shown("newest", "remainder")) for end in years[:1])
    ago = {accounts.calendar.find_year_before(end) for end in (*latest, *years[:1])}
    kinds: tuple[tuple[Period, list[str]], ...] = (
        ("year", years[1:]),
        ("quarter", quarters[1:]),
        ("instant", [end for end in years if end not in {*latest, *compared}]),
    )
    for period, ends in kinds:
        for end in ends:
            yield (
                period,
                end,
                list_year_ago(period)
                if end in ago and period != "instant"
                else list_shown("earlier", period),
            )


def _list_to_date(accounts: Accounts, end: str) -> Iterator[tuple[Period, str, Iterable[str]]]:
    """Yield the fiscal year to date, and the same a year before."""
    yield "to_date", end, list_shown("newest", "to_date")
    if before := accounts.calendar.find_year_before(end):
        yield "to_date", before, list_shown("newest", "to_date")
