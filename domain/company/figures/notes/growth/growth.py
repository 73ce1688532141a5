"""Notes on growth: what made it unlike that of other periods, or why it is large."""

from collections.abc import Iterator
from functools import partial

from contracts.company.figures import Fundamentals
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import GROWTH, say_metric
from domain.company.figures.filed.periods import QUARTERS_A_YEAR, count_quarters
from domain.company.figures.filed.series import Amount
from domain.company.figures.notes.cash_flow import note_taxes_paid
from domain.company.figures.notes.growth.tax_rate import note_tax
from domain.company.figures.notes.lines.movers import name_item, note_movers
from domain.company.figures.notes.periods import (
    DOMINANT_SHARE,
    GROWTH_POINTS,
    UNUSUAL,
    find_remainder_year,
    get_all,
    list_changes,
    name_period,
)
from domain.company.figures.numbers import find_scale, round_up, say_amount

OUTLIER_POINTS = 5.0
"""A quarter that moves the growth of revenue by this many points, against the three others, is noted."""
DOUBLED = 100.0
"""Growth in percent from which its cause is named, or the lack of one."""
EXPLAINED = ("revenue", "operating_income", "net_income", "continuing_income", "free_cash_flow")
SMALL_BASE = 0.05
"""An income or cash flow below this part of revenue doubles easily."""
IN_SEQUENCE = ("credit_provision", "net_charge_offs", "interest_expense")
"""Costs that do not move with the seasons: their change on the quarter before says more than on the year before."""
BASES = ("pre_provision_income", "credit_provision", "pretax_income")
"""A bank's earnings before provisions, what they are provided for, and what is left."""
MOST_CHANGE = 3.0
"""A change to more times the base says nothing, and is not shown."""
OFF_SHARE = 0.02
"""Earnings before provisions, provision and income before tax are of one statement if they fit within this share."""
IN_BETWEEN = ("revenue", "operating_income")
WITHOUT_SEASONS = ("bank", "insurer", "investment", "blank_check")
"""Kinds of business whose results do not follow the seasons, so consecutive quarters can be compared."""
TURNED_POINTS = 2.0
"""Percent by which such a cost must change, on the quarter and on the year before, to be noted."""
EXPLAINING = 0.1
"""A part of revenue is named if it made at least this share of the change of revenue."""
LINES = {
    "revenue": 1,
    "cost_of_revenue": -1,
    "research_and_development": -1,
    "selling_and_administration": -1,
    "sales_and_marketing": -1,
    "general_and_administrative": -1,
    "acquired_research": -1,
    "asset_impairment": -1,
    "goodwill_impairment": -1,
    "restructuring_cost": -1,
    "litigation": -1,
}
"""Lines from revenue to operating income, with the sign of their effect; one may hold another."""
BANK_LINES = {
    "net_interest_income": 1,
    "noninterest_income": 1,
    "credit_provision": -1,
    "noninterest_expense": -1,
}
BELOW = {
    "equity_method_income": 1,
    "investment_result": 1,
    "business_sale_gain": 1,
    "debt_retired": 1,
    "interest_expense": -1,
}
"""Lines between operating income and income before tax."""
REVENUE_PARTS = (
    "net_interest_income",
    "noninterest_income",
    "premiums",
    "investment_income",
    "investment_gains",
    "other_revenue",
    "lease_sales",
)


def note_sequence(accounts: Accounts) -> Iterator[Notice]:
    """Yield costs that moved one way on a year before, and the other on the quarters just before the newest."""
    end = accounts.newest_end
    told = BASES if any(note_bank_bases(accounts)) else ()
    for name in (n for n in IN_SEQUENCE if applies(n, accounts.kind) and n not in told):
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


def note_bank_bases(accounts: Accounts) -> Iterator[Notice]:
    """Yield a bank's newest quarter before provisions, its provision and its income before tax, each against the same two bases.

    The bases are the average of the quarters since a year before, and that quarter. One figure against one base, and
    another against the other, would show either as better than the whole.
    """
    end = accounts.newest_end
    before = accounts.calendar.find_year_before(end)
    parts, counts = list[Notice](), set[int]()
    newest = get_all(accounts, "quarter", end, *BASES) if applies(BASES[0], accounts.kind) else []
    for name, now in zip(BASES, newest, strict=False):
        then, between = accounts.get("quarter", name, before), list_between(accounts, name, end)
        if not then or not between:
            return
        average = sum(between) / len(between)
        changes = [_find_change(now.value, each) for each in (average, then.value)]
        amounts = {"now": now.value, "average": average, "then": then.value}
        told = {key: say_amount(value, accounts.currency) for key, value in amounts.items()}
        more = dict(zip(("change", "growth"), changes, strict=True))
        parts.append(Notice.of("base-part", "info", metric=say_metric(name), **told, **more))
        counts.add(len(between))
    if parts and _adds_up(*(each.value for each in newest)):
        period = name_period("quarter", end)
        yield Notice.of("company-bank-bases", period=period, n=max(counts), parts=parts)


