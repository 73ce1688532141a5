"""Claims of an answer that failed verification: those sent back to the writer for repair, and the results."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.checks import FailedClaim, MendedClaim
from contracts.evidence.claims import Claim, RefusedClaim
from contracts.evidence.reasons import ReasonCode
from domain.evidence.claims import LEFT_OUT, find_claims, list_places, replace_claims, rewrite_claim

MAX_FAILED = 20
_LOST_BASE: frozenset[ReasonCode] = frozenset({"base-fell", "base-unnamed"})
"""Why a conclusion has a ground less."""


def list_failed(written: Json | None, verified: Json | None) -> list[FailedClaim]:
    """Return the claims that were refused or hold in part, which their writer should repair once.

    Claims refused only because of a sentence they rest on are omitted: they are judged again after its
    repair.
    """
    pairs = list(zip(find_claims(written), find_claims(verified), strict=True))
    places = list(list_places(written))
    failed = [
        FailedClaim(
            at=n, place=places[n], claim=said, verdict=found.verdict, doubts=[*found.doubts]
        )
        for n, (said, found) in enumerate(pairs)
        if found.verdict and not found.is_supported and "base-fell" not in _list_codes(found)
    ]
    return failed[:MAX_FAILED]


def apply_changes(output: Json | None, changes: Iterable[MendedClaim]) -> Any:
    """Apply repairs to the claims of an answer, which are identified by their positions.

    A removed claim becomes null if the schema allows it; otherwise it is deleted from its list.
    """
    new = {change.at: change.claim or (None if change.is_null else LEFT_OUT) for change in changes}
    return change_claims(output, new)


def change_claims(output: JsonValue, changes: Mapping[int, JsonValue | Claim]) -> JsonValue:
    """Return an answer with other claims, or other JSON, at some places."""
    places = count()

    def replace(said: Json, _: Claim) -> JsonValue:
        new = changes.get(next(places), said)
        return rewrite_claim(said, new) if isinstance(new, Claim) else new

    return replace_claims(output, replace)


def list_left_out(
    failed: Sequence[FailedClaim], changes: Sequence[MendedClaim]
) -> list[RefusedClaim]:
    """Return the claims that their writer left out, as they were judged."""
    gone = {change.at for change in changes if change.claim is None}
    return [
        RefusedClaim(place=one.place, claim=one.claim.rule(one.verdict, *one.doubts))
        for one in failed
        if one.at in gone
    ]


def list_worse(
    written: Json | None,
    failed: Sequence[FailedClaim],
    changes: Sequence[MendedClaim],
    final: Json | None,
) -> dict[int, RefusedClaim]:
    """Return the repaired claims that were refused although the original was partly supported, by position."""
    places = count()
    numbered: Any = replace_claims(written, lambda said, _: {**said, "id": f"{next(places)}"})
    kept = apply_changes(numbered, [change for change in changes if change.claim is None])
    left = [int(claim.id) for claim in find_claims(kept)]
    found = dict(zip(left, find_claims(final), strict=True))
    return {
        one.at: RefusedClaim(place=one.place, claim=found[one.at])
        for one in failed
        if one.verdict == "partly" and one.at in found and not found[one.at].is_usable
    }


def lean_conclusions(written: Json | None, verified: Json | None, known: Iterable[str]) -> Any:
    """Remove failed premises from conclusions that have other, valid premises."""
    found = list(find_claims(verified))
    held = {*known, *(claim.id for claim in found if claim.id and claim.is_usable)}
    leaner: dict[int, JsonValue | Claim] = {}
    for n, (claim, check) in enumerate(zip(find_claims(written), found, strict=True)):
        grounds = [name for name in claim.rests_on if name in held]
        if _LOST_BASE & _list_codes(check) and grounds and len(grounds) < len(claim.rests_on):
            leaner[n] = claim.model_copy(update={"rests_on": grounds})
    return change_claims(written, leaner) if leaner else written


def _list_codes(claim: Claim) -> set[ReasonCode]:
    return {reason.code for reason in claim.doubts}
