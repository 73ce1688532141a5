"""The living report's patches in a run's state; each is recorded as the tool call that makes it."""

from contracts.agents.tool_definitions import UPDATE_REPORT
from contracts.base import Json
from contracts.errors import Conflict
from contracts.models.call import Block
from contracts.notices import Lack, Notice
from contracts.report.patches import Patch
from contracts.report.report import Report
from contracts.runs.state import RunState
from contracts.runs.statuses import ENDED
from domain.report.changes.patches import fold_patches, revert_patch
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import write_markdown
from domain.report.report_from_outputs import replace_report
from workflows.runtime.event_outbox import Emit, log_tool_call
from workflows.runtime.state_view import build_report_head, build_view, find_run_report


def add(state: RunState, patch: Patch, call: Block, emit: Emit) -> None:
    """Add a patch to the run and log it; readers of the log fold the patches into the report."""
    state.patches.append(patch)
    made: Json = {
        "patch": patch.model_dump(mode="json", exclude_defaults=True),
        "reason": patch.reason,
    }
    log_tool_call(emit, call, made, f"patch {patch.number} of {patch.section!r}")


def render_report(state: RunState) -> str:
    """Return the report with its head as Markdown: a draft while it grows, empty before it begins.

    If a run ended without report, build one from its phases' outputs, or show the head only.
    """
    context, lack = ReportContext.from_state(state), None
    if found := find_run_report(state):
        report = Report.model_validate(found)
    elif state.patches:
        report = fold_patches(state.patches)
        context = context.keep_cited(report)
    elif state.status in ENDED:
        report, lack = _replace_report(state)
    else:
        return ""
    return write_markdown(build_document(report, context, build_report_head(state, lack)))


def _replace_report(state: RunState) -> tuple[Report, Lack]:
    """Return what the phases of a run without a report gave."""
    views = build_view(state).phases
    given = zip(views, (phase.output for phase in state.phases), strict=True)
    offline = state.terms.by_rule
    return replace_report(state.request.query, given, state.artifacts, offline=offline)


def check_undo(state: RunState, number: int, by: str) -> Patch:
    """Return the patch that reverts an earlier one.

    Raises:
        NotFound: There is no such patch.
        Conflict: All its changes were removed since, or the report is finished.
    """
    for phase in state.phases:
        has_report = phase.has_output and "report" in (phase.output or {})
        if has_report:
            raise Conflict(Notice.of("report-finished"))
    language = ReportContext.from_state(state).language
    return revert_patch(state.patches, number, by, language)


def undo(state: RunState, patch: Patch, emit: Emit) -> str:
    """Add the patch that undoes one; return the message to the agents, so that they do not write it again."""
    call = Block(
        type="tool_use",
        id=f"undo-{patch.number}",
        name=UPDATE_REPORT,
        input={"section": patch.section, "undoes": patch.undoes},
    )
    add(state, patch, call, emit)
    texts = [p.claim.text for p in patch.removed] + [c.before.text for c in patch.cells if c.before]
    told = "; ".join(f"“{text}”" for text in texts) or "what it said of the section"
    return f"A human took this out of {patch.section!r}: {told}. Leave it out."
