"""Notices on a valuation: how its price is taken, and what qualifies its multiples."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.company.figures import Figure, Fundamentals
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from domain.company.figures.filed.facts import parse_day
from domain.company.figures.filed.periods import QUARTERS_A_YEAR
from domain.company.figures.notes.earnings import OTHER_INCOME, is_unusual
from domain.company.figures.notes.periods import UNUSUAL
from domain.company.figures.numbers import round_up, say_amount
from domain.company.figures.translation import find_currency, find_rate
from domain.company.figures.valuation.implied_rates import (
    DILUTIVE_SHARE,
    Method,
)
from domain.company.figures.valuation.market_value import (
    find_conversions,
    find_dilutive_shares,
    find_newest,
    find_priced_shares,
    name_convertible,
)

PREFERRED_CHARGE = "company-preferred-charge"
"""Code of the note that income went to preferred shareholders at a rate which the newest quarter no longer has."""
AVERAGE_SHARES = "valuation-average-shares"
"""Code of the note that earnings per share are of another number of shares than the market value."""
UNUSUAL_EARNINGS = "valuation-earnings"
"""Code of the note that twelve months earned far more or less than the last fiscal year."""
OF_EPS = ("diluted_eps", "continuing_eps")
OTHER_COUNT = 0.05
"""Shares now are compared with the average behind earnings per share if they differ by more than this part."""
WEEKEND = (5, 6)

OTHERS_PART = 0.25
"""Part of a quarter's net income that went to others from which on it is noted beside multiples of the common shares."""


def explain_given(price: SharePrice) -> Notice:
    """Return how a price given at the start is taken; on a weekend no shares trade."""
    is_weekend = parse_day(price.day).weekday() in WEEKEND
    return Notice.of("valuation-given", closed=price.day if is_weekend else None)


def note_translation(fundamentals: Fundamentals) -> list[Notice]:
    """Return the notice that multiples are of amounts that the filer translated, and at which rate."""
    if not (translated := fundamentals.translated):
        return []
    own = next(filter(None, map(find_currency, fundamentals.figures)))
    rate = round_up(find_rate(fundamentals.figures, translated), 4)
    to = find_currency(translated[0])
    return [Notice.of("valuation-translated", own=own, to=to, rate=rate)]


def note_earnings(
    twelve: Mapping[str, Figure],
    year: Mapping[str, Figure],
    related: Sequence[FigureRow],
    price: SharePrice,
) -> Iterator[Notice]:
    """Yield that the P/E is of unusual twelve months, as those of the last fiscal year earned far more or less."""
    now, then = twelve.get("continuing_eps"), year.get("continuing_eps")
    ratio = next((row for row in related if row.metric == "price_to_earnings"), None)
    if not (ratio and now and then) or now.end == then.end:
        return
    if is_unusual(now.value, then.value):
        values = {"twelve": round_up(now.value, 2), "year": round_up(then.value, 2)}
        multiple = round_up(price.value / then.value)
        others = {"twelve_other": _find_other_income(twelve), "other": _find_other_income(year)}
        told = {**values, **others, "fiscal": then.fiscal, "end": then.end}
        yield Notice.of(UNUSUAL_EARNINGS, **told, multiple=multiple)


def _find_other_income(figures: Mapping[str, Figure]) -> Notice | None:
    """Return other non-operating income of a period, where it is much of income before tax; else None."""
    other, pretax = (figures.get(name) for name in (OTHER_INCOME, "pretax_income"))
    if not other or not pretax or abs(other.value) < UNUSUAL * abs(pretax.value):
        return None
    return say_amount(other.value, other.unit)


def note_average_shares(
    fundamentals: Fundamentals, related: Sequence[FigureRow]
) -> Iterator[Notice]:
    """Yield P/E by the market value, where the average shares behind earnings per share are much more or fewer than now's.

    Multiples of the market value compare with it, and not with the price by earnings per share.
    """
    twelve = find_newest(fundamentals.figures, "ttm")
    ratio = next((row for row in related if row.metric == "price_to_earnings"), None)
    shares, average = find_priced_shares(fundamentals), twelve.get("diluted_shares")
    if not (ratio and shares and average) or ratio.of not in OF_EPS or average.value <= 0:
        return
    more = find_dilutive_shares(fundamentals)
    now = shares.value + (more.value if more and shares.metric != average.metric else 0.0)
    if abs(now / average.value - 1) > OTHER_COUNT:
        yield Notice.of(
            AVERAGE_SHARES,
            multiple=round_up(ratio.value),
            average=say_amount(average.value, "shares"),
            shares=say_amount(shares.value, "shares"),
            now=round_up(ratio.value * shares.value / average.value),
        )


