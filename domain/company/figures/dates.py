"""Notices on the days of a company's figures, results and price, and on how they fit the run's day."""

from collections.abc import Iterator

from contracts.company.figures import Fundamentals
from contracts.company.valuation import SharePrice
from contracts.notices import Notice, list_once
from domain.company.figures.debt_basis import note_debt_basis
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.filed.periods import DAYS_PER_MONTH
from domain.company.figures.numbers import round_up
from domain.company.figures.unread_results import (
    MAX_AGE_DAYS,
    find_first_due,
    find_unread,
    name_interval,
)

MAX_APART_DAYS = 183
"""Between a price and figures of the same time: two quarters."""
MAX_TODAY_DAYS = 731
"""Figures older than this have no bearing on today, so today's price is not divided by them."""
DAYS_PER_WEEK, MIN_MONTHS = 7, 3
"""Figures younger than these months have their age given in weeks: six of them are not one month."""
MIN_YEARS = 3
"""Figures at least this many years old have their age given in years, newer ones in months."""
BEFORE_DEPRECIATION = (
    "ev_to_operating_income_before_depreciation",
    "interest_coverage_before_depreciation",
)
"""Measures that replace those after depreciation for a property company."""
MAX_PRICE_DAYS = 8
"""A week, and the day itself: markets open at least once in it."""


def date_figures(found: Fundamentals, day: str, *, is_brief: bool = False) -> Notice:
    """Return the notice of the day and age of a company's figures; unless it `is_brief`, of results and price too.

    `day` is the run's day; empty, it is not known.
    """
    price = found.valuation.price if found.valuation and not is_brief else None
    unread = find_unread(found, day)
    is_told = not (
        is_brief or _is_of_its_time(found, day)
    )  # else a run as of a day of that time is advised
    return Notice.of(
        "company-dated",
        company=name_company(found),
        end=found.newest_end,
        filed=found.filed,
        day=day,
        age=_tell_age(found.newest_end, day) if day else None,
        stale=Notice.of(f"company-stale-{name_interval(found)}")
        if day and _is_old(found, day) and not _is_of_its_time(found, day)
        else None,
        results=_expect_results(found, day) if is_told else None,
        unread=unread.told if unread and is_told else None,
        price=date_price(found, price, day) if price else None,
    )


def _expect_results(found: Fundamentals, day: str) -> Notice | None:
    """Return the notice of the day on which the next results are expected; None if it is past or unknown."""
    due = find_first_due(found) if found.next_results else ""
    if due < day or not due:
        return None
    basis = Notice.of("results-lag", "info", n=found.results_lag) if found.results_lag else None
    kind = "year" if found.interval == "year" else found.results_kind
    return Notice.of(
        "company-results" if kind == "results" else f"company-due-{kind}",
        due=due,
        basis=basis or Notice.of("results-year", "info"),
        n=found.results_lag,
    )


def date_price(found: Fundamentals, price: SharePrice, day: str) -> Notice:
    """Return the notice of a company's price: how old it is, and whether its figures are of another time."""
    is_late = bool(found.next_results) and find_first_due(found) < day
    older = _tell_age(found.newest_end, price.day)
    gap = Notice.of("company-price-apart", end=found.newest_end, age=older)
    return Notice.of(
        "company-price",
        price=say_price(price),
        origin=Notice.of(f"price-{price.origin}"),
        day=price.day,
        age=_tell_age(price.day, day) if day and _is_past(price, day) else None,
        today=day,
        gap=gap if is_apart(price, found.newest_end) and not is_late else None,
    )


def say_price(price: SharePrice) -> Notice:
    """Return a share's price with its currency, and that of the depositary share it was divided from."""
    ratio = price.ads_ratio or 1
    values = (price.value, price.value * ratio)
    share, whole = (round_up(value, 2 if value >= 1 else 4) for value in values)
    of = {"whole": whole, "ratio": ratio} if ratio != 1 else {}
    return Notice.of("price", "info", value=share, currency=price.currency, **of)


def is_apart(price: SharePrice, end: str) -> bool:
    """Return whether a price is of another time than the figures to a day."""
    return count_days(end, price.day) > MAX_APART_DAYS


def warn_of_age(found: Fundamentals, today: str) -> list[Notice]:
    """Return a warning for each company with stale figures or a stale price on the run’s day."""
    day = found.as_of or today
    return [date_figures(each, day) for each in found.every if _is_stale(each, day)]


