"""`review` and `summary`: a verdict on what an earlier phase gave, and that in short."""

from typing import Any

from contracts.evidence.claims import Claim
from contracts.phases.generate import (
    GenerateConfig,
    GenerateOutput,
    Review,
    ReviewOutput,
    ReviewPhase,
    Summary,
    SummaryOutput,
    SummaryPhase,
)
from contracts.report.research import Report
from domain.report.answer import split_opening
from workflows.agents.typed_answer import (
    MAX_OPENING,
    NEAREST,
    PROMPTS,
    Form,
    build_kind,
    find_report,
    generate,
    shorten,
    stands,
)
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Tokens


def _quote_opening(run: PhaseContext) -> Summary | None:
    """Return as a summary the claims that open the report; None if none of them stands."""
    opening, _ = split_opening(find_report(run))
    return _sum_up([c for c in (opening.claims if opening else ()) if stands(c)], run)


def _sum_up(claims: list[Claim], run: PhaseContext) -> Summary | None:
    return Summary(text=shorten(claims, run), key_points=claims) if claims else None


def _find_answer(phase: Any, run: PhaseContext) -> list[Claim]:
    """Return the claims of the summary with which the report to be summed up opens.

    None where it has no conclusion that stands, is no summary by its length, has what did not hold, or
    where another one is asked for.
    """
    config: GenerateConfig = phase.config
    nearest = run.state.phase(run.provider(NEAREST) or run.me.id).output or {}
    report = run.need("report") if config.inputs == ["report"] else nearest.get("report")
    is_asked = config.instructions or config.output_schema or run.me.feedback
    if is_asked or not report:
        return []
    opening, _ = split_opening(Report.model_validate(report))
    claims = opening.claims if opening else []
    concludes = any(claim.kind == "concluded" and stands(claim) for claim in claims)
    is_usable = len(claims) <= MAX_OPENING and all(claim.is_usable for claim in claims)
    return claims if concludes and is_usable else []


REVIEW = Form(
    *(ReviewPhase, "reviewer", PROMPTS["review"], Review, ReviewOutput),
    Tokens(input=3_000, output=150, search_input=500),
)


SUMMARY = Form(
    *(SummaryPhase, "summarizer", PROMPTS["summary"], Summary, SummaryOutput),
    # A report that opens with its conclusion takes nothing, another four times this.
    Tokens(input=300, output=60, search_input=60),
    fallback=_quote_opening,
)


async def summary(phase: SummaryPhase, run: PhaseContext) -> GenerateOutput:
    """Return the summary with which a report opens; ask for one where it has none, or another is wanted."""
    quoted = _sum_up(_find_answer(phase, run), run)
    if quoted is None:
        return await generate(SUMMARY, phase, run)
    return SummaryOutput(summary=quoted, findings=quoted.key_points)


REVIEW_KIND = build_kind(
    REVIEW,
    title="Review",
    description="Says whether what an earlier phase gave will do, and what to change.",
    icon="check",
)
SUMMARY_KIND = build_kind(
    SUMMARY,
    title="Sum up",
    description="Says what an earlier phase gave in short; its points show their quotes.",
    icon="align-left",
    handler=summary,
)
KINDS = (REVIEW_KIND, SUMMARY_KIND)
