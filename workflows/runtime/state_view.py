"""A run as people see it: the answer to the `state` query."""

from contracts.base import Json
from contracts.human.checkpoint_subjects import IdeasSubject
from contracts.notices import Lack, Notice
from contracts.phases.validation import Validation
from contracts.planning.plan import Plan
from contracts.planning.startup_company import Startup
from contracts.report.document import ReportHead
from contracts.report.report import Report
from contracts.runs.records import PhaseView
from contracts.runs.state import RunState
from contracts.runs.state_view import ReportFigures, Results, StateView
from contracts.runs.statuses import ENDED
from contracts.search import name_services
from domain.lost_inputs import list_partly_given, list_partly_read, list_unopened
from domain.report.claims.report_claims import list_cited
from domain.report.parts.head import find_answer, list_report_notices
from domain.report.run_notices import add_notices
from domain.report.run_report import find_report
from domain.report.subject_text import list_texts
from domain.run_outputs import find_output, find_output_as
from workflows.checkpoints.prices.plan_price import price_run
from workflows.checkpoints.prices.spending_cap import compute_cap_usd
from workflows.runtime.run_status import derive_live_status, derive_stage
from workflows.runtime.truncation import truncate

SNIPPET_CHARS = 300
SHOWN_WHOLE = ("analysis", "summary", "decision", "review", "selected_idea")
"""The outputs that a run's results repeat."""


def build_view(state: RunState) -> StateView:
    """Return what the `state` query answers."""
    plan = find_output_as(state, "plan", Plan)
    read = list_partly_read(state.sources)
    view = StateView(
        run_id=state.run_id,
        definition_id=state.resolved.definition.id,
        status=derive_live_status(state),
        stage=derive_stage(state),
        query=state.request.query,
        inputs=state.request.inputs,
        startup=find_output_as(state, "startup", Startup) or state.startup,
        files=[file.name for file in state.files],
        collections=state.collection_states,
        shortfalls=list_shortfalls(state),
        unopened=list_unopened(state.files, state.sources) if has_worked(state) else [],
        partly_read=[*list_partly_given(state.files, read), *read],
        answers=state.answers,
        phases=[PhaseView.model_validate(phase, from_attributes=True) for phase in state.phases],
        pending=state.pending,
        plan=plan,
        plan_hash=plan.hash if plan else None,
        decisions=state.decisions,
        results=collect_results(state),
        parent=state.request.from_run,
        usage=state.spent,
        model=state.terms.model,
        offline=state.terms.offline,
        recorded=state.terms.recorded,
        searched=state.terms.searched.text if state.terms.searched else "",
        place=_name_searched(state),
        cap_usd=compute_cap_usd(state),
        price=price_run(state),
        notices=state.notices,
        started_at=state.started_at,
        ended_at=state.ended_at,
    )
    return add_notices(view)


def _name_searched(state: RunState) -> Notice | None:
    """Return what is searched: the web's substitute, or the web with its search services."""
    names = name_services(state.terms.search.choose())
    web = Notice.of("searched-web", "info", names=names) if names else None
    return state.terms.searched or web


def dump_view(state: RunState) -> Json:
    """Return the view as JSON without defaults, which each record in a run's history would repeat.

    Values that the store compares, and values discriminated by type, are not shortened.
    """
    view = build_view(state)
    whole = view.model_dump(mode="json", include={"startup", "pending"})
    return view.model_dump(mode="json", exclude_defaults=True) | whole


def list_shortfalls(state: RunState) -> list[Notice]:
    """Return why the run's validation found the report insufficient; empty if it did not, or there was none."""
    found = find_output_as(state, "validation", Validation)
    return found.problems if found and found.verdict == "insufficient" else []


def has_worked(state: RunState) -> bool:
    """Return whether an ended run had begun an execution phase."""
    ended = state.status in ENDED
    begun = ("completed", "partial", "failed")
    return ended and any(p.stage == "execute" and p.status in begun for p in state.phases)


def build_report_head(state: RunState, lack: Lack | None) -> ReportHead:
    """Return the head of the run's report, or of its replacement."""
    view = build_view(state)
    return ReportHead(
        question=view.query,
        **find_answer(phase.output for phase in state.phases),
        notices=list_report_notices(view.status, view.notices, lack),
        date=view.ended_at or view.started_at,
        usd=view.usage.usd,
        model=view.model,
        offline=view.offline,
        recorded=view.recorded,
        sources_read=len(state.sources),
    )


def find_run_report(state: RunState) -> Json | None:
    """Return the report that is the run's, as its definition says."""
    outputs = {phase.id: phase.output for phase in state.phases}
    definition, query = state.resolved.definition, state.request.query
    return find_report(definition, query, outputs, offline=state.terms.by_rule)


def collect_results(state: RunState) -> Results:
    """Return the typed results and the report's figures; its text has a separate query.

    If a human is asked, an idea counts as selected only after the choice.
    """
    found: Json = {}
    if report := find_run_report(state):
        found["report"] = {name: report[name] for name in ReportFigures.model_fields}
        found["sources"] = len(state.sources)
        if state.status in ENDED and report.get("searches"):
            found["cited"] = len(list_cited(Report.read_record(report)))
    for name in SHOWN_WHOLE:
        found[name] = find_output(state, name)
    if any(isinstance(checkpoint.subject, IdeasSubject) for checkpoint in state.pending):
        found["selected_idea"] = None
    return Results.model_validate(found)


def build_snippet(output: Json | None) -> str:
    """Return the beginning of a phase's output as readers see it; empty without text."""
    report = (output or {}).get("report")
    text = report["markdown"] if isinstance(report, dict) else "\n".join(list_texts(output))
    return str(truncate(text, SNIPPET_CHARS))
