"""Notices on a company's figures: another currency, restatements, changed tags, missing metrics."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from contracts.company.figures import FigureGap, GapState
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.bridge import list_rests, note_rests
from domain.company.figures.components import note_components
from domain.company.figures.dates import count_months
from domain.company.figures.filed.amounts_by_period import DAYS_PER_MONTH, Accounts
from domain.company.figures.filed.facts import GAAP, count_days, parse_day
from domain.company.figures.filed.invariants import SMALL_EPS
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import (
    COMMON_INCOME_TAG,
    GROWTH,
    list_shown,
    say_metric,
)
from domain.company.figures.filed.periods import (
    LONG_YEAR_DAYS,
    QUARTER,
    YEAR,
    count_quarters,
    shift_day,
)
from domain.company.figures.filed.series import (
    Amount,
    Missing,
    find_root,
    has_own_reason,
    list_leaves,
)
from domain.company.figures.filed.splits import SPLIT_RATIO, ShareBasis, name_terms
from domain.company.figures.movers import (
    explain_revenue,
    note_deals,
    note_held,
    note_movers,
    note_spending,
)
from domain.company.figures.numbers import find_scale, round_up, say_amount

QUARTERS_A_YEAR = 4
YEARS = 4
QUARTERS = 8
"""Shown, newest first."""
MAX_RESTATED = 6
GROWTH_POINTS = 10.0
"""Name the responsible quarter when free cash flow and operating income grow by more points apart than this."""
DOMINANT_SHARE = 0.5
"""A quarter caused a change if it contributed more than this share."""
WEEK_DAYS = range(5, 11)
"""Two years' lengths differ by this many days if one has an extra week."""
MIN_TRANSITION_DAYS = 20
"""Between two fiscal years from which on they are not the same year moved by a weekend."""
UNUSUAL = 0.1
"""A movement is noted if it is at least this share of free cash flow, an acquisition of revenue."""
OUTLIER_POINTS = 5.0
"""A quarter that moves the growth of revenue by this many points, against the three others, is noted."""
DOUBLED = 100.0
"""Growth in percent from which its cause is named, or the lack of one."""
EXPLAINED = ("revenue", "operating_income", "net_income", "continuing_income", "free_cash_flow")
SMALL_BASE = 0.05
"""An income or cash flow below this part of revenue doubles easily."""
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
PREFERENCE_TAG = "PreferredStockLiquidationPreference"
"""How the tags of a liquidation preference begin."""
ALL_DIVIDENDS_TAG = "PaymentsOfDividends"
"""Tag of dividends on shares of every class."""
LOANS_ALONE = {
    "FinancingReceivableExcludingAccruedInterestCreditLossExpenseReversal",
    "FinancingReceivableCreditLossExpenseReversal",
    "ProvisionForLoanAndLeaseLosses",
    "ProvisionForLoanLossesExpensed",
}
"""Tags of provisions that leave out those for loans and guarantees that were only promised."""
IN_SEQUENCE = ("credit_provision", "net_charge_offs", "interest_expense")
"""Costs whose turn a quarter before says more than growth on a year before: they do not move with the seasons."""
TURNED_POINTS = 2.0
"""Percent by which such a cost must change, on the quarter and on the year before, to be noted."""
RECURRING, RECURRING_SHARE = 2, 0.5
"""A difference recurs if it had at least this share of its size, with the same sign, in each of so many years before."""
TAX_POINTS = 5.0
"""Growth before tax is noted where the tax rate differs from a year before by this many points."""

OTHER_INCOME = "other_nonoperating_income"
PAID_MORE = 1.5
"""Interest paid that is more times the expense charged is noted: income from interest may be set off in the latter."""
PAIR = ("now", "a year before")

UNLIKE = ("gap-unlike", "gap-undiluted", "gap-rounded")
"""Reasons for which no growth is shown between two amounts that are."""

NamedAmounts = Sequence[tuple[str, Amount]]
"""Metrics with their amounts."""


def write_notes(accounts: Accounts, shown: NamedAmounts, gaps: Sequence[FigureGap]) -> list[Notice]:
    """Return the notes on the figures that are shown, and on those that are not."""
    first = min((amount.start or amount.end for _, amount in shown), default="")
    rests = list_rests(accounts, [*_list_newest(accounts)])
    return [
        *_note_accounts(accounts),
        *_note_gaps(accounts),
        *(note for period in _list_newest(accounts) for note in _note_period(accounts, *period)),
        *_note_whole_flows(accounts),
        *_note_interest_paid(accounts),
        *_note_coverage(accounts),
        *_note_odd_quarter(accounts),
        *_note_first_dividend(accounts),
        *_note_provision(accounts),
        *_note_sequence(accounts),
        *_note_earnings(accounts),
        *_note_tangible_book(accounts),
        *_note_unlike(accounts),
        *_note_secured_debt(accounts),
        *_note_equity(accounts),
        *_note_preference(accounts),
        *_note_dividends(accounts),
        *_note_cash_dividends(accounts),
        *_note_minority_dividends(accounts),
        *note_components(accounts, [*_list_newest(accounts)], name_period),
        *note_deals(accounts),
        *note_spending(accounts),
        *_note_property_gains(accounts),
        *_note_one_offs(accounts),
        *note_rests(accounts, rests, name_period),
        *note_held(
            accounts,
            _list_spans(accounts),
            name_period,
            {span: (each.bridge.rest, bool(each.facts)) for span, each in rests.items()},
        ),
        *_note_preferred_charge(accounts),
        *_note_dividend_cover(accounts),
        *_note_debt_range(accounts),
        *_note_implied_count(accounts),
        *_note_holdings(accounts),
        *_note_net_cash(accounts),
        *_note_splits(accounts.basis, first),
        *_note_count_apart(accounts),
        *_note_changed_tags(shown),
        *_note_restatements(shown),
        *_note_gaps_of_metrics(shown, gaps, {name for name, _ in _list_to_date(accounts)}),
    ]


