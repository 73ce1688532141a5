"""The verification of an answer's claims: by code against the snapshots they cite, then by a judge."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from activities.calls.mending import apply_mends, build_mend, list_failed
from activities.interceptor import settles
from contracts.agents.tools import UPDATE_REPORT
from contracts.base import Json, get_answer_schema
from contracts.errors import GreenlightError, NotFound
from contracts.evidence.claims import (
    JUDGE,
    CitablePage,
    Claim,
    Judgement,
    Judgements,
    JudgeTerms,
)
from contracts.models.call import ModelRequest, ModelResult, build_message, to_input
from contracts.terms import Usage
from domain.evidence.cited_page import CitedPage
from domain.evidence.claims import find_claims, list_places, map_claims
from domain.evidence.quotes import Snapshot, Span
from domain.evidence.verification import Check, check_claims
from domain.prompts import load_prompts

if TYPE_CHECKING:
    from store.blobs import BlobStore

PROMPT = load_prompts(__package__, "judge")["judge"]
CLAIMS_PER_CALL = 25
_BEFORE, _AFTER = 500, 250
"""Characters of a page that the judge sees around a quote: its table, its paragraph."""

Ask = Callable[[ModelRequest], Awaitable[ModelResult]]
PlacedCheck = tuple[str, Check]
"""What a claim stands beside, and what code found out about it."""


class ClaimVerifier:
    """Reads the snapshots that are cited and gives each claim its verdict."""

    def __init__(self, blobs: "BlobStore") -> None:
        self.blobs = blobs

    async def verify(
        self,
        request: ModelRequest,
        result: ModelResult,
        ask: Ask,
        judged: Sequence[Claim] = (),
    ) -> ModelResult:
        """Return a result whose typed output and changes of the report are verified.

        What code cannot settle is asked of the judge, if the request names one, but for claims that it
        `judged` before; a judge that cannot answer leaves it unjudged. A snapshot that is gone carries
        nothing. Raises StoreUnavailable, which is waited out.
        """
        inputs: Json = {
            block.id: block.input
            for block in result.content
            if block.type == "tool_use" and block.name == UPDATE_REPORT
        }
        said: Json = {"output": result.output, "inputs": inputs}
        claims, places = list(find_claims(said)), list(list_places(said))
        pages = await self._read(request.pages or [], claims)
        terms = request.judge or JudgeTerms(model="", question="")
        checks = await asyncio.to_thread(check_claims, claims, pages, terms.question, terms.known)
        before, now = _name_sentences(judged, terms), _name_sentences(claims, terms)
        known = {_identify(claim, before): claim for claim in judged}
        checks = [_recall(check, known.get(_identify(check.claim, now))) for check in checks]
        placed = list(zip(places, checks, strict=True))
        verdicts, usage = await judge_open(request, placed, pages, ask)
        left = iter(withdraw_conclusions(verdicts))
        verified: Any = map_claims(said, lambda _: next(left))
        return result.model_copy(
            update={
                "output": verified["output"],
                "verified_inputs": verified["inputs"],
                "usage": result.usage + usage,
            }
        )

    async def mend(
        self, request: ModelRequest, written: ModelResult, verified: ModelResult, ask: Ask
    ) -> ModelResult:
        """Return an answer with those claims mended by their writer that did not hold, verified anew.

        It is asked once, and where a judge is named; what held stays as it was written.
        """
        failed = list_failed(written, verified)
        if not (request.judge and failed):
            return verified
        pages = await self._read(request.pages or [], list(find_claims(written.output)))
        asked = build_mend(request, verified, failed, pages)
        mended = apply_mends(request, written, failed, await ask(asked))
        if mended.output == written.output:
            return verified.model_copy(update={"usage": verified.usage + mended.usage})
        again = request.model_copy(update={"scope": asked.scope})
        final = await self.verify(again, mended, ask, list(find_claims(verified.output)))
        return final.model_copy(update={"usage": verified.usage + final.usage})

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
    request: ModelRequest, checks: Sequence[PlacedCheck], pages: Mapping[int, CitedPage], ask: Ask
) -> tuple[list[Claim], Usage]:
    """Return the claims with the verdicts of code and, where it has none, of the judge; and its cost.

    A claim that the judge passes over, or cannot judge, stays unjudged and says why.
    """
    places = [n for n, (_, check) in enumerate(checks) if check.outcome == "open"]
    claims, usage, why = [check.claim for _, check in checks], Usage(), "the judge passed it over"
    found: dict[int, Judgement] = {}
    for first in range(0, len(places) if request.judge else 0, CLAIMS_PER_CALL):
        part = places[first : first + CLAIMS_PER_CALL]
        name = f"judge-{first // CLAIMS_PER_CALL + 1}"
        try:
            answer = await ask(_build_request(request, name, [checks[n] for n in part], pages))
        except GreenlightError as error:
            if not settles(error):
                raise
            why = f"not judged: {error}"
            break
        usage += answer.usage
        judged = Judgements.model_validate(answer.output).verdicts
        found |= {part[one.claim - 1]: one for one in judged if 0 < one.claim <= len(part)}
    for n in places if request.judge else ():
        update: Json = {"reason": why}
        if verdict := found.get(n):
            reason = "" if verdict.verdict == "supported" else verdict.reason or "no reason given"
            update = {"verdict": verdict.verdict, "reason": reason}
        claims[n] = claims[n].model_copy(update=update)
    return claims, usage


def _name_sentences(claims: Sequence[Claim], terms: JudgeTerms) -> dict[str, str]:
    """Return the sentences that a conclusion may rest on, by their ids."""
    return {**terms.known, **{claim.id: claim.text for claim in claims if claim.id}}


def _identify(claim: Claim, named: Mapping[str, str]) -> str:
    """Return what makes two claims the same one: what they say, on which passages and sentences."""
    said = claim.model_dump(exclude={"id", "verdict", "reason", "working"})
    return json.dumps([said, [named.get(name) for name in claim.rests_on]])


def _recall(check: Check, judged: Claim | None) -> Check:
    """Return a check with the verdict that its claim had before; a conclusion that fell is judged anew."""
    if check.outcome != "open" or judged is None or (judged.rests_on and not judged.is_supported):
        return check
    return replace(check, outcome="holds" if judged.is_supported else "fails", claim=judged)


def _build_request(
    request: ModelRequest,
    name: str,
    checks: Sequence[PlacedCheck],
    pages: Mapping[int, CitedPage],
) -> ModelRequest:
    """Return the call that judges some of an answer's claims, in the scope of the answer's own."""
    terms = request.judge
    assert terms
    cited: dict[int, list[Span]] = {}
    for _, check in checks:
        for citation in check.claim.citations:
            cited.setdefault(citation.source, []).append((citation.start, citation.end))
    shown_pages = [pages[n].describe(n, cited[n], _BEFORE, _AFTER) for n in sorted(cited)]
    shown = [_describe(n, *placed) for n, placed in enumerate(checks, start=1)]
    inputs = [
        to_input("question", terms.question),
        to_input("pages", shown_pages),
        to_input("claims", shown),
    ]
    return ModelRequest(
        scope=request.scope.model_copy(update={"name": f"{request.scope.name}-{name}"}),
        role=JUDGE,
        model=terms.model,
        system=PROMPT,
        messages=[build_message(inputs, [])],
        output_schema=get_answer_schema(Judgements),
        max_tokens=300 + 90 * len(checks),
        cap_usd=request.cap_usd,
        kept_usd=request.kept_usd,
    )


def _describe(number: int, place: str, check: Check) -> Json:
    """Return what the judge sees of a claim."""
    claim, bases = check.claim, list(check.bases)
    quotes = [{"page": citation.source, "quote": citation.quote} for citation in claim.citations]
    shown: Json = {"claim": number, "kind": claim.kind, "place": place, "sentence": claim.text}
    more: Any = {"working": claim.working, "rests_on": bases, "quotes": quotes}
    return {name: value for name, value in (shown | more).items() if value}


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
