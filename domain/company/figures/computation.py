"""Computing a company's fundamentals from its facts: bounded in size, newest period first."""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from contracts.company.figures import Figure, Fundamentals
from contracts.company.filings import Company
from contracts.evidence.rows import Period
from domain.company.figures.derived_metrics import MARGINS, get_balance, get_flow
from domain.company.figures.filed.accounts import Accounts
from domain.company.figures.filed.facts import FiledFacts
from domain.company.figures.filed.metrics import find_unit
from domain.company.figures.filed.series import Amount
from domain.company.figures.notes import QUARTERS, write_notes

YEARS = 4
MAX_BYTES = 90_000
"""Of the figures as JSON, notes not counted; beyond it the least important are left out."""

_COSTS = (
    *("research_and_development", "sales_and_marketing", "general_and_administrative"),
    "selling_and_administration",
)
"""Between gross profit and operating income."""
_FLOWS = (
    *("revenue", "cost_of_revenue", "gross_profit", "operating_income", "other_income"),
    *("pretax_income", "income_tax", "effective_tax_rate", "net_income"),
    *("diluted_eps", "operating_cash_flow", "income_taxes_paid"),
    *("capital_expenditure", "capitalized_software"),
    *("free_cash_flow", *_COSTS, "stock_compensation", "buybacks", "dividends"),
    "share_tax_withholding",
    *MARGINS,
    *("revenue_growth", "operating_income_growth", "pretax_income_growth", "net_income_growth"),
    *("diluted_eps_growth", "free_cash_flow_growth"),
)
_PER_SHARE = ("fcf_per_share", "diluted_shares", "diluted_shares_growth")
_MAIN_FLOWS = (
    *("revenue", "gross_profit", "operating_income", "net_income", "diluted_eps"),
    "free_cash_flow",
)
_LATEST: dict[Period, tuple[str, ...]] = {
    "ttm": (*_FLOWS, *_PER_SHARE),
    "quarter": (*_FLOWS, "diluted_shares", "dilutive_shares"),
    "year": (*_FLOWS, *_PER_SHARE, "dilutive_shares"),
    "instant": (
        *("cash", "short_term_investments", "long_term_investments", "debt", "net_cash", "equity"),
        *("noncontrolling_interest", "assets", "remaining_performance_obligation"),
        *("remaining_performance_obligation_growth", "deferred_revenue", "deferred_revenue_growth"),
        *("shares_outstanding", "book_value_per_share"),
    ),
}
_EARLIER: dict[Period, tuple[str, ...]] = {
    "quarter": (
        *(*_MAIN_FLOWS, "other_income", "effective_tax_rate", "income_taxes_paid"),
        *(*_COSTS, "stock_compensation"),
        *("revenue_growth", "gross_margin", "operating_margin"),
    ),
    "year": (
        *(*_MAIN_FLOWS, "other_income", "pretax_income", "income_tax", "effective_tax_rate"),
        *(*MARGINS, "operating_cash_flow", "income_taxes_paid", "capital_expenditure"),
        *(
            "capitalized_software",
            *_COSTS,
            "stock_compensation",
            "buybacks",
            "dividends",
            "share_tax_withholding",
            "diluted_shares",
        ),
        *("revenue_growth", "net_income_growth", "diluted_eps_growth", "diluted_shares_growth"),
    ),
    "instant": ("cash", "debt", "net_cash", "equity", "remaining_performance_obligation"),
}
_YEAR_END: tuple[str, ...] = (
    *(f"debt_due_year_{number}" for number in range(1, 6)),
    "debt_due_later",
)
"""When the debt falls due, which annual reports alone tell."""

Entry = tuple[str, Period, Amount]
"""A metric, its kind of period, and its amount."""


def compute_fundamentals(
    company_facts: Mapping[str, Any], company: Company, as_of: str | None = None
) -> Fundamentals:
    """Return a company's fundamentals; without figures it reported none, or none by `as_of`.

    `company_facts` is EDGAR's JSON.
    """
    accounts = Accounts(FiledFacts(company_facts, as_of))
    entries = [*_list_entries(accounts)]
    figures = [_to_figure(accounts, *entry) for entry in entries]
    sizes = accumulate(len(figure.model_dump_json()) + 1 for figure in figures)
    entries = entries[: sum(size <= MAX_BYTES for size in sizes)]
    entries.sort(key=lambda entry: entry[2].end, reverse=True)
    return Fundamentals(
        company=company,
        as_of=as_of,
        filed=max((amount.filed for *_, amount in entries), default=""),
        is_foreign=accounts.is_foreign,
        figures=[_to_figure(accounts, *entry) for entry in entries],
        notes=write_notes(accounts, [(name, amount) for name, _, amount in entries])
        if entries
        else [],
    )


def _list_entries(accounts: Accounts) -> Iterator[Entry]:
    """Yield the amounts to show, most important first."""
    for period, end, names in _list_periods(accounts):
        for name in names:
            amount = (
                get_balance(accounts, name, end)
                if period == "instant"
                else get_flow(accounts, period, name, end)
            )
            if amount:
                yield name, period, amount


def _list_periods(accounts: Accounts) -> Iterator[tuple[Period, str, tuple[str, ...]]]:
    """Yield the periods to show, their last days and their metrics, most important first."""
    years = [year.end for year in accounts.calendar.years[:YEARS]]
    quarters = accounts.calendar.quarters[:QUARTERS]
    latest = (quarters or years)[:1]
    for end in latest:
        yield "ttm", end, _LATEST["ttm"]
        if quarters:
            yield "quarter", end, _LATEST["quarter"]
        yield "instant", end, _LATEST["instant"]
        if (before := accounts.calendar.find_year_before(end)) and before not in years:
            yield "instant", before, _EARLIER["instant"]
    yield from (("year", end, _LATEST["year"]) for end in years[:1])
    yield from (("instant", end, _YEAR_END) for end in years[:1])
    yield from (("year", end, _EARLIER["year"]) for end in years[1:])
    yield from (("quarter", end, _EARLIER["quarter"]) for end in quarters[1:])
    yield from (("instant", end, _EARLIER["instant"]) for end in years if end not in latest)


def _to_figure(accounts: Accounts, name: str, period: Period, amount: Amount) -> Figure:
    calendar = accounts.calendar
    named = period in {"year", "quarter"}
    return Figure(
        metric=name,
        period=period,
        start=amount.start,
        end=amount.end,
        fiscal=calendar.name_period(amount.end, as_year=period == "year") if named else "",
        value=round(amount.value, 4),
        unit=find_unit(name, accounts.currency),
        accessions=list(amount.accessions),
        tag=amount.tag,
        formula=amount.formula,
    )
