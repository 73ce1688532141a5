"""Notes on how a company files: its currency and intervals, what was restated, changed tags, and what is missing."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from contracts.company.figures import FigureGap, GapState
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.mixed_bases import LEAST_MIXED, find_mixed, name_parts
from domain.company.figures.dates import count_months
from domain.company.figures.filed.facts import GAAP, count_days, parse_day
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import (
    COMMON_INCOME_TAG,
    GROWTH,
    find_tag_kind,
    find_unit,
    list_shown,
    say_metric,
)
from domain.company.figures.filed.periods import (
    DAYS_PER_MONTH,
    LONG_YEAR_DAYS,
    QUARTER,
    QUARTERS_A_YEAR,
    YEAR,
    is_near,
    shift_day,
)
from domain.company.figures.filed.series import (
    Amount,
    Missing,
    find_root,
    has_own_reason,
    list_leaves,
)
from domain.company.figures.notes.periods import (
    QUARTERS,
    get_all,
    list_newest,
    name_period,
)
from domain.company.figures.numbers import round_per_share, round_up, say_amount

MAX_RESTATED = 6
WEEK_DAYS = range(5, 11)
"""Two years' lengths differ by this many days if one has an extra week."""
MIN_TRANSITION_DAYS = 20
"""Between two fiscal years from which on they are not the same year moved by a weekend."""
MATERIAL = 0.02
"""Part of a whole from which on it is noted: of revenue from financial services, of dividends paid in shares."""
TO_DATE = (
    "operating_cash_flow",
    "capital_expenditure",
    "free_cash_flow",
    "dividends",
    "buybacks",
    "acquisitions",
)
"""Flows that a quarterly report states for the fiscal year to date."""
UNLIKE = (
    "gap-unlike",
    "gap-undiluted",
    "gap-rounded",
    "gap-dividend-rates",
    "gap-put-up-for-sale",
    "gap-tiny-base",
    "gap-small-base",
)
"""Reasons for which no growth is shown between two amounts that are."""
NamedAmounts = Sequence[tuple[str, Amount]]
"""Metrics with their amounts."""


def note_accounts(accounts: Accounts) -> Iterator[Notice]:
    """Yield the currency, the odd fiscal years, and what of twelve months a company does not file."""
    if accounts.taxonomy != GAAP:
        yield Notice.of("company-ifrs")
    if accounts.currency != "USD":
        yield Notice.of("company-currency", currency=accounts.currency)
    for currency, end in accounts.given_up.items():
        yield Notice.of(
            "company-currency-given-up", currency=accounts.currency, former=currency, end=end
        )
    yield from _note_interval(accounts)
    for year in accounts.calendar.years[:5]:
        if count_days(year.start, year.end) >= LONG_YEAR_DAYS:
            yield Notice.of("company-long-year", year=f"FY{year.name}", end=year.end)
    yield from _note_transition(accounts)
    end = accounts.newest_end
    ends = (end, accounts.calendar.find_year_before(end) if end else "")
    revenues = [each for day in ends for each in get_all(accounts, "ttm", day, "revenue")]
    days = [count_days(each.start, each.end) for each in revenues]
    if len(days) == 2 and abs(days[0] - days[1]) in WEEK_DAYS:
        yield Notice.of("company-week-differs", end=end)
    is_known = {n: bool(accounts.get("ttm", n, end)) for n in ("free_cash_flow", "fcf_per_share")}
    if is_known["free_cash_flow"] and not is_known["fcf_per_share"]:
        yield Notice.of("company-no-diluted-shares", end=end)
    yield from _note_captive_finance(accounts)
    yield from _note_to_date(accounts)
    debt = accounts.find("instant", "debt", end) if end and applies("debt", accounts.kind) else None
    if isinstance(debt, Missing) and debt.state == "not_filed":
        yield Notice.of("company-debt-unknown", end=end)


def _note_to_date(accounts: Accounts) -> Iterator[Notice]:
    """Yield the flows that the newest report states for the fiscal year to date alone, so that no column has them."""
    if accounts.lacks_twelve_months(accounts.newest_end):
        return  # a column has them
    if found := [*list_to_date(accounts)]:
        told = [
            Notice.of(
                "named-amount",
                "info",
                metric=say_metric(name),
                amount=say_amount(amount.value, accounts.currency),
            )
            for name, amount in found
        ]
        start = min(amount.start for _, amount in found)
        yield Notice.of("company-to-date", start=start, end=accounts.newest_end, amounts=told)


def list_to_date(accounts: Accounts) -> Iterator[tuple[str, Amount]]:
    """Yield the flows of the fiscal year to date that are known of no quarter and no twelve months."""
    end = accounts.newest_end
    for name in (n for n in TO_DATE if end and applies(n, accounts.kind)):
        if not accounts.get("ttm", name, end) and not accounts.get("quarter", name, end):
            to_date = accounts.get_to_date(name, end)
            yield from [(name, to_date)] if to_date else []