def _note_accounts(accounts: Accounts) -> Iterator[Notice]:
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
    revenues = [each for day in ends for each in _get_all(accounts, "ttm", day, "revenue")]
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
    if found := [*_list_to_date(accounts)]:
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


def _list_to_date(accounts: Accounts) -> Iterator[tuple[str, Amount]]:
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
        yield Notice.of("company-years-read")


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
        found = _get_all(accounts, length, end, "financial_revenue", "revenue")
        if found and accounts.kind == "industrial" and found[0].value > MATERIAL * found[1].value:
            amounts = [say_amount(each.value, accounts.currency) for each in found]
            yield Notice.of("company-captive-finance", part=amounts[0], whole=amounts[1], end=end)
            return


def _note_count_apart(accounts: Accounts) -> Iterator[Notice]:
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


def _note_splits(basis: ShareBasis, first: str) -> Iterator[Notice]:
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


def _note_gaps(accounts: Accounts) -> Iterator[Notice]:
    """Yield notices of missing quarters, and of quarters without revenue if another quarter has it."""
    ends = accounts.calendar.quarters[:QUARTERS]
    is_quarterly = accounts.calendar.interval == "quarter"
    between = {transition.end for transition in accounts.calendar.transitions}
    spans = [
        Notice.of("days-between", "info", first=earlier, last=later)
        for later, earlier in pairwise(ends)
        if is_quarterly and later not in between and count_days(earlier, later) > QUARTER.stop
    ]
    if spans:
        newest = ends[0]
        start = accounts.calendar.find_to_date_start(newest)
        is_held = bool(start) and accounts.lacks_twelve_months(newest)
        months = count_months(start, newest) if is_held else None
        year = _find_remainder_year(accounts)
        told = {"spans": spans, "months": months, "end": newest, "year": year or None}
        yield Notice.of("company-quarters-missing", **told)
    unknown = [end for end in ends if not accounts.get("quarter", "revenue", end)]
    if 0 < len(unknown) < len(ends) and (quarters := [e for e in unknown if e not in between]):
        yield Notice.of("company-revenue-missing", days=quarters)


def _find_remainder_year(accounts: Accounts) -> str:
    """Return the end of the newest fiscal year, if what its filed quarters leave of it is several quarters in sum."""
    end = next((year.end for year in accounts.calendar.years), "")
    return end if end and accounts.calendar.find_remainder_start(end) else ""


def _note_sequence(accounts: Accounts) -> Iterator[Notice]:
    """Yield costs that moved one way on a year before, and the other on the quarters just before the newest."""
    end = accounts.newest_end
    for name in (n for n in IN_SEQUENCE if applies(n, accounts.kind)):
        growth = accounts.get("quarter", name + GROWTH, end)
        now, earlier = accounts.get("quarter", name, end), _find_average(accounts, name, end)
        if not growth or not now or not earlier:
            continue
        average, last, quarters = earlier
        change = 100 * (now.value / average - 1) if average > 0 else 0.0
        if min(abs(change), abs(growth.value)) >= TURNED_POINTS and change * growth.value < 0:
            yield Notice.of(
                "company-turned",
                metric=say_metric(name),
                period=name_period("quarter", end),
                growth=round_up(growth.value),
                change=round_up(change),
                n=quarters,
                end=last,
                average=say_amount(average, accounts.currency),
            )


def _find_average(accounts: Accounts, name: str, end: str) -> tuple[float, str, int] | None:
    """Return a metric of the quarter before, or of the quarters before on average, with their last day and number."""
    before = accounts.calendar.find_quarter_before(end)
    if before and (found := accounts.get("quarter", name, before)):
        return found.value, before, 1
    year = _find_remainder_year(accounts)
    rest = accounts.get("remainder", name, year) if year and year == before else None
    if not rest:
        return None
    quarters = count_quarters(rest.start, rest.end)
    return rest.value / quarters, year, quarters


