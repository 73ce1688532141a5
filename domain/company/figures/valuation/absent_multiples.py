"""Why a price has no main multiple of its kind of business, and why there is no table of what it needs."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.company.figures import Figure, Fundamentals
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import METRICS, is_instant, say_metric
from domain.company.figures.numbers import say_amount
from domain.company.figures.valuation.implied_rates import OF_BOOK, OF_PRICE
from domain.company.figures.valuation.multiples import MEASURES

MAIN = ("price_to_earnings", "price_to_ffo", "price_to_book", "price_to_tangible_book")
"""The multiples that a reader of a kind of business looks for: each is shown, or its absence is explained."""


def note_missing_multiples(
    fundamentals: Fundamentals,
    known: Mapping[str, FigureRow],
    related: Sequence[FigureRow],
    losses: Sequence[str],
) -> Iterator[Notice]:
    """Yield why a main multiple of the kind is neither a row nor left out for a loss.

    `known` has the figures of twelve months and of the newest day, and what the price is worth by known shares.
    """
    told = {*losses, *(row.metric for row in related)}
    for name in MAIN:
        others = {other for other, metric in METRICS.items() if metric.instead_of == name}
        if not applies(name, fundamentals.kind) or told & {name, *others}:
            continue
        parts = [part for _, part in MEASURES[name] if applies(part, fundamentals.kind)]
        if not parts:
            continue
        gaps = (g for g in fundamentals.gaps if g.metric in parts and g.state != "not_filed")
        why = next((gap.reason for gap in gaps), None)
        at = "day" if is_instant(parts[-1]) else "twelve"
        is_known = any(
            known.keys() >= ({part} if at == "day" else {whole, part})
            for whole, part in MEASURES[name]
            if part in parts
        )
        how = "unfit" if is_known else "without"
        end = fundamentals.newest_end
        of = say_metric(_name_part(parts))
        multiple = say_metric(name)
        yield Notice.of(f"valuation-{how}-{at}", "info", multiple=multiple, of=of, end=end, why=why)


def _name_part(parts: Sequence[str]) -> str:
    """Return the plainest name of what a multiple is of."""
    return "diluted_eps" if "diluted_eps" in parts else parts[0]


def explain_no_table(fundamentals: Fundamentals, known: Mapping[str, Figure]) -> Notice:
    """Return why no measure of the kind of business carries a table of what a price needs."""
    kind = fundamentals.kind
    parts = ["free_cash_flow"] if applies("growth_implied", kind) else []
    multiples = [next(iter(each)) for metric, each in OF_PRICE.items() if applies(metric, kind)]
    multiples += [name for metric, (name, _) in OF_BOOK.items() if applies(metric, kind)]
    for name in multiples:
        pairs = MEASURES[name]
        ends = [part if METRICS[whole].priced else whole for whole, part in pairs]
        parts.append(_name_part([end for end in ends if applies(end, kind)] or ends))
    if not parts:
        return Notice.of(f"no-table-{kind.replace('_', '-')}", "info")
    return Notice.of(
        "no-table", "info", measures=[_explain(part, known.get(part)) for part in parts]
    )


def _explain(part: str, found: Figure | None) -> Notice:
    name = say_metric(part)
    if not found:
        return Notice.of("no-table-unknown", "info", metric=name)
    code = "no-table-loss" if found.value <= 0 else "no-table-beyond"
    amount = say_amount(found.value, found.unit)
    return Notice.of(code, "info", metric=name, amount=amount)


def explain_untabled(company: Fundamentals) -> Notice:
    """Return why a company has no table of what its price needs: no price, one that nothing follows from, or no measure."""
    valuation = company.valuation
    if valuation and valuation.no_table:
        return valuation.no_table
    is_priced = valuation or company.unused_price
    return Notice.of("no-table-unused" if is_priced else "no-table-no-price", "info")
