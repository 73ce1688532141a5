"""`review` and `summary`: a verdict on what an earlier phase gave, and that in short."""

from contracts.definitions import Definition
from contracts.evidence.claims import Claim
from contracts.notices import Notice
from contracts.phases.typed_answers import (
    GenerateInput,
    Review,
    ReviewOutput,
    ReviewPhase,
    Summary,
    SummaryConfig,
    SummaryOutput,
    SummaryPhase,
)
from contracts.report.report import Report
from domain.evidence.claims import find_claims
from domain.report.parts.answer import split_opening
from workflows.agents.typed_answer import (
    MAX_OPENING,
    POINTS_IN_SHORT,
    PROMPTS,
    Form,
    build_kind,
    find_report,
    generate,
    select_supported,
    shorten,
    stands,
)
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use


def _quote_opening(run: PhaseContext) -> Summary | None:
    """Return the report's valid opening claims as a summary, or None."""
    opening, _ = split_opening(find_report(run))
    return _sum_up([c for c in (opening.claims if opening else ()) if stands(c)], run)


def _sum_up(claims: list[Claim], run: PhaseContext) -> Summary | None:
    """Return as a summary all of an opening that is short enough: its last sentence may be the caveat."""
    least = len(claims) if len(claims) <= MAX_OPENING else POINTS_IN_SHORT
    short = shorten(claims, run, least)
    return Summary(**short._asdict(), key_points=claims) if claims else None


def _repeats_opening(phase: SummaryPhase, definition: Definition) -> bool:
    """Return whether a summary is expected to be the opening of a report that is written as one text."""
    config = phase.config
    return definition.is_living and not (config.instructions or config.output_schema)


def _find_answer(config: SummaryConfig, given: GenerateInput, run: PhaseContext) -> list[Claim]:
    """Return the report's own summary, with which a text written from findings begins.

    Return an empty list if it only repeats single pages, is too long for a summary, has unsupported claims,
    or another summary is requested.
    """
    values = given.named if config.inputs == ["report"] else given.nearest
    report = values.get("report")
    is_asked = config.instructions or config.output_schema or run.me.feedback
    if is_asked or not report:
        return []
    written = Report.model_validate(report)
    opening, _ = split_opening(written)
    claims = opening.claims if opening else []
    concludes = any(claim.kind != "stated" and stands(claim) for claim in claims)
    is_answer = written.has_findings or (concludes and len(claims) <= MAX_OPENING)
    return claims if is_answer and all(claim.is_usable for claim in claims) else []


REVIEW = Form(
    *("reviewer", PROMPTS["review"], Review),
    Tokens(once=Use(3_000, 150), page=Use(250)),
)


SUMMARY = Form(
    *("summarizer", PROMPTS["summary"], Summary),
    # a report that opens with its conclusion takes nothing, another one four times this
    Tokens(once=Use(300, 60)),
    fallback=_quote_opening,
    repeats=True,
)


async def review(phase: ReviewPhase, given: GenerateInput, run: PhaseContext) -> ReviewOutput:
    """Ask once for a verdict."""
    said = await generate(REVIEW, phase, given, run)
    return ReviewOutput.model_validate({"review": said, "findings": select_supported(said)})


async def summary(phase: SummaryPhase, given: GenerateInput, run: PhaseContext) -> SummaryOutput:
    """Return the summary at the beginning of a report; ask for one if it has none, or another is wanted."""
    quoted = _sum_up(_find_answer(phase.config, given, run), run)
    if quoted is None:
        said = await generate(SUMMARY, phase, given, run)
        if phase.config.output_schema or any(map(stands, find_claims(said))):
            return SummaryOutput.model_validate(
                {"summary": said, "findings": select_supported(said)}
            )
        run.log.note(Notice(code="summary-refused"))
        quoted = _quote_opening(run) or Summary.model_validate(said)
    return SummaryOutput(summary=quoted, findings=[c for c in quoted.key_points if c.is_usable])


REVIEW_KIND = build_kind(
    *(review, REVIEW),
    icon="check",
)
SUMMARY_KIND = build_kind(
    *(summary, SUMMARY),
    icon="align-left",
    costs_nothing=_repeats_opening,
)
KINDS = (REVIEW_KIND, SUMMARY_KIND)
