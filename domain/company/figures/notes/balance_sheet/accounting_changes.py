"""Notes on changes of accounting: what they brought onto the balance sheet, and moved in allowance and retained earnings."""

import re
from collections.abc import Iterator, Sequence

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.accounting_changes import (
    CHANGES,
    Standard,
    list_adopted,
    list_moving_allowance,
)
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.filed.periods import is_near, shift_day
from domain.company.figures.filed.series import Amount
from domain.company.figures.numbers import round_up, say_amount

LEAST_BALANCE = 0.01
"""A balance that a change of accounting brought is noted from this part of assets on."""
LEAST_REST = 0.02
"""What a standard brought of an allowance is noted from this part of the allowance on."""
LEAST_EFFECT = 0.001
"""A cumulative effect is noted from this part of equity on where the standard is known that it is of."""
LEAST_CHARGE = 0.015
"""An amount that bypassed income, or a cumulative effect, is noted from this part of equity on."""
USUAL_SHARE = 1 / 3
"""Implied charge-offs below this part of the usual ones show that an allowance did not come from provisions alone."""
GROWN = 1.05
"""Loans that grew by more within a span were bought or consolidated."""
DEBTS = ("insurer_long_term_debt", "debt")
FLOWS_OF_DEBT = ("long_term_debt_issued", "long_term_debt_repaid")
LENGTHS: tuple[Period, ...] = ("quarter", "year", "to_date")
DAYS_PER_YEAR = 365.25


CUMULATIVE = re.compile(CHANGES.cumulative)


def note_accounting_changes(accounts: Accounts) -> Iterator[Notice]:
    """Yield what changes of accounting moved in the newest balance sheet, and in that of the newest fiscal year's end."""
    for first, last in _list_spans(accounts):
        adopted = list_adopted(accounts.taxonomy, shift_day(first, 1))
        yield from _note_balances(accounts, adopted, first, last)
        yield from _note_debt(accounts, adopted, first, last)
        yield from _note_allowance(accounts, first, last)
        yield from _note_retained(accounts, adopted, first, last)
    yield from _note_cumulative(accounts)


def _list_spans(accounts: Accounts) -> list[tuple[str, str]]:
    """Return the days that begin and end the newest fiscal year to date, and the newest fiscal year."""
    ends = dict.fromkeys([accounts.newest_end, *accounts.list_years(1)])
    pairs = ((accounts.calendar.find_year_end_before(end), end) for end in ends if end)
    return [(first, last) for first, last in pairs if first]


def _note_balances(
    accounts: Accounts, adopted: Sequence[Standard], first: str, last: str
) -> Iterator[Notice]:
    """Yield a balance that a standard brought onto the balance sheet within a span."""
    assets = accounts.get("instant", "assets", last)
    for standard in adopted if assets else ():
        for tag in standard.balances:
            then, now = (accounts.read_tag("instant", tag, day) for day in (first, last))
            before = then.value if then else 0.0
            is_new = not before or (standard.grows and now and now.value >= standard.grows * before)
            if assets and now and is_new and now.value - before >= LEAST_BALANCE * assets.value:
                yield Notice.of(
                    "company-change-balance",
                    tag=name_line(tag, accounts.facts),
                    now=say_amount(now.value, accounts.currency),
                    then=say_amount(before, accounts.currency) if before else None,
                    first=first,
                    last=last,
                    standard=_name(standard),
                )
                break


def _note_debt(
    accounts: Accounts, adopted: Sequence[Standard], first: str, last: str
) -> Iterator[Notice]:
    """Yield long-term debt that came with consolidated entities: what was issued and repaid does not explain its rise."""
    assets = accounts.get("instant", "assets", last)
    issued, repaid = (_get_span(accounts, name, first, last) for name in FLOWS_OF_DEBT)
    of = [each for each in adopted if each.consolidates]
    for name in DEBTS if of and assets and issued and repaid else ():
        then, now = (accounts.get("instant", name, day) for day in (first, last))
        if not (then and now and assets and issued and repaid):
            continue
        rest = now.value - then.value - issued.value + repaid.value
        if rest >= LEAST_BALANCE * assets.value:
            amounts = {"then": then.value, "now": now.value, "rest": rest}
            amounts |= {"issued": issued.value, "repaid": repaid.value}
            yield Notice.of(
                "company-change-debt",
                first=first,
                last=last,
                metric=say_metric(name),
                standards=[*map(_name, of)],
                **{key: say_amount(value, accounts.currency) for key, value in amounts.items()},
            )
            return


