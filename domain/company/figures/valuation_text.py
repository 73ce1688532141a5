"""What a share's price means, as sentences to quote and as a table."""

from collections.abc import Iterable, Iterator

from contracts.agents.tools import TableArgs, TableCell
from contracts.company.figures import Fundamentals
from contracts.company.valuation import GIVEN, ImpliedGrowth, Valuation
from contracts.evidence.rows import FigureRow, Period
from domain.company.figures.lines import Cell, PageLine, state
from domain.company.figures.notes import describe_gap, format_price
from domain.company.figures.numbers import format_money, format_number
from domain.company.figures.tables import head_labels, name_currency, show_cell, to_number
from domain.company.figures.valuation import (
    YIELDS,
    find_dilutive_shares,
    find_newest,
    list_cash_flows,
    list_rates,
)

WORTHS = {
    "market_value": "Market value",
    "enterprise_value": "Enterprise value (EV), less net cash",
}
SENTENCES = {
    "price_to_sales": "Price to sales (P/S)",
    "price_to_earnings": "Price to earnings (P/E)",
    "ev_to_sales": "Enterprise value to sales (EV/sales)",
    "ev_to_operating_income": "Enterprise value to operating income (EV/EBIT)",
    "free_cash_flow_yield": "Free cash flow yield, of the market value",
    "free_cash_flow_less_stock_compensation_yield": "Yield of the free cash flow less stock compensation",
}
MEASURES = WORTHS | SENTENCES
"""What a price means, as a table calls it."""
GROWTH = "implied_growth"
IMPLIED = "Implied growth of the free cash flow"
CONVERTIBLE = "Convertible"
"""In the tags of debt that may become shares."""
DILUTED = "with the shares that awards could add"
MUCH = 0.1
"""Of the free cash flow: more other income is told beside the growth that is implied of it."""
BILLION, TRILLION = 1e9, 1e12
NO_PRICE = (
    "There is no valuation: a price (`price`) would add the company's worth, its multiples and yields, and the growth"
    " that the price implies."
)


def describe_valuation(fundamentals: Fundamentals) -> Iterator[PageLine]:
    """Yield the valuation as sentences, each with the day of what it is of, or what a price would add."""
    found = fundamentals.valuation
    if found is None:
        yield PageLine(NO_PRICE)
        return
    price, balance = found.price, find_newest(fundamentals, "instant")
    shares = balance["shares_outstanding"]
    yield state(
        f"Market value at {format_price(price)} a share ({price.origin}, {price.day}):"
        f" {_format_worth(found.market_value, price.currency)}, for {format_number(found.shares)} shares"
        f" outstanding on {shares.end}",
        _to_row(found, "market_value", "instant", shares.end, found.market_value),
    )
    if gap := describe_gap(price, fundamentals.newest_end):
        yield PageLine(f"The price is of {price.day}{gap}")
    if price.origin == GIVEN:
        yield PageLine(
            "A price given at the start is taken with the newest filed shares, as if no split had come since"
        )
    yield from _describe_dilution(fundamentals, found)
    if found.enterprise_value is not None:
        value = _format_worth(found.enterprise_value, price.currency)
        day = balance["net_cash"].end
        others = ", with non-controlling interests" * ("noncontrolling_interest" in balance)
        yield state(
            f"Enterprise value (EV, market value less net cash on {day}{others}): {value} at the price of"
            f" {price.day}",
            _to_row(found, "enterprise_value", "instant", day, found.enterprise_value),
        )
    twelve = f"twelve months to {fundamentals.newest_end}"
    for name, words in SENTENCES.items():
        if cell := measure(found, name, fundamentals.newest_end):
            at = f" at the price of {price.day}" if cell.row else ""
            yield state(f"{words}{cell.note}, {twelve}: {cell.text}{at}", cell.row)
    yield from _describe_growth(fundamentals, found, twelve)
    yield from _describe_diluted(fundamentals, found, twelve)
    yield from _describe_interest(fundamentals, found, twelve)


