"""Notes on a day's amounts: book value, equity, debt and holdings."""

from collections.abc import Iterator

from contracts.notices import Notice, NoticeParam
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.kinds import applies
from domain.company.figures.notes.lines.movers import name_item
from domain.company.figures.notes.periods import DOMINANT_SHARE, UNUSUAL, get_all
from domain.company.figures.numbers import round_up, say_amount

MOVEMENTS = {
    "dividends": -1,
    "buybacks": -1,
    "preferred_repaid": -1,
    "preferred_issued": 1,
    "shares_issued_for_cash": 1,
    "acquired_for_shares": 1,
    "spun_off": -1,
}
"""Series of payments and share issues that change equity, each with the sign of the change."""
SECURED_DEBT = "SecuredDebt"
INSURER_DEBTS = ("LongTermDebt", SECURED_DEBT, "JuniorSubordinatedNotes", "ShortTermBorrowings")
INSURER_LIABILITIES = (
    *INSURER_DEBTS,
    "AccruedIncomeTaxesCurrent",
    "DeferredIncomeTaxLiabilities",
    "DeferredTaxLiabilities",
    "Deposits",
    "DepositsReceivedForSecuritiesLoanedAtCarryingValue",
    "LiabilityForClaimsAndClaimsAdjustmentExpense",
    "LiabilityForFuturePolicyBenefits",
    "OtherLiabilities",
    "OtherPolicyholderFunds",
    "PolicyholderContractDeposits",
    "PolicyholderDividendObligation",
    "PolicyholderDividendsPayable",
    "SeparateAccountsLiability",
    "UnearnedPremiums",
)
"""Lines of an insurer's balance sheet that add up to its liabilities where it files no others."""
MOST_PART = 1_000.0
"""Minimum share of tangible book value, in percent, at which a part is no longer described: hardly any book is left.
"""
ROUNDED = 0.01
"""Lines add up to liabilities if they miss them by at most this part of the debt that is in question."""
PREFERENCE_TAG = "PreferredStockLiquidationPreference"
"""How the tags of a liquidation preference begin."""


def note_tangible_book(accounts: Accounts) -> Iterator[Notice]:
    """Yield that tangible book value leaves other intangible assets in, and what they were at the last year's end."""
    end = accounts.newest_end
    is_left = not accounts.get("instant", "other_intangibles", end)
    if is_left and accounts.get("instant", "tangible_book", end):
        year = next((each.end for each in accounts.calendar.years if each.end < end), "")
        then = accounts.get("instant", "other_intangibles", year)
        told = say_amount(then.value, accounts.currency) if then else None
        day = year if then else None
        yield Notice.of("company-tangible-book", end=end, amount=told, day=day)


def note_unearned_shares(accounts: Accounts) -> Iterator[Notice]:
    """Yield the unearned ESOP shares that common equity adds back, of the newest day and those that it is compared with."""
    end = accounts.newest_end
    before = (accounts.calendar.find_year_end_before(end), accounts.calendar.find_year_before(end))
    amounts = [
        Notice.of(
            "amount-on-day", "info", amount=say_amount(found.value, accounts.currency), day=day
        )
        for day in dict.fromkeys(filter(None, (end, *before)))
        if accounts.get("instant", "common_equity", day)
        and (found := accounts.get("instant", "unearned_preferred", day))
        and found.value
    ]
    if amounts and accounts.get("instant", "own_book", end):
        yield Notice.of("company-unearned-shares", amounts=amounts)


def note_deferred_costs(accounts: Accounts) -> Iterator[Notice]:
    """Yield what part of an insurer's common equity is deferred acquisition costs, which tangible book value leaves in."""
    end = accounts.newest_end
    found = get_all(accounts, "instant", end, "deferred_acquisition_costs", "common_book")
    if found and found[0].value > UNUSUAL * found[1].value > 0:
        tangible = accounts.get("instant", "tangible_book", end)
        part = 100 * found[0].value / tangible.value if tangible and tangible.value > 0 else None
        yield Notice.of(
            "company-deferred-costs",
            end=end,
            amount=say_amount(found[0].value, accounts.currency),
            share=round_up(100 * found[0].value / found[1].value, 0),
            part=round_up(part, 0) if part is not None and part < MOST_PART else None,
        )


