"""Notes on earnings: items that make a period's income unlike that of others."""

from collections.abc import Iterator

from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.invariants import SMALL_EPS
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import is_of_average, say_metric
from domain.company.figures.filed.periods import QUARTERS_A_YEAR
from domain.company.figures.notes.periods import (
    DOMINANT_SHARE,
    UNUSUAL,
    YEARS,
    get_all,
    list_newest,
    name_period,
)
from domain.company.figures.numbers import round_up, say_amount

UNUSUAL_EARNINGS = 1.4
"""Earnings of twelve months are noted if they differ from the last fiscal year's by more than this factor."""
OF_EARNINGS = (
    "net_margin",
    "payout_ratio",
    "return_on_equity",
    "return_on_tangible_equity",
    "price_to_earnings",
)
"""Metrics that a single quarter's unusual earnings make unusual for twelve months."""
ONE_OFFS = {"debt_retired": -1, "goodwill_impairment": 1}
"""Metrics of losses that do not recur, with the sign that a loss is filed with."""
LOANS_ALONE = {
    "FinancingReceivableExcludingAccruedInterestCreditLossExpenseReversal",
    "FinancingReceivableCreditLossExpenseReversal",
    "ProvisionForLoanAndLeaseLosses",
    "ProvisionForLoanLossesExpensed",
}
"""Tags of provisions that leave out those for loans and guarantees that were only promised."""
COVERAGES = ("interest_coverage", "interest_coverage_by_pretax")
"""Interest coverage by operating income, and where that is not filed, by income before tax and interest."""
BESIDE = (
    *COVERAGES,
    "interest_coverage_before_depreciation",
    "efficiency_ratio",
    "combined_ratio",
    "medical_cost_ratio",
    "charge_off_rate",
)
BESIDE_SHARE = 0.08
"""Minimum difference at which covers and ratios of the newest quarter are noted next to twelve months’."""
OTHER_GAINS_TAG = "GainLossOnSaleOfProperties"
"""Tag of gains on sales, of property other than depreciable where a company files another one for that."""
OTHER_INCOME = "other_nonoperating_income"
WITHOUT_GAINS = "pretax_before_investment_gains"
LEAST_YEARS = 3
"""Fiscal years from which on the lowest and the highest of them are noted."""
PAID_MORE = 1.5
"""Interest paid that is more times the expense charged is noted: income from interest may be set off in the latter."""


def note_quarter_beside(accounts: Accounts) -> Iterator[Notice]:
    """Yield the covers and ratios of the newest quarter that differ from those of twelve months, with those of a year before.

    What is a share of an average of the year, such as charge-offs to loans, is set beside at a yearly rate.
    """
    end = accounts.newest_end
    before = accounts.calendar.find_year_before(end)
    parts = list[Notice]()
    for name in (n for n in BESIDE if applies(n, accounts.kind)):
        twelve, now = (accounts.get(length, name, end) for length in ("ttm", "quarter"))
        then = accounts.get("quarter", name, before)
        if not twelve or not now:
            continue
        is_rate = is_of_average(name)
        quarters = QUARTERS_A_YEAR if is_rate else 1
        if abs(quarters * now.value - twelve.value) < BESIDE_SHARE * abs(twelve.value):
            continue
        values = {"now": quarters * now.value, "twelve": twelve.value}
        values |= {"then": quarters * then.value} if then else {}
        told = {key: round_up(each, 2 if is_rate else 1) for key, each in values.items()}
        code = "quarter-beside-yearly" if is_rate else "quarter-beside"
        parts.append(Notice.of(code, "info", metric=say_metric(name), **told))
    if parts:
        yield Notice.of("company-quarter-beside", end=end, parts=parts)


def note_coverage(accounts: Accounts) -> Iterator[Notice]:
    """Yield what interest coverage is by interest paid, and without other non-operating income, where either differs much."""
    for length, end in list_newest(accounts):
        name = next((n for n in COVERAGES if accounts.get(length, n, end)), COVERAGES[0])
        found = get_all(accounts, length, end, name, "interest_expense")
        paid, other, operating = (
            accounts.get(length, n, end)
            for n in ("interest_paid", "other_nonoperating_income", "operating_income")
        )
        if not found or found[1].value <= 0:
            continue
        coverage, expense = (each.value for each in found)
        earned = coverage * expense
        left = (earned - other.value) / expense if other and not operating else coverage
        by_paid = earned / paid.value if paid and paid.value > PAID_MORE * expense else None
        is_odd = abs(left - coverage) > UNUSUAL * abs(coverage)
        if by_paid or is_odd:
            yield Notice.of(
                "company-coverage",
                metric=say_metric(name),
                period=name_period(length, end),
                coverage=round_up(coverage),
                left=round_up(left) if is_odd else None,
                paid=say_amount(paid.value, accounts.currency) if paid and by_paid else None,
                expense=say_amount(expense, accounts.currency) if by_paid else None,
                by_paid=round_up(by_paid) if by_paid else None,
            )


def note_odd_quarter(accounts: Accounts) -> Iterator[Notice]:
    """Yield the quarter that made most of the twelve months' other non-operating income, where that is much of income before tax."""
    end = accounts.newest_end
    whole, pretax = (accounts.get("ttm", n, end) for n in (OTHER_INCOME, "pretax_income"))
    quarters = accounts.calendar.quarters[:QUARTERS_A_YEAR]
    known = [found for day in quarters if (found := accounts.get("quarter", OTHER_INCOME, day))]
    largest = max(known, key=lambda each: abs(each.value), default=None)
    if not (whole and pretax and largest) or abs(whole.value) < UNUSUAL * abs(pretax.value):
        return
    if largest.value * whole.value > 0 and abs(largest.value) > DOMINANT_SHARE * abs(whole.value):
        yield Notice.of(
            "company-odd-quarter",
            end=end,
            whole=say_amount(whole.value, accounts.currency),
            day=largest.end,
            part=say_amount(largest.value, accounts.currency),
        )


