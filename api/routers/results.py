"""Results of a run: report, sources, artifacts."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from pydantic import Field

from api.bodies import Router
from api.errors import responses
from api.reports import MEDIA_TYPES, html
from api.reports.export import download_headers, export_report
from api.reports.text import TextFormat, render_document, render_report
from api.runs.service import Run, RunService
from api.runs.shared_sources import hide_document, keep_cited
from contracts.agents.workbench import Artifact, ArtifactFields, Kind
from contracts.base import Name, Page
from contracts.errors import Conflict, NotAllowed, NotFound, StoreUnavailable
from contracts.evidence.sources import OWN_FILE, Source, SourceFields
from contracts.human.checkpoints import Checkpoint
from contracts.media_types import DOCX, PDF
from contracts.notices import Lack, Notice, join_notices, say_told
from contracts.problems import Problem
from contracts.report.document import Document, Exhibit, ReportHead
from contracts.report.report import Report
from contracts.runs.statuses import ENDED
from contracts.runs.subjects import IdeasSubject, PlanSubject, ResultsSubject, StepSubject
from contracts.words.question_language import detect_language
from domain.report.document import build_document
from domain.report.parts.head import find_answer, list_report_notices
from domain.report.parts.source_links import find_kept
from domain.report.report_from_outputs import replace_report
from domain.report.subject_text import (
    build_ideas,
    build_output,
    build_plan,
    build_step,
    render_subject,
)
from domain.search_scope import describe_scope


class NumberedSource(SourceFields):
    """A page that was read, by the number that claims cite it by."""

    n: int
    file_id: str = Field(description="the artifact that holds the page as fetched")
    snapshot: str = Field(description="path of its text as it was read")
    kept: str = Field(
        description="path of the run's copy of what this machine had of it; empty for a page of the web"
    )


SNAPSHOT_KINDS: dict[str, Kind] = {
    PDF: "pdf",
    DOCX: "docx",
    "text/html": "html",
    "application/xhtml+xml": "html",
}
PAGE = "source-"
"""Begins the id of the artifact that holds a source's page."""
SERVED_AS: dict[str, str] = {"chart": "image/svg+xml", "pdf": PDF, "docx": DOCX}
"""Media types by kind; all else is plain text, so that no fetched page runs on our origin."""

PDF_POLICY = "object-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
"""Policy of a PDF that the browser shows. Its viewer runs apart from our origin, and in no sandbox: a policy
of `sandbox` or without objects leaves it empty in Chromium."""
MAX_CHARTS, MAX_CHARTS_BYTES = 100, 20_000_000

router = Router(prefix="/v1/runs/{run_id}", tags=["results"], responses=responses(404, 422, 503))


