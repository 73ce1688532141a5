"""Notes on dividends: to whom and how they were paid, and how far they are covered."""

from collections.abc import Iterator
from typing import NamedTuple

from contracts.evidence.rows import Period, say_bound
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.payouts import (
    explain_charged,
    find_charged,
    find_special,
)
from domain.company.figures.accounts.sums import find_bound
from domain.company.figures.filed.metrics import GROWTH, say_metric
from domain.company.figures.filed.periods import QUARTERS_A_YEAR
from domain.company.figures.filed.series import list_leaves
from domain.company.figures.notes.disclosures import MATERIAL
from domain.company.figures.notes.periods import (
    UNUSUAL,
    get_all,
    list_newest,
    name_period,
)
from domain.company.figures.numbers import round_per_share, round_up, say_amount

ALL_DIVIDENDS_TAG = "PaymentsOfDividends"
"""Tag of dividends on shares of every class."""
LOWER_RATE = 0.75
"""The newest quarter's charge for preferred shares is noted if four like it are below this share of twelve months'."""
OTHER_COST = 0.05
"""Dividends paid in twelve months are of another rate if they differ from four of the newest quarter's by this share."""
DIVIDEND_POINTS = 1.0
"""The newest quarter's dividend is noted if its growth differs by this many points from that of twelve months."""
OPTION_TAGS = (
    "ProceedsFromStockOptionsExercised",
    "ProceedsFromIssuanceOfSharesUnderIncentiveAndShareBasedCompensationPlansIncludingStockOptions",
)
PAIR = ("now", "a year before")
PREFERRED_RETURNS = "company-preferred-returns"
"""Code of the note that a year's returns on equity are after a charge for preferred shares that is no longer made."""
RETURNS = {"return_on_equity": "own_book", "return_on_tangible_equity": "tangible_book"}
"""Returns on common equity, each with the book value of a day that it is of."""


def note_first_dividend(accounts: Accounts) -> Iterator[Notice]:
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


def note_dividends(accounts: Accounts) -> Iterator[Notice]:
    """Yield that the dividends paid hold those on preferred shares, or leave out those paid in shares."""
    for length, end in list_newest(accounts):
        found = get_all(accounts, length, end, "dividends", "stock_dividends")
        if found and found[1].value > MATERIAL * found[0].value:
            amount = say_amount(found[1].value, accounts.currency)
            period = name_period(length, end)
            yield Notice.of("company-stock-dividends", period=period, amount=amount)
        found = get_all(accounts, length, end, "dividends", "preferred_dividends")
        tags = {leaf.tag for leaf in list_leaves(found[0])} if found else set()
        if tags == {ALL_DIVIDENDS_TAG} and found[1].value > 0:
            period = name_period(length, end)
            amount = say_amount(found[1].value, accounts.currency)
            yield Notice.of("company-preferred-dividends", period=period, amount=amount)
            return


def note_charged_dividends(accounts: Accounts) -> Iterator[Notice]:
    """Yield that a late fiscal year's cash dividends are a small part of what retained earnings bore, so that they are no cut."""
    for year in accounts.calendar.years[: len(PAIR)]:
        if found := find_charged(accounts, year.end):
            paid, charged = found
            now = accounts.get("quarter", "common_dividends", accounts.newest_end)
            run = QUARTERS_A_YEAR * now.value if now and accounts.newest_end > year.end else None
            yield Notice.of(
                "company-charged-dividends",
                end=year.end,
                paid=say_amount(paid.value, accounts.currency),
                charged=say_amount(charged, accounts.currency),
                run=say_amount(run, accounts.currency) if run else None,
            )


def note_minority_dividends(accounts: Accounts) -> Iterator[Notice]:
    """Yield the dividends to owners of subsidiaries where they take much of the cash, and those to shareholders are none or unknown."""
    for length, end in list_newest(accounts):
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