def _note_period(accounts: Accounts, length: Period, end: str) -> Iterator[Notice]:
    """Yield what makes the growth or the cash flow of a newest period unlike that of others."""
    period = name_period(length, end)
    excess = accounts.get(length, "property_excess", end)
    if excess:
        amount = say_amount(excess.parts[0].value, accounts.currency)
        yield Notice.of("company-property", period=period, amount=amount)
    gain = accounts.get(length, "revaluation_gain", end)
    if gain and gain.value and accounts.get(length, "operating_income", end):
        amount = say_amount(gain.value, accounts.currency)
        yield Notice.of("company-revaluation", period=period, amount=amount)
    yield from _note_discontinued(accounts, length, end, period)
    yield from _note_growth(accounts, length, end, period)
    yield from note_movers(accounts, length, end, period)
    yield from _note_tax(accounts, length, end, period)
    if length == "ttm":
        yield from _note_outlier(accounts, end)
    if length != "quarter":
        yield from _note_quarter(accounts, length, end, period)
        yield from _note_taxes_paid(accounts, length, end, period)


def _note_discontinued(
    accounts: Accounts, length: Period, end: str, period: Notice
) -> Iterator[Notice]:
    """Yield discontinued operations that are material in a period, or in the one a year before."""
    for day in (end, accounts.calendar.find_year_before(end)):
        if part := accounts.find_discontinued(length, day):
            of = period if day == end else name_period(length, day)
            amount = say_amount(part.value, accounts.currency)
            yield Notice.of("company-discontinued", period=of, amount=amount)


def _note_whole_flows(accounts: Accounts) -> Iterator[Notice]:
    """Yield a notice on the periods whose cash flows include discontinued operations while their revenue does not."""
    spans: list[tuple[Period, str]] = [("ttm", accounts.newest_end)]
    spans += [("year", year.end) for year in accounts.calendar.years[:YEARS]]
    periods = [
        Notice.of("apart", "info", period=name_period(length, end), part=part)
        for length, end in spans
        if accounts.get(length, "free_cash_flow", end)
        and (part := accounts.find_apart(length, end))
    ]
    if periods:
        yield Notice.of("company-flows-whole", periods=periods)


def _note_coverage(accounts: Accounts) -> Iterator[Notice]:
    """Yield what interest coverage is by interest paid, and without other non-operating income, where either differs much."""
    for length, end in _list_newest(accounts):
        names = ("interest_coverage", "interest_expense")
        found = _get_all(accounts, length, end, *names)
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
                period=name_period(length, end),
                coverage=round_up(coverage),
                left=round_up(left) if is_odd else None,
                paid=say_amount(paid.value, accounts.currency) if paid and by_paid else None,
                expense=say_amount(expense, accounts.currency) if by_paid else None,
                by_paid=round_up(by_paid) if by_paid else None,
            )


def _note_first_dividend(accounts: Accounts) -> Iterator[Notice]:
    """Yield that a dividend began in the newest fiscal year, so that its amount may be of a part of a year."""
    ends = accounts.list_years(2)
    paid = [accounts.get("year", "dividends", end) for end in ends]
    if len(paid) == len(PAIR) and paid[0] and paid[1] and paid[0].value > 0 == paid[1].value:
        yield Notice.of(
            "company-first-dividend",
            end=ends[0],
            amount=say_amount(paid[0].value, accounts.currency),
            before=ends[1],
        )


def _note_odd_quarter(accounts: Accounts) -> Iterator[Notice]:
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


def _note_provision(accounts: Accounts) -> Iterator[Notice]:
    """Yield that a bank's provision is the one for loans, where that for commitments is filed apart from it."""
    for length, end in _list_newest(accounts):
        provision = accounts.get(length, "credit_provision", end)
        apart = accounts.get(length, "commitment_provision", end)
        if provision and apart and apart.value and provision.tag in LOANS_ALONE:
            yield Notice.of(
                "company-provision-loans",
                period=name_period(length, end),
                tag=provision.tag,
                amount=say_amount(apart.value, accounts.currency),
                whole=say_amount(provision.value + apart.value, accounts.currency),
            )
            return


def _note_interest_paid(accounts: Accounts) -> Iterator[Notice]:
    """Yield that operating cash flow is, or may be, before material interest: IFRS allows it among financing."""
    for length, end in _list_newest(accounts) if accounts.taxonomy != GAAP else ():
        cash, operating, financed, charged, costs = (
            accounts.get(length, name, end)
            for name in (
                "operating_cash_flow",
                "interest_paid_operating",
                "interest_paid_financing",
                "debt_interest",
                "finance_costs",
            )
        )
        interest = financed or charged or costs
        if not cash or operating or not interest:
            continue
        if interest.value > UNUSUAL * abs(cash.value):
            yield Notice.of(
                f"company-interest-{'financed' if financed else 'unplaced'}",
                period=name_period(length, end),
                amount=say_amount(interest.value, accounts.currency),
            )
            return


def _note_earnings(accounts: Accounts) -> Iterator[Notice]:
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


