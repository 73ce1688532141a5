"""The writer's view of refused claims, and the repairs that the answer's schema allows."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue
from referencing.exceptions import Unresolvable

from contracts.base import Json
from contracts.evidence.checks import MendedClaim, MendRequest
from contracts.evidence.claims import Claim, Mends
from contracts.evidence.reasons import join_reasons
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import ModelRequest, build_message, to_input
from contracts.models.user_json_schema import SchemaTooCostly, find_violations
from domain.evidence.mends import apply_changes
from domain.evidence.pages.cited_page import CitedPage, describe_pages
from domain.evidence.quotes import Span

_AROUND = 1_000
"""Characters shown before and after a quote to a writer who repairs it."""


def build_mending(request: MendRequest, pages: Mapping[int, CitedPage]) -> ModelRequest:
    """Return the call that shows the writer these claims, with the text around their quotes."""
    call, failed = request.call, request.failed
    assert call.judge
    spans: dict[int, list[Span]] = {}
    for number, span in (place for one in failed for place in _find_places(one.claim, pages)):
        spans.setdefault(number, []).append(span)
    shown: list[dict[str, Any]] = [
        {"claim": n, "place": one.place, "sentence": one.claim.text}
        | {name: part for name, part in one.claim.as_written.items() if name != "text"}
        | {"reason": join_reasons(one.doubts)}
        for n, one in enumerate(failed, start=1)
    ]
    inputs = [
        to_input("question", call.judge.question),
        *describe_pages(pages, spans, _AROUND),
        *([to_input("others", request.held)] if request.held else []),
        to_input("claims", [{n: v for n, v in one.items() if v} for one in shown]),
    ]
    return call.model_copy(
        update={
            "messages": [build_message(inputs, [])],
            "output_schema": get_answer_schema(Mends),
            "max_tokens": 500 + 300 * len(failed),
        }
    )


def choose_changes(request: MendRequest, answer: Json) -> list[MendedClaim]:
    """Return what takes the place of failed claims, as far as the answer's schema allows it."""
    changes: dict[int, MendedClaim] = {}
    schema = request.call.output_schema or {}
    for mend in Mends.model_validate(answer).mends:
        n = mend.claim - 1
        at = request.failed[n].at if 0 <= n < len(request.failed) else -1
        left_out = [MendedClaim(at=at, is_null=is_null) for is_null in (True, False)]
        for new in [MendedClaim(at=at, claim=mend.mended)] if mend.mended else left_out:
            changed = apply_changes(request.output, {**changes, at: new}.values())
            if at >= 0 and _is_valid(schema, changed):
                changes[at] = new
                break
    return [*changes.values()]


def _find_places(claim: Claim, pages: Mapping[int, CitedPage]) -> Iterator[tuple[int, Span]]:
    """Yield the places of a claim's quotes, or of the nearest text; nearest to its sentence if it has no quotes."""
    for citation in claim.citations:
        if page := pages.get(citation.source):
            found = page.snapshot.find(citation.quote)
            yield citation.source, found or page.snapshot.find_nearest(citation.quote)[1]
    if pages and not (claim.citations or claim.rests_on):
        near = {number: page.snapshot.find_nearest(claim.text) for number, page in pages.items()}
        number = max(near, key=lambda number: near[number][0])
        yield number, near[number][1]


def _is_valid(schema: Json, output: JsonValue) -> bool:
    try:
        return not next(find_violations(schema, output), None)
    except (SchemaTooCostly, Unresolvable, RecursionError):
        return False
