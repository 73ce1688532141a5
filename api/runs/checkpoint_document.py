"""The document about which a checkpoint asks."""

from api.runs.service import RunService
from contracts.errors import NotFound, StoreUnavailable
from contracts.human.checkpoint_subjects import (
    IdeasSubject,
    PlanSubject,
    ResultsSubject,
    StepSubject,
)
from contracts.human.checkpoints import Checkpoint
from contracts.notices import Notice, join_notices, say_told
from contracts.problems import Problem
from contracts.report.document import Document
from domain.report.subject_text import (
    build_ideas,
    build_output,
    build_plan,
    build_step,
)


async def build_subject(
    run: RunService, checkpoint: Checkpoint, phase_id: str | None, scope: Notice
) -> Document:
    """Return the document to decide on, or the output of a phase that is shown with it."""
    subject, offline = checkpoint.subject, run.row.offline
    results = subject.results if isinstance(subject, ResultsSubject) else []
    if phase_id is None and len(results) == 1:
        phase_id = results[0].phase_id
    context = await run.build_context()
    match subject:
        case PlanSubject(plan=plan) if phase_id is None:
            return build_plan(plan, context.language, scope=scope, offline=offline)
        case StepSubject(step=step, text=text) if phase_id is None and step and text:
            return build_step(step, context)
        case IdeasSubject(ideas=ideas) if phase_id is None:
            return build_ideas(
                join_notices(checkpoint.asks, context.language), ideas, context.language
            )
    shown = {output.phase_id for output in [*checkpoint.context, *results]}
    for record in await run.get_phases():
        if record.id == phase_id and phase_id in shown:
            if record.output is None:
                raise StoreUnavailable(Notice.of("output-unrecorded", phase=record.id))
            return build_output(say_told(record.called, context.language), record.output, context)
    told = {"phase": str(phase_id), "checkpoint": checkpoint.checkpoint_id}
    if not shown:
        raise NotFound(Problem.at("phase", "phase-not-shown-any", **told))
    raise NotFound(Problem.at("phase", "phase-not-shown", shown=sorted(shown), **told))
