"""Subjects of checkpoints, built from a run's state. Pure."""

from collections.abc import Collection
from dataclasses import replace

from contracts.agents.steps import StepResult
from contracts.human.checkpoint_subjects import IdeasSubject, ShownOutput, StepFailure, StepSubject
from contracts.notices import say_told
from contracts.phases.planning import IdeaGenerationOutput
from contracts.planning.plan import Plan
from contracts.runs.state import PhaseState, RunState
from domain.report.context import ReportContext
from domain.report.markdown import write_markdown
from domain.report.subject_text import build_output, build_step, list_reviewed_ideas

SHOWN_CHARS = 60_000
"""Limit of all outputs that a checkpoint shows, each truncated to its share."""


def build_step_subject(
    state: RunState, phase: PhaseState, plan: Plan, rejected: StepResult | None = None
) -> StepSubject:
    """Return what a human decides between two steps of a phase that executes a plan.

    In place of the last finished step it may be one that its reviewer rejected.
    """
    cursor = phase.progress.steps
    last = rejected or next(iter(cursor.done[-1:]), None)
    number = last.number if last else 0
    made = [*state.artifacts, *cursor.taken_back]
    context = replace(ReportContext.from_state(state), artifacts=made)
    failure: StepFailure | None = None
    if rejected:
        failure = "rejected" if cursor.is_answered else "unanswered"
    has_work = last is not None and (rejected is None or cursor.draft is not None)
    text = write_markdown(build_step(last, context)) if last and has_work else ""
    following = plan.steps[number : number + 1]
    return StepSubject(
        step=last,
        step_failure=failure,
        text=text,
        next=following[0] if following else None,
        plan=plan,
    )


def build_ideas_subject(state: RunState, phase_id: str) -> IdeasSubject:
    """Return the ideas of a phase to choose from."""
    output = IdeaGenerationOutput.model_validate(state.phase(phase_id).output)
    return IdeasSubject(ideas=list_reviewed_ideas(output, offline=state.terms.by_rule))


def show_outputs(state: RunState, only: Collection[str] = ()) -> list[ShownOutput]:
    """Return the outputs so far, or those of some phases, each truncated to its share."""
    given = [(p, p.output) for p in state.phases if p.output and (not only or p.id in only)]
    most, shown = SHOWN_CHARS // max(len(given), 1), []
    context = ReportContext.from_state(state)
    for phase, output in given:
        title = say_told(phase.called, context.language)
        text = write_markdown(build_output(title, output, context))
        kept, is_cut = text[:most], len(text) > most
        shown.append(ShownOutput(phase_id=phase.id, title=title, text=kept, is_cut=is_cut))
    return shown