def _describe_dilution(fundamentals: Fundamentals, found: Valuation) -> Iterator[PageLine]:
    """Yield what shares could be added, and what the company is worth with them."""
    more, debt = (
        find_dilutive_shares(fundamentals),
        find_newest(fundamentals, "instant").get("debt"),
    )
    if not more:
        return
    how = (
        "all that a loss leaves out of EPS, and nothing is taken off for exercise prices"
        if more.tag
        else "less what would be paid for them"
    )
    yield state(
        f"Options, stock units and convertibles could add {format_money(more.value, 'shares')}"
        f" ({format_number(100 * more.value / found.shares, 1)}% of those outstanding; {how}), which the market"
        f" value leaves out; with them it is {_format_diluted(found)}",
        more,
    )
    if found.diluted and debt and debt.value and CONVERTIBLE in debt.tag + debt.formula:
        yield PageLine(
            f"Convertibles stand in debt, too ({debt.tag or debt.formula}): those among these shares count twice in"
            " the EV with them"
        )


def _describe_diluted(
    fundamentals: Fundamentals, found: Valuation, twelve: str
) -> Iterator[PageLine]:
    """Yield what the price means with the shares that could be added, where these are many."""
    diluted = found.diluted
    if not diluted:
        return
    parts = [f"EV {_format_worth(diluted.enterprise_value, found.price.currency)}"]
    if diluted.ev_to_sales is not None:
        parts.append(f"EV/sales {format_number(diluted.ev_to_sales, 1)}")
    if diluted.implied:
        rates = [(each.discount_rate, each.growth) for each in diluted.implied]
        parts.append(f"implied growth of the free cash flow {_list_rates(rates)}")
    yield PageLine(f"With the shares that could be added, {twelve}: {', '.join(parts)}")


def _describe_interest(
    fundamentals: Fundamentals, found: Valuation, twelve: str
) -> Iterator[PageLine]:
    """Yield that what securities earn counts twice in the implied growth, where it is much of the cash flow."""
    newest = find_newest(fundamentals, "ttm")
    cash, other = newest.get("free_cash_flow"), newest.get("other_income")
    if not found.implied or not cash or not other or other.value <= MUCH * cash.value:
        return
    yield state(
        f"Other income, {twelve}, is {format_money(other.value, found.price.currency)} before tax,"
        f" {format_number(100 * other.value / cash.value, 1)}% of the free cash flow: as far as it is interest on cash"
        " and securities, which EV takes off already, the implied growth counts it twice and is too low",
        other,
    )


def build_valuation_table(companies: Iterable[Fundamentals]) -> TableArgs | None:
    """Return what prices mean: a row a measure, a column a company with the days of its price and figures."""
    valued = [(each, each.valuation) for each in companies if each.valuation]
    if not valued:
        return None
    tickers = ", ".join(each.company.ticker for each, _ in valued)
    currencies = [found.price.currency for _, found in valued]
    heads = (
        f"{each.company.ticker}{name_currency(found.price.currency, currencies)}, price of {found.price.day}, twelve months to {each.newest_end}"
        for each, found in valued
    )
    columns = [_list_measures(found) for _, found in valued]
    return TableArgs(
        title=f"{tickers}: what the price of a share means",
        columns=[head_labels(currencies), *heads],
        rows=[
            [name, *(column[name] for column in columns)]
            for name in columns[0]
            if any(column[name] not in (None, "") for column in columns)
        ],
    )


