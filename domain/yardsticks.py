"""The yardsticks of decisions on companies: cells of a table that code made, and no numbers of the decider's own."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeVar

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.rows import Bound, say_bound
from contracts.notices import Notice, Told
from contracts.phases.typed_answers import (
    OPEN,
    OwnNumber,
    Recommendation,
    WeighedAction,
)
from contracts.report.price_table import ImpliedRow, PastRow, PriceCell, PriceTable, Yardstick
from contracts.report.report import Section
from contracts.words import Language
from domain.evidence.claims import list_told
from domain.evidence.figures.notation.quantities import read_quantities
from domain.evidence.figures.unfounded_figures import KnownFigures

NONE = "none"
"""The choice of no cell."""
ASSUMED = "price-follows-assumed"
"""Code of what a note says where multiples of a price follow only under an assumption, such as an exchange rate."""
_RESULT = re.compile(r"=\s*(-?[\d,]+(?:\.\d+)?)")
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
        return Notice.of("yardstick-unchosen", company=company, texts=left)
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
    told = Notice.of(
        "yardstick",
        "info",
        required=cell.required,
        price=_say_price(table, table.price),
        day=table.day,
        name=first.name,
        basis=first.basis,
        needed=_say_needed(cell.needed, first.bound),
        did=_say_past(past) if past else None,
        record=past.name if past else None,
        unknown=table.held if first.stand_in else None,
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
        bound=_say_limit(table.price_bound),
    )
    return Yardstick(cell=cell, holds=table.holds, held=table.held, told=told, condition=condition)


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


def list_sourced(actions: Iterable[WeighedAction], claims: Iterable[Claim]) -> list[str]:
    """Return what `claims` say and quote, but for assumptions; of reasons for a yardstick only quotes and checked sums."""
    chosen = [claim for one in actions for claim in one.yardstick_reason]
    texts = {claim.text for claim in chosen}
    told = list_told(c for c in claims if not c.assumed and c.text not in texts)
    shown = (c for c in chosen if not c.assumed)
    return [*told, *(t for c in shown for t in (c.working, *(each.quote for each in c.citations)))]


def list_assumed(earlier: Iterable[Claim], notes: Iterable[Told]) -> list[str]:
    """Return the assumptions of earlier work, and what it computed with them, that a decision may name again.

    There are none unless a note says that nothing follows from a price except under an assumption.
    """
    is_asked = any(
        isinstance(inner, Notice) and inner.code == ASSUMED
        for note in notes
        if isinstance(note, Notice)
        for inner in note.params.values()
    )
    return [claim.text for claim in earlier if is_asked and claim.assumed and claim.is_usable]


def list_computed(claims: Iterable[Claim], known: Iterable[str]) -> list[str]:
    """Return the assumed claims that compute from known figures alone, which a decision may say again.

    The assumptions that such a claim names have no number of their own either.
    """
    claims, texts = [*claims], [*known]
    named = {claim.id: claim for claim in claims if claim.id}
    figures = KnownFigures(texts)
    computed = list[str]()
    for claim in claims:
        if not (claim.assumed and claim.is_usable and claim.working):
            continue
        bases = [named[base].text for base in claim.rests_on if base in named]
        sourced = [base for base in bases if base in computed or not figures.list_unfounded(base)]
        quotes = (citation.quote for citation in claim.citations)
        if len(sourced) == len(bases) and figures.knows_inputs(claim, [*quotes, *bases]):
            computed.append(claim.text)
    return computed


def leave_out_own_numbers(
    actions: Sequence[Action], answer: Sequence[Claim], known: Iterable[str], day: str
) -> tuple[list[Action], list[Claim]]:
    """Return actions and answer without the sentences that contain a number of the decider’s own.

    Conclusions that rest on such sentences alone are left out as well. A number is the decider’s own if it is
    in none of the `known` texts (filings, tables, the question) and is not the result of a sum over known
    numbers: income at last year’s tax rate is computed, a chosen multiple is not. Days after `day` (ISO), that of the
    decision, are not either.
    """
    figures = KnownFigures(known, day)
    reasons = [claim for one in actions for claim in (*one.rationale, *one.risks)]
    chosen = [claim for one in actions for claim in one.yardstick_reason]
    own = _find_own([*reasons, *answer, *chosen], figures, {claim.key for claim in chosen})
    told = [_tell(claim, own) for claim in answer if claim.key in own]
    kept = [_leave_out(one, own, figures, told if n == 0 else ()) for n, one in enumerate(actions)]
    return kept, [claim for claim in answer if claim.key not in own]


def _leave_out(said: Action, own: Own, figures: KnownFigures, told: Sequence[OwnNumber]) -> Action:
    reasons = (*said.rationale, *said.risks, *said.yardstick_reason)
    left = [_tell(claim, own) for claim in reasons if claim.key in own]
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
            "yardstick_reason": [c for c in said.yardstick_reason if c.key not in own],
            "what_would_change": facts,
            "own_numbers": left,
        }
    )


def _leave_out_results(shown: Sequence[str], working: str) -> list[str]:
    """Return the figures of a sentence that are no results of its checked sums, in whatever scale it gives them."""
    results = [float(each.replace(",", "")) for each in _RESULT.findall(working)]
    scaled = [result / 1_000**n for result in results for n in range(4)]

    def is_result(figure: str) -> bool:
        [quantity, *_] = [*read_quantities(figure), None]
        if quantity is None:
            return False
        shown, step = quantity.numbers[0] / quantity.scale, quantity.step / quantity.scale
        return any(abs(shown - abs(value)) <= step for value in scaled)

    return [figure for figure in shown if not is_result(figure)]


def _tell(claim: Claim, own: Own) -> OwnNumber:
    return OwnNumber(text=claim.text, figures=own[claim.key], id=claim.id)


def _find_own(claims: Iterable[Claim], figures: KnownFigures, chosen: Set[str]) -> Own:
    """Return the assumed numbers of claims by their keys; a conclusion from such claims alone has none of its own.

    A reason for a choice, by its key in `chosen`, may have no unknown number at all, assumed or not.
    """
    claims = [*claims]
    named = {claim.id: claim for claim in claims if claim.id}
    own, lost = Own(), set[str]()
    for claim in claims:
        may_differ = not (claim.assumed or claim.key in chosen)
        if not may_differ and (new := figures.list_unfounded(claim.text, is_plan=True)):
            bases = (named[base].text for base in claim.rests_on if base in named)
            quotes = (citation.quote for citation in claim.citations)
            if figures.knows_inputs(claim, [*quotes, *bases]):
                new = _leave_out_results(new, claim.working)
            if new:
                own[claim.key] = new
                lost |= {claim.id} - {""}
    resting: dict[str, list[Claim]] = {}
    left = {claim.key: {*claim.rests_on} for claim in claims}
    for claim in claims:
        for name in {*claim.rests_on}:
            resting.setdefault(name, []).append(claim)
    todo = [*lost]
    while todo:
        name = todo.pop()
        for claim in resting.get(name, ()):
            left[claim.key].discard(name)
            if not left[claim.key] and claim.key not in own:
                own[claim.key] = []
                todo += filter(None, [claim.id])
    return own