def _note_interval(accounts: Accounts) -> Iterator[Notice]:
    """Yield how often the company files if not quarterly, or that it files more than was read."""
    if accounts.calendar.interval == "year":
        yield Notice.of("company-years-only")
    elif accounts.calendar.interval == "half_year":
        yield Notice.of("company-half-years-only")
    elif accounts.calendar.years and not accounts.calendar.quarters:
        newest, day = accounts.calendar.years[0].end, accounts.facts.as_of
        may_be_newer = not day or count_days(newest, day) > 12 / QUARTERS_A_YEAR * DAYS_PER_MONTH
        yield Notice.of("company-years-read", end=newest if may_be_newer else None)


def _note_transition(accounts: Accounts) -> Iterator[Notice]:
    """Yield the transition periods between two fiscal years or after the latest one."""
    years = accounts.calendar.years[:5]
    gaps = [(shift_day(one.end, 1), shift_day(later.start, -1)) for later, one in pairwise(years)]
    newest = years[0].end if years else ""
    gaps += [(t.start, t.end) for t in accounts.calendar.transitions if t.start > newest]
    for start, end in gaps:
        days = (parse_day(end) - parse_day(start)).days + 1
        if MIN_TRANSITION_DAYS <= days < min(YEAR):
            months = Notice.of("months", "info", n=round_up(days / DAYS_PER_MONTH, 0))
            yield Notice.of("company-short-year", start=start, end=end, months=months)


def _note_captive_finance(accounts: Accounts) -> Iterator[Notice]:
    """Yield that an industrial company lends to its customers, where that earns a material part of its revenue."""
    year = accounts.calendar.years[0].end if accounts.calendar.years else ""
    spans: Sequence[tuple[Period, str]] = (("ttm", accounts.newest_end), ("year", year))
    for length, end in spans:
        found = get_all(accounts, length, end, "financial_revenue", "revenue")
        if found and accounts.kind == "industrial" and found[0].value > MATERIAL * found[1].value:
            amounts = [say_amount(each.value, accounts.currency) for each in found]
            yield Notice.of("company-captive-finance", part=amounts[0], whole=amounts[1], end=end)
            return


def note_gaps(accounts: Accounts) -> Iterator[Notice]:
    """Yield notices of missing quarters, and of quarters without revenue if another quarter has it."""
    ends = accounts.calendar.quarters[:QUARTERS]
    is_quarterly = accounts.calendar.interval == "quarter"
    between = {transition.end for transition in accounts.calendar.transitions}
    spans = [
        (earlier, later)
        for later, earlier in pairwise(ends)
        if is_quarterly and later not in between and count_days(earlier, later) > QUARTER.stop
    ]
    if spans:
        told = [_tell_missing(accounts, *span, spans) for span in spans]
        yield Notice.of("company-quarters-missing", spans=told)
    found = {end: accounts.find("quarter", "revenue", end) for end in ends}
    unknown = [
        end
        for end, each in found.items()
        if isinstance(each, Missing) and each.state != "conflicting"
    ]
    if 0 < len(unknown) < len(ends) and (quarters := [e for e in unknown if e not in between]):
        yield Notice.of("company-revenue-missing", days=quarters)


def _tell_missing(
    accounts: Accounts, earlier: str, later: str, spans: Sequence[tuple[str, str]]
) -> Notice:
    """Return two days without quarters between them, and the filed period that holds all of those: a fiscal year, or the months to date."""
    first, newest = shift_day(earlier, 1), accounts.newest_end
    year = next((y for y in accounts.calendar.years if y.start <= first and later <= y.end), None)
    of_year = [span for span in spans if year and year.start <= shift_day(span[0], 1) < year.end]
    start = accounts.calendar.find_to_date_start(newest)
    is_whole = year is not None and is_near(year.start, first) and later == year.end
    is_held = not year and bool(start) and start <= first
    return Notice.of(
        "days-between",
        "info",
        first=earlier,
        last=later,
        whole=year.end if year and is_whole else None,
        year=year.end if year and not is_whole and len(of_year) == 1 else None,
        months=count_months(start, newest) if is_held else None,
        end=newest if is_held else None,
    )


def note_unlike(accounts: Accounts) -> Iterator[Notice]:
    """Yield the growths that are not shown because the two periods' amounts are not composed alike."""
    for length, end in (*list_newest(accounts), ("instant", accounts.newest_end)):
        by_reason: dict[str, tuple[Notice, list[Notice]]] = {}
        names = [n.removesuffix(GROWTH) for n in list_shown("newest", length) if n.endswith(GROWTH)]
        for name in names:
            found = accounts.find(length, name + GROWTH, end)
            if isinstance(found, Missing) and found.reason.code in UNLIKE:
                metrics = by_reason.setdefault(found.reason.key, (found.reason, []))[1]
                metrics.append(say_metric(name))
        for why, metrics in by_reason.values():
            yield Notice.of("company-growth-withheld", metrics=metrics, end=end, why=why)


