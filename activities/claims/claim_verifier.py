"""What the verification of claims needs of the pages that they cite: read from snapshots, worked on in the sandbox."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from activities.claims.judge import build_judging, place_checks, recall, restate
from activities.claims.mend import build_mending, choose_changes
from activities.sandbox.call_pool import Runner, run_in_thread
from contracts.base import Json
from contracts.errors import NotFound, TooCostly
from contracts.evidence.checks import (
    Check,
    CheckedAnswer,
    CheckRequest,
    JudgeRequest,
    MendedClaim,
    MendRequest,
)
from contracts.evidence.claims import CitablePage, Claim, JudgeTerms
from contracts.evidence.reasons import Reason
from contracts.evidence.rows import PageRows
from contracts.models.call import ModelRequest, Scope
from domain.evidence.cited_page import CitedPage
from domain.evidence.claims import FRAMES, digest_claims, find_claims, list_places
from domain.evidence.quotes import Snapshot
from domain.evidence.repeated_cells import check_answer

if TYPE_CHECKING:
    from store.blobs import BlobStore

T = TypeVar("T")
Pages = Mapping[int, CitedPage]


class ClaimVerifier:
    """Reads the snapshots that are cited, checks claims by code, and builds what judge and writer are asked."""

    def __init__(self, blobs: "BlobStore", run: Runner = run_in_thread) -> None:
        self._blobs = blobs
        self._run = run

    async def check(self, request: CheckRequest) -> CheckedAnswer:
        """Return what code finds out about an answer's claims, and those that it leaves to the judge.

        A claim that the judge was asked about before has its verdict. A snapshot that is gone carries nothing.
        """
        said: Any = {"output": request.output, "inputs": request.inputs}
        claims, terms = list(find_claims(said)), request.call.judge
        terms = terms or JudgeTerms(model="", question="")
        pages = await self._read(request.call, claims, terms)
        named = (list_places(said, fields=(name,)) for name in ("row", "column"))
        labels = list(zip(*named, strict=True))
        checks = await self._check(request.scope, claims, pages, terms, labels)
        frames = list(list_places(said, fields=FRAMES))
        digests = digest_claims(said, [check.claim for check in checks], terms.known)
        rulings = map((terms.judged | request.judged).get, digests)
        checks = list(map(recall, checks, rulings))
        placed = place_checks(list(list_places(said)), checks, {**request.inputs}, terms.written)
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

    async def build_judging(self, request: JudgeRequest) -> ModelRequest:
        """Return the call that asks the judge about some claims; raises TooCostly."""
        claims = [placed.check.claim for placed in request.claims]
        openings = {source for placed in request.claims for source, _ in placed.check.openings}
        pages = await self._read(request.call, claims, also=openings)
        task = "finding the passages around quotes"
        return await self._call(build_judging, request.call, request.claims, pages, task=task)

    async def build_mending(self, request: MendRequest) -> ModelRequest:
        """Return the call that asks the writer for what did not hold; raises TooCostly."""
        pages = await self._read(request.call, list(find_claims(request.output)))
        task = "finding the passages around quotes"
        return await self._call(build_mending, request, pages, task=task)

    async def choose_changes(self, request: MendRequest, answer: Json) -> list[MendedClaim]:
        """Return the mends that the answer's schema allows; raises TooCostly."""
        return await self._call(
            choose_changes, request, answer, task="applying the mended sentences"
        )

    async def _call(self, function: Callable[..., T], *args: object, task: str) -> T:
        first = args[0]
        scope = getattr(first, "scope")  # noqa: B009 - of whatever request
        return await self._run(function, *args, task=task, tenant=scope.tenant_id)

    async def _check(
        self,
        scope: Scope,
        claims: Sequence[Claim],
        pages: Pages,
        terms: JudgeTerms,
        labels: Sequence[tuple[str, str]],
    ) -> list[Check]:
        """Return what code finds out about claims; where that exceeds its limit, none of them holds."""
        try:
            return await self._run(
                check_answer,
                *(claims, pages, terms, labels),
                task="checking the claims against their pages",
                tenant=scope.tenant_id,
            )
        except TooCostly as error:
            reason = Reason(code="too-costly", params={"error": error.words})
            return [
                Check(outcome="fails", claim=claim.rule("not_shown", reason)) for claim in claims
            ]

    async def _read(
        self,
        call: ModelRequest,
        claims: Sequence[Claim],
        terms: JudgeTerms | None = None,
        also: Iterable[int] = (),
    ) -> Pages:
        """Return the pages that are cited, by claims or by what is known and they rest on."""
        cited = {*also, *(citation.source for claim in claims for citation in claim.citations)}
        if terms:
            bases = {name for claim in claims for name in claim.rests_on} & {*terms.known}
            cited |= {place[0] for name in bases for place in terms.known[name].places}
        used = [page for page in call.pages or [] if page.number in cited]
        read = await asyncio.gather(*(self._read_page(call.scope, page) for page in used))
        return {page.number: found for page, found in zip(used, read, strict=True) if found}

    async def _read_page(self, scope: Scope, page: CitablePage) -> CitedPage | None:
        try:
            text = await self._blobs.get(scope.tenant_id, page.text_key)
            index = page.rows_key and await self._blobs.get(scope.tenant_id, page.rows_key)
        except NotFound:
            return None
        snapshot = Snapshot(text.decode(), page.shown)
        rows = PageRows.model_validate_json(index).rows if index else []
        known = page.by, page.published, tuple(page.unread)
        return CitedPage(page.title, snapshot, *known, tuple(rows))