def _find_change(now: float, base: float) -> float | None:
    """Return a change in percent; None from or to a loss, and from a base that is far smaller."""
    is_known = base > 0 and 0 <= now <= MOST_CHANGE * base
    return round_up(100 * (now / base - 1)) if is_known else None


def _adds_up(earned: float, provision: float, pretax: float) -> bool:
    """Return whether earnings before provisions less the provision come to income before tax."""
    return abs(earned - provision - pretax) <= OFF_SHARE * abs(earned)


def note_between(accounts: Accounts) -> Iterator[Notice]:
    """Yield that the newest quarter differs from the quarters between it and that a year before, unlike its growth says.

    It does not where the quarter a year before stood out from those before it alike: that is a season.
    """
    end = accounts.newest_end
    parts, counts = list[Notice](), set[int]()
    for name in (n for n in IN_BETWEEN if end and applies(n, accounts.kind)):
        growth = accounts.get("quarter", name + GROWTH, end)
        apart = _find_apart(accounts, name, end)
        if not growth or not apart:
            continue
        is_turned = apart[0] * growth.value < 0 or abs(growth.value) < TURNED_POINTS
        is_seasonal = is_season(accounts, name, end)
        if is_turned and abs(apart[0]) >= GROWTH_POINTS and not is_seasonal:
            told = {"change": round_up(apart[0]), "growth": round_up(growth.value)}
            parts.append(Notice.of("between-part", "info", metric=say_metric(name), **told))
            counts.add(apart[1])
    if parts:
        period = name_period("quarter", end)
        yield Notice.of("company-between", period=period, n=max(counts), parts=parts)


def has_seasons(company: Accounts | Fundamentals) -> bool:
    """Return whether quarters of a company's kind of business may differ by the season of the year."""
    return company.kind not in WITHOUT_SEASONS


def is_season(accounts: Accounts, name: str, end: str) -> bool:
    """Return whether a quarter a year before differed from those before it alike, so that its season tells the difference."""
    before = accounts.calendar.find_year_before(end)
    apart, season = (_find_apart(accounts, name, day) for day in (end, before))
    if not apart or not season:
        return False
    return season[0] * apart[0] > 0 and 2 * abs(season[0]) > abs(apart[0])


def _find_apart(accounts: Accounts, name: str, end: str) -> tuple[float, int] | None:
    """Return by how many percent a quarter's metric differs from the mean of those since a year before, and their number."""
    now = accounts.get("quarter", name, end) if end else None
    known = list_between(accounts, name, end)
    if not now or not known or min(known) <= 0:
        return None
    return 100 * (now.value * len(known) / sum(known) - 1), len(known)


def list_between(accounts: Accounts, name: str, end: str) -> list[float]:
    """Return a metric of the three quarters before one, each as their average where they are known in sum; empty if unknown."""
    year = find_remainder_year(accounts)
    rest = accounts.get("remainder", name, year) if year else None
    days = [end]
    while days[-1] and len(days) < QUARTERS_A_YEAR:
        days.append(accounts.calendar.find_quarter_before(days[-1]))
    found = [accounts.get("quarter", name, day) for day in days[1:] if day]
    known = [each.value for each in found if each]
    if rest and year == days[1]:
        count = count_quarters(rest.start, rest.end)
        known = [rest.value / count] * count
    return known if len(known) == QUARTERS_A_YEAR - 1 else []


def _find_average(accounts: Accounts, name: str, end: str) -> tuple[float, str, int] | None:
    """Return a metric of the quarter before, or of the quarters before on average, with their last day and number."""
    before = accounts.calendar.find_quarter_before(end)
    if before and (found := accounts.get("quarter", name, before)):
        return found.value, before, 1
    year = find_remainder_year(accounts)
    rest = accounts.get("remainder", name, year) if year and year == before else None
    if not rest:
        return None
    quarters = count_quarters(rest.start, rest.end)
    return rest.value / quarters, year, quarters


def note_period(accounts: Accounts, length: Period, end: str) -> Iterator[Notice]:
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
    yield from note_tax(accounts, length, end, period)
    if length == "ttm":
        yield from _note_outlier(accounts, end)
    if length != "quarter":
        yield from _note_quarter(accounts, length, end, period)
        yield from note_taxes_paid(accounts, length, end, period)