def _note_allowance(accounts: Accounts, first: str, last: str) -> Iterator[Notice]:
    """Yield that an allowance came with loans or a standard: more than provisions less charge-offs, or far below usual ones."""
    then, now = (accounts.get("instant", "credit_allowance", day) for day in (first, last))
    added = _get_span(accounts, "credit_provision", first, last)
    lent, owed = (accounts.get("instant", "loans", day) for day in (first, last))
    lost = _get_span(accounts, "net_charge_offs", first, last)
    adopted = list_moving_allowance(accounts.taxonomy, shift_day(first, 1))
    if then and now and added and lost and adopted:
        rest = now.value - then.value - added.value + lost.value
        if rest >= LEAST_REST * then.value:
            yield Notice.of(
                "company-change-allowance-rest",
                first=first,
                last=last,
                rest=say_amount(rest, accounts.currency),
                standards=[*map(_name, adopted)],
            )
        return
    usual = next(
        (
            found
            for name in ("net_charge_offs", "implied_charge_offs")
            if (found := accounts.get("year", name, first))
        ),
        None,
    )
    if not (then and now and added and usual) or now.value <= then.value:
        return
    years = count_days(added.start, added.end) / DAYS_PER_YEAR
    implied = then.value + added.value - now.value
    has_grown = bool(lent and owed and owed.value > GROWN * lent.value)
    if implied >= USUAL_SHARE * years * usual.value or not (adopted or has_grown):
        return
    amounts = {
        "now": now.value,
        "then": then.value,
        "added": added.value,
        "implied": implied,
        "usual": usual.value,
    }
    yield Notice.of(
        "company-change-allowance",
        first=first,
        last=last,
        lent=round_up(100 * (owed.value / lent.value - 1)) if lent and owed and has_grown else None,
        standards=[*map(_name, adopted)] or None,
        **{name: say_amount(value, accounts.currency) for name, value in amounts.items()},
    )


def _note_retained(
    accounts: Accounts, adopted: Sequence[Standard], first: str, last: str
) -> Iterator[Notice]:
    """Yield what retained earnings lost beyond income, dividends and buybacks in a span in which standards took effect."""
    then, now = (accounts.get("instant", "retained_earnings", day) for day in (first, last))
    equity = accounts.get("instant", "equity", last)
    income = _get_span(accounts, "net_income", first, last)
    paid, bought = (_get_payout(accounts, n, first, last) for n in ("dividends", "buybacks"))
    if not (adopted and then and now and equity and income and paid and bought):
        return
    declared = _get_span(accounts, "declared_dividends", first, last)
    expected = income.value - max(each.value for each in (paid, declared) if each)
    rest = now.value - then.value - expected
    if -rest - bought.value < LEAST_CHARGE * equity.value:
        return
    amounts = {"change": now.value - then.value, "expected": expected, "rest": -rest}
    yield Notice.of(
        "company-change-retained",
        first=first,
        last=last,
        standards=[*map(_name, adopted)],
        **{name: say_amount(value, accounts.currency) for name, value in amounts.items()},
    )


def _note_cumulative(accounts: Accounts) -> Iterator[Notice]:
    """Yield the cumulative effects of changes of accounting that are filed of the newest periods, each amount once."""
    told = set[float]()
    for first, last in _list_spans(accounts):
        equity = accounts.get("instant", "equity", last)
        start, adopted = shift_day(first, 1), list_adopted(accounts.taxonomy, shift_day(first, 1))
        for tag, fact in accounts.facts.list_within(start, last, accounts.currency, CUMULATIVE):
            share = LEAST_EFFECT if adopted else LEAST_CHARGE
            least = share * abs(equity.value) if equity else 0.0
            if equity and abs(fact.value) >= least and abs(fact.value) not in told:
                told.add(abs(fact.value))
                amount = say_amount(fact.value, accounts.currency)
                yield Notice.of(
                    "company-change-cumulative",
                    tag=name_line(tag, accounts.facts),
                    amount=amount,
                    end=fact.end,
                    standards=[*map(_name, adopted)] or None,
                )


def _get_span(accounts: Accounts, name: str, first: str, last: str) -> Amount | None:
    """Return a flow from the day after one day to another, for a period of any length."""
    start = shift_day(first, 1)
    found = (accounts.get(length, name, last) for length in LENGTHS)
    return next((each for each in found if each and is_near(each.start, start)), None)


def _get_payout(accounts: Accounts, name: str, first: str, last: str) -> Amount | None:
    """Return a payout of a span; the nil of the fiscal year before where none is filed, else None: it is unknown."""
    before = accounts.get("year", name, first)
    return _get_span(accounts, name, first, last) or (
        before if before and not before.value else None
    )


def _name(standard: Standard) -> Notice:
    return Notice.of(f"standard-{standard.name}", "info")