def note_cash_dividends(accounts: Accounts) -> Iterator[Notice]:
    """Yield the dividends per share of a quarter or year, and of that before, as far as they were paid in cash."""
    for length, end in list_newest(accounts):
        before = accounts.calendar.find_year_before(end)
        pair = [_read_dividends(accounts, length, day) for day in (end, before)]
        now, then = pair
        if now and then and (now.in_shares or then.in_shares):
            yield Notice.of(
                "company-cash-dividends",
                period=name_period(length, end),
                now=round_up(now.share * now.cash / (now.cash + now.in_shares), 2),
                share=round_per_share(now.share),
                then=round_up(then.share * then.cash / (then.cash + then.in_shares), 2),
                before=round_per_share(then.share),
                currency=accounts.currency,
            )


class Dividends(NamedTuple):
    """A period's dividend per share, and what was paid of it in cash and in shares."""

    share: float
    cash: float
    in_shares: float


def _read_dividends(accounts: Accounts, length: Period, end: str) -> Dividends | None:
    """Return a period's dividends; None unless those per share and those paid in cash are known."""
    found = get_all(accounts, length, end, "dividends_per_share", "dividends")
    if not found or found[1].value <= 0:
        return None
    in_shares = accounts.get(length, "stock_dividends", end)
    return Dividends(found[0].value, found[1].value, in_shares.value if in_shares else 0.0)


def note_preferred_charge(accounts: Accounts) -> Iterator[Notice]:
    """Yield that income went to preferred shareholders in twelve months at a rate which the newest quarter no longer has."""
    end = accounts.newest_end
    twelve, quarter = (accounts.get(p, "claims_before_common", end) for p in ("ttm", "quarter"))
    income = accounts.get("ttm", "net_income", end)
    if not twelve or not quarter or not income or twelve.value < UNUSUAL * abs(income.value):
        return
    rate = QUARTERS_A_YEAR * quarter.value
    if rate < LOWER_RATE * twelve.value:
        amounts = {"twelve": twelve.value, "quarter": quarter.value, "left": income.value - rate}
        if newest := accounts.get("quarter", "shareholders_income", end):
            amounts["run"] = QUARTERS_A_YEAR * newest.value
        told = {name: say_amount(value, accounts.currency) for name, value in amounts.items()}
        yield Notice.of("company-preferred-charge", end=end, **told)


def note_preferred_returns(accounts: Accounts) -> Iterator[Notice]:
    """Yield the returns on equity of the fiscal year at the newest quarter's lower charge for preferred shares.

    Shares sold to replace the preferred ones are only in part of the year's average, so four quarters like the newest
    are set against the newest book value as well.
    """
    end, years = accounts.newest_end, accounts.list_years(1)
    if not years or not [*note_preferred_charge(accounts)]:
        return
    year, income = years[0], accounts.get("year", "net_income", years[0])
    common = accounts.get("year", "common_income", year)
    charge = accounts.get("quarter", "claims_before_common", end)
    newest = accounts.get("quarter", "shareholders_income", end)
    if not (income and charge and common) or common.value <= 0:
        return
    left = income.value - QUARTERS_A_YEAR * charge.value
    parts = list[Notice]()
    for name, book_name in RETURNS.items():
        found, book = accounts.get("year", name, year), accounts.get("instant", book_name, end)
        if found and found.value > 0:
            run = 100 * QUARTERS_A_YEAR * newest.value / book.value if newest and book else None
            bound = say_bound(find_bound(name, found))
            parts.append(
                Notice.of(
                    "preferred-return",
                    "info",
                    metric=say_metric(name),
                    was=round_up(found.value, 2),
                    left=round_up(found.value * left / common.value),
                    run=Notice.of("preferred-run", "info", percent=round_up(run), bound=bound)
                    if run is not None
                    else None,
                    bound=bound,
                )
            )
    if parts:
        whole = say_amount(income.value - common.value, accounts.currency)
        yield Notice.of(PREFERRED_RETURNS, year=year, whole=whole, parts=parts)