def is_unusual(twelve: float, year: float) -> bool:
    """Return whether twelve months earned far more or less a share than the last fiscal year, if that had no loss.

    A few cents say little, as they are rounded.
    """
    return year > SMALL_EPS and not 1 / UNUSUAL_EARNINGS <= twelve / year <= UNUSUAL_EARNINGS


def _note_growth(accounts: Accounts, length: Period, end: str, period: Notice) -> Iterator[Notice]:
    """Yield growth above 100 % with the filed fact that explains it, or the notice that none does."""
    before = accounts.calendar.find_year_before(end)
    for name in EXPLAINED:
        growth = accounts.get(length, name + GROWTH, end)
        then, revenue = (accounts.get(length, n, before) for n in (name, "revenue"))
        if not growth or growth.value <= DOUBLED or not then:
            continue
        bought = _find_acquired(accounts, length, end)
        if revenue and name != "revenue" and then.value < SMALL_BASE * revenue.value:
            base = say_amount(then.value, accounts.currency)
            why = Notice.of("growth-small-base", "info", amount=base)
        elif revenue and bought > UNUSUAL * revenue.value:
            paid = say_amount(bought, accounts.currency)
            why = Notice.of("growth-acquisitions", "info", amount=paid)
        else:
            found = explain_revenue(accounts, length, end) if name == "revenue" else None
            why = found or Notice.of("growth-unexplained", "info")
        percent, metric = round_up(growth.value, 0), say_metric(name)
        yield Notice.of("company-growth", period=period, metric=metric, growth=percent, why=why)
        if name == "revenue":  # the others grow with it
            return


def _find_acquired(accounts: Accounts, length: Period, end: str) -> float:
    """Return what acquisitions of a period cost in cash, or in shares in it or the year before it."""
    before = accounts.calendar.find_year_before(end)
    paid = [accounts.get(length, "acquisitions", end)]
    paid += [accounts.get(length, "acquired_for_shares", day) for day in (end, before)]
    return max((each.value for each in paid if each), default=0.0)


def name_period(length: Period, end: str) -> Notice:
    """Return a period's name, with its last day."""
    return Notice.of(f"period-{length.replace('_', '-')}", "info", end=end)


def _note_tax(accounts: Accounts, length: Period, end: str, period: Notice) -> Iterator[Notice]:
    """Yield where net income grew unlike income before tax, as one tax rate was unusual."""
    growths = _get_all(accounts, length, end, "net_income_growth", "pretax_income_growth")
    ends = (end, accounts.calendar.find_year_before(end))
    rates = [r.value for e in ends for r in _get_all(accounts, length, e, "effective_tax_rate")]
    taxes = [t.value for e in ends for t in _get_all(accounts, length, e, "income_tax")]
    if growths and len(taxes) == 2 and min(taxes) < 0:  # a benefit has no rate
        net, pretax = (round_up(growth.value) for growth in growths)
        tax, before_tax = (say_amount(each, accounts.currency) for each in taxes)
        told = {"net": net, "pretax": pretax}
        yield Notice.of("company-tax-benefit", period=period, tax=tax, before=before_tax, **told)
    elif growths and len(rates) == 2 and abs(rates[0] - rates[1]) >= TAX_POINTS:
        net, pretax = (round_up(growth.value) for growth in growths)
        rate, before = map(round_up, rates)
        told = {"net": net, "pretax": pretax, "rate": rate, "before": before}
        yield Notice.of("company-tax-rate", period=period, **told)


def _note_quarter(accounts: Accounts, length: Period, end: str, period: Notice) -> Iterator[Notice]:
    """Yield where free cash flow grew unlike operating income, as one quarter made the growth."""
    growths = _get_all(accounts, length, end, "free_cash_flow_growth", "operating_income_growth")
    changes = _list_changes(accounts, end, "free_cash_flow")
    whole = sum(changes.values())
    if not growths or not whole:
        return
    cash, operating = (each.value for each in growths)
    day = max(changes, key=lambda day: changes[day] / whole)
    if abs(cash - operating) >= GROWTH_POINTS and changes[day] / whole > DOMINANT_SHARE:
        yield Notice.of(
            "company-one-quarter",
            period=period,
            cash=round_up(cash),
            operating=round_up(operating),
            day=day,
            part=round_up(changes[day] / find_scale(whole)[0]),
            whole=say_amount(whole, accounts.currency),
        )


