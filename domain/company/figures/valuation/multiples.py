"""Multiples and yields of a share price: which numerator and denominator each has, and which have no meaning."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.company.figures import Figure, Fundamentals, GapState
from contracts.company.filings import BusinessKind
from contracts.company.valuation import SharePrice
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import METRICS, find_unit
from domain.company.figures.filed.periods import QUARTERS_A_YEAR, YEAR
from domain.company.figures.filed.splits import SPLIT_RATIO
from domain.company.figures.valuation.implied_rates import OPPOSITE
from domain.company.figures.valuation.market_value import find_newest, to_row

MEASURES = {
    name: [(whole, part) for f in metric.formulas for whole, _, part in [f.partition(" / ")]]
    for name, metric in METRICS.items()
    if metric.priced and metric.formulas
}
"""Numerator and denominator of each multiple or yield: the first known pair is used.

A loss, or a value of 0 or less, gives no multiple.
"""
PLAIN = ("enterprise_value", "operating_income")
"""Terms that a multiple’s or yield’s name already states, so that no cell repeats them."""
BOOKS = (
    "net_asset_value_per_share",
    "book_value_per_share",
    "tangible_book_per_share",
    "tangible_book",
    "common_book",
    "equity",
    "property_book_per_share",
    "trust_per_share",
)
"""Metrics of a day that a share's price is divided by."""
DISCONTINUED_SHARE = 0.02
"""Discontinued income above this share of continuing income makes net income no base for growth or multiples."""
OF_CONTINUING = ("continuing_income", "continuing_before_partners")
"""Variants of income from continuing operations; at most one is shown."""
SPECIAL_DIVIDEND = "company-dividend-special"
"""Code of the note that four dividends like the newest quarter's are no yearly rate."""
PAID_IN_SHARES = ("company-charged-dividends", "company-stock-dividends")
"""Codes of the notes that the cash dividends of a period leave out what was distributed in shares."""
OTHER_RATE = 0.05
"""Dividends of twelve months are of another rate if four of the newest quarter's differ from them by this share."""


def relate(
    price: SharePrice,
    worths: Mapping[str, FigureRow],
    twelve: Mapping[str, FigureRow],
    end: str,
    kind: BusinessKind,
) -> tuple[list[FigureRow], list[str]]:
    """Return the multiples and yields over twelve months, and which multiples a loss leaves without meaning."""
    known = {name: row.value for name, row in {**twelve, **worths}.items()}
    for name in _list_unfit_earnings(known):
        known.pop(name, None)
    rows, losses = list[FigureRow](), list[str]()
    for name, quotients in MEASURES.items():
        other = METRICS[name].instead_of
        if not applies(name, kind) or other in {row.metric for row in rows} | {*losses}:
            continue
        ours = [pair for pair in quotients if all(applies(part, kind) for part in pair)]
        found = [pair for pair in ours if known.keys() >= {*pair}]
        for whole, part in found[:1]:
            is_yield = find_unit(name, "") == "percent"
            of = name_basis(ours, whole, part, is_yield=is_yield)
            if known[part] <= 0 and part != "revenue":
                losses.append(name)
            elif known[part] > 0 and (is_yield or known[whole] > 0):
                value = known[whole] / known[part] * (100 if is_yield else 1)
                bound = OPPOSITE.get(twelve[part].bound, "") if part in twelve else ""
                rows.append(to_row(price, name, "ttm", end, value, of=of, bound=bound))
    return rows, losses


def name_basis(ours: Sequence[tuple[str, str]], whole: str, part: str, *, is_yield: bool) -> str:
    """Return the term by which a multiple or yield is not the plain one, where it has several readings; else nothing."""
    wholes, parts = ({pair[n] for pair in ours} for n in (0, 1))
    is_of_whole = len(wholes) > 1 and (is_yield or len(parts) == 1)
    basis = whole if is_of_whole else part if len(parts) > 1 else PLAIN[0]
    return "" if basis in PLAIN else basis


