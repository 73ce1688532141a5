"""What moved a company's tax rate: the lines of its own reconciliation with the statutory rate."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.metrics import spell_tag
from domain.company.figures.notes.periods import get_all
from domain.company.figures.numbers import round_up, say_amount

LINE = "EffectiveIncomeTaxRateReconciliation"
WHOLE = "EffectiveIncomeTaxRateContinuingOperations"
_TAGS = re.compile(f"{LINE}|{WHOLE}$")
_LOWERING = re.compile("Credit|Fdii|Deduction|Holiday")
"""Words of lines that are filed as positive shares where they lower the rate."""
NEAR = 0.002
"""How far the lines may be from the rate that they add up to, as each is rounded to a thousandth."""
TAX_POINTS = 5.0
"""Growth before tax is noted where the tax rate differs from a year before by this many points."""
LEAST_POINTS, MOST_LINES = 0.5, 4


def note_tax(accounts: Accounts, length: Period, end: str, period: Notice) -> Iterator[Notice]:
    """Yield where net income grew unlike income before tax, as one tax rate was unusual."""
    growths = get_all(accounts, length, end, "net_income_growth", "pretax_income_growth")
    ends = (end, accounts.calendar.find_year_before(end))
    rates = [r.value for e in ends for r in get_all(accounts, length, e, "effective_tax_rate")]
    taxes = [t.value for e in ends for t in get_all(accounts, length, e, "income_tax")]
    if growths and len(taxes) == 2 and min(taxes) < 0:  # a benefit has no rate
        net, pretax = (round_up(growth.value) for growth in growths)
        tax, before_tax = (say_amount(each, accounts.currency) for each in taxes)
        told = {"net": net, "pretax": pretax}
        yield Notice.of("company-tax-benefit", period=period, tax=tax, before=before_tax, **told)
    elif growths and len(rates) == 2 and abs(rates[0] - rates[1]) >= TAX_POINTS:
        net, pretax = (round_up(growth.value) for growth in growths)
        rate, before = map(round_up, rates)
        told = {"net": net, "pretax": pretax, "rate": rate, "before": before}
        years = [_read_lines(accounts, each) for each in ends] if length == "year" else []
        moves = [*_list_moves(*years)] if years and all(each.adds_up for each in years) else []
        odd = [_say_odd(each) for each in years if each.lines and not each.adds_up]
        yield Notice.of(
            "company-tax-rate", period=period, **told, moves=moves or None, odd=odd or None
        )


class Reconciliation(NamedTuple):
    """The lines of a fiscal year's reconciliation by tag, each with the sign that it has in it, and the filed rate."""

    end: str
    lines: Mapping[str, float]
    whole: float | None

    @property
    def adds_up(self) -> bool:
        """Whether the lines add up to the rate, so that each line's sign is known."""
        total = sum(self.lines.values())
        return bool(self.lines) and self.whole is not None and abs(total - self.whole) <= NEAR


def _say_odd(read: Reconciliation) -> Notice:
    """Return that the lines of a year are not named, as they do not come to its filed rate, or none is filed."""
    total = round_up(100 * sum(read.lines.values()))
    rate = None if read.whole is None else round_up(100 * read.whole)
    return Notice.of("tax-rate-odd", "info", end=read.end, total=total, rate=rate)


def _list_moves(year: Reconciliation, before: Reconciliation) -> Iterator[Notice]:
    """Yield the lines that moved the tax rate of a fiscal year most, the largest first."""
    now, then = year.lines, before.lines
    moves = {tag: 100 * (now.get(tag, 0) - then.get(tag, 0)) for tag in {**now, **then}}
    for tag in sorted(moves, key=lambda tag: -abs(moves[tag]))[:MOST_LINES]:
        if abs(moves[tag]) >= LEAST_POINTS:
            yield Notice.of(
                "tax-rate-line",
                "info",
                line=spell_tag(tag.removeprefix(LINE)),
                points=round_up(moves[tag]),
                now=round_up(100 * now.get(tag, 0)),
            )


def _read_lines(accounts: Accounts, year: str) -> Reconciliation:
    """Return the filed lines that reconcile the statutory tax rate with the effective rate of a fiscal year.

    The result has no lines if the effective rate of the year is not known.
    """
    rate = accounts.get("year", "effective_tax_rate", year)
    if not rate:
        return Reconciliation(year, {}, None)
    filed = {
        tag: fact.value
        for tag, fact in accounts.facts.list_within(rate.start, year, "pure", _TAGS)
        if fact.start
    }
    whole = filed.pop(WHOLE, None)
    lines = {tag: -value if _LOWERING.search(tag) else value for tag, value in filed.items()}
    return Reconciliation(year, lines, whole)