def _note_outlier(accounts: Accounts, end: str) -> Iterator[Notice]:
    """Yield where one quarter moved revenue the other way than the three others, and growth by many points."""
    changes = _list_changes(accounts, end, "revenue")
    growth = accounts.get("ttm", "revenue" + GROWTH, end)
    if not growth or not changes:
        return
    ups = [day for day, change in changes.items() if change > 0]
    downs = [day for day, change in changes.items() if change < 0]
    odd = [*([ups[0]] if len(ups) == 1 else ()), *([downs[0]] if len(downs) == 1 else ())]
    if len(odd) != 1 or len(ups) + len(downs) != QUARTERS_A_YEAR:
        return
    whole, _ = growth.parts  # the twelve months of the year before
    days = (odd[0], accounts.calendar.find_year_before(odd[0]))
    now, then = (accounts.get("quarter", "revenue", day) for day in days)
    if not now or not then or whole.value <= then.value:
        return
    rest = 100 * (sum(changes.values()) - changes[odd[0]]) / (whole.value - then.value)
    if abs(rest - growth.value) >= OUTLIER_POINTS:
        yield Notice.of(
            "company-outlier-quarter",
            end=end,
            growth=round_up(growth.value),
            rest=round_up(rest),
            day=odd[0],
            now=say_amount(now.value, accounts.currency),
            then=say_amount(then.value, accounts.currency),
        )


def _note_taxes_paid(
    accounts: Accounts, length: Period, end: str, period: Notice
) -> Iterator[Notice]:
    """Yield where free cash flow is unusual, as far more or less tax was paid than the period was charged.

    The tax charged is the current one, where it is filed: deferred tax takes no cash.
    """
    found = _read_taxes(accounts, length, end)
    then = _read_taxes(accounts, length, accounts.calendar.find_year_before(end))
    if not found:
        return
    left, before = found.cash + found.gap, then.cash + then.gap if then else 0.0
    growths = (
        [100 * (left / before - 1), 100 * (found.cash / then.cash - 1)]
        if then and min(before, then.cash, left, found.cash) > 0
        else []
    )
    is_apart = bool(growths) and abs(growths[0] - growths[1]) >= GROWTH_POINTS
    if not is_apart and abs(found.gap) < UNUSUAL * abs(found.cash):
        return
    years = _list_alike_gaps(accounts, end, found.gap)
    rest, growth = [round_up(each) for each in growths] or (None, None)
    yield Notice.of(
        f"company-taxes-{'above' if found.gap > 0 else 'below'}",
        period=period,
        gap=say_amount(abs(found.gap), accounts.currency),
        charged=Notice.of("tax-current" if found.is_current else "tax-charged", "info"),
        refund=say_amount(-found.paid, accounts.currency) if found.paid < 0 else None,
        cash=None if years else say_amount(left, accounts.currency),
        rest=None if years else rest,
        growth=None if years else growth,
        years=years or None,
    )


class Taxes(NamedTuple):
    """A period's free cash flow, the tax that was paid, and by how much that exceeds the tax charged."""

    cash: float
    paid: float
    gap: float
    is_current: bool


def _read_taxes(accounts: Accounts, length: Period, end: str) -> Taxes | None:
    """Return what is known of a period's taxes paid and charged; None without one of them."""
    cash, paid, current, tax = (
        accounts.get(length, name, end)
        for name in ("free_cash_flow", "income_taxes_paid", "current_tax", "income_tax")
    )
    charged = current or tax
    if not cash or not paid or not charged:
        return None
    return Taxes(cash.value, paid.value, paid.value - charged.value, current is not None)


def _list_alike_gaps(accounts: Accounts, end: str, gap: float) -> list[Notice]:
    """Return by how much taxes paid differed from the tax charged in earlier years, where it was so again and again."""
    years = [year.end for year in accounts.calendar.years if year.end < end][:RECURRING]
    gaps = [taxes.gap for e in years if (taxes := _read_taxes(accounts, "year", e))]
    if len(gaps) < RECURRING or any(each * gap < (RECURRING_SHARE * gap) * gap for each in gaps):
        return []
    return [
        Notice.of(
            "apart",
            "info",
            period=accounts.calendar.name_period(year, as_year=True),
            part=say_amount(abs(each), accounts.currency),
        )
        for year, each in zip(years, gaps, strict=True)
    ]


def _note_tangible_book(accounts: Accounts) -> Iterator[Notice]:
    """Yield that tangible book value leaves other intangible assets in, and what they were at the last year's end."""
    end = accounts.newest_end
    is_left = not accounts.get("instant", "other_intangibles", end)
    if is_left and accounts.get("instant", "tangible_book", end):
        year = next((each.end for each in accounts.calendar.years if each.end < end), "")
        then = accounts.get("instant", "other_intangibles", year)
        told = say_amount(then.value, accounts.currency) if then else None
        day = year if then else None
        yield Notice.of("company-tangible-book", end=end, amount=told, day=day)


def _note_unlike(accounts: Accounts) -> Iterator[Notice]:
    """Yield the growths that are not shown because the two periods' amounts are not composed alike."""
    for length, end in (*_list_newest(accounts), ("instant", accounts.newest_end)):
        by_reason: dict[str, tuple[Notice, list[Notice]]] = {}
        names = [n.removesuffix(GROWTH) for n in list_shown("newest", length) if n.endswith(GROWTH)]
        for name in names:
            found = accounts.find(length, name + GROWTH, end)
            if isinstance(found, Missing) and found.reason.code in UNLIKE:
                metrics = by_reason.setdefault(found.reason.text, (found.reason, []))[1]
                metrics.append(say_metric(name))
        for why, metrics in by_reason.values():
            yield Notice.of("company-growth-withheld", metrics=metrics, end=end, why=why)


