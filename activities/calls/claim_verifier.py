"""The verification of an answer's claims: by code against the snapshots they cite, then by a judge."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from activities.call_pool import Runner, run_in_thread
from activities.calls.mend import (
    apply_mends,
    build_mend,
    lean_conclusions,
    list_failed,
    list_worse,
)
from activities.interceptor import settles
from contracts.agents.tools import UPDATE_REPORT
from contracts.base import Json, get_answer_schema
from contracts.errors import GreenlightError, ModelRejected, NotFound, TooCostly
from contracts.evidence.claims import (
    JUDGE,
    CitablePage,
    Citation,
    Claim,
    Judgement,
    Judgements,
    JudgeTerms,
    Ruling,
)
from contracts.evidence.reasons import Reason
from contracts.evidence.rows import PageRows
from contracts.models.call import (
    ModelRequest,
    ModelResult,
    Scope,
    build_inputs,
    build_message,
    to_input,
)
from contracts.terms import Usage
from domain.evidence.cited_page import CitedPage, describe_pages
from domain.evidence.claims import (
    FRAMES,
    digest_claims,
    find_claims,
    list_places,
    map_claims,
    number_shared_ids,
)
from domain.evidence.pages import describe_page
from domain.evidence.quotes import Snapshot, Span
from domain.evidence.verification import Check, check_claims
from domain.prompts import load_prompts
from domain.report.patches import find_followed, is_appended

if TYPE_CHECKING:
    from store.blobs import BlobStore

PROMPT = load_prompts(__package__, "judge")["judge"]
CLAIMS_PER_CALL = 25
"""Claims that the judge is asked about at once, or half as many more where they would be few in the next call."""
_BEFORE, _AFTER = 500, 250
"""Characters of a page that the judge sees around a quote: its table, its paragraph."""

_BEGINNING = 40
"""Characters by which the judge knows a sentence again; a quote that is no longer is repeated."""
_QUOTE = "[quote]"

Quoted = dict[tuple[int, int, int], int]
"""The first claim that each quote is shown under, by its source and place."""
Ask = Callable[[ModelRequest], Awaitable[ModelResult]]


class PlacedCheck(NamedTuple):
    """A claim, what code found out about it, and where it stands."""

    place: str
    """The heading, row and column next to it."""
    check: Check
    before: str = ""
    """The sentence that it follows there."""


class ClaimVerifier:
    """Reads the snapshots that are cited and gives each claim its verdict."""

    def __init__(self, blobs: "BlobStore", run: Runner = run_in_thread) -> None:
        self.blobs = blobs
        self.run = run

    async def verify(
        self,
        request: ModelRequest,
        result: ModelResult,
        ask: Ask,
        before: ModelResult | None = None,
    ) -> ModelResult:
        """Return a result whose typed output and changes of the report are verified.

        What code cannot settle is asked of the judge, if the request names one, but for claims that it was
        asked about `before`, or earlier in the run; a judge that cannot answer leaves it unjudged. A
        snapshot that is gone carries nothing. Raises StoreUnavailable, which is waited out.
        """
        inputs: Json = {
            block.id: block.input
            for block in result.content
            if block.type == "tool_use" and block.name == UPDATE_REPORT
        }
        said: Json = {"output": result.output, "inputs": inputs}
        claims, places = list(find_claims(said)), list(list_places(said))
        terms = request.judge or JudgeTerms(model="", question="")
        pages = await self._read(request, claims, terms)
        checks = await self._check(request, claims, pages, terms)
        frames = list_places(said, fields=FRAMES)
        checks = [
            _reopen(check) if frame else check for check, frame in zip(checks, frames, strict=True)
        ]
        digests = digest_claims(said, [check.claim for check in checks], terms.known)
        earlier = before.judged if before else {}
        rulings = map((terms.judged | earlier).get, digests)
        checks = list(map(_recall, checks, rulings))
        placed = _place_checks(places, checks, inputs, terms.written)
        verdicts, usage = await judge_open(request, placed, pages, ask, self.run)
        judged: dict[str, Ruling] = {
            digest: (claim.verdict, claim.reason)
            for digest, check, claim in zip(digests, checks, verdicts, strict=True)
            if request.judge and check.outcome == "open"
        }
        left = iter(withdraw_conclusions(verdicts))
        verified: Any = map_claims(said, lambda _: next(left))
        return result.model_copy(
            update={
                "output": verified["output"],
                "verified_inputs": verified["inputs"],
                "judged": earlier | judged,
                "usage": result.usage + usage,
            }
        )

    async def mend(
        self, request: ModelRequest, written: ModelResult, verified: ModelResult, ask: Ask
    ) -> ModelResult:
        """Return an answer with those claims mended by their writer that did not hold, verified anew.

        It is asked once, and where a judge is named; what held stays as it was written, but for an id
        of several sentences: its writer has to say which of them a conclusion rests on. A sentence that
        held in part stays if its mend is refused. A conclusion of which a ground is lost all the same is
        judged by those that are left.
        """
        written, verified = map(_number_shared_ids, (written, verified))
        failed = list_failed(written, verified)
        if not (request.judge and failed):
            return verified
        claims = list(find_claims(written.output))
        pages = await self._read(request, claims, request.judge)
        try:
            asked = await self.run(
                build_mend,
                *(request, verified, failed, pages),
                task="finding the passages around quotes",
                tenant=request.scope.tenant_id,
            )
        except TooCostly:
            return verified  # its claims stay marked
        given = (request, written, failed, await ask(asked))
        task = {"task": "applying the mended sentences", "tenant": request.scope.tenant_id}
        again = request.model_copy(update={"scope": asked.scope})
        try:
            mended = await self.run(apply_mends, *given, **task)
            final = verified.model_copy(update={"usage": verified.usage + mended.usage})
            if mended.output != written.output:
                final = await self.verify(again, mended, ask, verified)
                final = final.model_copy(update={"usage": verified.usage + final.usage})
            if worse := await self.run(list_worse, *given, final, **task):
                mended = await self.run(apply_mends, *given, [*worse], **task)
                final = await self._verify_anew(again, mended, ask, final)
                refused = [*final.refused, *worse.values()]
                final = final.model_copy(update={"refused": refused})
        except TooCostly:
            return verified
        leaner = lean_conclusions(mended, final, request.judge.known)
        if leaner.output == mended.output:
            return final
        return await self._verify_anew(again, leaner, ask, final)

    async def _verify_anew(
        self, request: ModelRequest, changed: ModelResult, ask: Ask, before: ModelResult
    ) -> ModelResult:
        """Return a changed answer verified; what it cost is added to what was paid before."""
        unpaid = changed.model_copy(update={"usage": Usage()})
        found = await self.verify(request, unpaid, ask, before)
        return found.model_copy(update={"usage": before.usage + found.usage})

    async def _check(
        self,
        request: ModelRequest,
        claims: Sequence[Claim],
        pages: Mapping[int, CitedPage],
        terms: JudgeTerms,
    ) -> list[Check]:
        """Return what code finds out about claims; where that exceeds its limit, none of them holds."""
        try:
            return await self.run(
                check_claims,
                *(claims, pages, terms.question, dict(terms.known), terms.today),
                task="checking the claims against their pages",
                tenant=request.scope.tenant_id,
            )
        except TooCostly as error:
            reason = Reason(code="too-costly", params={"error": str(error)})
            return [Check("fails", claim.rule("not_shown", reason)) for claim in claims]

    async def _read(
        self, request: ModelRequest, claims: Sequence[Claim], terms: JudgeTerms
    ) -> Mapping[int, CitedPage]:
        """Return the pages that are cited, by claims or by what is known and they rest on."""
        bases = {name for claim in claims for name in claim.rests_on}
        cited = {citation.source for claim in claims for citation in claim.citations}
        cited |= {place[0] for name in bases & {*terms.known} for place in terms.known[name].places}
        used = [page for page in request.pages or [] if page.number in cited]
        read = await asyncio.gather(*(self._read_page(request.scope, page) for page in used))
        return {page.number: found for page, found in zip(used, read, strict=True) if found}

    async def _read_page(self, scope: Scope, page: CitablePage) -> CitedPage | None:
        try:
            text = await self.blobs.get(scope.tenant_id, page.text_key)
            index = page.rows_key and await self.blobs.get(scope.tenant_id, page.rows_key)
        except NotFound:
            return None
        snapshot = Snapshot(text.decode(), page.shown)
        rows = PageRows.model_validate_json(index).rows if index else []
        known = page.by, page.published, tuple(page.unread)
        return CitedPage(page.title, snapshot, *known, tuple(rows))


def _number_shared_ids(result: ModelResult) -> ModelResult:
    output: Any = number_shared_ids(result.output)
    return result.model_copy(update={"output": output})


async def judge_open(
    request: ModelRequest,
    checks: Sequence[PlacedCheck],
    pages: Mapping[int, CitedPage],
    ask: Ask,
    run: Runner = run_in_thread,
) -> tuple[list[Claim], Usage]:
    """Return the claims with the verdicts of code and, where it has none, of the judge; and its cost.

    A claim that the judge passes over, or cannot judge, stays unjudged and says why.
    """
    places = [n for n, (_, check, _) in enumerate(checks) if check.outcome == "open"]
    claims, usage = [each.check.claim for each in checks], Usage()
    why = Reason(code="judge-silent")
    found: dict[int, Judgement] = {}
    parts = deque(_split(places if request.judge else []))
    calls = count(1)
    while parts:
        part, name = parts.popleft(), f"judge-{next(calls)}"
        try:
            shown = [checks[n] for n in part]
            answer = await ask(await _build_request(request, name, shown, pages, run))
        except GreenlightError as error:
            if not settles(error):
                raise
            if isinstance(error, ModelRejected) and error.is_too_long and len(part) > 1:
                half = len(part) // 2
                parts.extendleft((part[half:], part[:half]))
                continue
            why = Reason(code="judge-failed", params={"error": str(error)})
            break
        usage += answer.usage
        judged = Judgements.model_validate(answer.output).verdicts
        found |= {part[one.claim - 1]: one for one in judged if 0 < one.claim <= len(part)}
    for n in places if request.judge else ():
        verdict = found.get(n)
        claims[n] = _apply(verdict, claims[n]) if verdict else claims[n].rule(None, why)
    return claims, usage


def _split(places: Sequence[int]) -> list[Sequence[int]]:
    """Return claims in equal parts of about `CLAIMS_PER_CALL`: a few more cost less than a call of their own."""
    calls = max(round(len(places) / CLAIMS_PER_CALL), 1)
    size = -(-len(places) // calls)
    return [places[first : first + size] for first in range(0, len(places), size or 1)]


def _apply(judged: Judgement, claim: Claim) -> Claim:
    """Return a claim with the verdict that a judge gave it, and its reason, if it does not hold."""
    if judged.verdict == "supported":
        return claim.rule(judged.verdict)
    if not judged.reason:
        return claim.rule(judged.verdict, Reason(code="judged-silently"))
    return claim.rule(judged.verdict, Reason(code="judged", params={"text": judged.reason}))


def _reopen(check: Check) -> Check:
    """Return the check of a cell: whether its sentence fits its row and column is for the judge."""
    if check.outcome != "holds":
        return check
    return replace(check, outcome="open", claim=check.claim.model_copy(update={"verdict": None}))


def _recall(check: Check, ruling: Ruling | None) -> Check:
    """Return a check with the verdict that its claim had before."""
    if check.outcome != "open" or ruling is None:
        return check
    verdict, words = ruling
    if verdict == "supported":
        return replace(check, outcome="holds", claim=check.claim.rule(verdict))
    reason = Reason(code="judged" if verdict else "unjudged", params={"text": words})
    return replace(check, outcome="fails", claim=check.claim.rule(verdict, reason))


def _place_checks(
    places: Sequence[str],
    checks: Sequence[Check],
    inputs: Json,
    written: Mapping[str, Sequence[str]],
) -> list[PlacedCheck]:
    """Return an answer's checks where they stand; each follows the one before in the same place, unless that fell.

    The claims of the `inputs`, which change a report, are the last: the first of a change follows what stands there
    in the report.
    """
    placed = [PlacedCheck(*each) for each in zip(places, checks, strict=True)]
    for n, one in enumerate(placed[1:], start=1):
        if one.place == placed[n - 1].place:
            placed[n] = one._replace(before=_tell(checks[n - 1]))
    changes = [change for change in inputs.values() if isinstance(change, dict)]
    counts = [len(list(find_claims(change))) for change in changes]
    at, ends = len(checks) - sum(counts), dict[str, Check]()
    for change, number in zip(changes, counts, strict=True):
        section = str(change.get("section"))
        if change.get("add") and number:
            end = ends.get(section) if is_appended(change) else None
            before = _tell(end) if end else find_followed(written.get(section, ()), change)
            placed[at] = placed[at]._replace(before=before)
            if is_appended(change):
                ends[section] = checks[at + number - 1]
        at += number
    return placed


def _tell(check: Check) -> str:
    """Return a sentence as what follows it may take it for known; empty where it fell."""
    return check.claim.text if check.claim.is_usable else ""


async def _build_request(
    request: ModelRequest,
    name: str,
    checks: Sequence[PlacedCheck],
    pages: Mapping[int, CitedPage],
    run: Runner,
) -> ModelRequest:
    """Return the call that judges some of an answer's claims, in the scope of the answer's own."""
    terms = request.judge
    assert terms
    cited: dict[int, list[Span]] = {}
    for _, check, _ in checks:
        spans = [(c.source, (c.start, c.end)) for c in check.claim.citations]
        for source, span in (*spans, *check.openings):
            cited.setdefault(source, []).append(span)
    described = await run(
        describe_pages,
        *({n: pages[n] for n in cited}, cited, _BEFORE, _AFTER),
        task="finding the passages around quotes",
        tenant=request.scope.tenant_id,
    )
    shown, seen, quoted, last, told = list[str](), set[str](), Quoted(), "", ""
    for n, (place, check, before) in enumerate(checks, start=1):
        shown += [f"at: {place or '–'}"] if place != last else []
        shown += _describe(n, check, "" if before == told else before, seen, quoted)
        last, told = place, check.claim.text
    inputs = [
        *build_inputs(question=terms.question, today=terms.today, idea=terms.idea),
        *described,
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


def _describe(
    number: int, check: Check, before: str, seen: set[str], quoted: Quoted
) -> Iterator[str]:
    """Yield the lines that a judge sees of a claim; of sentences it has `seen` the beginning.

    What was `quoted` above is named by the number of the claim there.
    """
    claim = check.claim

    def show(citation: Citation) -> str:
        where = describe_page(citation.source, citation.page)
        place = (citation.source, citation.start, citation.end)
        first = quoted.setdefault(place, number)
        is_known = first != number and len(citation.quote) > _BEGINNING
        return f"{where}: {f'as in {first}' if is_known else _join_lines(citation.quote)}"

    yield f"{number}. {_join_lines(claim.text)}"
    if before and before not in (base.text for base in check.bases):
        yield f"  after: {_join_lines(_shorten_known(before, seen))}"
    if claim.working:
        yield f"  working: {claim.working}"
    for citation, whole in zip(claim.citations, check.wholes, strict=True):
        yield f"  {show(citation)}"
        if whole:
            yield f"    cut from: {_cut_out(_join_lines(citation.quote), _join_lines(whole))}"
    for base in check.bases:
        yield f"  rests on: {_join_lines(_shorten_known(base.text, seen))}"
        for citation in base.citations if base.text not in seen else ():
            yield f"    {show(citation)}"
    if check.unquoted:
        yield f"  unquoted: {', '.join(check.unquoted)}"
    if check.periods:
        yield f"  of several periods: {', '.join(check.periods)}"
    seen.update([claim.text, *(base.text for base in check.bases)])


def _cut_out(quote: str, whole: str) -> str:
    """Return the sentence that a quote is cut from, with a long quote named, not repeated."""
    return whole.replace(quote, _QUOTE, 1) if len(quote) > _BEGINNING else whole


def _shorten_known(text: str, seen: Container[str]) -> str:
    """Return the beginning of a sentence that was `seen`; another, and a short one, as it is."""
    return f"{text[:_BEGINNING]}…" if text in seen and text[_BEGINNING:] else text


def _join_lines(text: str) -> str:
    """Return a text on one line, so that none begins another entry."""
    return " ".join(text.split())


def withdraw_conclusions(claims: Sequence[Claim]) -> list[Claim]:
    """Return claims of which none rests, directly or by others, on a sentence that did not hold."""
    fallen = {claim.id for claim in claims if claim.id and not claim.is_usable}
    while more := {c.id for c in claims if c.id and fallen.intersection(c.rests_on)} - fallen:
        fallen |= more
    withdrawn = Reason(code="base-fell")
    return [
        claim.rule("not_shown", withdrawn)
        if claim.is_usable and fallen.intersection(claim.rests_on)
        else claim
        for claim in claims
    ]