def note_secured_debt(accounts: Accounts) -> Iterator[Notice]:
    """Yield whether an insurer's long-term debt holds its secured debt: the lines add up to liabilities with one or both."""
    end = accounts.newest_end
    found = get_all(accounts, "instant", end, "insurer_long_term_debt", "insurer_secured_debt")
    if found:
        amount, secured = (say_amount(each.value, accounts.currency) for each in found)
        told: dict[str, NoticeParam] = {"end": end, "amount": amount, "secured": secured}
        lines = {tag: accounts.read_tag("instant", tag, end) for tag in INSURER_LIABILITIES}
        owed = {tag: each.value for tag, each in lines.items() if each}
        whole, part = accounts.read_tag("instant", "Liabilities", end), owed.get(SECURED_DEBT, 0)
        more = sum(owed.values()) - whole.value if whole and part else None
        if more is not None and abs(more) <= ROUNDED * part:
            debt = say_amount(sum(owed.get(tag, 0) for tag in INSURER_DEBTS), accounts.currency)
            yield Notice.of("company-secured-debt-beside", **told, debt=debt)
        elif more is not None and abs(more - part) <= ROUNDED * part:
            yield Notice.of("company-secured-debt-held", **told)
        else:
            yield Notice.of("company-secured-debt", **told)


def note_equity(accounts: Accounts) -> Iterator[Notice]:
    """Yield a note if other comprehensive income explains most of a fiscal year’s change of equity."""
    ends = [year.end for year in accounts.calendar.years[:2]]
    names = ("equity", "accumulated_other_income")
    found = [get_all(accounts, "instant", end, *names) for end in ends]
    if len(ends) < 2 or not all(found) or not applies("equity_before_other_income", accounts.kind):
        return
    change, part = (now.value - then.value for now, then in zip(*found, strict=True))
    if abs(part) > DOMINANT_SHARE * abs(change):
        yield Notice.of(
            "company-equity-other-income",
            first=ends[1],
            last=ends[0],
            change=say_amount(change, accounts.currency),
            part=say_amount(part, accounts.currency),
            items=_list_movements(accounts, ends[0], DOMINANT_SHARE * abs(change)) or None,
        )


def _list_movements(accounts: Accounts, end: str, least: float) -> list[Notice]:
    """Return the filed movements of a fiscal year's equity from a size on, the largest first; a minus lowered it."""
    filed = {name: accounts.get("year", name, end) for name in MOVEMENTS}
    moved = {name: MOVEMENTS[name] * abs(each.value) for name, each in filed.items() if each}
    if (income := accounts.get("year", "net_income", end)) is not None:
        moved["net_income"] = income.value
    return [
        Notice.of(
            "named-amount",
            "info",
            metric=name_item(name),
            amount=say_amount(value, accounts.currency),
        )
        for name, value in sorted(moved.items(), key=lambda each: -abs(each[1]))
        if abs(value) >= least and value
    ]


def note_preference(accounts: Accounts) -> Iterator[Notice]:
    """Yield a note that the amount owed to preferred owners is their liquidation preference, if they are carried at par."""
    end = accounts.newest_end
    owed = accounts.get("instant", "preferred_equity", end)
    if owed and owed.tag.startswith(PREFERENCE_TAG):
        amount = say_amount(owed.value, accounts.currency)
        yield Notice.of("company-preference", end=end, amount=amount)


def note_debt_range(accounts: Accounts) -> Iterator[Notice]:
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


def note_holdings(accounts: Accounts) -> Iterator[Notice]:
    """Yield holdings without a market price that are large against net cash, which leaves them out."""
    end = accounts.newest_end
    found = get_all(accounts, "instant", end, "unmarketable_holdings", "net_cash")
    if found and found[0].value > UNUSUAL * abs(found[1].value):
        amount = say_amount(found[0].value, accounts.currency)
        yield Notice.of("company-holdings", end=end, amount=amount)
