"""Invariants between a company's amounts: a breach withholds the figure at fault and says why.

Each check reads the amounts of the same period. A metric under check is read as it was found, so that two metrics may
check each other.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from contracts.notices import Notice
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.periods import QUARTER, QUARTERS_A_YEAR
from domain.company.figures.filed.series import Amount
from domain.company.figures.numbers import round_up, say_amount

Read = Callable[[str], Amount | None]
"""Returns a metric's amount in the period that is checked."""
Check = Callable[[Amount, Read, str], Notice | None]
"""Takes an amount, a reader of the other amounts and the currency; returns the reason for withholding the amount, or None."""

_TERM = re.compile(r"([-+]?) ?\b(\w+)(\??)")
SIGN_TOLERANCE = 0.25
"""Tolerance for an amount of the opposite sign, as a share of what other lines add up to; minority interests may differ."""
BEFORE, AFTER, OF_YEAR = " before", " after", " of its year"
"""Suffix of a metric's name: its value of the year before or after, or of the fiscal year that a quarter is part of."""
OF_LAST_YEAR = " of the last year"
"""Suffix of a metric of the fiscal year that ended last by the period's end."""
_SWAP_TOLERANCE = 0.01
TOLERANCE = 0.05
"""Part of a sum by which what adds up to it may differ: minorities and rounding."""
EPS_FACTOR = 3.0
"""EPS times shares may differ from income by this factor: classes, preferred dividends, weighting."""
SMALL_EPS = 0.05
"""Earnings per share this small say little of the income, as they are rounded to cents."""
UNIT_FACTOR = 500.0
"""A ratio beyond this means a wrong unit of the share count, rather than wrong earnings per share."""
ODD_RATE = 0.4
"""Interest of a year over debt that no lender asks: most of the debt is not read."""


def find_breach(name: str, amount: Amount, read: Read, currency: str) -> Notice | None:
    """Return why an amount contradicts other amounts of its period, or None."""
    check = CHECKS.get(name)
    return check(amount, read, currency) if check else None


def _negative(amount: Amount, _: Read, currency: str) -> Notice | None:
    if amount.value >= 0:
        return None
    return Notice.of("gap-negative", "info", amount=say_amount(amount.value, currency))


def _no_shares(amount: Amount, _: Read, __: str) -> Notice | None:
    if amount.value > 0:
        return None
    return Notice.of("gap-negative", "info", amount=say_amount(amount.value, "shares"))


def _within(whole: str, code: str) -> Check:
    """Return the check that an amount does not exceed another."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        of = read(whole)
        if not of or amount.value <= of.value + TOLERANCE * abs(of.value):
            return None
        values = {"amount": amount.value, "whole": of.value}
        told = {name: say_amount(value, currency) for name, value in values.items()}
        return Notice.of(f"gap-above-{code}", "info", amount=told["amount"], whole=told["whole"])

    return check


def _balance(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Assets are liabilities plus equity."""
    other = read("liabilities_and_equity")
    if not other or abs(amount.value - other.value) <= _SWAP_TOLERANCE * abs(other.value):
        return _negative(amount, read, currency)
    sums = [say_amount(each.value, currency) for each in (amount, other)]
    return Notice.of("gap-unbalanced", "info", assets=sums[0], claims=sums[1])