def _list_unfit_earnings(known: Mapping[str, float]) -> Iterator[str]:
    """Yield the earnings that no price is divided by: of other shares, with discontinued operations, or twice there."""
    if not _are_of_priced_shares(known):
        yield from ("continuing_eps", "diluted_eps")
    net = known.get("net_income")
    continuing = next((known[name] for name in OF_CONTINUING if name in known), 0.0)
    is_divided = bool(net and continuing and abs(net / continuing - 1) > DISCONTINUED_SHARE)
    yield "net_income" if is_divided else "continuing_income"
    if "continuing_eps" in known:
        is_same = known["continuing_eps"] == known.get("diluted_eps")
        yield "continuing_eps" if is_same else "diluted_eps"
    elif is_divided:
        yield "diluted_eps"


def _are_of_priced_shares(known: Mapping[str, float]) -> bool:
    """Return whether EPS refers to about the share count that is priced; a split or a recent listing breaks that."""
    income, eps, price = (known.get(n) for n in ("net_income", "diluted_eps", "share_price"))
    if not (income and eps and price) or eps <= 0:
        return True
    if "market_value" not in known:
        return True
    priced = known["market_value"] / price
    return priced / SPLIT_RATIO < income / eps < priced * SPLIT_RATIO


def leave_out_partners(
    flows: Mapping[str, FigureRow], states: Mapping[str, GapState]
) -> dict[str, FigureRow]:
    """Return flows without funds from operations that partly belong to partners: no common share’s price relates to them."""
    is_shared = states.get("ffo_per_share") == "conflicting"
    return {n: v for n, v in flows.items() if n != "funds_from_operations" or not is_shared}


def yield_of_year(
    price: SharePrice, worths: Mapping[str, FigureRow], year: Mapping[str, Figure]
) -> Iterator[FigureRow]:
    """Yield the dividend yield of the last fiscal year, for companies whose dividend of twelve months is not known.

    Yield nothing if the newest dividend is of an earlier fiscal year, because the company may have suspended it since.
    """
    last = max((f.end for f in year.values()), default="")
    for part, whole in MEASURES["dividend_yield"]:
        paid, worth = year.get(part), worths.get(whole)
        if paid and paid.end == last and paid.value > 0 and worth and worth.value > 0:
            percent = 100 * paid.value / worth.value
            yield to_row(price, "dividend_yield", "year", paid.end, percent, of=part)
            return


def yield_of_run(
    fundamentals: Fundamentals, price: SharePrice, worths: Mapping[str, FigureRow]
) -> FigureRow | None:
    """Return the yield of four dividends like the newest quarter's: per share as filed, else those paid on common shares."""
    quarter = find_newest(fundamentals.figures, "quarter")
    if any(note.code == SPECIAL_DIVIDEND for note in fundamentals.notes):
        return None
    for name, whole in (
        ("dividends_per_share", "share_price"),
        ("common_dividends", "market_value"),
    ):
        newest, worth = quarter.get(name), worths.get(whole)
        if newest and worth and newest.end == fundamentals.newest_end and worth.value > 0:
            value = 100 * QUARTERS_A_YEAR * newest.value / worth.value
            of = "" if whole == "share_price" else name
            return to_row(price, "dividend_run_yield", "quarter", newest.end, value, of=of)
    return None


def leave_out_old_dividends(
    fundamentals: Fundamentals, related: Sequence[FigureRow]
) -> tuple[list[FigureRow], list[Notice]]:
    """Return the multiples without a dividend yield that is not of today's rate, and a notice if none of today's is known.

    The twelve months are unfit if they hold a dividend that was cut, raised, paid in shares or special.
    """
    known = {row.metric: row for row in related}
    paid, run = known.get("dividend_yield"), known.get("dividend_run_yield")
    special = next((n for n in fundamentals.notes if n.code == SPECIAL_DIVIDEND), None)
    if not paid:
        return [*related], []
    if run:
        is_unfit = abs(paid.value - run.value) > OTHER_RATE * run.value
    elif special:
        is_unfit = special.params["twelve"] != special.params["share"]
    else:
        is_unfit = holds_shares(fundamentals)
    why = [] if run or not is_unfit else [Notice.of("valuation-dividend-unfit")]
    return [row for row in related if row is not paid or not is_unfit], why


def holds_shares(fundamentals: Fundamentals) -> bool:
    """Return whether cash dividends of twelve months leave out some that were paid in shares."""
    newest = fundamentals.newest_end
    ends = [n.params.get("end", newest) for n in fundamentals.notes if n.code in PAID_IN_SHARES]
    return any(count_days(str(end), newest) <= max(YEAR) for end in ends)
