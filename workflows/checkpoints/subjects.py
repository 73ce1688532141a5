"""Subjects of checkpoints, built from a run's state. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice

from contracts.agents.steps import StepResult
from contracts.human.checkpoint_subjects import IdeasSubject, ShownOutput, StepFailure, StepSubject
from contracts.human.checkpoints import SentBack, TextChange
from contracts.notices import say_told
from contracts.phases.planning import IdeaGenerationOutput
from contracts.planning.plan import Plan
from contracts.report.document import Document
from contracts.runs.state import PhaseState, RunState
from domain.report.changes.report_diff import compare_documents
from domain.report.context import ReportContext
from domain.report.formats.markdown import write_markdown
from domain.report.subject_text import build_output, build_step, list_reviewed_ideas

MOST_CHANGES = 50
"""Changed sentences that a checkpoint lists of work that was sent back."""

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


def describe_sent_back_step(
    state: RunState, phase: PhaseState, shown: StepResult
) -> SentBack | None:
    """Return why a step was done again, and what that changed; None if it was not sent back."""
    sent_back, before = _find_sent_back(state, phase.id), phase.progress.steps.sent_back
    if sent_back is None or before is None or before.number != shown.number:
        return None
    artifacts = [*state.artifacts, *phase.progress.steps.taken_back]
    context = replace(ReportContext.from_state(state), artifacts=artifacts)
    return _add_changes(sent_back, [(build_step(before, context), build_step(shown, context))])


def describe_sent_back_outputs(
    state: RunState, phase_id: str, shown: Collection[str]
) -> SentBack | None:
    """Return why what a checkpoint shows was made again, and what that changed in the outputs `shown`; None if it was not sent back."""
    sent_back, context = _find_sent_back(state, phase_id), ReportContext.from_state(state)
    if sent_back is None or not shown:
        return sent_back
    phases = (state.phase(name) for name in shown)
    pairs = [
        (build_output("", phase.earlier, context), build_output("", phase.output, context))
        for phase in phases
        if phase.earlier and phase.output
    ]
    return _add_changes(sent_back, pairs)


def _find_sent_back(state: RunState, phase_id: str) -> SentBack | None:
    """Return what humans wrote since a phase's checkpoint last let its work pass; None if they sent nothing back."""
    words: list[str] = []
    by = ""
    for decision in reversed(state.decisions):
        if decision.phase_id != phase_id or decision.reused_from or decision.cap_usd is not None:
            continue
        if decision.action != "revise":
            break
        by = by or decision.by
        words.insert(0, decision.feedback)
    return SentBack(words=words, by=by) if words else None


def _add_changes(sent_back: SentBack, pairs: Iterable[tuple[Document, Document]]) -> SentBack:
    found = (change for before, after in pairs for change in compare_documents(before, after))
    shown = [TextChange(before=a, after=b) for a, b in islice(found, MOST_CHANGES)]
    return sent_back.model_copy(update={"changes": shown, "left_out": sum(1 for _ in found)})
