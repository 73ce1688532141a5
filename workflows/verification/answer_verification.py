"""Verification of an answer: code checks its claims, a judge reads the rest, the writer repairs refused ones."""

from collections.abc import Container, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import count
from typing import Any, Protocol

from pydantic import ValidationError
from temporalio.exceptions import ActivityError

from activities.claims.claim_activities import ClaimActivities
from contracts.agents.tool_definitions import UPDATE_REPORT
from contracts.base import Json
from contracts.errors import OutOfTime
from contracts.evidence.checks import (
    CheckedAnswer,
    CheckRequest,
    JudgeRequest,
    JudgeResult,
    MendedClaim,
    MendRequest,
    MendResult,
    PlacedCheck,
)
from contracts.evidence.claims import JUDGE, CitablePage, Claim, RefusedClaim, Ruling
from contracts.evidence.reasons import Reason
from contracts.models.call import ModelRequest, ModelResult
from domain.evidence.claims import find_claims, map_claims, number_shared_ids
from domain.evidence.conclusions import withdraw_conclusions
from domain.evidence.mends import (
    apply_changes,
    lean_conclusions,
    list_failed,
    list_left_out,
    list_worse,
)
from domain.prompts import load_prompts
from workflows.runtime.failures import describe_failure
from workflows.verification.judge_queue import JudgeQueue, OpenClaims, apply_judgement

PROMPTS = load_prompts("workflows.prompts", "verification")
NO_ANSWER = (ActivityError, ValidationError, OutOfTime)
"""A model call that failed finally, or whose answer is invalid."""


class Caller(Protocol):
    """Makes the calls of a verification; finished calls except a judge's are in the phase's memo."""

    judges: JudgeQueue

    async def execute_activity(self, name: str, method: Any, request: Any, *, summary: str) -> Any:
        """Return an activity's result, or raise its failure; `name` is unique in the attempt."""

    def name_call(self, request: ModelRequest, name: str) -> ModelRequest:
        """Return a call in the scope of that name."""

    def do_in_time(self, request: ModelRequest) -> AbstractAsyncContextManager[None]:
        """Bound optional work for an answer, so that the phase can still end: raises OutOfTime."""

    def lose_check(self, error: Exception, code: str) -> None:
        """Record optional work that a failure prevented, by the code of its notice."""


