"""The verification of an answer's claims: by code against the snapshots they cite, then by a judge."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from activities.calls.judge import CLAIMS_PER_CALL, build_judge_request, read_judgements
from contracts.agents.tools import UPDATE_REPORT
from contracts.base import Json
from contracts.errors import USELESS, NotFound
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


class ClaimVerifier:
    """Reads the snapshots that are cited and gives each claim its verdict."""

    def __init__(self, blobs: "BlobStore") -> None:
        self.blobs = blobs

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
        verdicts, usage = await judge_open(
            request, list(zip(places, checks, strict=True)), sources, ask
        )
        verdicts = withdraw_conclusions(verdicts)
        left = iter(verdicts)
        verified: Any = map_claims(said, lambda _: next(left))
        return result.model_copy(
            update={
                "output": verified["output"],
                "verified_inputs": verified["inputs"],
                "usage": result.usage + usage,
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
            text = await self.blobs.get(page.text_key)
        except NotFound:
            return None
        return CitedPage(page.title, Snapshot(text.decode()), page.publisher, page.published)


async def judge_open(
    request: ModelRequest,
    checks: Sequence[tuple[str, Check]],
    pages: Mapping[int, CitedPage],
    ask: Ask,
) -> tuple[list[Claim], Usage]:
    """Return the claims with the verdicts of code and, where it has none, of the judge; and its cost."""
    verdicts, usage = [settle(check) for _, check in checks], Usage()
    places = [n for n, (_, check) in enumerate(checks) if check.outcome == "open"]
    for first in range(0, len(places) if request.judge else 0, CLAIMS_PER_CALL):
        part = places[first : first + CLAIMS_PER_CALL]
        number = first // CLAIMS_PER_CALL + 1
        asked = build_judge_request(request, number, [checks[n] for n in part], pages)
        claims = [verdicts[n] for n in part]
        try:
            answer = await ask(asked)
        except USELESS as error:
            reason = f"not judged: {error}"
            claims = [claim.model_copy(update={"reason": reason}) for claim in claims]
        else:
            claims = read_judgements(answer, claims)
            usage += answer.usage
        for n, claim in zip(part, claims, strict=True):
            verdicts[n] = claim
    return verdicts, usage


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
    failed = {claim.id for claim in claims if claim.id and not claim.is_usable}
    return [
        claim.model_copy(
            update={"verdict": "not_shown", "reason": "it rests on a sentence that did not hold"}
        )
        if claim.verdict != "contradicted" and failed.intersection(claim.rests_on)
        else claim
        for claim in claims
    ]
