"""The verification of an answer's claims: by code against the snapshots they cite, then by a judge."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from activities.interceptor import settles
from contracts.agents.tools import UPDATE_REPORT
from contracts.base import Json, get_answer_schema
from contracts.errors import GreenlightError, ModelRejected, NotFound
from contracts.evidence.claims import (
    JUDGE,
    CitablePage,
    Citation,
    Claim,
    Judgement,
    Judgements,
    JudgeTerms,
)
from contracts.models.call import ModelRequest, ModelResult, build_message, to_input
from contracts.terms import Usage
from domain.evidence.cited_page import CitedPage
from domain.evidence.claims import find_claims, list_places, map_claims
from domain.evidence.quotes import Snapshot
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
        known = {_identify(claim): claim for claim in judged if claim.verdict and claim.citations}
        checks = [_recall(check, known.get(_identify(check.claim))) for check in checks]
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
    most = range(0, len(places) if request.judge else 0, CLAIMS_PER_CALL)
    parts = deque(places[first : first + CLAIMS_PER_CALL] for first in most)
    calls = count(1)
    while parts:
        part, name = parts.popleft(), f"judge-{next(calls)}"
        try:
            answer = await ask(_build_request(request, name, [checks[n] for n in part], pages))
        except GreenlightError as error:
            if not settles(error):
                raise
            if isinstance(error, ModelRejected) and error.is_too_long and len(part) > 1:
                half = len(part) // 2
                parts.extendleft((part[half:], part[:half]))
                continue
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


def _identify(claim: Claim) -> str:
    """Return what makes two claims the same one: what they say, and on which passages."""
    return claim.model_dump_json(exclude={"id", "verdict", "reason", "working"})


def _recall(check: Check, judged: Claim | None) -> Check:
    """Return a check with the verdict that its claim had before; a conclusion's bases may have changed."""
    if check.outcome != "open" or judged is None or check.claim.rests_on:
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
    cited: dict[int, list[Citation]] = {}
    for _, check in checks:
        for citation in check.claim.citations:
            cited.setdefault(citation.source, []).append(citation)
    shown_pages = [_describe_page(n, pages[n], cited[n]) for n in sorted(cited)]
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


def _describe_page(number: int, page: CitedPage, cited: list[Citation]) -> Json:
    """Return what the judge sees of a page: each part once, however many quotes it has."""
    spans: list[tuple[int, int]] = []
    for citation in sorted(cited, key=lambda citation: citation.start):
        start, end = page.widen(citation.start - _BEFORE, citation.end + _AFTER)
        if spans and start <= spans[-1][1]:
            start, last = spans.pop()
            end = max(end, last)
        spans.append((start, end))
    excerpts: Any = []
    for start, end in spans:
        text = page.snapshot.text[start:end]
        headers = [page.find_heading(start), *page.find_headers(start, end)]
        headers = [line for line in headers if line and line not in text]
        excerpts.append(({"headers": headers} if headers else {}) | {"text": text})
    about = {"title": page.title, "publisher": page.publisher, "date": page.published}
    return {"page": number} | {k: v for k, v in about.items() if v} | {"excerpts": excerpts}


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
