"""`recall`: the user's startups, and an earlier report on the same question."""

from pydantic import BaseModel
from temporalio.exceptions import ActivityError

from activities.reuse.recall import RecallActivities
from activities.startup_companies import RecallRequest, StartupActivities
from contracts.evidence.claims import JUDGE
from contracts.models.call import build_inputs
from contracts.notices import Notice
from contracts.phases.base import PhaseInput
from contracts.phases.recall import (
    EarlierQuestion,
    FinishedReport,
    RecallOutput,
    RecallPhase,
    ReportRequest,
    SameQuestion,
    SimilarRequest,
)
from contracts.runs.request import NO_STARTUP
from domain.prompts import load_prompts
from domain.report.context import ReportContext
from domain.report.formats.markdown import render
from workflows.checkpoints.startup_company_to_keep import may_keep_startup
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens
from workflows.phase_context.kind import Kind
from workflows.runtime.failures import describe_failure
from workflows.runtime.stops_and_revisions import RunShortCircuited

PROMPTS = load_prompts("workflows.prompts", "recall")


async def recall(phase: RecallPhase, _: PhaseInput, run: PhaseContext) -> RecallOutput:
    """Return the run's startup if it is named, else those that the question may be about.

    All are to choose from where the run may keep a new one, since it is about some business then.

    An earlier report on the question ends the run, or is left for clarification to offer.
    """
    start, known = run.state.request, RecallOutput()
    if start.startup_id != NO_STARTUP:
        request = RecallRequest(
            scope=run.calls.scope("startups"),
            user_id=start.user_id,
            startup_id=start.startup_id,
            about="" if may_keep_startup(run.state) else start.query,
            limit=phase.config.max_startups,
        )
        known = await run.calls.execute_activity("startups", StartupActivities.recall, request)
    to_choose = known.startups and not known.startup
    if phase.config.reuse == "never" or start.fresh or to_choose:
        return known
    similar = SimilarRequest(
        scope=run.calls.scope("similar"),
        query=start.query,
        startup=known.startup,
        within_hours=phase.config.reuse_hours,
    )
    try:
        found = await run.calls.execute_activity("similar", RecallActivities.similar, similar)
    except ActivityError as error:  # the embedder failed
        run.log.tell(Notice.of("reports-unsearched", reason=describe_failure(error).words))
        return known
    finished = found.finished
    if found.candidates and not run.state.terms.offline:
        judging = _find_answered(run, found.candidates)
        finished = await run.calls.do_without(judging, Notice.of("reports-uncompared"))
    if finished and phase.config.reuse == "at_once":
        raise short_circuit(run, known, finished)
    return known.model_copy(update={"finished": finished})


async def _find_answered(
    run: PhaseContext, candidates: list[EarlierQuestion]
) -> FinishedReport | None:
    """Return an earlier report that fully answers the question according to a model, or None."""
    inputs = build_inputs(question=run.state.request.query, earlier=number_questions(candidates))
    same = await run.calls.generate(
        "same-question", JUDGE, PROMPTS["same_question"], inputs, SameQuestion, max_tokens=300
    )
    if not 0 < same.number <= len(candidates):
        return None
    chosen = ReportRequest(
        tenant_id=run.state.tenant_id,
        run_id=candidates[same.number - 1].run_id,
        reader=run.state.run_id,
    )
    return (
        await run.calls.execute_activity("report", RecallActivities.load_report, chosen)
    ).finished


def number_questions(candidates: list[EarlierQuestion]) -> list[dict[str, str | int]]:
    """Return questions as the prompt shows them: each with its number, from 1."""
    return [{"number": n, "question": asked.query} for n, asked in enumerate(candidates, 1)]


def short_circuit(
    run: PhaseContext, output: BaseModel, finished: FinishedReport
) -> RunShortCircuited:
    """Return the exception that ends the run with an earlier report, labelled as reused."""
    note = Notice.of(
        "report-reused",
        "info",
        run=finished.run_id,
        day=format_end_day(finished),
        query=finished.query,
    )
    run.state.sources[:] = finished.sources
    run.state.artifacts[:] = finished.artifacts
    run.log.tell(note)
    report = finished.report.model_copy(update={"notes": [note, *finished.report.notes]})
    markdown = render(report, ReportContext.from_state(run.state))
    report = report.model_copy(update={"markdown": markdown})
    return RunShortCircuited(output, finished.model_copy(update={"report": report}))


def format_end_day(finished: FinishedReport) -> str:
    """Return the day on which a report was finished, ISO 8601."""
    return finished.ended_at[:10]


KIND = Kind(
    handler=recall,
    category="clarify",
    icon="history",
    agents=lambda phase: (JUDGE,) if phase.config.reuse != "never" else (),
    tokens=lambda phase: (Tokens(slack=400, role=JUDGE),) if phase.config.reuse != "never" else (),
)
