"""What a company did on every base that is filed: growth, or return on equity, of the newest periods and over years."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from contracts.evidence.rows import Period
from contracts.report.price_table import Base, PastRow, PastValue
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.filed_amounts import MATERIAL
from domain.company.figures.accounts.growth import grow
from domain.company.figures.accounts.sums import find_bound
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import GROWTH, METRICS, say_metric
from domain.company.figures.filed.periods import YEAR
from domain.company.figures.filed.series import NOT_FILED, Amount, Missing
from domain.company.figures.notes.periods import list_newest
from domain.company.figures.numbers import round_up

GROWN = tuple(name for name, metric in METRICS.items() if metric.lasting)
"""The metrics for which `list_past` gives growth; for `RETURNS` it gives the value itself."""
RETURNS = ("return_on_tangible_equity", "return_on_equity", "return_on_all_equity")
SPANS: dict[Base, int] = {"years-3": 3, "years-5": 5}
"""Fiscal years of an average: no other first year can be chosen."""
EARLIER: tuple[Base, ...] = ("year-2", "year-3")
"""The fiscal years before the newest one."""
NEWEST: dict[Period, Base] = {"quarter": "quarter", "ttm": "ttm", "year": "year"}


def list_past(accounts: Accounts) -> Iterator[PastRow]:
    """Yield the growths and returns of a company's kind, each on all bases that are known."""
    years, told = _list_unbroken_years(accounts), dict[str, list[PastValue]]()
    for name in (*GROWN, *RETURNS):
        if not applies(name, accounts.kind) or METRICS[name].instead_of in told:
            continue
        is_growth = name in GROWN
        values = [*_list_newest(accounts, name + GROWTH * is_growth)]
        values += _list_earlier(accounts, name + GROWTH * is_growth)
        average = _average_growth if is_growth else _average_return
        for base, count in SPANS.items():
            if found := average(accounts, name, years[: count + is_growth], base, count):
                values.append(found)
        if values and values not in told.values():
            told[name] = values
            yield PastRow(metric=name, name=say_metric(name), is_growth=is_growth, values=values)


def _list_unbroken_years(accounts: Accounts) -> list[str]:
    """Return the ends of the newest fiscal years without a gap, up to one that is of another company's extent.

    Years before a material discontinued operation may hold it, and later ones do not.
    """
    ends = list[str]()
    for year in accounts.calendar.years:
        if ends and count_days(year.end, ends[-1]) - 1 not in YEAR:
            break
        ends.append(year.end)
        if _is_divided(accounts, year.end):
            break
    return ends


def _is_divided(accounts: Accounts, end: str) -> bool:
    """Return whether a fiscal year holds, or gave up, a material part that other years do not have."""
    if accounts.find_discontinued("year", end) or accounts.find_apart("year", end):
        return True
    net, continuing = (accounts.get("year", n, end) for n in ("net_income", "continuing_income"))
    if not (net and continuing and continuing.value):
        return False
    return abs(net.value / continuing.value - 1) > MATERIAL


def _list_newest(accounts: Accounts, name: str) -> Iterator[PastValue]:
    """Yield a growth or return of the newest quarter, twelve months and fiscal year."""
    periods = dict(list_newest(accounts))
    years = [year.end for year in accounts.calendar.years[:1]]
    periods |= {"year": years[0]} if years else {}
    if years and periods.get("ttm") == years[0]:
        del periods["ttm"]
    for period, base in NEWEST.items():
        found = accounts.get(period, name, periods.get(period, ""))
        if found and (name.endswith(GROWTH) or period != "quarter"):
            yield _to_value(accounts, name, base, found)


def _list_earlier(accounts: Accounts, name: str) -> Iterator[PastValue]:
    """Yield a growth or return of the fiscal years before the newest one, up to a gap among them."""
    years = accounts.calendar.years[: 1 + len(EARLIER)]
    for base, (later, year) in zip(EARLIER, pairwise(years), strict=False):
        if count_days(year.end, later.end) - 1 not in YEAR:
            return
        if found := accounts.get("year", name, year.end):
            yield _to_value(accounts, name, base, found)


def _to_value(accounts: Accounts, name: str, base: Base, found: Amount) -> PastValue:
    start = accounts.calendar.find_year_before(found.end) if name.endswith(GROWTH) else ""
    value = round_up(found.value) if start else round(found.value, 2)
    return PastValue(
        base=base, start=start, end=found.end, value=value, bound=find_bound(name, found)
    )


def _average_growth(
    accounts: Accounts, name: str, years: Sequence[str], base: Base, count: int
) -> PastValue | None:
    """Return the average yearly growth over some fiscal years; None where that of one of them is withheld."""
    if len(years) <= count:
        return None
    steps = (accounts.find("year", name + GROWTH, end) for end in years[:-1])
    if any(isinstance(step, Missing) and step.state != NOT_FILED.state for step in steps):
        return None
    whole = grow(accounts, "year", name, years[0], years[-1])
    if isinstance(whole, Missing) or whole.value <= -100:
        return None
    value = 100 * ((1 + whole.value / 100) ** (1 / count) - 1)
    return PastValue(base=base, start=years[-1], end=years[0], value=round_up(value))


def _average_return(
    accounts: Accounts, name: str, years: Sequence[str], base: Base, count: int
) -> PastValue | None:
    """Return the mean of a return of some fiscal years, a bound if one of them is; None unless all are known."""
    found = [accounts.get("year", name, end) for end in years]
    known = [each for each in found if each]
    bounds = {find_bound(name, each) for each in known}
    if len(known) < count or len(bounds - {""}) > 1:
        return None
    value = round(sum(each.value for each in known) / count, 2)
    bound = max(bounds)
    return PastValue(base=base, end=years[0], start=years[-1], value=value, bound=bound)
