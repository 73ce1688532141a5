"""The yardsticks of decisions on companies: cells of a table that code made."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.rows import Bound, say_bound
from contracts.notices import Notice
from contracts.phases.typed_answers import (
    OPEN,
    Recommendation,
    WeighedAction,
)
from contracts.report.price_table import (
    UNCHOSEN,
    ImpliedRow,
    PastRow,
    PriceCell,
    PriceTable,
    Yardstick,
)
from contracts.report.report import Section
from contracts.words import Language
from domain.evidence.figures.notation.quantities import read_quantities

NONE = "none"
"""The choice of no cell."""
Action = TypeVar("Action", bound=WeighedAction)
Tables = Mapping[str, PriceTable]
"""Tables of prices by subject."""


def list_choices(tables: Tables) -> list[str]:
    """Return the ids of the cells of some tables, each once, and the choice of none."""
    found = (cell.id for table in tables.values() for cell in table.list_cells())
    return [*dict.fromkeys(found), NONE]


def show_tables(tables: Tables) -> dict[str, JsonValue]:
    """Return tables as a decider reads them: what the price needs, what the company did, and the cells by id."""
    return {name: _show_table(table) for name, table in tables.items()}


def _show_table(table: PriceTable) -> Json:
    heads = [f"{required:g}%" for required in table.returns]
    needs: dict[str, JsonValue] = {
        _name_need(row): dict(zip(heads, row.values, strict=True)) for row in table.implied
    }
    did: dict[str, JsonValue] = {
        row.name.text: [notice.text for notice in _say_past(row)] for row in table.past
    }
    unit = "growth" if table.holds == "growth" else "return on equity"
    bound = say_bound(table.price_bound)
    return {
        "price": f"{table.price:g} {table.currency}, {table.day}",
        "needed_by_required_return": needs,
        "did": did,
        f"price_by_required_return/{unit}{bound.text if bound else ''}": {
            cell.id: cell.price for cell in table.list_cells()
        },
    }


def _name_need(row: ImpliedRow) -> str:
    bound = say_bound(row.bound)
    return f"{row.name.text} ({row.basis.text}){bound.text if bound else ''}"


def list_known(tables: Tables) -> list[str]:
    """Return the numbers of tables as texts that a decision may name, each with the name of what it is of."""
    return [
        "; ".join([f"{name}: {table.price:g} {table.currency} a share", *_list_numbers(table)])
        for name, table in tables.items()
    ]


def _list_numbers(table: PriceTable) -> Iterator[str]:
    def join(values: Iterable[float]) -> str:
        return ", ".join(f"{value:g}%" for value in values)

    yield f"required returns: {join(table.returns)}"
    for row in table.implied:
        yield f"{row.name.text}, at these: {join(value for value in row.values if value)}"
    for past in table.past:
        yield f"{past.name.text}, filed: {join(each.value for each in past.values)}"
    yield f"{table.held.text}, to choose from: {join(row.holds for row in table.prices)}"
    bound = say_bound(table.price_bound)
    for cell in table.list_cells():
        price = f"{cell.price:g} {table.currency}{bound.text if bound else ''}"
        yield f"at {cell.required:g}% and {cell.holds:g}%: {price}"


def add_yardsticks(said: Recommendation, tables: Tables, subject: str) -> Recommendation:
    """Add to each action the words of its cell, or the notice that it has no cell or no valid reason for it.

    `subject` is the company of a recommendation that names none. An open action has no yardstick.
    """
    first = _measure(said, tables.get(said.company or subject))
    others = [_measure(one, tables.get(one.company)) for one in said.others]
    return first.model_copy(update={"others": others})


def _measure(said: Action, table: PriceTable | None) -> Action:
    if not table or said.action in OPEN:
        return said.model_copy(update={"measured": None, "yardstick_reason": []})
    cell = next((each for each in table.list_cells() if each.id == said.yardstick), None)
    measured = _word(table, cell) if cell else None
    return said.model_copy(update={"measured": measured, "yardstick_doubt": _doubt(said, measured)})


def _doubt(said: WeighedAction, measured: Yardstick | None) -> Notice | None:
    """Return that an action picks no cell, or that no reason for its choice holds, with those that did not; else None."""
    fallen = [claim for claim in said.yardstick_reason if not claim.is_usable]
    texts = [
        Notice.of("yardstick-refused", "info", text=claim.text, why=claim.reason or None)
        for claim in fallen
    ]
    company, left = said.company or None, texts or None
    if not measured:
        return Notice.of(UNCHOSEN, company=company, texts=left)
    if len(fallen) == len(said.yardstick_reason):
        choice = _name_choice(measured)
        return Notice.of("yardstick-unreasoned", company=company, texts=left, choice=choice)
    return Notice.of("yardstick-reason-fell", company=company, texts=left) if fallen else None


def list_yardstick_reasons(said: WeighedAction, language: Language) -> Iterator[Section]:
    """Yield the section with the reasons that hold for an action's choice of a cell; nothing without one."""
    claims = [claim for claim in said.yardstick_reason if claim.is_usable]
    if claims:
        choice = (
            _name_choice(said.measured)
            if said.measured
            else Notice.of("yardstick-no-choice", "info")
        )
        head = Notice.of("yardstick-why", "info", company=said.company or None, choice=choice)
        yield Section(heading=head.say(language), claims=claims, is_beside_decision=True)