def _list_measures(found: Valuation) -> dict[str, TableCell]:
    """Return what a price means, by name; None of what it has no meaning for."""
    price, terms = found.price, found.terms
    cells: dict[str, TableCell] = {"Share price": f"{format_price(price)} ({price.origin})"}
    for name in MEASURES:
        cell = measure(found, name, "")
        cells[label_measure(name)] = show_cell(cell) if cell else None
        if name == "market_value":
            shares = found.shares + (found.dilutive_shares or 0)
            worth = to_number(shares * price.value, price.currency)
            cells[f"Market value {DILUTED}"] = worth if found.dilutive_shares else None
    cells[f"{IMPLIED}, a year for {terms.growth_years} years"] = _describe_range(found)
    for basis, implied in _list_bases(found):
        growths = {each.discount_rate: each for each in implied}
        for rate in list_rates(terms):
            cells[f"{IMPLIED} {basis}, discounted at {rate:g}%"] = (
                _describe_rate(found, growths[rate]) if rate in growths else None
            )
    return cells | _list_diluted(found)


def _list_diluted(found: Valuation) -> dict[str, TableCell]:
    """Return what a price means with the shares that could be added, by name; None where these are few."""
    diluted, rates = found.diluted, list_rates(found.terms)
    growths = {each.discount_rate: each.growth for each in diluted.implied} if diluted else {}
    worth = to_number(diluted.enterprise_value, found.price.currency) if diluted else None
    multiple = diluted.ev_to_sales if diluted else None
    told = [f"{format_number(growths[rate], 1)}% at {rate:g}%" for rate in rates if rate in growths]
    return {
        f"EV {DILUTED}": worth,
        f"EV/sales {DILUTED}": None if multiple is None else to_number(multiple, "times"),
        f"Implied growth of twelve months {DILUTED}": ", ".join(told) or None,
    }


def _format_diluted(found: Valuation) -> str:
    """Return the market value with the shares that could be added."""
    shares = found.shares + (found.dilutive_shares or 0)
    return _format_worth(shares * found.price.value, found.price.currency)


def _list_bases(found: Valuation) -> tuple[tuple[str, list[ImpliedGrowth]], ...]:
    """Return the cash flows that a price is held against, each with the growth that it implies."""
    return ("of twelve months", found.implied), ("of the fiscal year", found.implied_by_year)


def measure(found: Valuation, name: str, end: str) -> Cell | None:
    """Return one of the `MEASURES` as a cell, of the months or day to an end; None where there is none."""
    value: float | None = getattr(found, name)
    if value is None:
        return Cell("none, a loss") if name in found.losses else None
    row = _to_row(found, name, "instant" if name in WORTHS else "ttm", end, value)
    note = f" {_name_basis(found)}" if name == "price_to_earnings" else ""
    if name in WORTHS:
        return Cell(_format_worth(row.value, row.unit), row)
    return Cell(f"{format_number(row.value, 1)}{'%' * (name in YIELDS)}", row, note)


def label_measure(name: str) -> str:
    """Return the label of one of the `MEASURES` in a table for people."""
    return f"{MEASURES[name]}{', %' * (name in YIELDS)}"


def _name_basis(found: Valuation) -> str:
    """Return by which earnings P/E is, and so of which shares: diluted ones, or those of the market value."""
    return "by diluted EPS" if found.diluted_eps else "by net income and market value"


def _describe_rate(found: Valuation, implied: ImpliedGrowth) -> str:
    """Return the growth implied at a rate, and after stock compensation where that is filed."""
    after = implied.growth_after_stock_compensation
    told = f"{format_number(implied.growth, 1)}%"
    if not found.has_stock_compensation:
        return told
    left = "none" if after is None else f"{format_number(after, 1)}%"
    return f"{told}; after stock compensation {left}"


def _describe_range(found: Valuation) -> str:
    """Return between what the implied growth lies, over all cash flows and all rates; empty of none."""
    implied = [each for _, of_basis in _list_bases(found) for each in of_basis]
    before = [each.growth for each in implied]
    after = [each.growth_after_stock_compensation for each in implied]
    known = [*before, *(growth for growth in after if growth is not None)]
    if not known:
        return ""
    low, high = (f"{format_number(of(known), 1)}%" for of in (min, max))
    is_open = found.has_stock_compensation and None in after
    return f"{low} and more" if is_open else f"{low} to {high}"