def describe_basis(found: Fundamentals, today: str) -> Iterator[Notice]:
    """Yield notices of the dates of the figures and prices, which a report shows before them.

    For several companies the kinds of business are left to `list_remarks`.
    """
    day = found.as_of or today
    if found.as_of:
        yield Notice.of("company-as-of", day=day)
    yield from (date_figures(each, day) for each in found.every if each.newest_end)
    yield from _note_time(found, day)
    if not found.others:
        yield from filter(None, [explain_kind(found)])
    days = {each.valuation.price.day for each in found.every if each.valuation}
    unknown = [name_company(each) for each in found.every if _has_no_price(each)]
    if days and unknown:
        yield Notice.of("company-prices-missing", companies=unknown)
    if len(days) > 1:
        yield Notice.of("company-prices-apart", days=sorted(days))
    yield from list_once(note for each in found.every for note in each.head_notes)


def _note_time(found: Fundamentals, day: str) -> Iterator[Notice]:
    """Yield the advice to give an `as_of` day, if companies have old figures and the run has no such day."""
    if found.as_of:
        return
    old = [name_company(each) for each in found.every if _is_of_its_time(each, day)]
    if old:
        yield Notice.of("company-of-its-time", companies=old)


def _is_of_its_time(found: Fundamentals, day: str) -> bool:
    """Return whether a company's figures are too old to have a bearing on a day."""
    is_known = bool(found.newest_end and day)
    return is_known and count_days(found.newest_end, day) > MAX_TODAY_DAYS


def list_remarks(found: Fundamentals, *, is_compared: bool) -> Iterator[Notice]:
    """Yield how a company's figures are read: why some are missing or odd, and what its price leaves out.

    Of a company among several it is also its kind.
    """
    if is_compared:
        yield from filter(None, [explain_kind(found)])
    yield from note_debt_basis(found.figures)
    yield from found.notes
    yield from found.valuation.notices if found.valuation else ()


def explain_kind(found: Fundamentals) -> Notice | None:
    """Return the notice on figures that do not apply to this kind of business; None for an industrial company."""
    if found.kind == "industrial":
        return None
    sic = found.company.sic
    by = Notice.of("kind-by-sic", sic=str(sic)) if sic else Notice.of("kind-by-facts")
    kind = found.kind.replace("_", "-")
    more = _name_shown(found) if found.kind == "reit" else {}
    return Notice.of(f"company-kind-{kind}", "info", company=name_company(found), by=by, **more)


def _name_shown(found: Fundamentals) -> dict[str, Notice | list[Notice] | None]:
    """Return which measures before depreciation are shown of a property company, and whether its NOI is."""
    rows = found.valuation.rows if found.valuation else []
    metrics = {row.metric for row in (*found.figures, *rows)}
    before = [say_metric(name) for name in BEFORE_DEPRECIATION if name in metrics]
    noi = "shown" if "net_operating_income" in metrics else "not-filed"
    return {"before": before or None, "noi": Notice.of(f"kind-reit-noi-{noi}", "info")}


def _has_no_price(found: Fundamentals) -> bool:
    """Return whether no price is known: one that was not set against the figures has a note that says why."""
    is_unused = any(note.code == "company-price-unused" for note in found.head_notes)
    return not found.valuation and not is_unused


def name_company(found: Fundamentals) -> str:
    """Return a company's name with its ticker."""
    return f"{found.company.name} ({found.company.ticker})"


def call_company(found: Fundamentals) -> str:
    """Return a company's ticker, or its name if it is known by a number alone."""
    company = found.company
    return company.name if company.ticker == f"CIK{company.cik}" else company.ticker


def _is_stale(found: Fundamentals, day: str) -> bool:
    price = found.valuation.price if found.valuation else None
    is_off = price and (_is_past(price, day) or is_apart(price, found.newest_end))
    return _is_old(found, day) or bool(is_off)


def _is_past(price: SharePrice, day: str) -> bool:
    return count_days(price.day, day) > MAX_PRICE_DAYS


def _is_old(found: Fundamentals, day: str) -> bool:
    most = MAX_AGE_DAYS[found.interval]
    return bool(found.newest_end) and count_days(found.newest_end, day) > most


def count_months(first: str, last: str) -> Notice:
    """Return the number of months between two days, in words."""
    return Notice.of("months", "info", n=round_up(count_days(first, last) / DAYS_PER_MONTH, 0))


def _tell_age(first: str, last: str) -> Notice:
    """Return the weeks between two days, from three months on the months, or from three years on the years."""
    days = count_days(first, last)
    months = days / DAYS_PER_MONTH
    if months < MIN_MONTHS:
        return Notice.of("weeks", "info", n=round_up(days / DAYS_PER_WEEK, 0))
    if months < MIN_YEARS * 12:
        return count_months(first, last)
    return Notice.of("years", "info", n=round_up(months / 12, 0))