def note_dividend_cover(accounts: Accounts) -> Iterator[Notice]:
    """Yield what four dividends like the newest quarter's cost a property company, and how far its cash covers them.

    Where partners' distributions are not filed, it is the cash before them. What is left after the dividends paid is
    added where these were of another rate.
    """
    end = accounts.newest_end
    share = accounts.get("quarter", "dividends_per_share", end)
    count = accounts.get("instant", "shares_outstanding", end)
    whole = accounts.get("ttm", "cash_after_improvements", end)
    cash = whole or accounts.get("ttm", "cash_before_partners", end)
    cost = QUARTERS_A_YEAR * share.value * count.value if share and count else 0.0
    cost = 0.0 if find_special(accounts) else cost
    if share and cash and cost > 0:
        paid = accounts.get("ttm", "common_dividends", end)
        in_shares = accounts.find_of_year("stock_dividends", end)
        is_all = paid and not in_shares and not explain_charged(accounts, paid)
        is_other = is_all and paid and abs(paid.value - cost) > OTHER_COST * cost
        spent = {"paid": paid.value, "left": cash.value - paid.value} if paid and is_other else {}
        rest = {"rest": cash.value - cost} if spent else {}
        told = {"cost": cost, "cash": cash.value, **spent, **rest}
        yield Notice.of(
            "company-dividend-cover" if whole else "company-dividend-cover-before",
            end=end,
            share=round_per_share(share.value),
            currency=accounts.currency,
            cover=round_up(cash.value / cost, 2),
            of_ffo=_share_of_ffo(accounts, end, QUARTERS_A_YEAR * share.value),
            **{name: say_amount(value, accounts.currency) for name, value in told.items()},
        )


def _share_of_ffo(accounts: Accounts, end: str, dividend: float) -> float | None:
    """Return a yearly dividend as percent of funds from operations per share of twelve months; None if they are not known."""
    earned = accounts.get("ttm", "ffo_per_share", end)
    return round_up(100 * dividend / earned.value) if earned and earned.value > 0 else None


def note_dividend_run(accounts: Accounts) -> Iterator[Notice]:
    """Yield the growth of the newest quarter's dividend where that of twelve months differs, and four of it."""
    end = accounts.newest_end
    if special := find_special(accounts):
        now, year = special
        yield Notice.of(
            "company-dividend-special",
            end=end,
            share=round_per_share(now.value),
            run=round_per_share(QUARTERS_A_YEAR * now.value),
            twelve=round_per_share(year.value),
            currency=accounts.currency,
        )
        return
    share, growth = (accounts.get("quarter", f"dividends_per_share{g}", end) for g in ("", GROWTH))
    twelve = accounts.get("ttm", f"dividends_per_share{GROWTH}", end)
    if share and growth and twelve and abs(growth.value - twelve.value) >= DIVIDEND_POINTS:
        yield Notice.of(
            "company-dividend-run",
            end=end,
            share=round_per_share(share.value),
            growth=round_up(growth.value),
            twelve=round_up(twelve.value),
            run=round_per_share(QUARTERS_A_YEAR * share.value),
            currency=accounts.currency,
        )


def note_net_buybacks(accounts: Accounts) -> Iterator[Notice]:
    """Yield what buybacks cost beyond what exercised options brought, and the payout of free cash flow with either."""
    for length, end in list_newest(accounts):
        found = get_all(accounts, length, end, "buybacks", "free_cash_flow")
        paid = accounts.get(length, "dividends", end)
        filed = [accounts.read_tag(length, tag, end) for tag in OPTION_TAGS]
        brought = next((each.value for each in filed if each), 0.0)
        if length == "quarter" or not found or not brought >= UNUSUAL * found[0].value > 0:
            continue
        spent, cash = (each.value for each in found)
        gross = spent + (paid.value if paid else 0.0)
        shares = [round_up(100 * each / cash) for each in (gross, gross - brought)]
        yield Notice.of(
            "company-net-buybacks",
            period=name_period(length, end),
            spent=say_amount(spent, accounts.currency),
            brought=say_amount(brought, accounts.currency),
            net=say_amount(spent - brought, accounts.currency),
            **({"gross": shares[0], "left": shares[1]} if cash > 0 else {}),
        )
        return
