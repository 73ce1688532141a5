"""The mending of an answer: its writer hears of the claims that did not hold, and rewrites these alone."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from pydantic import JsonValue
from referencing.exceptions import Unresolvable

from contracts.base import Json, get_answer_schema
from contracts.evidence.claims import Claim, Mends, RefusedClaim, Verdict
from contracts.evidence.reasons import Reason, ReasonCode, join_reasons
from contracts.models.call import Block, ModelRequest, ModelResult, build_message, to_input
from contracts.models.schemas import SchemaTooCostly, find_violations
from domain.evidence.cited_page import CitedPage, describe_pages
from domain.evidence.claims import (
    LEFT_OUT,
    find_claims,
    list_places,
    replace_claims,
    rewrite_claim,
)
from domain.evidence.quotes import Span
from domain.prompts import load_prompts

PROMPT = load_prompts(__package__, "mend")["mend"]
MAX_FAILED = 20
_AROUND = 1_000
"""Characters of a page before and after a quote that a writer sees who mends it."""
_LOST_BASE: frozenset[ReasonCode] = frozenset({"base-fell", "base-unnamed"})
"""Why a conclusion has a ground less."""
_MAX_SHADES = 0.1
"""The share of claims that may be shown in part only before their writer hears of them."""


class Failed(NamedTuple):
    """A claim that did not hold: its place among an answer's, as it was written, and what was found."""

    at: int
    claim: Claim
    verdict: Verdict
    doubts: Sequence[Reason]


def list_failed(written: ModelResult, verified: ModelResult) -> list[Failed]:
    """Return the claims of an answer that their writer is to mend; none for a shade here and there.

    What fell only with a sentence that it rests on is not among them: it is judged anew when that is mended.
    """
    pairs = list(zip(find_claims(written.output), find_claims(verified.output), strict=True))
    failed = [
        Failed(n, said, found.verdict, found.doubts)
        for n, (said, found) in enumerate(pairs)
        if found.verdict and not found.is_supported and "base-fell" not in _list_codes(found)
    ]
    is_worth_it = any(not found.is_usable for _, found in pairs)
    return failed[:MAX_FAILED] if is_worth_it or len(failed) > _MAX_SHADES * len(pairs) else []


def build_mend(
    request: ModelRequest,
    verified: ModelResult,
    failed: Sequence[Failed],
    pages: Mapping[int, CitedPage],
) -> ModelRequest:
    """Return the call that shows the writer these claims, with what their pages say around them."""
    assert request.judge
    places, numbers = list(list_places(verified.output)), {one.at for one in failed}
    others = [claim for n, claim in enumerate(find_claims(verified.output)) if n not in numbers]
    held = {name: premise.text for name, premise in request.judge.known.items()} | {
        claim.id: claim.text for claim in others if claim.id and claim.is_usable
    }
    spans: dict[int, list[Span]] = {}
    for number, span in (place for one in failed for place in _find_places(one.claim, pages)):
        spans.setdefault(number, []).append(span)
    shown: list[dict[str, Any]] = [
        {"claim": n, "place": places[one.at], "sentence": one.claim.text}
        | {name: part for name, part in one.claim.as_written.items() if name != "text"}
        | {"reason": join_reasons(one.doubts)}
        for n, one in enumerate(failed, start=1)
    ]
    inputs = [
        to_input("question", request.judge.question),
        *describe_pages(pages, spans, _AROUND, _AROUND),
        *([to_input("others", held)] if held else []),
        to_input("claims", [{n: v for n, v in one.items() if v} for one in shown]),
    ]
    return request.derive(
        "mend",
        system=PROMPT,
        messages=[build_message(inputs, [])],
        tools=[],
        output_schema=get_answer_schema(Mends),
        max_tokens=500 + 300 * len(failed),
    )


def apply_mends(
    request: ModelRequest,
    written: ModelResult,
    failed: Sequence[Failed],
    mends: ModelResult,
    without: Sequence[int] = (),
) -> ModelResult:
    """Return an answer with its failed claims mended, but for those at the places `without`.

    What its schema does not allow is not done. A claim that is left out becomes null where that is allowed,
    else leaves its list; the result names it among the refused ones.
    """
    changes = _choose_changes(request, written, failed, mends)
    kept = {at: new for at, new in changes.items() if at not in without}
    mended = _rewrite(mends, _replace(written.output, kept))
    places = list(list_places(written.output))
    refused = [
        RefusedClaim(place=places[one.at], claim=one.claim.rule(one.verdict, *one.doubts))
        for one in failed
        if kept.get(one.at, one) in (None, LEFT_OUT)
    ]
    return mended.model_copy(update={"refused": refused})


