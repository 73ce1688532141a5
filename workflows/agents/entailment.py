"""A second reader's word on each claim: whether its quotes really say what it says."""

from temporalio.exceptions import ActivityError

from contracts.base import Json
from contracts.evidence.sources import Claim
from contracts.models.inputs import data
from contracts.report.drafts import Entailments
from workflows.prompts import entailment as prompts
from workflows.runtime.context import PhaseContext

AT_ONCE = 25
ROLE = "judge"


async def judged(run: PhaseContext, claims: list[Claim], sentences: list[str]) -> list[Claim]:
    """Return claims with the judge's word on those whose quotes stand in their sources.

    What cannot be judged, for want of budget or of an answer, stays unjudged and is counted so.
    """
    found = list(claims)
    places = [n for n, claim in enumerate(claims) if claim.verdict == "supported"]
    for start in range(0, len(places), AT_ONCE):
        part = places[start : start + AT_ONCE]
        asked: list[Json] = [
            {"claim": i, "text": sentences[n], "quotes": [c.quote for c in claims[n].citations]}
            for i, n in enumerate(part, start=1)
        ]
        try:
            answer = await run.generate(
                f"judge-{start // AT_ONCE + 1}",
                ROLE,
                prompts.JUDGE,
                [data("claims", asked)],
                Entailments,
                max_tokens=2_500,
            )
        except ActivityError as error:
            message = f"claims were left unjudged: {run.fail_info(error).message}"
            run.emit("Status", {"level": "warning", "message": message})
            run.disable_caching()
            break
        for verdict in answer.verdicts:
            if 0 < verdict.claim <= len(part):
                place = part[verdict.claim - 1]
                found[place] = _with_word(found[place], verdict.entailed, verdict.reason)
    return found


def _with_word(claim: Claim, entailed: bool, reason: str) -> Claim:
    if entailed:
        return claim.model_copy(update={"entailed": True})
    why = reason or "its quotes do not say so"
    return claim.model_copy(update={"entailed": False, "verdict": "unsupported", "reason": why})