class Verification:
    """Verifies one answer by marking its claims; it never rejects the whole answer."""

    def __init__(self, caller: Caller, request: ModelRequest, written: ModelResult) -> None:
        self._caller = caller
        self._name = request.scope.name
        self._schema = request.output_schema
        kept = request.kept_usd + request.kept_turns * written.turn_usd
        self._request = request.model_copy(
            update={"system": "", "messages": [], "tools": [], "output_schema": None}
            | {"kept_usd": kept, "kept_turns": 0}
        )
        self._written = written
        self._inputs: dict[str, Json] = {
            block.id: block.input
            for block in written.content
            if block.type == "tool_use" and block.name == UPDATE_REPORT
        }
        self._judged: dict[str, Ruling] = {}
        self._checked: CheckedAnswer | None = None
        self._checks, self._judgings = count(1), count(1)
        self._is_out_of_time = False

    async def run(self) -> ModelResult:
        """Return the answer with its claims verified, and repaired by the writer where possible."""
        written: Json | None = self._written.output
        said: Any = {"output": written, "inputs": self._inputs}
        if next(find_claims(said), None) is None:
            return self._written
        verified = await self._verify(said)
        output, refused = verified["output"], list[RefusedClaim]()
        judge = self._request.judge
        if judge and judge.model and written is not None:
            output, refused = await self._mend(written, output)
        return self._written.model_copy(
            update={
                "output": output,
                "verified_inputs": verified["inputs"],
                "refused": refused,
            }
        )

    @property
    def changes_claims(self) -> bool:
        """Whether the answer's `update_report` calls contain any claim to verify."""
        said: Any = {"inputs": self._inputs}
        return next(find_claims(said), None) is not None

    async def check(self, said: Any = None) -> ModelResult:
        """Return the answer with code's verdicts on its report changes; open claims are being judged.

        With `said`, check that instead of the changes.
        """
        said, n = said or {"output": None, "inputs": self._inputs}, next(self._checks)
        name = f"{self._name}-verify{f'-{n}' if n > 1 else ''}"
        call = self._caller.name_call(self._request, name)
        silent = call.scope.model_copy(update={"told": []})  # it logs no event
        self._checked = checked = await self._caller.execute_activity(
            name,
            ClaimActivities.verify,
            CheckRequest(
                call=call.model_copy(update={"scope": silent}),
                output=said["output"],
                inputs=said["inputs"],
                judged=self._judged,
            ),
            summary=f"check of {len(list(find_claims(said)))} claims",
        )
        found = [claim or checked.open[n].check.claim for n, claim in enumerate(checked.claims)]
        claims = [
            claim.rule(None, self._name_check(n)) if n in checked.open else claim
            for n, claim in enumerate(found)
        ]
        left = iter(withdraw_conclusions(claims))
        verified: Any = map_claims(said, lambda _: next(left))
        return self._written.model_copy(update={"verified_inputs": verified["inputs"]})

    @property
    def is_open(self) -> bool:
        """Return whether the judge is to be asked about claims that code has checked."""
        return bool(self._checked and self._checked.open)

    async def judge(self, writer: str | None = None) -> dict[str, Claim]:
        """Return the claims of an agent that were being checked with their verdicts, by their checks."""
        assert self._checked
        claims = await self._judge(self._checked, writer)
        return {str(self._name_check(n).params["check"]): claims[n] for n in self._checked.open}

    def _name_check(self, n: int) -> Reason:
        scope = self._request.scope
        name = f"{scope.phase_id}/{scope.attempt}/{self._name}/{n}"
        return Reason(code="being-checked", params={"check": name})

    async def _mend(self, written: Json, verified: Json) -> tuple[Json, list[RefusedClaim]]:
        """Let the writer repair refused claims, and verify the answer again.

        The writer is asked once. Valid claims stay unchanged, except that ids shared by several sentences
        are made unique. A partly supported sentence stays if its repair is refused. A conclusion that
        still lost a premise is judged by the remaining ones.
        """
        written, verified = _number(written), _number(verified)
        failed = list_failed(written, verified)
        if not failed:
            return verified, []
        cited = {c.source for claim in find_claims(written) for c in claim.citations}
        call = self._prepare("mend", "mend", cited, self._request.pages or ())
        request = MendRequest(
            call=call.model_copy(update={"output_schema": self._schema}),
            output=written,
            failed=failed,
            held=self._list_held(verified, {one.at for one in failed}),
        )
        changes = await self._ask_writer(request)
        if changes is None:
            return verified, []
        mended: Json = apply_changes(written, changes)
        final, refused = verified, list_left_out(failed, changes)
        if mended != written:
            final = await self._verify_output(mended)
        if worse := list_worse(written, failed, changes, final):
            changes = [change for change in changes if change.at not in worse]
            mended = apply_changes(written, changes)
            final = await self._verify_output(mended)
            refused += worse.values()
        assert self._request.judge
        leaner = lean_conclusions(mended, final, self._request.judge.known)
        if leaner != mended:
            final = await self._verify_output(leaner)
        # A repaired claim must not pass without having been judged again.
        return (verified, []) if self._is_out_of_time else (final, refused)

    async def _ask_writer(self, request: MendRequest) -> Sequence[MendedClaim] | None:
        """Return the writer's replacements of failed claims; None if it gives no answer."""
        try:
            async with self._caller.do_in_time(self._request):
                mended: MendResult = await self._caller.execute_activity(
                    request.scope.name,
                    ClaimActivities.mend,
                    request,
                    summary=f"{request.call.role}: {request.scope.name}",
                )
        except NO_ANSWER as error:
            self._lose(error, "claims-unmended")
            return None
        return mended.changes

    def _list_held(self, verified: Json, failed: set[int]) -> dict[str, str]:
        """Return the sentences that held, by the ids that a conclusion may name."""
        assert self._request.judge
        others = [claim for n, claim in enumerate(find_claims(verified)) if n not in failed]
        known = {name: premise.text for name, premise in self._request.judge.known.items()}
        return known | {claim.id: claim.text for claim in others if claim.id and claim.is_usable}

    async def _verify_output(self, output: Json) -> Json:
        """Return a changed answer with its claims verified."""
        verified = await self._verify({"output": output, "inputs": {}})
        found: Json = verified["output"]
        return found

    async def _verify(self, said: Any) -> Any:
        """Return an answer with the verdicts of code and, for open claims, of the judge."""
        await self.check(said)
        assert self._checked
        claims = await self._judge(self._checked)
        left = iter(withdraw_conclusions(claims))
        return map_claims(said, lambda _: next(left))

    async def _judge(self, checked: CheckedAnswer, writer: str | None = None) -> list[Claim]:
        """Return claims with the judge's verdicts on those that are open.

        One that the judge passes over, or cannot judge, stays unjudged and says why.
        """
        claims = [claim or checked.open[n].check.claim for n, claim in enumerate(checked.claims)]
        asked = {checked.digests[n]: placed for n, placed in checked.open.items()}
        judges, why = self._caller.judges, Reason(code="judge-silent")
        try:
            waiting = OpenClaims(asked, self._request.pages or (), writer)
            await judges.judge(waiting, self._ask_judge)
        except NO_ANSWER as error:
            self._lose(error, "claims-unjudged")
            failure = describe_failure(error).words
            why = Reason(code="judge-failed", params={"error": failure})
        for n in checked.open:
            verdict = judges.found.get(checked.digests[n])
            claims[n] = (
                apply_judgement(verdict, claims[n]) if verdict else claims[n].rule(None, why)
            )
            self._judged[checked.digests[n]] = (claims[n].verdict, claims[n].reason)
        return claims

    async def _ask_judge(
        self, claims: Sequence[PlacedCheck], pages: list[CitablePage]
    ) -> JudgeResult:
        assert self._request.judge
        cited = {source for placed in claims for source, _ in placed.check.openings}
        cited |= {c.source for placed in claims for c in placed.check.claim.citations}
        terms = self._request.judge.model_copy(update={"known": {}, "written": {}, "judged": {}})
        role = {"role": JUDGE, "model": terms.model, "judge": terms}
        name = f"judge-{next(self._judgings)}"
        call = self._prepare(name, "judge", cited, pages).model_copy(update=role)
        async with self._caller.do_in_time(self._request):
            answer: JudgeResult = await self._caller.execute_activity(
                call.scope.name,
                ClaimActivities.judge,
                JudgeRequest(call=call, claims=[*claims]),
                summary=f"{JUDGE}: {len(claims)} claims of {self._name}",
            )
        return answer

    def _prepare(
        self, name: str, prompt: str, cited: Container[int], pages: Sequence[CitablePage]
    ) -> ModelRequest:
        """Return a paid call of the verification, without the pages that its claims do not cite."""
        call = self._caller.name_call(self._request, f"{self._name}-{name}")
        used = [page for page in pages if page.number in cited]
        return call.model_copy(update={"system": PROMPTS[prompt], "pages": used})

    def _lose(self, error: Exception, code: str) -> None:
        self._is_out_of_time |= isinstance(error, OutOfTime)
        self._caller.lose_check(error, code)


def _number(output: Json) -> Json:
    """Return an answer in which no id names several sentences."""
    numbered: Any = number_shared_ids(output)
    return numbered  # type: ignore[no-any-return]
