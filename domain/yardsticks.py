"""The yardsticks of decisions on companies: cells of a table that code made, and no numbers of the decider's own."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.notices import Notice
from contracts.phases.typed_answers import (
    OPEN,
    OwnNumber,
    Recommendation,
    WeighedAction,
)
from contracts.report.price_table import PastRow, PriceCell, PriceTable, Yardstick
from domain.evidence.figures.unfounded_figures import KnownFigures

NONE = "none"
"""The choice of no cell."""
Action = TypeVar("Action", bound=WeighedAction)
Own = dict[str, list[str]]
"""Numbers of claims by their keys."""
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
        f"{row.name.text} ({row.basis.text})": dict(zip(heads, row.values, strict=True))
        for row in table.implied
    }
    did: dict[str, JsonValue] = {
        row.name.text: [notice.text for notice in _say_past(row)] for row in table.past
    }
    unit = "growth" if table.holds == "growth" else "return on equity"
    return {
        "price": f"{table.price:g} {table.currency}, {table.day}",
        "needed_by_required_return": needs,
        "did": did,
        f"price_by_required_return/{unit}": {cell.id: cell.price for cell in table.list_cells()},
    }


def list_known(tables: Tables) -> list[str]:
    """Return the numbers of tables as texts that a decision may name."""
    return [
        " ".join(
            [
                f"{table.price:g} {table.currency}",
                *(f"{value:g}%" for row in table.implied for value in row.values if value),
                *(f"{each.value:g}%" for row in table.past for each in row.values),
                *(f"{required:g}%" for required in table.returns),
                *(f"{row.holds:g}%" for row in table.prices),
                *(f"{cell.price:g} {table.currency}" for cell in table.list_cells()),
            ]
        )
        for table in tables.values()
    ]


def add_yardsticks(said: Recommendation, tables: Tables, subject: str) -> Recommendation:
    """Word the cell that each action picks; `subject` is the company of a recommendation that names none.

    An action that is open has no yardstick, and neither has one that picks no cell of its company.
    """
    first = _measure(said, tables.get(said.company or subject))
    others = [_measure(one, tables.get(one.company)) for one in said.others]
    return first.model_copy(update={"others": others})


def _measure(said: Action, table: PriceTable | None) -> Action:
    cells = table.list_cells() if table and said.action not in OPEN else ()
    cell = next((each for each in cells if each.id == said.yardstick), None)
    measured = _word(table, cell) if table and cell else None
    return said.model_copy(update={"measured": measured})


def _word(table: PriceTable, cell: PriceCell) -> Yardstick:
    first = table.implied[0]
    past = next((row for row in table.past if row.metric == first.record), None)
    told = Notice.of(
        "yardstick",
        "info",
        required=cell.required,
        price=_say_price(table, table.price),
        day=table.day,
        name=first.name,
        basis=first.basis,
        needed=_say_needed(cell.needed),
        did=_say_past(past) if past else None,
        record=past.name if past else None,
    )
    gap = round(100 * (1 - cell.price / table.price))
    condition = Notice.of(
        f"yardstick-{'met' if cell.price >= table.price else 'below'}-{table.holds}",
        "info",
        held=_say_price(table, cell.price),
        rate=cell.holds,
        metric=table.held,
        required=cell.required,
        gap=abs(gap),
    )
    return Yardstick(cell=cell, told=told, condition=condition)


def _say_needed(needed: float | None) -> Notice:
    if needed is None:
        return Notice.of("yardstick-none", "info")
    return Notice.of("yardstick-needed", "info", value=needed)


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
            bound=Notice.of(f"bound-{each.bound.replace('_', '-')}", "info")
            if each.bound
            else None,
        )
        for each in row.values
    ]


def leave_out_own_numbers(
    actions: Sequence[Action], answer: Sequence[Claim], known: Iterable[str]
) -> tuple[list[Action], list[Claim]]:
    """Return actions and answer without the sentences whose numbers the decider assumed, nor conclusions from these alone.

    Such a number is in none of the `known` texts, which have those of filings, tables and the question.
    """
    figures = KnownFigures(known)
    reasons = [claim for one in actions for claim in (*one.rationale, *one.risks)]
    own = _find_own([*reasons, *answer], figures)
    told = [_tell(claim, own) for claim in answer if claim.key in own]
    kept = [_leave_out(one, own, figures, told if n == 0 else ()) for n, one in enumerate(actions)]
    return kept, [claim for claim in answer if claim.key not in own]


def _leave_out(said: Action, own: Own, figures: KnownFigures, told: Sequence[OwnNumber]) -> Action:
    left = [_tell(c, own) for c in (*said.rationale, *said.risks) if c.key in own]
    left += told
    facts = list[str]()
    for fact in said.what_would_change:
        if new := figures.list_unfounded(fact, is_plan=True):
            left.append(OwnNumber(text=fact, figures=new))
        else:
            facts.append(fact)
    return said.model_copy(
        update={
            "rationale": [claim for claim in said.rationale if claim.key not in own],
            "risks": [claim for claim in said.risks if claim.key not in own],
            "what_would_change": facts,
            "own_numbers": left,
        }
    )


def _tell(claim: Claim, own: Own) -> OwnNumber:
    return OwnNumber(text=claim.text, figures=own[claim.key])


def _find_own(claims: Iterable[Claim], figures: KnownFigures) -> Own:
    """Return the assumed numbers of claims by their keys; a conclusion from such claims alone has none of its own."""
    claims = [*claims]
    own, lost = Own(), set[str]()
    for claim in claims:
        if claim.assumed and (new := figures.list_unfounded(claim.text, is_plan=True)):
            own[claim.key] = new
            lost |= {claim.id} - {""}
    for _ in range(len(claims)):
        more = [c for c in claims if c.key not in own and c.rests_on and lost >= {*c.rests_on}]
        if not more:
            break
        own |= {claim.key: [] for claim in more}
        lost |= {claim.id for claim in more} - {""}
    return own
