"""Debt due within a year, and the interest that a debt bears."""

from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.accounts.sums import AGREEMENT, SAME_LINE, add_tags, agree, repeats
from domain.company.figures.filed.series import Amount, combine
from domain.company.figures.numbers import find_step


def get_debt_current(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return all debt due within a year under the tag of that sum, or the same less rounded under another tag."""
    series = accounts.series.get("debt_current")
    filed = series.find_instant(end) if series else None
    short, part = (
        accounts.get("instant", n, end) for n in ("short_term_borrowings", "long_term_debt_current")
    )
    both = add_tags([part, short]) if part and short else None
    finer = (each for each in (short, both) if filed and each and _is_finer(each, filed))
    return next(finer, filed)


def add_current_debt(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return all debt due within a year, as filed or from its long and short-term parts; None if one is not filed."""
    if whole := accounts.get("instant", "debt_current", end):
        return whole
    short, part = (
        accounts.get("instant", n, end) for n in ("short_term_borrowings", "long_term_debt_current")
    )
    if short and part:
        return part if repeats(short, "+", [("", "", part)]) else add_tags([part, short])
    return short if short and _holds_current_part(accounts, end) else None


def _holds_current_part(accounts: FiledAmounts, end: str) -> bool:
    """Return whether short-term borrowings hold the current part of long-term debt, as on the last day that shows it.

    That is a day on which they are all the debt due within a year, though a current part is filed as well.
    """
    series = accounts.series.get("debt_current")
    days = sorted((each.end for each in series.list_instants()) if series else (), reverse=True)
    for day in (each for each in days if each <= end):
        whole, short, part = (
            accounts.get("instant", n, day)
            for n in ("debt_current", "short_term_borrowings", "long_term_debt_current")
        )
        if whole and short and part and part.value > AGREEMENT * whole.value:
            return agree(short.value, whole.value)
    return False


def find_short_term_debt(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return debt due within a year without the current part of long-term debt, or borrowings filed without that part."""
    whole, short, part = (
        accounts.get("instant", n, end)
        for n in ("current_debt", "short_term_borrowings", "long_term_debt_current")
    )
    if not whole:
        return short
    if not part or repeats(whole, "+", [("", "", part)]):
        return None
    if short and abs(short.value + part.value - whole.value) <= SAME_LINE * whole.value:
        return short
    words = f"{whole.tag or whole.formula} − {part.tag or part.formula}"
    return combine(whole.value - part.value, words, whole, part, start="", end=end)


def find_interest_rate(accounts: FiledAmounts, end: str, debt: Amount) -> float:
    """Return the interest of twelve months, or of a quarter times four, over a debt; -1 if it is not known."""
    year, quarter = (accounts.get(period, "debt_interest", end) for period in ("ttm", "quarter"))
    paid = year.value if year else 4 * quarter.value if quarter else -1
    return paid / debt.value if debt.value > 0 else -1


def _is_finer(one: Amount, other: Amount) -> bool:
    """Return whether an amount rounds to another that has fewer digits, so that the latter says less."""
    step, of_other = (find_step(each.value) for each in (one, other))
    return step < of_other and abs(one.value - other.value) <= of_other / 2
