"""`edit`: a sentence of a finished report in its reader's words, checked as any other."""

from activities.runs.run_activities import RunActivities
from contracts.phases.edit import EditInput, EditOutput, EditPhase, SentenceEdit
from contracts.report.edits import EditRequest
from domain.report.changes.hand_edits import (
    describe_change,
    find_edited,
    find_restored,
    put_lead,
    reword,
)
from domain.report.claims.report_claims import list_claims, list_parts
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use
from workflows.phase_context.kind import Kind


async def edit(phase: EditPhase, given: EditInput, run: PhaseContext) -> EditOutput:
    """Check a reworded sentence and put it into the report; an unsupported one is marked, not refused."""
    base = run.state.resolved.base_report
    assert base is not None
    assert base.report is not None  # the start is refused otherwise
    report, wanted = base.report, run.inputs(SentenceEdit)
    former = find_edited(report, wanted)
    text = wanted.text and put_lead(former, wanted.text)
    claim = find_restored(former, text)
    if claim is None:
        known = {c.id: c.as_premise for c in list_claims(report) if c.id and c != former}
        written = {part.heading: [c.text for c in part.claims] for part in list_parts(report)}
        change = describe_change(report, former, text or "")
        checked = await run.calls.check_change("sentence", change, known, written)
        claim = reword(former, checked, run.state.request.user_id, run.clock.now())
    request = EditRequest(
        scope=run.calls.scope("put"),
        user_id=run.state.request.user_id,
        run_id=base.run_id,
        before=former,
        after=claim,
    )
    await run.calls.execute_activity("put", RunActivities.edit, request, summary="edit the report")
    return EditOutput(sentence=claim)


KIND = Kind(
    handler=edit,
    category="execute",
    icon="pencil",
    heeds_feedback=False,
    inputs=lambda _: SentenceEdit,
    tokens=lambda _: (Tokens(Use(output=80)).judged(),),
)
