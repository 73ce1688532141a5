"""Finds the sentences of a decision on a company with numbers that no filing, page, table or checked sum has."""

import re
from collections.abc import Iterable, Sequence, Set
from typing import TypeVar

from contracts.evidence.claims import Claim
from contracts.notices import Notice, Told
from contracts.phases.typed_answers import OwnNumber, WeighedAction
from domain.evidence.claims import list_told
from domain.evidence.figures.notation.quantities import read_quantities
from domain.evidence.figures.unfounded_figures import KnownFigures

ASSUMED = "price-follows-assumed"
"""Code of what a note says where multiples of a price follow only under an assumption, such as an exchange rate."""
_RESULT = re.compile(r"=\s*(-?[\d,]+(?:\.\d+)?)")
Action = TypeVar("Action", bound=WeighedAction)
Own = dict[str, list[str]]
"""Numbers of claims by their keys."""


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
    computed = dict[str, None]()
    for claim in claims:
        if not (claim.assumed and claim.is_usable and claim.working):
            continue
        bases = [named[base].text for base in claim.rests_on if base in named]
        sourced = [base for base in bases if base in computed or not figures.list_unfounded(base)]
        quotes = (citation.quote for citation in claim.citations)
        if len(sourced) == len(bases) and figures.knows_inputs(claim, [*quotes, *bases]):
            computed[claim.text] = None
    return [*computed]


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