def _add_up(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Income is that of continuing operations plus that of discontinued ones, and extraordinary items."""
    given_up, extraordinary = (read(n) for n in ("discontinued_income", "extraordinary_item"))
    wholes = [whole for n in ("net_income", "profit", "common_income") if (whole := read(n))]
    if not given_up or not wholes:
        return None
    total = amount.value + given_up.value + (extraordinary.value if extraordinary else 0)
    allowed = TOLERANCE * max(abs(amount.value), abs(given_up.value))
    if any(abs(total - whole.value) <= allowed for whole in wholes):
        return None
    sums = [say_amount(value, currency) for value in (total, wholes[0].value)]
    return Notice.of("gap-continuing", "info", parts=sums[0], whole=sums[1])


def _per_share(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Earnings per share times shares are the income, of all or of common shareholders.

    Preferred shareholders may have had more than all of it: then basic and diluted earnings per share agree.
    """
    shares = read("diluted_shares")
    incomes = [each for n in ("net_income", "common_income") if (each := read(n)) and each.value]
    if not incomes or not shares or shares.value <= 0 or abs(amount.value) < SMALL_EPS:
        return None
    earned = amount.value * shares.value
    if any(_is_earned(earned / income.value) for income in incomes):
        return None
    basic, preferred = read("basic_eps"), read("preferred_equity")
    if basic and preferred and preferred.value > 0 and basic.value * amount.value > 0:
        return None
    return Notice.of(
        "gap-per-share",
        "info",
        eps=round_up(amount.value, 2),
        earned=say_amount(earned, currency),
        income=say_amount(incomes[0].value, currency),
    )


def _is_earned(ratio: float) -> bool:
    """Return whether what shares earn may be an income, or differs by the unit of the shares alone."""
    is_unit = abs(ratio) > UNIT_FACTOR or 0 < abs(ratio) < 1 / UNIT_FACTOR
    return is_unit or 1 / EPS_FACTOR <= ratio <= EPS_FACTOR


def _bear_interest(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Check that interest is plausible for the debt, and that debt does not exceed all liabilities."""
    paid = read("debt_interest")
    if paid and amount.value > 0 and paid.value > ODD_RATE * amount.value:
        sums = [say_amount(each.value, currency) for each in (amount, paid)]
        return Notice.of("gap-interest", "info", debt=sums[0], interest=sums[1])
    return _within("liabilities", "liabilities")(amount, read, currency)


def _above_par(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Preferred shares at their par value of cents are not at what they are owed, which equity has to leave out."""
    shares = read("preferred_shares")
    if not shares or shares.value <= 0 or amount.value >= shares.value:
        return None
    told = {"value": say_amount(amount.value, currency), "n": say_amount(shares.value, "shares")}
    return Notice.of("gap-preferred-at-par", "info", **told)


def _below_assets(times: float) -> Check:
    """Return the check that a flow is not far more than all assets, which reveals a wrong scale (thousands)."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        assets = read("assets")
        if not assets or assets.value <= 0 or abs(amount.value) <= times * assets.value:
            return None
        sums = [say_amount(each.value, currency) for each in (amount, assets)]
        return Notice.of("gap-far-above-assets", "info", amount=sums[0], assets=sums[1])

    return check


def _signed(metric: str, *identities: str) -> Check:
    """Return the check that an identity does not fail only because of the amount's sign.

    The terms of an identity add up to 0; those that end with `?` may be unknown. If one identity holds, the
    sign is right, whatever another one says. If the amount fits a neighbouring year's identities and that
    year's amount fits these, the years are swapped.
    """

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        others = [o for identity in identities if (o := _solve(identity, metric, read))]
        if any(abs(amount.value - other) <= TOLERANCE * abs(other) for other in others):
            return None
        for year in (BEFORE, AFTER) if others else ():
            if _is_swapped(amount.value, others, _read_neighbour(read, year), identities, metric):
                sums = [say_amount(each, currency) for each in (amount.value, others[0])]
                return Notice.of("gap-swapped", "info", amount=sums[0], other=sums[1])
        opposite = (o for o in others if abs(amount.value + o) <= SIGN_TOLERANCE * abs(o))
        return next((_report_sign(amount.value, other, currency) for other in opposite), None)

    return check


def _read_neighbour(read: Read, year: str) -> Read:
    """Return a reader of the amounts of the year before or after."""
    return lambda name: read(name + year)


def _is_swapped(
    value: float, others: Sequence[float], read: Read, identities: Sequence[str], metric: str
) -> bool:
    """Return whether a value and that of a neighbouring year each fit the other year's identities."""
    neighbour = read(metric)
    if not neighbour or _fits(value, [neighbour.value]) or not _fits(neighbour.value, others):
        return False
    return _fits(value, [o for each in identities if (o := _solve(each, metric, read))])


def _fits(value: float, others: Sequence[float]) -> bool:
    return any(abs(value - other) <= _SWAP_TOLERANCE * abs(other) for other in others)


def _solve(identity: str, metric: str, read: Read) -> float:
    """Return what an identity gives for a metric; 0 if one of its terms is unknown."""
    own, rest = 1, 0.0
    for sign, term, option in _TERM.findall(identity):
        factor = -1 if sign == "-" else 1
        if term == metric:
            own = factor
        elif found := read(term):
            rest += factor * found.value
        elif not option:
            return 0.0
    return -own * rest


def _report_sign(value: float, other: float, currency: str) -> Notice:
    """Return the notice that an amount has the opposite sign of what other lines add up to."""
    sums = [say_amount(each, currency) for each in (value, other)]
    return Notice.of("gap-sign", "info", amount=sums[0], other=sums[1])


def _signed_as_earnings(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Check that net income is not positive while basic and diluted EPS are negative; the reverse is common in filings."""
    basic, diluted, shares = (read(n) for n in ("basic_eps", "diluted_eps_filed", "diluted_shares"))
    if not basic or not diluted or not shares or max(basic.value, diluted.value) >= 0:
        return None
    earned = diluted.value * shares.value
    is_opposite = abs(amount.value + earned) <= _EARNED_TOLERANCE * abs(earned)
    return _report_sign(amount.value, earned, currency) if is_opposite else None


def _signed_as_gains(_: Amount, read: Read, currency: str) -> Notice | None:
    """Check that the statement of cash flows, which has this row too, does not file gains with a minus."""
    filed, added = read("gains_of_income_statement"), read("gains_of_cash_flow_statement")
    if not filed or not added or filed.value * added.value >= 0:
        return None
    if not 1 / _ALIKE_FACTOR <= abs(filed.value / added.value) <= _ALIKE_FACTOR:
        return None
    sums = [say_amount(each.value, currency) for each in (added, filed)]
    return Notice.of("gap-sign-of-cash-flow", "info", amount=sums[0], other=sums[1])


def _within_proceeds(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Check that a gain on the sale of equipment is not more than was received: it is a loss without a minus."""
    received = read("asset_sale_proceeds") if amount.tag == _EQUIPMENT_GAIN else None
    if not received or amount.value <= max(received.value, 0):
        return None
    gain, proceeds = (say_amount(each.value, currency) for each in (amount, received))
    return Notice.of("gap-gain-beyond-proceeds", "info", gain=gain, proceeds=proceeds)


def _of_common_alone(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Check that partners have no large share of income: depreciation holds theirs, and the number of shares not their units.

    The last fiscal year counts as well, as gains move the share of a quarter.
    """
    for span in ("", OF_LAST_YEAR):
        partners, income = (read(f"{name}{span}") for name in ("partners_income", "net_income"))
        if not partners or not income or partners.value <= 0:
            continue
        share = partners.value / (partners.value + abs(income.value))
        if share > _PARTNERS_SHARE:
            told = say_amount(partners.value, currency)
            return Notice.of("gap-partners", "info", amount=told, share=round_up(100 * share, 0))
    return None


def _without_gains(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Check that funds from operations include no large discontinued operations without filed gains on sales."""
    part = read("discontinued_income")
    if not part or read("disposal_gains") or part.value <= _GIVEN_UP_SHARE * abs(amount.value):
        return None
    told = say_amount(part.value, currency)
    return Notice.of("gap-gains-unknown", "info", amount=told)


def _paid_on_shares(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Check that dividends per share times shares roughly equal the dividends paid.

    They differ because declared dividends are paid later, and because preferred dividends come on top: as much as
    the income that was not common shareholders'. A quarter's that is a fourth of its year's is checked with the year's.
    """
    if count_days(amount.start, amount.end) in QUARTER:
        of_year = read(f"dividends_per_share{OF_YEAR}")
        if of_year and abs(QUARTERS_A_YEAR * amount.value - of_year.value) < _CENT:
            return None
    names = ("diluted_shares", "basic_shares", "float_shares")
    paid, shares = read("dividends"), next(filter(None, map(read, names)), None)
    income, eps = read("common_income"), read("basic_eps") or read("diluted_eps")
    count = shares.value if shares else 0.0
    if not shares and income and eps and abs(eps.value) >= _LEAST_EPS:
        count = income.value / eps.value
    if not paid or paid.value <= 0:
        return None
    in_shares = read("stock_dividends")
    whole = paid.value + (in_shares.value if in_shares else 0)
    if not shares and not eps:
        told = say_amount(paid.value, currency)
        return Notice.of("gap-dividend-unchecked", "info", paid=told)
    if count <= 0:
        return None
    declared = amount.value * count
    every = read("net_income")
    others = every.value - income.value if every and income else 0.0
    if (whole - max(others, 0.0)) / DECLARED_FACTOR <= declared <= whole * DECLARED_FACTOR:
        return None
    sums = [say_amount(value, currency) for value in (declared, whole)]
    return Notice.of(
        "gap-dividend-per-share",
        "info",
        value=round_up(amount.value, 2),
        declared=sums[0],
        paid=sums[1],
    )


def _after_administration(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Operating income is after the costs of running the company, not what the properties alone earn.

    Companies that revalue property file either under the same tag.
    """
    revenue, costs, gain = (read(n) for n in ("revenue", "property_costs", "revaluation_gain"))
    minor = read("minor_revenue")
    if not revenue or not costs or not gain:
        return None
    others = [minor.value if minor else 0.0, 0.0]
    apart = [abs(revenue.value - costs.value - other - amount.value) for other in others]
    if min(apart) > _MATCHED_SHARE * abs(amount.value):
        return None
    other = others[apart.index(min(apart))]
    sums = [say_amount(each, currency) for each in (amount.value, costs.value, other)]
    told = {"amount": sums[0], "costs": sums[1], "other": sums[2] if other else None}
    return Notice.of("gap-property-income", "info", **told)


def _explained(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Check that filed costs explain most of the gap between revenue and operating income before revaluation.

    Otherwise operating income may not include the revaluation that was subtracted from it.
    """
    revenue, costs = read("revenue"), read("property_costs")
    administration = read("general_and_administrative") or read("selling_and_administration")
    if not revenue or not costs or not administration or revenue.value <= 0:
        return None
    rest = revenue.value - amount.value - costs.value - administration.value
    if abs(rest) <= _UNEXPLAINED_SHARE * revenue.value:
        return None
    told = say_amount(abs(rest), currency)
    return Notice.of("gap-unexplained-costs", "info", rest=told)


def _unless_small(part: float, name: str, check_flow: Check) -> Check:
    """Return a check that always passes for amounts up to a share of another amount, such as equity."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        of = read(name)
        is_small = of and 0 < abs(amount.value) <= part * of.value
        return None if is_small else check_flow(amount, read, currency)

    return check


def _holds(part: str, code: str) -> Check:
    """Return the check that an amount is not less than a part that it holds."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        of = read(part)
        if not of or amount.value >= of.value - TOLERANCE * abs(of.value):
            return None
        sums = [say_amount(each.value, currency) for each in (amount, of)]
        return Notice.of(f"gap-below-{code}", "info", amount=sums[0], part=sums[1])

    return check


def _in_bounds(times: float, *main: str, beside: Sequence[str] = ()) -> Check:
    """Return the check that an amount is not many times the sum of others, if one of the main ones is known."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        known = [found for name in main if (found := read(name))]
        more = [found for name in beside if known and (found := read(name))]
        total = sum(abs(found.value) for found in (*known, *more))
        if not total or abs(amount.value) <= times * total:
            return None
        sums = [say_amount(value, currency) for value in (amount.value, total)]
        return Notice.of("gap-far-above-others", "info", amount=sums[0], others=sums[1])

    return check


def _within_costs(times: float) -> Check:
    """Return the check that an expense is at most a multiple of all costs (revenue less income)."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        income = read("operating_income") or read("pretax_income") or read("net_income")
        revenue = read("revenue")
        if not income:
            return None
        costs = (revenue.value if revenue else 0) - income.value
        if costs <= 0 or amount.value <= times * costs:
            return None
        sums = [say_amount(value, currency) for value in (amount.value, costs)]
        return Notice.of("gap-above-costs", "info", amount=sums[0], costs=sums[1])

    return check


def _owned(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Equity is assets less liabilities, maybe current ones alone; else it is not far more than assets."""
    assets, liabilities = read("assets"), read("liabilities_filed") or read("liabilities_current")
    rest = assets.value - liabilities.value if assets and liabilities else None
    if rest is not None and abs(amount.value - rest) <= TOLERANCE * abs(rest):
        return None
    return _below_assets(FLOW_FACTOR)(amount, read, currency)


def _of_minorities(amount: Amount, read: Read, currency: str) -> Notice | None:
    """Dividends to owners of subsidiaries are not far more than what they own and earned: that buys them out."""
    owned, income = read("noncontrolling_interest"), read("minority_income")
    if not owned or not income or owned.value <= 0:
        return None
    if amount.value <= _BOUGHT_OUT * max(owned.value, _YEARS_OF_INCOME * income.value):
        return None
    values = {"amount": amount.value, "owned": owned.value, "income": income.value}
    told = {name: say_amount(value, currency) for name, value in values.items()}
    return Notice.of("gap-bought-out", "info", **told)


def _one_unit(amount: Amount, read: Read, _: str) -> Notice | None:
    """Diluted shares times earnings per share are the income, but not thousands of times more or less."""
    eps = read("basic_eps") or read("diluted_eps")
    incomes = [income for n in ("net_income", "common_income") if (income := read(n))]
    if not eps or abs(eps.value) < SMALL_EPS:
        return None
    ratios = [abs(eps.value * amount.value / each.value) for each in incomes if each.value]
    if not ratios or any(1 / UNIT_FACTOR <= ratio <= UNIT_FACTOR for ratio in ratios):
        return None
    counted = say_amount(amount.value, "shares")
    return Notice.of("gap-share-unit", "info", shares=counted, eps=round_up(eps.value, 2))


def _close_to(name: str, times: float) -> Check:
    """Return a check that a share count differs from the metric `name` by at most the factor `times`."""

    def check(amount: Amount, read: Read, _: str) -> Notice | None:
        other = read(name)
        if not other or other.value <= 0 or amount.value <= 0:
            return None
        if 1 / times <= amount.value / other.value <= times:
            return None
        counts = [say_amount(each.value, "shares") for each in (amount, other)]
        return Notice.of("gap-share-count", "info", shares=counts[0], other=counts[1])

    return check


def _where_computed(check: Check) -> Check:
    """Return the check for amounts that a formula gives, which no filing states."""

    def check_computed(amount: Amount, read: Read, currency: str) -> Notice | None:
        return check(amount, read, currency) if amount.formula else None

    return check_computed


def _each(*checks: Check) -> Check:
    """Return the check that finds the first breach of several."""

    def check(amount: Amount, read: Read, currency: str) -> Notice | None:
        return next(filter(None, (one(amount, read, currency) for one in checks)), None)

    return check


_BOUGHT_OUT, _YEARS_OF_INCOME = 1.5, 3
"""Payments to minority owners above these multiples of their interest and of their yearly income buy them out."""
SALES_FACTOR, FLOW_FACTOR = 40.0, 5.0
"""A year's revenue, and any other flow, may be at most this many times the assets at its end."""
CLASS_FACTOR, COUNT_FACTOR = 5.0, 100.0
"""Maximum ratio of diluted to basic shares, and of shares outstanding to those of EPS."""
COMPUTED_COUNT_FACTOR = 1.5
"""The same where the count is shares issued less those in treasury: both are often filed rounded to billions."""
_SMALL_PAYMENT = 0.1
"""A payment to owners up to this part of equity may be many times the income of a poor period."""
_GIVEN_UP_SHARE = 0.1
"""Maximum share of discontinued operations in funds from operations while their gains on sales are unknown."""
_PARTNERS_SHARE = 0.08
"""Part of income that partners may have without distorting amounts per common share."""
_EQUIPMENT_GAIN = "GainLossOnSaleOfPropertyPlantEquipment"
_ALIKE_FACTOR = 2.0
"""Gains of the income and of the cash flow statement may differ by this factor and be the same."""
_TAX_SHARE = 0.3
"""A tax of up to this share of revenue may be many times a net income close to zero."""
_EARNED_TOLERANCE = 0.1
"""Part of earnings per share times shares by which net income may differ."""
_COSTS_FACTOR = 1.5
"""Maximum ratio of an expense to all costs: part of it may be capitalized, or gains netted with costs."""
_CENT = 0.01
_LEAST_EPS = 0.1
"""Earnings per share, in whole cents, that give the number of shares to a few percent."""
DECLARED_FACTOR = 1.6
"""Maximum ratio of dividends per share times shares to the dividends paid, both ways."""
_MATCHED_SHARE = 0.005
"""Part of operating income by which revenue less the costs of properties may differ to be the same."""
_UNEXPLAINED_SHARE = 0.2
"""Part of revenue that no filed cost may leave unexplained between it and operating income before revaluation."""
_BESIDE = ("minority_income", "discontinued_income")
_INCOME = "pretax_income - income_tax - minority_income? + discontinued_income? - net_income"
_OPERATING = "revenue - total_costs - operating_income"
_MARGINS = (
    "gross_profit - operating_expenses - operating_income",
    "revenue - operating_expenses - operating_income",
    "gross_profit - selling_and_administration - operating_income",
    "gross_profit - selling_and_administration - research_and_development - operating_income",
)
_TAXED = (
    "pretax_income - income_tax - profit + discontinued_income?",
    "pretax_income - income_tax - continuing_income_filed",
)
_NONOPERATING = "operating_income + nonoperating_income - pretax_income"
_CASH = "operating_cash_flow + investing_cash_flow + financing_cash_flow + exchange_effect? - cash_change"
_EQUITY = "equity + noncontrolling_interest - all_equity"
_OTHER_EQUITY = "assets - liabilities_filed - equity - noncontrolling_interest"
CHECKS: Mapping[str, Check] = {
    "assets": _balance,
    "cash": _each(_negative, _within("assets", "assets")),
    "equity": _each(
        _within("assets", "assets"),
        _owned,
        _signed("equity", "assets - liabilities_filed - equity", _EQUITY),
    ),
    "noncontrolling_interest": _each(
        _within("assets", "assets"),
        _in_bounds(2, "equity", "all_equity"),
        _signed("noncontrolling_interest", _EQUITY, _OTHER_EQUITY),
    ),
    "minority_dividends": _of_minorities,
    "preferred_equity": _above_par,
    "debt": _each(_negative, _bear_interest),
    "revenue": _each(_negative, _below_assets(SALES_FACTOR)),
    "gross_profit": _each(
        _within("revenue", "revenue"),
        _signed("gross_profit", "revenue - direct_cost - gross_profit"),
    ),
    "continuing_income": _add_up,
    "net_income": _each(
        _signed("net_income", "profit - minority_income? - net_income", _INCOME),
        _signed_as_earnings,
        _below_assets(FLOW_FACTOR),
        _in_bounds(20, "profit", "pretax_income", beside=_BESIDE),
    ),
    "operating_income": _each(
        _below_assets(FLOW_FACTOR),
        _signed("operating_income", _OPERATING, *_MARGINS, _NONOPERATING),
        _after_administration,
    ),
    "operating_income_before_revaluation": _explained,
    "pretax_income": _each(
        _below_assets(FLOW_FACTOR),
        _in_bounds(20, "net_income", "profit", beside=("income_tax", *_BESIDE)),
        _signed("pretax_income", _INCOME, _NONOPERATING),
    ),
    "income_tax": _each(
        _below_assets(FLOW_FACTOR),
        _in_bounds(2, "pretax_income", beside=("net_income", "profit", *_BESIDE)),
        _unless_small(_TAX_SHARE, "revenue", _in_bounds(20, "net_income", "profit")),
        _signed("income_tax", _INCOME, *_TAXED),
    ),
    "operating_cash_flow": _each(_below_assets(FLOW_FACTOR), _signed("operating_cash_flow", _CASH)),
    "selling_and_administration": _holds("administration_filed", "administration"),
    "research_and_development": _each(
        _negative, _below_assets(FLOW_FACTOR), _within_costs(_COSTS_FACTOR)
    ),
    "stock_compensation": _each(_negative, _below_assets(FLOW_FACTOR), _within_costs(1.0)),
    "diluted_eps": _per_share,
    "diluted_shares": _each(_no_shares, _close_to("basic_shares", CLASS_FACTOR), _one_unit),
    "shares_outstanding": _each(
        _close_to("diluted_shares", COUNT_FACTOR),
        _where_computed(_close_to("diluted_shares", COMPUTED_COUNT_FACTOR)),
    ),
    "capital_expenditure": _below_assets(FLOW_FACTOR),
    "dividends": _each(
        _below_assets(1.0),
        _unless_small(
            _SMALL_PAYMENT, "equity", _in_bounds(2.5, "net_income", "profit", "operating_cash_flow")
        ),
    ),
    "dividends_per_share": _paid_on_shares,
    "equity_method_income": _each(
        _signed(
            "equity_method_income",
            "pretax_before_equity_method + equity_method_income - pretax_after_equity_method",
        ),
        _signed_as_gains,
    ),
    "asset_sale_gain": _within_proceeds,
    "funds_from_operations": _without_gains,
    "ffo_per_share": _of_common_alone,
    "ffo_payout_ratio": _of_common_alone,
    "buybacks": _each(
        _below_assets(1.0), _in_bounds(1, "equity", beside=("operating_cash_flow", "debt"))
    ),
}
"""Checks by metric, run before its amount is shown or used in another figure."""
