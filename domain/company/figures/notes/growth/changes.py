"""The changes of the key figures of the newest periods, on every basis at once."""

from collections.abc import Iterator

from contracts.company.changes import ChangeBasis, ChangedFigure
from contracts.evidence.rows import Period
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.growth import is_from_tiny_base
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import GROWTH, METRICS, find_unit
from domain.company.figures.filed.series import Amount
from domain.company.figures.notes.growth.growth import has_seasons, is_season, list_between
from domain.company.figures.notes.lines.movers import find_moved
from domain.company.figures.notes.periods import list_newest
from domain.company.figures.numbers import round_up

HEADLINES = (
    "revenue",
    "net_interest_income",
    "premiums",
    "funds_from_operations",
    "continuing_ffo",
    "operating_income",
    "pretax_income",
    "net_income",
    "continuing_income",
    "continuing_before_partners",
    "diluted_eps",
    "ffo_per_share",
    "free_cash_flow",
)
"""Metrics of the table of changes; those that do not apply to a company's kind of business are omitted."""


def list_changed(accounts: Accounts) -> Iterator[ChangedFigure]:
    """Yield the key figures of the newest periods with what they are set against, if that is known."""
    for period, end in list_newest(accounts):
        left = {name: moved.rest for name, moved in find_moved(accounts, period, end)}
        for name in HEADLINES:
            now = accounts.get(period, name, end) if applies(name, accounts.kind) else None
            if not now:
                continue
            before = _find_year_before(accounts, period, name, end)
            average = _average_before(accounts, name, now) if period == "quarter" else None
            if before or average:
                yield ChangedFigure(
                    metric=name,
                    period=period,
                    end=end,
                    unit=find_unit(name, accounts.currency),
                    value=round(now.value, 4),
                    year_before=before,
                    quarters_before=average,
                    without_items=left.get(name),
                )


def _find_year_before(
    accounts: Accounts, period: Period, name: str, end: str
) -> ChangeBasis | None:
    """Return the amount of a year before, with the growth that is shown against it."""
    then = accounts.get(period, name, accounts.calendar.find_year_before(end))
    growth = accounts.get(period, name + GROWTH, end)
    change = round_up(growth.value) if growth else None
    return ChangeBasis(end=then.end, value=round(then.value, 4), change=change) if then else None


def _average_before(accounts: Accounts, name: str, now: Amount) -> ChangeBasis | None:
    """Return a sum's average of the three quarters before a quarter, of each or of their filed sum.

    No change is told where growth against the year before is withheld, from a tiny base, and where it is the season's.
    """
    if "share" in METRICS[name].unit:
        return None
    known = list_between(accounts, name, now.end)
    if not known:
        return None
    average, last = sum(known) / len(known), accounts.calendar.find_quarter_before(now.end)
    change = None
    growth = accounts.get("quarter", name + GROWTH, now.end)
    is_turned = growth is not None and growth.value * (now.value - average) < 0
    is_seasonal = is_turned and has_seasons(accounts) and is_season(accounts, name, now.end)
    is_plain = average > 0 and now.value >= 0 and not is_seasonal
    if is_plain and _is_comparable(accounts, name, now, average):
        change = round_up(100 * (now.value / average - 1))
    return ChangeBasis(end=last or now.end, value=round(average, 4), change=change)


def _is_comparable(accounts: Accounts, name: str, now: Amount, average: float) -> bool:
    """Return whether a quarter's growth is not withheld, and its average base is not tiny."""
    revenue = accounts.get("quarter", "revenue", now.end)
    if revenue and is_from_tiny_base(now.value, average, revenue.value):
        return False
    then = accounts.get("quarter", name, accounts.calendar.find_year_before(now.end))
    is_withheld = then and then.value > 0 and not accounts.get("quarter", name + GROWTH, now.end)
    return not (METRICS[name].lumpy or is_withheld)
