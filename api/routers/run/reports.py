"""A run's report, and the subject of a checkpoint, in the requested formats."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from fastapi import Query, Response
from fastapi.responses import HTMLResponse

from api.errors import responses
from api.json_bodies import Router
from api.reports import MEDIA_TYPES, ReportFormat, html
from api.reports.markdown_folder import MAX_FOLDER_BYTES, build_folder, list_listed
from api.reports.pdf_and_word.process import (
    download_headers,
    export_report,
    install_exports,
)
from api.reports.references import REFERENCE_TYPES
from api.reports.text_formats import (
    TextFormat,
    render_document,
    render_references,
    render_report,
)
from api.runs.checkpoint_document import build_subject
from api.runs.ended_run import build_head
from api.runs.served_report import find_draft, find_report, find_results, load_pages
from api.runs.service import Run, RunService
from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Name
from contracts.errors import Conflict, NotAllowed, NotFound
from contracts.human.checkpoint_subjects import StepSubject
from contracts.media_types import ZIP
from contracts.notices import Lack, Notice
from contracts.problems import Problem
from contracts.report.document import Document, Exhibit, ReportHead
from contracts.report.report import Report
from contracts.words.question_language import detect_language
from domain.agents.search_scope import describe_scope
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.parts.links import ARTIFACTS
from domain.report.subject_text import (
    render_subject,
)

MAX_CHARTS, MAX_CHARTS_BYTES = 100, 20_000_000
ENDINGS = {"csl": "csl.json"}
"""Endings of file names, where they differ from the name of the format."""
EXHIBIT_ENDINGS = {"chart": "svg", "table": "csv"}
LISTING = {"type": "array", "items": {"type": "object"}}
"""Schema of a format of others that is JSON; what its entries hold is theirs to say."""
T = TypeVar("T")

router = Router(prefix="/v1/runs/{run_id}", tags=["results"], responses=responses(404, 422, 503))


def describe_content(*text: str, files: Iterable[str] = ()) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI `responses` of an operation with these media types."""
    schemas: dict[str, dict[str, Any]] = {key: {"type": "string"} for key in text}
    schemas |= {key: LISTING for key in text if key.endswith("+json")}
    schemas |= {key: {"type": "string", "format": "binary"} for key in files}
    return {200: {"content": {kind: {"schema": schema} for kind, schema in schemas.items()}}}


FILES = [*MEDIA_TYPES.values(), ZIP]
REPORT = describe_content("text/markdown", "text/html", *REFERENCE_TYPES.values(), files=FILES)
REPORT[200]["model"] = Report
SUBJECT = describe_content("text/markdown", "text/html")
SUBJECT[200]["model"] = Document


@router.get("/report", response_class=Response, responses={**REPORT, **responses(403, 409, 429)})
async def get_report(
    run: Run,
    format: Annotated[
        ReportFormat,
        Query(
            description="bib, ris, csl: the sources that it cites, for reference managers;"
            " zip: a folder of Markdown with the pages that were read"
        ),
    ] = "md",
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
    """Return the report, a draft while it grows; `[n]` refers to the nth piece of its evidence.

    A share link only opens the report itself: not a phase's, not that of an earlier event, not a live run's
    draft.
    """
    if run.is_shared and (phase or at):
        raise NotAllowed(Problem.at("phase" if phase else "at", "link-shows-report"))
    finished = await find_report(run, phase, at)
    draft = None if finished or phase else await find_draft(run, at)
    report, lack = finished or draft, None
    if report is None:
        report, lack = await find_results(run, phase, at)
    context = replace(await run.build_context(), has_appendix=appendix)
    if draft:
        context = context.keep_cited(draft)
    head = None if draft and at else await _build_head(run, lack)
    if format == "bib" or format == "ris" or format == "csl":
        text = await _render(run, format, render_references, format, report, context)
        headers = download_headers(report.title, ENDINGS.get(format, format))
        return Response(text, media_type=REFERENCE_TYPES[format], headers=headers)
    if format == "zip":
        async with (
            run.deps.limits.downloads.take(run.reader.tenant_id),
            run.deps.limits.all_downloads.take("all"),
        ):
            folder = await _make_folder(run, report, context, head)
        headers = download_headers(report.title, format)
        return Response(folder, media_type=ZIP, headers=headers)
    is_text = format in {"md", "json"}
    charts = {} if is_text else await _load_charts(run, report.exhibits, context.artifacts)
    if format == "pdf" or format == "docx":
        document = await _render(run, format, build_document, report, context, head)
        if run.deps.installation.installs:
            await install_exports()
        file = await export_report(document, format, charts, run.reader.tenant_id)
        headers = download_headers(report.title, format)
        return Response(file, media_type=MEDIA_TYPES[format], headers=headers)
    text = await _render(run, format, render_report, format, report, context, head, charts)
    return _answer(text, format)


async def _render(
    run: RunService, format: ReportFormat, function: Callable[..., T], *args: Any
) -> T:
    """Return what a function makes of the report, off the event loop and bounded."""
    task = f"rendering the report as {format}"
    return await run.deps.sandbox.run(function, *args, task=task, tenant=run.reader.tenant_id)


def _answer(text: str, format: TextFormat) -> Response:
    if format == "html":
        return HTMLResponse(text, headers=html.HEADERS)
    kinds = {"md": "text/markdown", "json": "application/json"}
    return Response(text, media_type=kinds[format])


async def _make_folder(
    run: RunService, report: Report, context: ReportContext, head: ReportHead | None
) -> bytes:
    """Return the report as a folder with the pages that it lists, and no others are loaded.

    Raises:
        Conflict: Pages, tables and charts are too large together.
    """
    document = await _render(run, "zip", build_document, report, context, head)
    listed = {n: context.sources[n - 1] for n in list_listed(document)}
    shown = [
        each
        for each in context.artifacts
        if each.id in report.exhibits and each.kind in EXHIBIT_ENDINGS
    ]
    size = sum(page.chars for page in listed.values()) + sum(each.bytes for each in shown)
    if size > MAX_FOLDER_BYTES:
        raise Conflict(Notice.of("folder-large", n=size, most=MAX_FOLDER_BYTES))
    pages = await load_pages(run, listed)
    exhibits = {
        f"{ARTIFACTS}/{each.id}.{EXHIBIT_ENDINGS[each.kind]}": await run.get_blob(each.blob_key)
        for each in shown
    }
    return await _render(run, "zip", build_folder, document, context.sources, pages, exhibits)


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
    """Return the subject of an open checkpoint's decision, rendered like a report."""
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


@router.get("/report/head")
async def get_report_head(run: Run) -> ReportHead:
    """Return the head of the report: question, short answer, notices, price and model."""
    return await _build_head(run)


async def _build_head(run: RunService, lack: Lack | None = None) -> ReportHead:
    sources = await run.deps.runs.list_sources(run.reader, run.id)
    return build_head(run.row, await run.get_phases(), len(sources), lack)