def note_preferred_charge(
    fundamentals: Fundamentals, worths: Mapping[str, FigureRow]
) -> Iterator[Notice]:
    """Yield market value to twelve months' income at the newest quarter's charge for preferred shares, and to four such quarters."""
    twelve, quarter = (find_newest(fundamentals.figures, p) for p in ("ttm", "quarter"))
    market, income = worths.get("market_value"), twelve.get("net_income")
    paid = twelve.get("claims_before_common")
    charge, newest = (quarter.get(n) for n in ("claims_before_common", "shareholders_income"))
    is_noted = any(note.code == PREFERRED_CHARGE for note in fundamentals.notes)
    if not (is_noted and market and income and charge and newest) or newest.value <= 0:
        return
    left = income.value - QUARTERS_A_YEAR * charge.value
    if left > 0:
        run = round_up(market.value / (QUARTERS_A_YEAR * newest.value))
        multiple = round_up(market.value / left)
        plain = round_up(market.value / (income.value - paid.value)) if paid else None
        told = {"multiple": multiple, "run": run, "plain": plain}
        yield Notice.of("valuation-preferred-charge", **told)


def note_other_owners(fundamentals: Fundamentals) -> Iterator[Notice]:
    """Yield that much of the newest quarter's net income went to others than common shareholders, whom multiples leave out."""
    quarter = find_newest(fundamentals.figures, "quarter")
    income, others = (quarter.get(n) for n in ("net_income", "claims_before_common"))
    if income and others and others.value >= OTHERS_PART * income.value > 0:
        yield Notice.of(
            "valuation-other-owners",
            share=round_up(100 * others.value / income.value, 0),
            amount=say_amount(others.value, others.unit),
            whole=say_amount(income.value, income.unit),
            end=income.end,
        )


def note_awards(
    fundamentals: Fundamentals, worths: Mapping[str, FigureRow], price: SharePrice
) -> Iterator[Notice]:
    """Yield how many shares could be added, and whether debt counts them as well."""
    more, market = find_dilutive_shares(fundamentals), worths.get("market_value")
    if more and market and not market.of:
        share = 100 * more.value / (market.value / price.value)
        how = Notice.of(f"valuation-awards-{'loss' if more.tag else 'profit'}")
        found = zip(("preferred", "debt"), find_conversions(fundamentals, more), strict=True)
        kinds = {name: say_amount(count, "shares") for name, count in found if count}
        added = say_amount(more.value, "shares")
        yield Notice.of("valuation-awards", shares=added, share=round_up(share), **kinds, how=how)
        filed = name_convertible(fundamentals)
        if filed and "debt" not in kinds and share >= 100 * DILUTIVE_SHARE:
            yield Notice.of("valuation-convertibles", debt=filed)


def note_count(fundamentals: Fundamentals, worths: Mapping[str, FigureRow]) -> Iterator[Notice]:
    """Yield a notice if diluted shares replace a missing share count, or if no count is known."""
    market = worths.get("market_value")
    if not market:
        yield Notice.of("valuation-no-count")
    elif market.of and (shares := find_priced_shares(fundamentals)):
        count = say_amount(shares.value, "shares")
        of = "implied" if market.of == "dividend_shares" else "diluted"
        yield Notice.of(f"valuation-{of}-count", shares=count, end=shares.end)


def note_growth(negative: list[Figure], terms: ValuationTerms, method: Method) -> Iterator[Notice]:
    """Yield the method and assumptions of an implied growth rate, and the cash flows that have none."""
    how = Notice.of(f"growth-of-{method}", "info")
    years, later = terms.growth_years, terms.terminal_growth
    yield Notice.of("valuation-growth", how=how, years=years, later=later)
    for left in negative:
        amount = say_amount(left.value, left.unit)
        period = Notice.of(f"period-{left.period}", end=left.end)
        yield Notice.of("valuation-no-cash-left", amount=amount, period=period)