def _note_secured_debt(accounts: Accounts) -> Iterator[Notice]:
    """Yield that an insurer's secured debt is a line of its own, where long-term debt is filed too."""
    end = accounts.newest_end
    found = _get_all(accounts, "instant", end, "insurer_long_term_debt", "insurer_secured_debt")
    if found:
        amount, secured = (say_amount(each.value, accounts.currency) for each in found)
        yield Notice.of("company-secured-debt", end=end, amount=amount, secured=secured)


def _note_equity(accounts: Accounts) -> Iterator[Notice]:
    """Yield that most of a fiscal year's change of equity is of other comprehensive income, as prices of bonds make it."""
    ends = [year.end for year in accounts.calendar.years[:2]]
    names = ("equity", "accumulated_other_income")
    found = [_get_all(accounts, "instant", end, *names) for end in ends]
    if len(ends) < 2 or not all(found) or not applies("equity_before_other_income", accounts.kind):
        return
    change, part = (now.value - then.value for now, then in zip(*found, strict=True))
    issued = accounts.get("year", "shares_issued_for_cash", ends[0])
    is_issue = issued and issued.value > DOMINANT_SHARE * abs(change)
    if abs(part) > DOMINANT_SHARE * abs(change):
        yield Notice.of(
            "company-equity-other-income",
            first=ends[1],
            last=ends[0],
            change=say_amount(change, accounts.currency),
            part=say_amount(part, accounts.currency),
            issued=say_amount(issued.value, accounts.currency) if issued and is_issue else None,
        )


def _note_preference(accounts: Accounts) -> Iterator[Notice]:
    """Yield that what preferred owners are owed is their liquidation preference, as they stand at par."""
    end = accounts.newest_end
    owed = accounts.get("instant", "preferred_equity", end)
    if owed and owed.tag.startswith(PREFERENCE_TAG):
        amount = say_amount(owed.value, accounts.currency)
        yield Notice.of("company-preference", end=end, amount=amount)


def _note_dividends(accounts: Accounts) -> Iterator[Notice]:
    """Yield that the dividends paid hold those on preferred shares, or leave out those paid in shares."""
    for length, end in _list_newest(accounts):
        found = _get_all(accounts, length, end, "dividends", "stock_dividends")
        if found and found[1].value > MATERIAL * found[0].value:
            amount = say_amount(found[1].value, accounts.currency)
            period = name_period(length, end)
            yield Notice.of("company-stock-dividends", period=period, amount=amount)
        found = _get_all(accounts, length, end, "dividends", "preferred_dividends")
        tags = {leaf.tag for leaf in list_leaves(found[0])} if found else set()
        if tags == {ALL_DIVIDENDS_TAG} and found[1].value > 0:
            period = name_period(length, end)
            amount = say_amount(found[1].value, accounts.currency)
            yield Notice.of("company-preferred-dividends", period=period, amount=amount)
            return


def _note_minority_dividends(accounts: Accounts) -> Iterator[Notice]:
    """Yield the dividends to owners of subsidiaries where they take much of the cash, and those to shareholders are none or unknown."""
    for length, end in _list_newest(accounts):
        paid, cash = (
            accounts.get(length, n, end) for n in ("minority_dividends", "operating_cash_flow")
        )
        own = accounts.get(length, "dividends", end)
        is_alone = not own or not own.value
        if paid and is_alone and cash and paid.value > UNUSUAL * cash.value > 0:
            yield Notice.of(
                "company-minority-dividends",
                period=name_period(length, end),
                amount=say_amount(paid.value, accounts.currency),
                share=round_up(100 * paid.value / cash.value),
            )
            return


def _note_cash_dividends(accounts: Accounts) -> Iterator[Notice]:
    """Yield the dividends per share of a quarter or year, and of that before, as far as they were paid in cash."""
    for length, end in _list_newest(accounts):
        before = accounts.calendar.find_year_before(end)
        pair = [_read_dividends(accounts, length, day) for day in (end, before)]
        now, then = pair
        if now and then and (now.in_shares or then.in_shares):
            yield Notice.of(
                "company-cash-dividends",
                period=name_period(length, end),
                now=round_up(now.share * now.cash / (now.cash + now.in_shares), 2),
                share=round_up(now.share, 2),
                then=round_up(then.share * then.cash / (then.cash + then.in_shares), 2),
                before=round_up(then.share, 2),
                currency=accounts.currency,
            )


class Dividends(NamedTuple):
    """A period's dividend per share, and what was paid of it in cash and in shares."""

    share: float
    cash: float
    in_shares: float