def note_provision(accounts: Accounts) -> Iterator[Notice]:
    """Yield that a bank's provision is the one for loans, where that for commitments is filed apart from it."""
    for length, end in list_newest(accounts):
        provision = accounts.get(length, "credit_provision", end)
        apart = accounts.get(length, "commitment_provision", end)
        if provision and apart and apart.value and provision.tag in LOANS_ALONE:
            yield Notice.of(
                "company-provision-loans",
                period=name_period(length, end),
                tag=name_line(provision.tag, accounts.facts),
                amount=say_amount(apart.value, accounts.currency),
                whole=say_amount(provision.value + apart.value, accounts.currency),
            )
            return


def note_earnings(accounts: Accounts) -> Iterator[Notice]:
    """Yield that twelve months earned far more or less than the last fiscal year, and what rests on them."""
    end = accounts.newest_end
    year = next((each for each in accounts.calendar.years if each.end < end), None)
    if not year or year.end != next(iter(accounts.calendar.years)).end:
        return
    now = accounts.get("ttm", "continuing_eps", end)
    then = accounts.get("year", "continuing_eps", year.end)
    if now and then and is_unusual(now.value, then.value):
        names = [name for name in OF_EARNINGS if accounts.get("ttm", name, end)]
        yield Notice.of(
            "company-earnings",
            end=end,
            twelve=round_up(now.value, 2),
            year=round_up(then.value, 2),
            fiscal=f"FY{year.name}",
            metrics=[say_metric(name) for name in names] or None,
        )


def note_earnings_range(accounts: Accounts) -> Iterator[Notice]:
    """Yield the lowest and highest fiscal year of an insurer before gains on investments, next to twelve months."""
    end = accounts.newest_end
    twelve = accounts.get("ttm", WITHOUT_GAINS, end) if end else None
    years = accounts.calendar.years[:YEARS]
    known = {
        f"FY{year.name}": found.value
        for year in years
        if (found := accounts.get("year", WITHOUT_GAINS, year.end))
    }
    if not twelve or len(known) < LEAST_YEARS or twelve.end == years[0].end:
        return
    low, high = (pick(known, key=lambda name: known[name]) for pick in (min, max))
    told = {"twelve": twelve.value, "low": known[low], "high": known[high]}
    yield Notice.of(
        "company-earnings-range",
        end=end,
        first=low,
        last=high,
        **{name: say_amount(value, accounts.currency) for name, value in told.items()},
    )


def is_unusual(twelve: float, year: float) -> bool:
    """Return whether twelve months earned far more or less a share than the last fiscal year, if that had no loss.

    A few cents say little, as they are rounded.
    """
    return year > SMALL_EPS and not 1 / UNUSUAL_EARNINGS <= twelve / year <= UNUSUAL_EARNINGS


def note_property_gains(accounts: Accounts) -> Iterator[Notice]:
    """Yield a notice on the periods for which no gains on sales are filed, so that their FFO may still include some.

    Gains of such a period under the tag that the company uses for other property stay in FFO, and are named.
    """
    lacking, kept = list[Notice](), list[Notice]()
    for length, end in list_newest(accounts):
        gains = (accounts.get(length, name, end) for name in ("property_gains", "disposal_gains"))
        is_ffo = accounts.get(length, "funds_from_operations", end)
        if length == "ttm" or not is_ffo or any(gains):  # twelve months are of the others
            continue
        period = name_period(length, end)
        lacking.append(period)
        other = accounts.read_tag(length, OTHER_GAINS_TAG, end)
        if other and other.value:
            amount = say_amount(other.value, accounts.currency)
            kept.append(Notice.of("amount-in-period", "info", amount=amount, period=period))
    if lacking:
        line = name_line(OTHER_GAINS_TAG, accounts.facts) if kept else None
        yield Notice.of("company-property-gains", periods=lacking, kept=kept or None, line=line)


def note_discontinued_depreciation(accounts: Accounts) -> Iterator[Notice]:
    """Yield that FFO hold discontinued operations' income without the depreciation of these, which is not filed."""
    parts = list[Notice]()
    for length, end in list_newest(accounts):
        names = (
            "whole_depreciation",
            "discontinued_depreciation",
        )  # the former is of all operations
        is_whole = any(accounts.get(length, name, end) for name in names)
        income = accounts.get(length, "discontinued_result", end) or accounts.get(
            length, "discontinued_filed", end
        )
        is_ffo = accounts.get(length, "funds_from_operations", end)
        if length != "ttm" and is_ffo and income and income.value and not is_whole:
            amount = say_amount(income.value, accounts.currency)
            period = name_period(length, end)
            parts.append(Notice.of("amount-in-period", "info", amount=amount, period=period))
    if parts:
        yield Notice.of("company-discontinued-depreciation", parts=parts)


def note_one_offs(accounts: Accounts) -> Iterator[Notice]:
    """Yield losses that do not recur and are a material part of a newest period's net income."""
    for length, end in list_newest(accounts):
        income = accounts.get(length, "net_income", end)
        for name, sign in ONE_OFFS.items():
            found = accounts.get(length, name, end)
            loss = sign * found.value if found else 0.0
            if income and loss > UNUSUAL * abs(income.value):
                yield Notice.of(
                    f"company-{name.replace('_', '-')}",
                    period=name_period(length, end),
                    amount=say_amount(loss, accounts.currency),
                )
