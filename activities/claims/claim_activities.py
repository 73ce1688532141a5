"""Activities that verify an answer's claims: `judge` and `mend` cost a model call each, the others nothing."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, NamedTuple

from temporalio import activity

from activities.claims.placed_checks import place_checks, recall, restate
from activities.confined.call_pool import Runner, run_in_thread
from contracts.base import Json
from contracts.errors import ModelRejected, NotFound, TooCostly
from contracts.evidence.checks import (
    Check,
    CheckedAnswer,
    CheckRequest,
    JudgeRequest,
    JudgeResult,
    MendedClaim,
    MendRequest,
    MendResult,
    PlacedCheck,
)
from contracts.evidence.claims import UNJUDGED, CitablePage, Claim, Judgements, JudgeTerms
from contracts.evidence.reasons import Reason
from contracts.models.call import ModelRequest
from contracts.report.draft import DraftRequest, TextDraft
from domain.evidence.claims import (
    FRAMES,
    digest_claims,
    find_claims,
    list_places,
    needs_pages,
)

if TYPE_CHECKING:
    from activities.calls.model_gateway import ModelGateway
    from domain.evidence.pages.cited_page import CitedPage
    from store.blobs import BlobStore

Pages = Mapping[int, "CitedPage"]


class EvidenceCode(NamedTuple):
    """The functions on cited pages; all but the first run in the sandbox."""

    open_page: Callable[[CitablePage, bytes, bytes], "CitedPage"]
    check_claims: Callable[..., list[Check]]
    build_judging: Callable[[ModelRequest, list[PlacedCheck], Pages], ModelRequest]
    build_mending: Callable[[MendRequest, Pages], ModelRequest]
    choose_changes: Callable[[MendRequest, Json], list[MendedClaim]]
    read_draft: Callable[[str], TextDraft]


class ClaimActivities:
    """Checks claims by code against the snapshots that they cite, and asks the judge and the writer about them."""

    def __init__(
        self,
        gateway: "ModelGateway",
        evidence: EvidenceCode,
        blobs: "BlobStore",
        run: Runner = run_in_thread,
    ) -> None:
        self._gateway = gateway
        self._evidence = evidence
        self._blobs = blobs
        self._run = run

    @activity.defn(name="claims.verify")
    async def verify(self, request: CheckRequest) -> CheckedAnswer:
        """Check an answer's claims by code, and return those left to the judge.

        A claim that was judged before keeps its verdict. A missing snapshot supports nothing; if the
        check exceeds its limits, no claim is supported.
        """
        said: Any = {"output": request.output, "inputs": request.inputs}
        claims, terms = list(find_claims(said)), request.call.judge or UNJUDGED
        pages = await self._read(request.call, {*_list_cited(claims), *_list_known(claims, terms)})
        named = (list_places(said, fields=(name,)) for name in ("row", "column"))
        try:
            checks = await self._run(
                self._evidence.check_claims,
                *(claims, pages, terms, list(zip(*named, strict=True))),
                task="checking the claims against their pages",
                tenant=request.scope.tenant_id,
            )
        except TooCostly as error:
            reason = Reason(code="too-costly", params={"error": error.words})
            fallen = (claim.rule("not_shown", reason) for claim in claims)
            checks = [Check(outcome="fails", claim=claim) for claim in fallen]
        digests = digest_claims(said, [check.claim for check in checks], terms.known)
        rulings = map((terms.judged | request.judged).get, digests)
        checks = list(map(recall, checks, rulings))
        placed = place_checks(list(list_places(said)), checks, {**request.inputs}, terms.written)
        frames = list(list_places(said, fields=FRAMES))
        left = {
            n: restate(one, terms.known.values()) if frames[n] else one
            for n, one in enumerate(placed)
            if terms.model and one.check.outcome == "open"
        }
        found = [
            None if n in left and left[n].check.claim == check.claim else check.claim
            for n, check in enumerate(checks)
        ]
        return CheckedAnswer(claims=found, digests=digests, open=left)

    @activity.defn(name="claims.read_draft")
    async def read_draft(self, request: DraftRequest) -> TextDraft:
        """Return the numbered sentences of a drafted text; none if it takes too long to read. It costs nothing."""
        try:
            return await self._run(
                self._evidence.read_draft,
                request.text,
                task="reading the drafted text",
                tenant=request.scope.tenant_id,
            )
        except TooCostly:
            return TextDraft()

    @activity.defn(name="claims.judge")
    async def judge(self, request: JudgeRequest) -> JudgeResult:
        """Ask the judge about some claims, once; raises like `models.call`.

        If the claims exceed its context window together, return `is_too_long`: nothing was asked.
        """
        cited = _list_cited(placed.check.claim for placed in request.claims)
        cited |= {source for placed in request.claims for source, _ in placed.check.openings}
        if any(needs_pages(placed.check.claim) for placed in request.claims):
            cited |= {page.number for page in request.call.pages or ()}
        asked = await self._run(
            self._evidence.build_judging,
            *(request.call, request.claims, await self._read(request.call, cited)),
            task="finding the passages around quotes",
            tenant=request.scope.tenant_id,
        )
        try:
            answer = await self._gateway.ask(asked)
        except ModelRejected as error:
            if error.is_too_long and len(request.claims) > 1:
                return JudgeResult(is_too_long=True)
            raise
        judged = Judgements.model_validate(answer.output).list_all()
        return JudgeResult(verdicts=judged, usage=answer.usage)

    @activity.defn(name="claims.mend")
    async def mend(self, request: MendRequest) -> MendResult:
        """Ask the writer once to repair refused claims; raises TooCostly, and like `models.call`."""
        tenant, cited = request.scope.tenant_id, _list_cited(find_claims(request.output))
        asked = await self._run(
            self._evidence.build_mending,
            *(request, await self._read(request.call, cited)),
            task="finding the passages around quotes",
            tenant=tenant,
        )
        answer = await self._gateway.ask(asked)
        changes = await self._run(
            self._evidence.choose_changes,
            *(request, answer.output or {}),
            task="applying the mended sentences",
            tenant=tenant,
        )
        return MendResult(changes=changes, usage=answer.usage)

    async def _read(self, call: ModelRequest, cited: Set[int]) -> Pages:
        """Return the call's pages that are cited and whose snapshots exist."""
        used = [page for page in call.pages or [] if page.number in cited]
        read = await asyncio.gather(*(self._read_page(call.scope.tenant_id, p) for p in used))
        return {page.number: found for page, found in zip(used, read, strict=True) if found}

    async def _read_page(self, tenant: str, page: CitablePage) -> "CitedPage | None":
        try:
            text = await self._blobs.get(tenant, page.text_key)
            rows = await self._blobs.get(tenant, page.rows_key) if page.rows_key else b""
        except NotFound:
            return None
        return self._evidence.open_page(page, text, rows)


def _list_cited(claims: Iterable[Claim]) -> set[int]:
    return {citation.source for claim in claims for citation in claim.citations}


def _list_known(claims: Iterable[Claim], terms: JudgeTerms) -> set[int]:
    """Return the sources of known sentences that claims rest on."""
    bases = {name for claim in claims for name in claim.rests_on} & {*terms.known}
    return {place[0] for name in bases for place in terms.known[name].places}