def _read_dividends(accounts: Accounts, length: Period, end: str) -> Dividends | None:
    """Return a period's dividends; None unless those per share and those paid in cash are known."""
    found = _get_all(accounts, length, end, "dividends_per_share", "dividends")
    if not found or found[1].value <= 0:
        return None
    in_shares = accounts.get(length, "stock_dividends", end)
    return Dividends(found[0].value, found[1].value, in_shares.value if in_shares else 0.0)


def _note_property_gains(accounts: Accounts) -> Iterator[Notice]:
    """Yield a notice on the periods for which no gains on sales are filed, so that their FFO may still include some."""
    lacking = [
        name_period(length, end)
        for length, end in _list_newest(accounts)
        if length != "ttm"  # of its year and quarters
        and accounts.get(length, "funds_from_operations", end)
        and not accounts.get(length, "property_gains", end)
        and not accounts.get(length, "disposal_gains", end)
    ]
    if lacking:
        yield Notice.of("company-property-gains", periods=lacking)


def _note_one_offs(accounts: Accounts) -> Iterator[Notice]:
    """Yield losses that do not recur and are a material part of a newest period's net income."""
    for length, end in _list_newest(accounts):
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


def _list_spans(accounts: Accounts) -> list[tuple[Period, str]]:
    """Return the newest periods, and the months of the last fiscal year that are known in sum alone."""
    year = _find_remainder_year(accounts)
    rest: list[tuple[Period, str]] = [("remainder", year)] if year else []
    return [*_list_newest(accounts), *rest]


def _note_preferred_charge(accounts: Accounts) -> Iterator[Notice]:
    """Yield that income went to preferred shareholders in twelve months at a rate which the newest quarter no longer has."""
    end = accounts.newest_end
    twelve, quarter = (accounts.get(p, "claims_before_common", end) for p in ("ttm", "quarter"))
    income = accounts.get("ttm", "net_income", end)
    if not twelve or not quarter or not income or twelve.value < UNUSUAL * abs(income.value):
        return
    rate = QUARTERS_A_YEAR * quarter.value
    if rate < DOMINANT_SHARE * twelve.value:
        amounts = {"twelve": twelve.value, "quarter": quarter.value, "left": income.value - rate}
        told = {name: say_amount(value, accounts.currency) for name, value in amounts.items()}
        yield Notice.of("company-preferred-charge", end=end, **told)


def _note_dividend_cover(accounts: Accounts) -> Iterator[Notice]:
    """Yield what four dividends like the newest quarter's cost a property company, and how far its cash covers them."""
    end = accounts.newest_end
    share = accounts.get("quarter", "dividends_per_share", end)
    count = accounts.get("instant", "shares_outstanding", end)
    cash = accounts.get("ttm", "cash_after_improvements", end)
    cost = QUARTERS_A_YEAR * share.value * count.value if share and count else 0.0
    if share and cash and cost > 0:
        yield Notice.of(
            "company-dividend-cover",
            end=end,
            share=round_up(share.value, 2),
            currency=accounts.currency,
            cost=say_amount(cost, accounts.currency),
            cash=say_amount(cash.value, accounts.currency),
            cover=round_up(cash.value / cost, 2),
            of_ffo=_share_of_ffo(accounts, end, QUARTERS_A_YEAR * share.value),
        )


def _share_of_ffo(accounts: Accounts, end: str, dividend: float) -> float | None:
    """Return a yearly dividend as percent of funds from operations per share of twelve months; None if they are not known."""
    earned = accounts.get("ttm", "ffo_per_share", end)
    return round_up(100 * dividend / earned.value) if earned and earned.value > 0 else None


def _note_debt_range(accounts: Accounts) -> Iterator[Notice]:
    """Yield between which amounts a debt lies that is withheld, where they are close, and what it is less cash."""
    end = accounts.newest_end
    bounds = accounts.find_debt_range(end)
    cash = accounts.get("instant", "cash", end)
    earned = accounts.get("ttm", "operating_income_before_depreciation", end)
    if not bounds or not cash:
        return
    net = [each - cash.value for each in bounds]
    times = [round_up(each / earned.value) for each in net] if earned and earned.value > 0 else None
    low, high = (say_amount(each, accounts.currency) for each in bounds)
    net_low, net_high = (say_amount(each, accounts.currency) for each in net)
    yield Notice.of(
        "company-debt-range",
        end=end,
        low=low,
        high=high,
        net_low=net_low,
        net_high=net_high,
        **({"first": times[0], "last": times[1]} if times else {}),
    )


def _note_implied_count(accounts: Accounts) -> Iterator[Notice]:
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
            how=others.formula if others else None,
        )


def _note_holdings(accounts: Accounts) -> Iterator[Notice]:
    """Yield holdings without a market price that are large beside net cash, which leaves them out."""
    end = accounts.newest_end
    found = _get_all(accounts, "instant", end, "unmarketable_holdings", "net_cash")
    if found and found[0].value > UNUSUAL * abs(found[1].value):
        amount = say_amount(found[0].value, accounts.currency)
        yield Notice.of("company-holdings", end=end, amount=amount)