def _note_discontinued(
    accounts: Accounts, length: Period, end: str, period: Notice
) -> Iterator[Notice]:
    """Yield discontinued operations that are material in a period, or in the one a year before."""
    for day in (end, accounts.calendar.find_year_before(end)):
        if part := accounts.find_discontinued(length, day):
            of = period if day == end else name_period(length, day)
            amount = say_amount(part.value, accounts.currency)
            yield Notice.of("company-discontinued", period=of, amount=amount)


def _note_growth(accounts: Accounts, length: Period, end: str, period: Notice) -> Iterator[Notice]:
    """Yield growth above 100 % with the filed fact that explains it, or the notice that none does."""
    before = accounts.calendar.find_year_before(end)
    for name in EXPLAINED:
        growth = accounts.get(length, name + GROWTH, end)
        then, revenue = (accounts.get(length, n, before) for n in (name, "revenue"))
        if not growth or growth.value <= DOUBLED or not then:
            continue
        paid, bought = _find_acquired(accounts, length, end)
        if revenue and name != "revenue" and then.value < SMALL_BASE * revenue.value:
            base = say_amount(then.value, accounts.currency)
            why = Notice.of("growth-small-base", "info", amount=base)
        elif revenue and bought > UNUSUAL * revenue.value:
            amount = say_amount(bought, accounts.currency)
            why = Notice.of(f"growth-{paid.replace('_', '-')}", "info", amount=amount)
        else:
            explain = explain_revenue if name == "revenue" else partial(explain_income, name)
            why = explain(accounts, length, end) or Notice.of("growth-unexplained", "info")
        percent, metric = round_up(growth.value, 0), say_metric(name)
        yield Notice.of("company-growth", period=period, metric=metric, growth=percent, why=why)
        if name == "revenue":  # the others grow with it
            return


def _find_acquired(accounts: Accounts, length: Period, end: str) -> tuple[str, float]:
    """Return the larger payment for acquisitions: in cash of a period, or in shares of it or the year before it."""
    before = accounts.calendar.find_year_before(end)
    paid = [("acquisitions", end), ("acquired_for_shares", end), ("acquired_for_shares", before)]
    found = [(name, each.value) for name, d in paid if (each := accounts.get(length, name, d))]
    return max(found, key=lambda each: each[1], default=("", 0.0))


def _note_quarter(accounts: Accounts, length: Period, end: str, period: Notice) -> Iterator[Notice]:
    """Yield where free cash flow grew unlike operating income, as one quarter made the growth."""
    growths = get_all(accounts, length, end, "free_cash_flow_growth", "operating_income_growth")
    changes = list_changes(accounts, end, "free_cash_flow")
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
    changes = list_changes(accounts, end, "revenue")
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


def explain_revenue(accounts: Accounts, length: Period, end: str) -> Notice | None:
    """Return a notice of the parts of revenue that account for its growth; None if no part is filed or large enough."""
    before = accounts.calendar.find_year_before(end)
    now, then = (accounts.get(length, "revenue", day) for day in (end, before))
    if not now or not then:
        return None
    change = now.value - then.value
    parts = [
        Notice.of(
            "growth-part",
            "info",
            metric=name_item(name),
            amount=say_amount(moved, accounts.currency),
        )
        for name in REVENUE_PARTS
        if abs(moved := _change(accounts, length, name, end)) >= EXPLAINING * abs(change)
        and moved * change > 0
    ]
    return Notice.of("growth-parts", "info", parts=parts) if parts else None


def explain_income(name: str, accounts: Accounts, length: Period, end: str) -> Notice | None:
    """Return a notice of the filed lines that moved an income most, by size; None if they account for less than half."""
    below = BELOW if name != "operating_income" else {}
    taxed = {"income_tax": -1} if name in ("net_income", "continuing_income") else {}
    own = BANK_LINES if accounts.kind == "bank" else LINES
    change = _change(accounts, length, name, end)
    effects = {
        line: sign * _change(accounts, length, line, end)
        for line, sign in (own | below | taxed).items()
    }
    large = {n: each for n, each in effects.items() if abs(each) >= EXPLAINING * abs(change)}
    if name == "free_cash_flow" or change * sum(large.values()) < DOMINANT_SHARE * change**2:
        return None
    parts = [
        Notice.of(
            "growth-line", "info", metric=name_item(n), amount=say_amount(each, accounts.currency)
        )
        for n, each in sorted(large.items(), key=lambda each: -abs(each[1]))
    ]
    return Notice.of("growth-lines", "info", parts=parts)


def _change(accounts: Accounts, length: Period, name: str, end: str) -> float:
    """Return by how much a metric changed within a year; 0 unless both are known."""
    found: list[Amount | None] = [
        accounts.get(length, name, day) for day in (end, accounts.calendar.find_year_before(end))
    ]
    now, then = found
    return now.value - then.value if now and then else 0.0