def note_changed_tags(shown: NamedAmounts) -> Iterator[Notice]:
    """Yield the metrics that are read under one tag of one day and under another of another day."""
    last: dict[str, dict[str, str]] = {}
    for name, amount in shown:
        if amount.tag and name not in ("shares_outstanding", "continuing_eps"):
            by_tag = last.setdefault(name, {})
            by_tag[amount.tag] = max(by_tag.get(amount.tag, ""), amount.end)
    for name, by_tag in last.items():
        if len({*by_tag.values()}) > 1:
            tags = [
                Notice.of("company-tag", "info", tag=name_line(t), end=end)
                for t, end in by_tag.items()
            ]
            yield Notice.of("company-tag-changed", metric=say_metric(name), tags=tags)


def note_restatements(shown: NamedAmounts, currency: str) -> Iterator[Notice]:
    """Yield restatements by period and by their two filings, except those that only reflect a stock split."""
    groups: dict[tuple[str, str, str, str], dict[str, Amount]] = {}
    for amount in (part for _, whole in shown for part in list_leaves(whole)):
        if amount.restated_from and amount.tag:
            key = (amount.start, amount.end, amount.restated_from[1], amount.filed)
            groups.setdefault(key, {})[amount.tag] = amount
    for (start, end, old, new), by_tag in [*groups.items()][:MAX_RESTATED]:
        lines = [_tell_restated(amount, currency) for amount in by_tag.values()]
        yield Notice.of(
            "company-restated",
            start=start or None,
            end=end,
            old=old,
            new=new,
            lines=lines[:MAX_RESTATED],
            more=len(lines[MAX_RESTATED:]) or None,
        )
    if left := [*groups.values()][MAX_RESTATED:]:
        yield Notice.of("company-restated-more", n=sum(map(len, left)))


def _tell_restated(amount: Amount, currency: str) -> Notice:
    """Return a line with the amount that was filed first and the newest one."""
    before, _ = amount.restated_from or (amount.value, "")
    kind = find_tag_kind(amount.tag)
    unit = "shares" if kind == "shares" else currency
    told = [
        Notice.of("amount", "info", value=round_per_share(value), unit=unit)
        if kind == "per_share"
        else say_amount(value, unit)
        for value in (before, amount.value)
    ]
    named = {"tag": name_line(amount.tag), "before": told[0], "now": told[1]}
    return Notice.of("restated-line", "info", **named)


def note_mixed_bases(accounts: Accounts) -> Iterator[Notice]:
    """Yield the sums that mix a restated part with one that was not restated since; they are shown all the same."""
    quarters: list[tuple[Period, str]] = [
        ("quarter", end) for end in accounts.calendar.quarters[1:QUARTERS]
    ]
    parts = list[Notice]()
    for length, end in (*list_newest(accounts), *quarters):
        names = list_shown("newest" if end == accounts.newest_end else "earlier", length)
        for name in (n for n in names if n in accounts.series):
            amount = accounts.get(length, name, end)
            mixed = find_mixed(amount) if amount else None
            if mixed and mixed.share >= LEAST_MIXED:
                told = name_parts(mixed, find_unit(name, accounts.currency))
                period = name_period(length, end)
                named = {"metric": say_metric(name), "period": period}
                parts.append(Notice.of("mixed-part", "info", **named, **told))
    if parts:
        yield Notice.of("company-mixed-basis", parts=parts)


def note_gaps_of_metrics(
    shown: NamedAmounts, gaps: Sequence[FigureGap], to_date: Collection[str]
) -> Iterator[Notice]:
    """Yield the metrics that are not shown, grouped by reason; those not filed come last."""
    if any(name == "diluted_eps" and amount.parts and not amount.over for name, amount in shown):
        yield Notice.of("company-eps-added")
    of_common = {amount.tag for name, amount in shown if name == "net_income"} & {COMMON_INCOME_TAG}
    if of_common:
        yield Notice.of("company-common-income", tag=name_line(COMMON_INCOME_TAG))
    names = {name for name, _ in shown}
    by_reason: dict[tuple[GapState, str], list[FigureGap]] = {}
    for gap in (gap for gap in gaps if gap.metric not in names or gap.state == "conflicting"):
        by_reason.setdefault((gap.state, find_root(gap.reason).key), []).append(gap)
    for (state, _), same in by_reason.items():
        if has_own_reason(state, same[0].reason):
            metrics = [say_metric(gap.metric) for gap in same]
            yield Notice.of(
                f"company-{state.replace('_', '-')}",
                metrics=metrics,
                why=find_root(same[0].reason),
            )
    missing = [
        gap.metric
        for (state, _), same in by_reason.items()
        for gap in same
        if not has_own_reason(state, gap.reason) and gap.metric not in to_date
    ]
    if missing:
        yield Notice.of("company-metrics-missing", metrics=[say_metric(name) for name in missing])
