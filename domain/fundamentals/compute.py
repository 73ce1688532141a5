"""From the facts of a company to its fundamentals: bounded, the newest period first."""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from contracts.evidence.company import Company, Figure, Fundamentals
from domain.fundamentals import ratios
from domain.fundamentals.accounts import Accounts
from domain.fundamentals.facts import Book
from domain.fundamentals.notes import notes
from domain.fundamentals.ratios import Length
from domain.fundamentals.series import Amount

YEARS, QUARTERS = 4, 8
MOST_BYTES = 37_000
"""Of the figures as JSON, notes not counted; past it those that matter least are left out."""

_FLOWS = (
    *("revenue", "cost_of_revenue", "gross_profit", "operating_income", "net_income"),
    *("diluted_eps", "operating_cash_flow", "capital_expenditure", "free_cash_flow"),
)
_IN_BRIEF = (
    *("revenue", "gross_profit", "operating_income", "net_income", "diluted_eps"),
    "free_cash_flow",
)
_GROWTH = ("revenue", "operating_income", "net_income", "diluted_eps", "free_cash_flow")
_BALANCE = ("cash", "short_term_investments", "debt", "equity", "assets", "shares_outstanding")
_BALANCE_IN_BRIEF = ("cash", "debt", "equity", "assets")
_UNITS = {
    "diluted_eps": "{}/shares",
    "book_value_per_share": "{}/shares",
    "fcf_per_share": "{}/shares",
    "diluted_shares": "shares",
    "shares_outstanding": "shares",
}


def fundamentals(
    listed: Mapping[str, Any], company: Company, as_of: str | None = None
) -> tuple[Fundamentals, str]:
    """Return a company's fundamentals, and the day of the newest filing they stand in.

    Without a figure in them the company has told EDGAR none, or none by `as_of`.
    """
    accounts = Accounts(Book(listed, as_of))
    told = [*_told(accounts)]
    told = told[: _that_fit([_figure(accounts, *each) for each in told])]
    told.sort(key=lambda each: each[2].end, reverse=True)
    found = Fundamentals(
        company=company,
        as_of=as_of,
        figures=[_figure(accounts, *each) for each in told],
        notes=notes(accounts, [(name, amount) for name, _, amount in told]) if told else [],
    )
    return found, max((amount.filed for *_, amount in told), default="")


def _that_fit(figures: list[Figure]) -> int:
    """Return how many of the figures, from the first on, stay within the bytes."""
    sizes = accumulate(len(figure.model_dump_json()) + 1 for figure in figures)
    return sum(1 for size in sizes if size <= MOST_BYTES)


Told = tuple[str, str, Amount]
"""A metric, the kind of its period, and the amount."""


def _told(of: Accounts) -> Iterator[Told]:
    """Yield what is shown, what matters most first."""
    years = [year.end for year in of.calendar.years[:YEARS]]
    quarters = of.calendar.quarters[:QUARTERS]
    for end in (quarters or years)[:1]:
        yield from _whole(of, "ttm", end)
        yield from _whole(of, "quarter", end) if quarters else ()
        yield from _balance(of, end, _BALANCE)
    for end in years[:1]:
        yield from _whole(of, "year", end)
    for end in years[1:]:
        yield from _part(of, "year", end)
    for end in quarters[1:]:
        yield from _part(of, "quarter", end)
    for end in years:
        if end not in (quarters or years)[:1]:
            yield from _balance(of, end, _BALANCE_IN_BRIEF)


def _whole(of: Accounts, length: Length, end: str) -> Iterator[Told]:
    for name in _FLOWS:
        yield from _one(name, length, ratios.flow(of, length, name, end))
    for name in ratios.MARGINS:
        yield from _one(name, length, ratios.margin(of, length, name, end))
    for name in _GROWTH:
        yield from _one(f"{name}_growth", length, ratios.growth(of, length, name, end))
    if length != "ttm":
        counted = of.year if length == "year" else of.quarter
        yield from _one("diluted_shares", length, counted("diluted_shares", end))
    if length != "quarter":
        yield from _one("fcf_per_share", length, ratios.fcf_per_share(of, length, end))


def _part(of: Accounts, length: Length, end: str) -> Iterator[Told]:
    for name in _IN_BRIEF:
        yield from _one(name, length, ratios.flow(of, length, name, end))
    if length == "year":
        for name in ratios.MARGINS:
            yield from _one(name, length, ratios.margin(of, length, name, end))
    for name in ("revenue", "net_income", "diluted_eps") if length == "year" else ("revenue",):
        yield from _one(f"{name}_growth", length, ratios.growth(of, length, name, end))


def _balance(of: Accounts, end: str, names: tuple[str, ...]) -> Iterator[Told]:
    for name in names:
        look = {"debt": ratios.debt, "shares_outstanding": Accounts.shares_at}.get(name)
        yield from _one(name, "instant", look(of, end) if look else of.at(name, end))
    if names is _BALANCE:
        yield from _one("book_value_per_share", "instant", ratios.book_value_per_share(of, end))


def _one(name: str, period: str, amount: Amount | None) -> Iterator[Told]:
    if amount:
        yield name, period, amount


def _figure(of: Accounts, name: str, period: str, amount: Amount) -> Figure:
    is_percent = name.endswith(("_margin", "_growth"))
    unit = "percent" if is_percent else _UNITS.get(name, "{}").format(of.currency)
    as_year = period == "year"
    return Figure(
        metric=name,
        period=period,  # type: ignore[arg-type]
        start=amount.start,
        end=amount.end,
        fiscal=""
        if period in {"ttm", "instant"}
        else of.calendar.named(amount.end, as_year=as_year),
        value=round(amount.value, 4),
        unit=unit,
        accessions=list(amount.accessions),
        tag=amount.tag,
        formula=amount.formula,
    )
