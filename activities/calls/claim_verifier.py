"""The verification of an answer's claims: by code against the snapshots they cite, then by a judge."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from activities.calls.judge import CLAIMS_PER_CALL, build_judge_request, read_judgements
from contracts.agents.tools import UPDATE_REPORT
from contracts.base import Json
from contracts.errors import BudgetExceeded, ModelRefused, ModelTruncated, NotFound, OutputInvalid
from contracts.evidence.claims import CitablePage, Claim
from contracts.models.call import ModelRequest, ModelResult
from contracts.terms import Usage
from domain.evidence.cited_page import CitedPage
from domain.evidence.claims import find_claims, list_places, map_claims
from domain.evidence.quotes import Snapshot
from domain.evidence.verification import Check, check_claims

if TYPE_CHECKING:
    from store.blobs import BlobStore

Ask = Callable[[ModelRequest], Awaitable[ModelResult]]
FAILED = frozenset({"contradicted", "not_shown"})
USELESS = (BudgetExceeded, ModelRefused, ModelTruncated, OutputInvalid)
"""Errors of a call that nobody waits for: the run goes on without its answer."""


class ClaimVerifier:
    """Reads the snapshots that are cited and gives each claim its verdict."""

    def __init__(self, blobs: "BlobStore") -> None:
        self._blobs = blobs

    async def verify(self, request: ModelRequest, result: ModelResult, ask: Ask) -> ModelResult:
        """Return a result whose typed output and changes of the report are verified.

        What code cannot settle is asked of the judge, if the request names one; a judge that cannot
        answer leaves it unjudged. Raises StoreUnavailable, which is waited out; a snapshot that is gone
        carries nothing.
        """
        inputs: Json = {
            block.id: block.input
            for block in result.content
            if block.type == "tool_use" and block.name == UPDATE_REPORT
        }
        said: Json = {"output": result.output, "inputs": inputs}
        claims, places = list(find_claims(said)), list(list_places(said))
        sources = await self._read(request.pages or [], claims)
        question = request.judge.question if request.judge else ""
        known = request.judge.known if request.judge else {}
        checks = await asyncio.to_thread(check_claims, claims, sources, question, known)
        verdicts = [settle(check) for check in checks]
        usage = result.usage
        if request.judge:
            asked = [n for n, check in enumerate(checks) if check.outcome == "open"]
            for number, part in enumerate(_batch(asked, CLAIMS_PER_CALL), start=1):
                shown = [(places[n], checks[n]) for n in part]
                again = build_judge_request(request, number, shown, sources)
                judged, more = await _judge([verdicts[n] for n in part], again, ask)
                for n, claim in zip(part, judged, strict=True):
                    verdicts[n] = claim
                usage += more
        verdicts = withdraw_conclusions(verdicts)
        left = iter(verdicts)
        verified: Any = map_claims(said, lambda _: next(left))
        return result.model_copy(
            update={
                "output": verified["output"],
                "verified_inputs": verified["inputs"],
                "usage": usage,
            }
        )

    async def _read(
        self, pages: Sequence[CitablePage], claims: Sequence[Claim]
    ) -> Mapping[int, CitedPage]:
        """Return the pages that are cited."""
        cited = {citation.source for claim in claims for citation in claim.citations}
        used = [page for page in pages if page.number in cited]
        read = await asyncio.gather(*map(self._read_page, used))
        return {page.number: found for page, found in zip(used, read, strict=True) if found}

    async def _read_page(self, page: CitablePage) -> CitedPage | None:
        try:
            text = await self._blobs.get(page.text_key)
        except NotFound:
            return None
        return CitedPage(page.title, Snapshot(text.decode()), page.publisher, page.published)


def _batch(places: list[int], size: int) -> list[list[int]]:
    return [places[first : first + size] for first in range(0, len(places), size)]


async def _judge(claims: list[Claim], request: ModelRequest, ask: Ask) -> tuple[list[Claim], Usage]:
    try:
        answer = await ask(request)
    except USELESS as error:
        reason = f"not judged: {error}"
        return [claim.model_copy(update={"reason": reason}) for claim in claims], Usage()
    return read_judgements(answer, claims), answer.usage


def settle(check: Check) -> Claim:
    """Return a claim with the verdict of code, if it has one."""
    if check.outcome == "holds":
        return check.claim.model_copy(update={"verdict": "supported"})
    if check.outcome == "fails":
        reason = "; ".join(check.problems)
        return check.claim.model_copy(update={"verdict": "not_shown", "reason": reason})
    return check.claim


def withdraw_conclusions(claims: Sequence[Claim]) -> list[Claim]:
    """Return claims of which none rests on a sentence that did not hold."""
    failed = {claim.id for claim in claims if claim.id and claim.verdict in FAILED}
    return [
        claim.model_copy(
            update={"verdict": "not_shown", "reason": "it rests on a sentence that did not hold"}
        )
        if claim.verdict != "contradicted" and failed.intersection(claim.rests_on)
        else claim
        for claim in claims
    ]
