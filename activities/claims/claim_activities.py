"""Activities that verify an answer's claims: `claims.verify` costs nothing, the others one model call each."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.errors import ModelRejected
from contracts.evidence.checks import (
    CheckedAnswer,
    CheckRequest,
    JudgeRequest,
    JudgeResult,
    MendRequest,
    MendResult,
)
from contracts.evidence.claims import Judgements

if TYPE_CHECKING:
    from activities.calls.model_gateway import ModelGateway
    from activities.claims.claim_verifier import ClaimVerifier


class ClaimActivities:
    """Checks claims by code, and asks the judge and the writer about them."""

    def __init__(self, gateway: "ModelGateway", verifier: "ClaimVerifier") -> None:
        self._gateway = gateway
        self._verifier = verifier

    @activity.defn(name="claims.verify")
    async def verify(self, request: CheckRequest) -> CheckedAnswer:
        """Return what code finds out about an answer's claims, and those that it leaves to the judge."""
        return await self._verifier.check(request)

    @activity.defn(name="claims.judge")
    async def judge(self, request: JudgeRequest) -> JudgeResult:
        """Ask the judge about some claims, once; raises as `models.call`.

        Claims that are together too long for its context window are returned as such: nothing was asked.
        """
        asked = await self._verifier.build_judging(request)
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
        """Ask the writer once for what did not hold; raises TooCostly, and as `models.call`."""
        asked = await self._verifier.build_mending(request)
        answer = await self._gateway.ask(asked)
        changes = await self._verifier.choose_changes(request, answer.output or {})
        return MendResult(changes=changes, usage=answer.usage)