def _name_choice(measured: Yardstick) -> Notice:
    """Return the required return and the rate of a cell, in words."""
    cell = measured.cell
    code = f"yardstick-choice-{measured.holds}"
    rates = {"required": cell.required, "rate": cell.holds}
    return Notice.of(code, "info", **rates, metric=measured.held)


def _word(table: PriceTable, cell: PriceCell) -> Yardstick:
    first = table.implied[0]
    compared = first.stand_in or first.record
    past = next((row for row in table.past if row.metric == compared), None)
    gap, is_met = abs(round(100 * (1 - cell.price / table.price))), cell.price >= table.price
    told = Notice.of(
        "yardstick",
        "info",
        required=cell.required,
        price=_say_price(table, table.price),
        day=table.day,
        name=first.name,
        basis=first.basis,
        needed=_say_needed(cell.needed, first.bound),
        chosen=Notice.of(
            f"yardstick-chosen-{'met' if is_met else 'below'}",
            "info",
            rate=cell.holds,
            held=_say_price(table, cell.price),
            bound=say_bound(table.price_bound),
            gap=gap,
        ),
        did=_say_past(past) if past else None,
        record=past.name if past else None,
        unknown=table.held if first.stand_in else None,
    )
    condition = Notice.of(
        f"yardstick-{'met' if is_met else 'below'}-{table.holds}",
        "info",
        held=_say_price(table, cell.price),
        rate=cell.holds,
        metric=table.held,
        required=cell.required,
        gap=gap,
        bound=_say_limit(table.price_bound),
    )
    return Yardstick(cell=cell, holds=table.holds, held=table.held, told=told, condition=condition)


def leave_out_said_again(facts: Iterable[str], cell: PriceCell) -> list[str]:
    """Return conditions without those that name the price of a cell and no number but those of the cell."""
    own = {cell.price, cell.required, cell.holds, cell.needed}

    def says_again(fact: str) -> bool:
        numbers = {n for each in read_quantities(fact) for n in each.numbers}
        return cell.price in numbers and numbers <= own

    return [fact for fact in facts if not says_again(fact)]


def _say_needed(needed: float | None, bound: Bound) -> Notice:
    if needed is None:
        return Notice.of("yardstick-none", "info")
    return Notice.of("yardstick-needed", "info", value=needed, bound=say_bound(bound))


def _say_limit(bound: Bound) -> Notice | None:
    """Return that the price of a cell bounds the price at which its rate is enough; None where it is that price."""
    return Notice.of(f"yardstick-{bound.replace('_', '-')}", "info") if bound else None


def _say_price(table: PriceTable, value: float) -> Notice:
    return Notice.of("price", "info", value=value, currency=table.currency)


def _say_past(row: PastRow) -> list[Notice]:
    """Return the values of a row, each with its base and days."""
    return [
        Notice.of(
            f"past-{each.base}",
            "info",
            value=each.value,
            start=each.start,
            end=each.end,
            bound=say_bound(each.bound),
        )
        for each in row.values
    ]