def _describe_growth(
    fundamentals: Fundamentals, found: Valuation, twelve: str
) -> Iterator[PageLine]:
    """Yield the growth that a price implies: of twelve months and of the fiscal year before, in that order."""
    bases = _name_bases(fundamentals, found, twelve)
    if not bases:
        return
    terms, rates = found.terms, list_rates(found.terms)
    over = "before and after stock compensation, " if found.has_stock_compensation else ""
    of = " and of the ".join(name for name, *_ in bases)
    yield PageLine(
        f"{IMPLIED} of the {of}, {over}at discount rates of {rates[0]:g}% to {rates[-1]:g}%:"
        f" {_describe_range(found)} a year"
    )
    yield PageLine(
        "Implied growth is that at which the free cash flow, discounted, is worth the enterprise value (reverse"
        f" discounted cash flow): for {terms.growth_years} years, and {terms.terminal_growth:g}% a year afterwards;"
        " these rates are assumptions, and a riskier company asks for a higher discount rate"
    )
    for name, period, implied in bases:
        yield from _describe_basis(fundamentals, found, name, period, implied)


def _name_bases(
    fundamentals: Fundamentals, found: Valuation, twelve: str
) -> list[tuple[str, Period, list[ImpliedGrowth]]]:
    """Return the periods whose cash flow implies a growth, each by its name."""
    year = find_newest(fundamentals, "year").get("free_cash_flow")
    fiscal = f"fiscal year to {year.end}" if year else ""
    bases: list[tuple[str, Period, list[ImpliedGrowth]]] = [
        (twelve, "ttm", found.implied),
        (fiscal, "year", found.implied_by_year),
    ]
    return [basis for basis in bases if basis[-1]]


def _describe_basis(
    fundamentals: Fundamentals,
    found: Valuation,
    name: str,
    period: Period,
    implied: list[ImpliedGrowth],
) -> Iterator[PageLine]:
    """Yield the growth implied of one period's cash flow, and of what stock compensation leaves of it."""
    cash, left = list_cash_flows(fundamentals, period)
    unit, end = found.price.currency, name.rpartition(" ")[2]
    rates = [(each.discount_rate, each.growth) for each in implied]
    after = [
        (each.discount_rate, each.growth_after_stock_compensation)
        for each in implied
        if each.growth_after_stock_compensation is not None
    ]
    yield state(
        f"{IMPLIED} of the {name}, {format_money(cash or 0, unit)}, before stock compensation: {_list_rates(rates)}",
        *(_to_row(found, GROWTH, period, end, growth) for _, growth in rates),
    )
    if left is not None:
        yield state(
            f"The same of what stock compensation leaves of it, {format_money(left, unit)} in the {name}:"
            f" {_list_rates(after) or 'it is negative, so that no growth of it alone justifies the price'}",
            *(_to_row(found, GROWTH, period, end, growth) for _, growth in after),
        )


def _to_row(found: Valuation, metric: str, period: Period, end: str, value: float) -> FigureRow:
    """Return what a price means as a row."""
    is_percent = metric in YIELDS or metric == GROWTH
    unit = found.price.currency if metric in WORTHS else "percent" if is_percent else "times"
    return FigureRow(
        metric=metric, period=period, end=end, value=value, unit=unit, price_day=found.price.day
    )


def _format_worth(value: float, currency: str) -> str:
    """Return what a company is worth, in billions where trillions would round too much away."""
    if abs(value) < TRILLION:
        return format_money(value, currency)
    return f"{format_number(value / BILLION, 1)} billion {currency}"


def _list_rates(rates: Iterable[tuple[float, float]]) -> str:
    return ", ".join(
        f"{format_number(growth, 1)}% a year at a discount rate of {rate:g}%"
        for rate, growth in rates
    )