def _describe_content(*text: str, files: Iterable[str] = ()) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI `responses` of an operation with these media types."""
    schemas = {key: {"type": "string"} for key in text}
    schemas |= {key: {"type": "string", "format": "binary"} for key in files}
    return {200: {"content": {kind: {"schema": schema} for kind, schema in schemas.items()}}}


TEXT = _describe_content("text/plain")
ARTIFACT = _describe_content("image/svg+xml", "text/plain", files=MEDIA_TYPES.values())
REPORT = _describe_content("text/markdown", "text/html", files=MEDIA_TYPES.values())
REPORT[200]["model"] = Report
SUBJECT = _describe_content("text/markdown", "text/html")
SUBJECT[200]["model"] = Document


@router.get("/report", response_class=Response, responses={**REPORT, **responses(403, 409)})
async def get_report(
    run: Run,
    format: Annotated[Literal["md", "html", "pdf", "docx", "json"], Query()] = "md",
    phase: Annotated[
        Name | None, Query(description="of this phase; left out: the run's, as its definition says")
    ] = None,
    at: Annotated[
        int | None, Query(ge=1, le=2**53, description="as it stood after the event of that `seq`")
    ] = None,
    appendix: Annotated[
        bool,
        Query(
            description="false: a copy to hand on, from answer to sources, which it cites by number"
        ),
    ] = True,
) -> Response:
    """Return the report, a draft while it grows; `[n]` leads to the nth piece of its evidence.

    A share link opens the report itself: no phase's, none of an earlier event, no draft of a live run.
    """
    if run.is_shared and (phase or at):
        raise NotAllowed(Problem.at("phase" if phase else "at", "link-shows-report"))
    finished = await _find_report(run, phase, at)
    draft = None if finished or phase else await _find_draft(run, at)
    report, lack = finished or draft, None
    if report is None:
        report, lack = await _find_results(run, phase, at)
    context = replace(await run.build_context(), has_appendix=appendix)
    if draft:
        context = context.keep_cited(draft)
    head = None if draft and at else await _build_head(run, lack)
    is_text = format in {"md", "json"}
    charts = {} if is_text else await _load_charts(run, report.exhibits, context.artifacts)
    if format == "pdf" or format == "docx":
        document = await run.deps.sandbox.run(
            build_document,
            *(report, context, head),
            task="building the report",
            tenant=run.reader.tenant_id,
        )
        file = await export_report(document, format, charts, run.reader.tenant_id)
        headers = download_headers(report.title, format)
        return Response(file, media_type=MEDIA_TYPES[format], headers=headers)
    text = await run.deps.sandbox.run(
        render_report,
        *(format, report, context, head, charts),
        task=f"rendering the report as {format}",
        tenant=run.reader.tenant_id,
    )
    return _answer(text, format)


def _answer(text: str, format: TextFormat) -> Response:
    if format == "html":
        return HTMLResponse(text, headers=html.HEADERS)
    kinds = {"md": "text/markdown", "json": "application/json"}
    return Response(text, media_type=kinds[format])


async def _load_charts(
    run: Run, shown: Collection[str], artifacts: Iterable[Artifact]
) -> dict[str, bytes]:
    """Return the charts that a report shows, as SVG by id.

    Raises:
        Conflict: there are too many, or they are too large.
    """
    charts: dict[str, bytes] = {}
    for artifact in artifacts:
        if artifact.kind == "chart" and artifact.id in shown:
            charts[artifact.id] = await run.get_blob(artifact.blob_key)
            if len(charts) > MAX_CHARTS or sum(map(len, charts.values())) > MAX_CHARTS_BYTES:
                raise Conflict(Notice.of("charts-many", n=MAX_CHARTS, bytes=MAX_CHARTS_BYTES))
    return charts


@router.get("/checkpoints/{checkpoint_id}", response_class=Response, responses=SUBJECT)
async def get_checkpoint_text(
    run: Run,
    checkpoint_id: Name,
    format: Annotated[TextFormat, Query()] = "md",
    phase: Annotated[
        Name | None, Query(description="the whole output of this phase, one that is shown there")
    ] = None,
) -> Response:
    """Return what is decided on at an open checkpoint, as a report renders it."""
    state = await run.get_state()
    pending = {open.checkpoint_id: open for open in state.pending}
    if (checkpoint := pending.get(checkpoint_id)) is None or checkpoint.subject is None:
        ids: dict[str, list[str]] = {"open": list(pending)} if pending else {}
        told = Notice.of("checkpoint-shows-nothing", checkpoint=checkpoint_id, **ids)
        raise NotFound(told)
    subject = checkpoint.subject
    scope = describe_scope(len(state.files), state.collections, state.place)
    language = detect_language(state.query)
    if format == "md" and phase is None:
        if isinstance(subject, StepSubject):
            return _answer(subject.text, "md")
        return _answer(render_subject(subject, language, scope=scope, offline=state.offline), "md")
    document = await build_subject(run, checkpoint, phase, scope)
    shown = {block.artifact for block in document.blocks if isinstance(block, Exhibit)}
    artifacts = await run.deps.runs.list_artifacts(run.reader, run.id)
    text = await run.deps.sandbox.run(
        render_document,
        *(format, document, await _load_charts(run, shown, artifacts)),
        task=f"rendering the checkpoint as {format}",
        tenant=run.reader.tenant_id,
    )
    return _answer(text, format)


async def build_subject(
    run: RunService, checkpoint: Checkpoint, phase_id: str | None, scope: Notice
) -> Document:
    """Return the document of what is decided on, or of the output of a phase that is shown beside it."""
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


@router.get("/report/head")
async def get_report_head(run: Run) -> ReportHead:
    """Return what stands above the report: question, short answer, notices, price and model."""
    return await _build_head(run)


async def _build_head(run: RunService, lack: Lack | None = None) -> ReportHead:
    row = run.row
    sources = await run.deps.runs.list_sources(run.reader, run.id)
    return ReportHead(
        question=row.query,
        answer=find_answer(phase.output for phase in await run.get_phases()),
        notices=list_report_notices(row.status, run.notices, lack),
        date=row.ended_at or row.started_at,
        usd=row.usage.usd,
        model=row.opened.terms.model if row.opened else "",
        offline=row.offline,
        recorded=row.recorded,
        sources_read=len(sources),
    )


@router.get("/sources")
async def list_sources(run: Run) -> Page[NumberedSource]:
    """Return the pages that were read; a claim's citations number them from 1.

    Their notes list the reasons for doubt, including those found by validation.
    """
    sources = await run.list_noted_sources()
    if run.is_shared:
        sources = [hide_document(source) for source in sources]
    path = f"/v1/runs/{run.id}"
    items = [_number(source, n, path) for n, source in enumerate(sources, start=1)]
    if run.is_shared:
        items = [item.model_copy(update={"kept": item.kept and item.snapshot}) for item in items]
    return Page(items=items)


def _number(source: Source, n: int, path: str) -> NumberedSource:
    """Return a source with its number, and where the run keeps it."""
    file_id, snapshot = f"{PAGE}{n}", f"{path}/sources/{n}/snapshot"
    kept = (place := find_kept(n, source)) and f"{path}/{place}"
    shown = {name: getattr(source, name) for name in SourceFields.model_fields}
    return NumberedSource(**shown, n=n, file_id=file_id, snapshot=snapshot, kept=kept)


@router.get("/sources/{n}/snapshot", response_class=PlainTextResponse, responses=TEXT)
async def get_snapshot(run: Run, n: Annotated[int, Path(ge=1)]) -> PlainTextResponse:
    """Return the text of a source as it was read; quotes count their offsets in it.

    To the holder of a share link, a user's own document shows the passages that the report cites.
    """
    sources = await run.deps.runs.list_sources(run.reader, run.id)
    if n > len(sources):
        raise NotFound(Notice.of("source-unknown", run=run.id, n=len(sources), number=n))
    text = (await run.get_blob(sources[n - 1].text_key)).decode()
    if run.is_shared and sources[n - 1].own_path:
        text = keep_cited(text, n, await _get_shown_report(run))
    return PlainTextResponse(text, headers={"Content-Security-Policy": "sandbox"})


@router.get("/artifacts")
async def list_artifacts(run: Run) -> Page[ArtifactFields]:
    """Return the run's tables and charts, then the fetched page of each source.

    To the holder of a share link: those that the report shows, and no document of a user's own.
    """
    artifacts = await _list_artifacts(run)
    shown = [{n: getattr(a, n) for n in ArtifactFields.model_fields} for a in artifacts]
    return Page(items=[ArtifactFields.model_validate(each) for each in shown])


@router.get("/artifacts/{aid}", response_class=Response, responses=ARTIFACT)
async def get_artifact(run: Run, aid: str) -> Response:
    """Return an artifact: a chart as an image, a file as a download, anything else as text.

    A PDF of the user's own opens in the browser's viewer, where `#page=` leads to a page.
    """
    found = next((artifact for artifact in await _list_artifacts(run) if artifact.id == aid), None)
    if found is None:
        raise NotFound(Notice.of("artifact-unknown", run=run.id, artifact=aid))
    body = await run.get_blob(found.blob_key)
    is_shown = found.kind == "pdf" and (found.source_url or "").startswith(OWN_FILE)
    headers = {"Content-Security-Policy": PDF_POLICY} if is_shown else {**html.IMAGE_HEADERS}
    if found.kind in {"pdf", "docx"}:  # all else is shown
        disposition = "inline" if is_shown else "attachment"
        headers["Content-Disposition"] = f'{disposition}; filename="{found.id}.{found.kind}"'
    return Response(body, media_type=SERVED_AS.get(found.kind, "text/plain"), headers=headers)


async def _list_artifacts(run: Run) -> list[Artifact]:
    artifacts = await run.deps.runs.list_artifacts(run.reader, run.id)
    sources = await run.deps.runs.list_sources(run.reader, run.id)
    snapshots = [
        Artifact(
            id=f"{PAGE}{number}",
            name=source.title or source.url,
            kind=SNAPSHOT_KINDS.get(source.content_type, "text"),
            media_type=source.content_type or "text/plain",
            blob_key=source.raw_key,
            bytes=source.bytes,
            source_url=source.url,
        )
        for number, source in enumerate(sources, start=1)
    ]
    if run.is_shared:
        report = await _get_shown_report(run)
        artifacts = [artifact for artifact in artifacts if artifact.id in report.exhibits]
        own = {f"{PAGE}{n}" for n, source in enumerate(sources, start=1) if source.own_path}
        snapshots = [snapshot for snapshot in snapshots if snapshot.id not in own]
    return [*artifacts, *snapshots]


async def _find_report(run: Run, phase_id: str | None, at: int | None) -> Report | None:
    """Return the run's finished report or a phase's, if there was one at an event."""
    given = run.row.opened.resolved.seeds if run.row.opened else {}
    ended = set()
    if at:
        log = run.deps.log.events
        ends = await log.read(run.reader, run.id, until=at, types=["step_complete"])
        ended = {event.phase_id for event in ends}
    outputs = {
        phase.id: phase.output
        for phase in await run.get_phases()
        if (at is None or phase.id in ended or phase.id in given) and phase_id in {None, phase.id}
    }
    return run.find_report(outputs)


async def _find_draft(run: Run, at: int | None) -> Report | None:
    """Return the living report as it was at an event, or as it is now; a link sees none of a live run."""
    if run.is_shared and run.row.status not in ENDED:
        return None
    return await run.open_history().find_at(at or run.row.last_seq)


async def _find_results(run: Run, phase_id: str | None, at: int | None) -> tuple[Report, Lack]:
    """Return what a phase gave, or all phases of a run that ended without a report.

    Where they gave nothing to read, a run's report is its head.

    Raises:
        NotFound: The phase gave nothing to read, or there is no report yet, or was none at that event.
    """
    if at or (phase_id is None and run.row.status not in ENDED):
        raise _refuse_report(run, phase_id, at)
    phases = [phase for phase in await run.get_phases() if phase_id in {None, phase.id}]
    artifacts = await run.deps.runs.list_artifacts(run.reader, run.id)
    given = [(phase, phase.output) for phase in phases]
    report, lack = replace_report(run.row.query, given, artifacts, offline=run.row.by_rule)
    if phase_id and lack == "no-result":
        raise _refuse_report(run, phase_id, at)
    return report, lack


async def _get_shown_report(run: Run) -> Report:
    """Return what a share link opens.

    Raises:
        NotFound: The run has no report so far.
    """
    found = await _find_report(run, None, None) or await _find_draft(run, None)
    return found or (await _find_results(run, None, None))[0]


def _refuse_report(run: Run, phase_id: str | None, at: int | None) -> NotFound:
    if phase_id:
        return NotFound(Problem.at("phase", "phase-without-report", phase=phase_id, run=run.id))
    if at:
        return NotFound(Notice.of("run-without-report-then", run=run.id, seq=at))
    status = Notice.of(f"status-{run.row.status}")
    return NotFound(Notice.of("run-without-report", run=run.id, status=status))
