"""The last step of every report: a judge's word on its claims, their counts, its Markdown.

Code has verified each claim with the answer that made it (`activities/calls/claim_verifier.py`).
"""

from temporalio.exceptions import ActivityError

from contracts.base import Json
from contracts.evidence.claims import Entailments
from contracts.evidence.sources import Source
from contracts.models.call import to_input
from contracts.report.research import Report, Search
from domain.report.markdown import render
from domain.report.report_claims import list_claims, list_sentences, replace_claims
from workflows.prompts import entailment as prompts
from workflows.runtime.context import PhaseContext

CLAIMS_PER_CALL = 25
JUDGE = "judge"


async def judge_report(run: PhaseContext, report: Report) -> Report:
    """Return a report with the judge's word on each claim whose quotes stand in their sources.

    A claim that cannot be judged, for want of budget or of an answer, stays unjudged and is counted.
    """
    claims, sentences = list_claims(report), list_sentences(report)
    places = [n for n, claim in enumerate(claims) if claim.is_supported]
    for start in range(0, len(places), CLAIMS_PER_CALL):
        part = places[start : start + CLAIMS_PER_CALL]
        asked: list[Json] = [
            {"claim": i, "text": sentences[n], "quotes": [c.quote for c in claims[n].citations]}
            for i, n in enumerate(part, start=1)
        ]
        try:
            answer = await run.generate(
                f"judge-{start // CLAIMS_PER_CALL + 1}",
                JUDGE,
                prompts.JUDGE,
                [to_input("claims", asked)],
                Entailments,
                max_tokens=2_500,
            )
        except ActivityError as error:
            message = f"claims were left unjudged: {run.describe_failure(error).message}"
            run.emit("Status", {"level": "warning", "message": message})
            run.disable_caching()
            break
        for verdict in answer.verdicts:
            if 0 < verdict.claim <= len(part):
                n = part[verdict.claim - 1]
                claims[n] = claims[n].model_copy(
                    update={"entailed": True}
                    if verdict.entailed
                    else {
                        "entailed": False,
                        "verdict": "unsupported",
                        "reason": verdict.reason or "its quotes do not say so",
                    }
                )
    left = sum(claim.is_supported and claim.entailed is None for claim in claims)
    return replace_claims(report, claims).model_copy(update={"claims_unjudged": left})


def finish_report(
    run: PhaseContext, report: Report, sources: list[Source], searches: list[Search]
) -> Report:
    """Return a report of verified claims with their counts and its Markdown."""
    claims = list_claims(report)
    unsupported = sum(not claim.is_supported for claim in claims)
    counts = {"claims_total": len(claims), "claims_unsupported": unsupported}
    report = report.model_copy(update=counts)
    state = run.state
    markdown = render(
        report, sources, searches, offline=state.terms.offline, artifacts=state.artifacts
    )
    return report.model_copy(update={"markdown": markdown})
