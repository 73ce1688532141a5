"""Dividends per share of a fiscal year, which some filers state for a quarter."""

from contracts.notices import Notice
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.filed.invariants import DECLARED_FACTOR
from domain.company.figures.filed.periods import QUARTERS_A_YEAR, YEAR
from domain.company.figures.filed.series import Amount, Missing, combine
from domain.company.figures.numbers import say_amount

_CHARGED_FACTOR = 1.5
"""Ratio of what retained earnings bore to cash dividends, from which on the cash is not all that was distributed."""
_PER_SHARE = "dividends_per_share"
_SPECIAL, _KEPT = 1.5, 1.1
"""Four quarters' dividends are no yearly rate above the first factor of twelve months', unless the quarter before paid this close to as much."""
_LEAST_YEARS = 2
"""Fiscal years in which a dividend has to be a quarter's, for it to be read so."""


def read_dividend(accounts: FiledAmounts, end: str) -> Amount | None:
    """Return the dividend per share of a fiscal year; a filed one of a quarter counts four times.

    It is of a quarter if in each fiscal year, of two at least, only four of it come to the dividends paid, on the
    shares that are filed or implied. One year does not show it: dividends that were cut are paid after the year
    that declared them.
    """
    series = accounts.series.get("dividends_per_share")
    filed = series.find_span(end, YEAR) if series else None
    if not series or not filed:
        return None
    pairs = [
        (each, year.end)
        for year in accounts.calendar.years
        if (each := series.find_span(year.end, YEAR))
    ]
    is_quarterly = [_is_of_quarter(accounts, *pair) for pair in pairs]
    if len(pairs) < _LEAST_YEARS or not all(is_quarterly):
        return filed
    words = f"{QUARTERS_A_YEAR} × {filed.tag}, which is a quarter’s by the dividends paid"
    return combine(QUARTERS_A_YEAR * filed.value, words, filed, start=filed.start, end=end)


def _is_of_quarter(accounts: FiledAmounts, filed: Amount, end: str) -> bool:
    """Return whether four of a fiscal year's filed dividends per share, and not one, come to those that were paid."""
    paid = _sum_dividends(accounts, end)
    names = ("diluted_shares", "basic_shares", "float_shares")
    shares = next((found for n in names if (found := accounts.get("year", n, end))), None)
    if not shares or paid <= 0:
        return False
    ratio = filed.value * shares.value / paid
    return _is_declared(QUARTERS_A_YEAR * ratio) and not _is_declared(ratio)


def _sum_dividends(accounts: FiledAmounts, end: str) -> float:
    """Return the dividends of a fiscal year that were paid in cash and in shares."""
    paid = (accounts.get("year", name, end) for name in ("dividends", "stock_dividends"))
    return sum(each.value for each in paid if each)


def find_charged(accounts: FiledAmounts, end: str) -> tuple[Amount, float] | None:
    """Return a property company's cash dividends of a fiscal year in which they fell, and what retained earnings bore, if far more.

    What they bore is income to common shareholders less their change, and less the shares that were bought back. The
    rest was paid in shares, as a rule: a property company has to distribute its income. Retained earnings of others
    bear more, such as shares that a merger cancels.
    """
    if accounts.kind != "reit":
        return None
    before = accounts.calendar.find_year_end_before(end)
    then, now = (accounts.get("instant", "retained_earnings", day) for day in (before, end))
    paid, income, bought = (
        accounts.get("year", name, end)
        for name in ("common_dividends", "common_income", "buybacks")
    )
    earlier = accounts.get("year", "common_dividends", before)
    if not (then and now and paid and income and earlier) or not 0 < paid.value < earlier.value:
        return None
    charged = then.value + income.value - now.value - (bought.value if bought else 0.0)
    return (paid, charged) if charged > _CHARGED_FACTOR * paid.value else None


def explain_charged(accounts: FiledAmounts, *amounts: Amount) -> Missing | None:
    """Return that cash dividends of periods leave out most of what was distributed in a fiscal year that they touch."""
    for year in accounts.calendar.years:
        is_touched = any(a.start <= year.end and year.start <= a.end for a in amounts)
        if is_touched and (found := find_charged(accounts, year.end)):
            paid, charged = (say_amount(v, accounts.currency) for v in (found[0].value, found[1]))
            why = Notice.of("gap-charged", "info", year=year.end, paid=paid, charged=charged)
            return Missing("does_not_apply", why)
    return None


def find_special(accounts: FiledAmounts) -> tuple[Amount, Amount] | None:
    """Return the newest quarter's dividend per share and that of twelve months where four of the former are far more.

    It holds a special one then, or is paid once or twice a year, unless the quarter before paid about as much.
    """
    end = accounts.newest_end
    now, twelve = (accounts.get(length, _PER_SHARE, end) for length in ("quarter", "ttm"))
    twelve = twelve or accounts.find_of_year(_PER_SHARE, end)
    before = accounts.get("quarter", _PER_SHARE, accounts.calendar.find_quarter_before(end))
    if not now or not twelve or QUARTERS_A_YEAR * now.value <= _SPECIAL * twelve.value:
        return None
    is_kept = before and before.value * _KEPT >= now.value
    return None if is_kept else (now, twelve)


def _is_declared(ratio: float) -> bool:
    """Return whether dividends declared and paid are close: they are paid later, and on preferred shares too."""
    return 1 / DECLARED_FACTOR <= ratio <= DECLARED_FACTOR
