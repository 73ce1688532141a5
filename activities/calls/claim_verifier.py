"""The verification of an answer's claims: by code against the snapshots they cite, then by a judge."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from activities.calls.mend import apply_mends, build_mend, list_failed
from activities.interceptor import settles
from contracts.agents.tools import UPDATE_REPORT
from contracts.base import Json, get_answer_schema
from contracts.errors import GreenlightError, ModelRejected, NotFound
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
from domain.evidence.claims import digest_claim, find_claims, list_places, map_claims
from domain.evidence.quotes import Snapshot, Span
from domain.evidence.verification import Check, Outcome, check_claims
from domain.prompts import load_prompts

if TYPE_CHECKING:
    from store.blobs import BlobStore

PROMPT = load_prompts(__package__, "judge")["judge"]
CLAIMS_PER_CALL = 25
_BEFORE, _AFTER = 500, 250
"""Characters of a page that the judge sees around a quote: its table, its paragraph."""

_BEGINNING = 40
"""Characters by which the judge knows a sentence again."""

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
        before: ModelResult | None = None,
    ) -> ModelResult:
        """Return a result whose typed output and changes of the report are verified.

        What code cannot settle is asked of the judge, if the request names one, but for claims that it was
        asked about `before` or that its terms say held; a judge that cannot answer leaves it unjudged. A snapshot that is gone carries
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
        known = dict.fromkeys(terms.held, Claim(text="", citations=[], verdict="supported"))
        known |= dict(_list_verdicts(before.output if before else None, terms))
        named = _name_sentences(claims, terms)
        checks = [
            _recall(check, known.get(digest_claim(check.claim, place, named)))
            for check, place in zip(checks, places, strict=True)
        ]
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
        asked = await asyncio.to_thread(build_mend, request, verified, failed, pages)
        mended = apply_mends(request, written, failed, await ask(asked))
        if mended.output == written.output:
            return verified.model_copy(update={"usage": verified.usage + mended.usage})
        again = request.model_copy(update={"scope": asked.scope})
        final = await self.verify(again, mended, ask, verified)
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


def _name_sentences(claims: Sequence[Claim], terms: JudgeTerms) -> dict[str, str]:
    """Return the sentences that a conclusion may rest on, by their ids."""
    return {**terms.known, **{claim.id: claim.text for claim in claims if claim.id}}


def _list_verdicts(output: Json | None, terms: JudgeTerms) -> Iterator[tuple[str, Claim]]:
    """Yield the claims of a verified answer by their digests, but for conclusions that fell: those are judged anew."""
    claims = list(find_claims(output))
    named = _name_sentences(claims, terms)
    for claim, place in zip(claims, list_places(output), strict=True):
        if claim.is_supported or not claim.rests_on:
            yield digest_claim(claim, place, named), claim


def _recall(check: Check, found: Claim | None) -> Check:
    """Return a check with the verdict that its claim had before."""
    if check.outcome != "open" or found is None:
        return check
    told = {"verdict": found.verdict, "reason": found.reason}
    outcome: Outcome = "holds" if found.is_supported else "fails"
    return replace(check, outcome=outcome, claim=check.claim.model_copy(update=told))


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
        for citation in check.cited:
            cited.setdefault(citation.source, []).append((citation.start, citation.end))
    shown, seen, before = list[str](), set[str](), ""
    for n, (place, check) in enumerate(checks, start=1):
        shown += [f"at: {place or '–'}"] if place != before else []
        shown += _describe(n, check, seen)
        before = place
    inputs = [
        to_input("question", terms.question),
        *(
            to_input(f"page-{n}", pages[n].describe(cited[n], _BEFORE, _AFTER))
            for n in sorted(cited)
        ),
        to_input("claims", "\n".join(shown)),
    ]
    return request.derive(
        name,
        role=JUDGE,
        model=terms.model,
        system=PROMPT,
        messages=[build_message(inputs, [])],
        tools=[],
        output_schema=get_answer_schema(Judgements),
        max_tokens=300 + 90 * len(checks),
    )


def _describe(number: int, check: Check, seen: set[str]) -> Iterator[str]:
    """Yield the lines that a judge sees of a claim; of sentences it has `seen` the beginning."""
    claim = check.claim
    yield f"{number}. {_join_lines(claim.text)}"
    if claim.working:
        yield f"  working: {claim.working}"
    for citation in claim.citations:
        yield f"  page {citation.source}: {_join_lines(citation.quote)}"
    for base in check.bases:
        is_known = base in seen and base[_BEGINNING:]
        yield f"  rests on: {_join_lines(f'{base[:_BEGINNING]}…' if is_known else base)}"
    if check.periods:
        yield f"  of several periods: {', '.join(check.periods)}"
    seen.update([claim.text, *check.bases])


def _join_lines(text: str) -> str:
    """Return a text on one line, so that none begins another entry."""
    return " ".join(text.split())


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