def list_worse(
    request: ModelRequest,
    written: ModelResult,
    failed: Sequence[Failed],
    mends: ModelResult,
    final: ModelResult,
) -> dict[int, RefusedClaim]:
    """Return the mended claims that were refused though what they replace held in part, by its place."""
    changes = _choose_changes(request, written, failed, mends)
    places = list(list_places(written.output))
    found = dict(zip(_list_left(written.output, changes), find_claims(final.output), strict=True))
    return {
        one.at: RefusedClaim(place=places[one.at], claim=found[one.at])
        for one in failed
        if one.verdict == "partly" and one.at in found and not found[one.at].is_usable
    }


def _choose_changes(
    request: ModelRequest, written: ModelResult, failed: Sequence[Failed], mends: ModelResult
) -> dict[int, JsonValue | Claim]:
    """Return what takes the place of failed claims, by their places, as far as the schema allows it."""
    changes: dict[int, JsonValue | Claim] = {}
    for mend in Mends.model_validate(mends.output).mends:
        at = failed[mend.claim - 1].at if 0 < mend.claim <= len(failed) else -1
        for new in (mend.mended,) if mend.mended else (None, LEFT_OUT):
            if at >= 0 and _is_valid(request, _replace(written.output, {**changes, at: new})):
                changes[at] = new
                break
    return changes


def _list_left(output: Json | None, changes: Mapping[int, JsonValue | Claim]) -> list[int]:
    """Return the places of the claims that changes leave in an answer, in reading order."""
    places = count()
    numbered: Any = replace_claims(output, lambda said, _: {**said, "id": f"{next(places)}"})
    gone = {at: new for at, new in changes.items() if not isinstance(new, Claim)}
    return [int(claim.id) for claim in find_claims(_replace(numbered, gone))]


def _list_codes(claim: Claim) -> set[ReasonCode]:
    return {reason.code for reason in claim.doubts}


def lean_conclusions(
    written: ModelResult, verified: ModelResult, known: Iterable[str]
) -> ModelResult:
    """Return an answer whose conclusions leave out the grounds that fell, where others of theirs hold."""
    found = list(find_claims(verified.output))
    held = {*known, *(claim.id for claim in found if claim.id and claim.is_usable)}
    leaner: dict[int, JsonValue | Claim] = {}
    for n, (claim, check) in enumerate(zip(find_claims(written.output), found, strict=True)):
        grounds = [name for name in claim.rests_on if name in held]
        if _LOST_BASE & _list_codes(check) and grounds and len(grounds) < len(claim.rests_on):
            leaner[n] = claim.model_copy(update={"rests_on": grounds})
    return _rewrite(written, _replace(written.output, leaner)) if leaner else written


def _rewrite(result: ModelResult, output: Any) -> ModelResult:
    said = [Block(type="text", text=json.dumps(output, ensure_ascii=False))]
    return result.model_copy(update={"output": output, "content": said})


def _find_places(claim: Claim, pages: Mapping[int, CitedPage]) -> Iterator[tuple[int, Span]]:
    """Yield where a claim's quotes stand, or what is nearest to them; to its sentence if it has none."""
    for citation in claim.citations:
        if page := pages.get(citation.source):
            found = page.snapshot.find(citation.quote)
            yield citation.source, found or page.snapshot.find_nearest(citation.quote)[1]
    if pages and not (claim.citations or claim.rests_on):
        near = {number: page.snapshot.find_nearest(claim.text) for number, page in pages.items()}
        number = max(near, key=lambda number: near[number][0])
        yield number, near[number][1]


def _replace(output: Json | None, changes: Mapping[int, JsonValue | Claim]) -> JsonValue:
    """Return an answer with some of its claims changed, which are known by their places."""
    places = count()

    def replace(said: Json, _: Claim) -> JsonValue:
        new = changes.get(next(places), said)
        return rewrite_claim(said, new) if isinstance(new, Claim) else new

    return replace_claims(output, replace)


def _is_valid(request: ModelRequest, output: JsonValue) -> bool:
    try:
        return not next(find_violations(request.output_schema or {}, output), None)
    except (SchemaTooCostly, Unresolvable, RecursionError):
        return False