def _note_net_cash(accounts: Accounts) -> Iterator[Notice]:
    """Yield what moved net cash within a year, other than free cash flow and payouts to owners."""
    end = next(iter(accounts.calendar.quarters), "")
    before = accounts.calendar.find_year_before(end) if end else ""
    now, then = (accounts.get("instant", "net_cash", day) for day in (end, before))
    cash, withheld, *paid = (
        accounts.get("ttm", name, end)
        for name in ("free_cash_flow", "share_tax_withholding", "buybacks", "dividends")
    )
    if not (now and then and cash):
        return
    explained = cash.value - sum(amount.value for amount in paid if amount)
    change = now.value - then.value
    if abs(change - explained) < UNUSUAL * abs(cash.value):
        return
    yield Notice.of(
        "company-net-cash",
        end=end,
        change=say_amount(change, accounts.currency),
        explained=say_amount(explained, accounts.currency),
        rest=say_amount(change - explained, accounts.currency),
        withheld=say_amount(withheld.value, accounts.currency) if withheld else None,
    )


def _list_changes(accounts: Accounts, end: str, name: str) -> dict[str, float]:
    """Return by how much a metric differs from a year before in each of the four quarters to a day."""
    changes: dict[str, float] = {}
    while end and len(changes) < QUARTERS_A_YEAR:
        before = accounts.calendar.find_year_before(end)
        now, then = (_get_all(accounts, "quarter", day, name) for day in (end, before))
        if not now or not then:
            return {}
        changes[end] = now[0].value - then[0].value
        end = accounts.calendar.find_quarter_before(end)
    return changes if len(changes) == QUARTERS_A_YEAR else {}


def _get_all(accounts: Accounts, length: Period, end: str, *names: str) -> list[Amount]:
    """Return the metrics of a period; empty where one of them, or the period, is not known."""
    found = [accounts.get(length, name, end) for name in names]
    known = [amount for amount in found if amount]
    return known if len(known) == len(names) else []


def _list_newest(accounts: Accounts) -> Iterator[tuple[Period, str]]:
    """Yield the newest twelve months, quarter and fiscal year; a year that is the twelve months only once."""
    quarters, years = accounts.calendar.quarters, [year.end for year in accounts.calendar.years]
    for quarter in quarters[:1]:
        yield ("to_date" if accounts.lacks_twelve_months(quarter) else "ttm"), quarter
        yield "quarter", quarter
    for year in years[:1] if years[:1] != quarters[:1] else ():
        yield "year", year


def _note_changed_tags(shown: NamedAmounts) -> Iterator[Notice]:
    """Yield the metrics that are read under one tag of one day and under another of another day."""
    last: dict[str, dict[str, str]] = {}
    for name, amount in shown:
        if amount.tag and name not in ("shares_outstanding", "continuing_eps"):
            by_tag = last.setdefault(name, {})
            by_tag[amount.tag] = max(by_tag.get(amount.tag, ""), amount.end)
    for name, by_tag in last.items():
        if len({*by_tag.values()}) > 1:
            tags = [Notice.of("company-tag", "info", tag=t, end=end) for t, end in by_tag.items()]
            yield Notice.of("company-tag-changed", metric=say_metric(name), tags=tags)


def _note_restatements(shown: NamedAmounts) -> Iterator[Notice]:
    """Yield restatements, except those that only reflect a stock split."""
    notes: dict[str, Notice] = {}
    for amount in (part for _, whole in shown for part in list_leaves(whole)):
        if amount.restated_from and amount.tag:
            before, accession = amount.restated_from
            notes[f"{amount.tag} {amount.start} {amount.end}"] = Notice.of(
                "company-restated",
                tag=amount.tag,
                end=amount.end,
                start=amount.start or None,
                before=round_up(before, 2),
                old=accession,
                now=round_up(amount.value, 2),
                new=amount.accessions[0],
            )
    yield from list(notes.values())[:MAX_RESTATED]
    if len(notes) > MAX_RESTATED:
        yield Notice.of("company-restated-more", n=len(notes) - MAX_RESTATED)


def _note_gaps_of_metrics(
    shown: NamedAmounts, gaps: Sequence[FigureGap], to_date: Collection[str]
) -> Iterator[Notice]:
    """Yield the metrics that are not shown, grouped by reason; those not filed come last."""
    if any(
        name == "diluted_eps" and amount.parts and "/" not in amount.formula
        for name, amount in shown
    ):
        yield Notice.of("company-eps-added")
    of_common = {amount.tag for name, amount in shown if name == "net_income"} & {COMMON_INCOME_TAG}
    if of_common:
        yield Notice.of("company-common-income", tag=COMMON_INCOME_TAG)
    names = {name for name, _ in shown}
    by_reason: dict[tuple[GapState, str], list[FigureGap]] = {}
    for gap in (gap for gap in gaps if gap.metric not in names or gap.state == "conflicting"):
        by_reason.setdefault((gap.state, find_root(gap.reason).text), []).append(gap)
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
