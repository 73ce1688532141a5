"""The sources and artifacts of a run, and whether a browser shows or saves them."""

from typing import Annotated

from fastapi import Path, Response
from fastapi.responses import PlainTextResponse
from pydantic import Field

from api.errors import responses
from api.json_bodies import Router
from api.reports import MEDIA_TYPES, html
from api.routers.run.reports import describe_content
from api.runs.served_report import get_shown_report, load_pages
from api.runs.service import Run
from api.runs.shared_sources import hide_document
from contracts.agents.calculations_and_charts import Artifact, ArtifactFields, Kind
from contracts.base import Page
from contracts.errors import NotFound
from contracts.evidence.sources import OWN_FILE, Source, SourceFields
from contracts.media_types import DOCX, PDF
from contracts.notices import Notice
from domain.report.parts.source_links import find_kept

router = Router(prefix="/v1/runs/{run_id}", tags=["results"], responses=responses(404, 422, 503))


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
"""Policy of a PDF that the browser shows.

Its viewer runs in another origin, and Chromium shows nothing under `sandbox` or without objects.
"""

TEXT = describe_content("text/plain")

ARTIFACT = describe_content("image/svg+xml", "text/plain", files=MEDIA_TYPES.values())


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
    """Return a source's text as it was read; quotes count their offsets in it.

    A share link's holder only sees the cited passages of a user's own document.
    """
    sources = await run.deps.runs.list_sources(run.reader, run.id)
    if n > len(sources):
        raise NotFound(Notice.of("source-unknown", run=run.id, n=len(sources), number=n))
    texts = await load_pages(run, {n: sources[n - 1]})
    return PlainTextResponse(texts[n], headers={"Content-Security-Policy": "sandbox"})


@router.get("/artifacts")
async def list_artifacts(run: Run) -> Page[ArtifactFields]:
    """Return the run's tables and charts, then each source's fetched page.

    A share link's holder only sees those that the report shows, and no document of the user's own.
    """
    artifacts = await _list_artifacts(run)
    shown = [{n: getattr(a, n) for n in ArtifactFields.model_fields} for a in artifacts]
    return Page(items=[ArtifactFields.model_validate(each) for each in shown])


@router.get("/artifacts/{aid}", response_class=Response, responses=ARTIFACT)
async def get_artifact(run: Run, aid: str) -> Response:
    """Return an artifact: a chart as an image, a file as a download, anything else as text.

    A user's own PDF opens in the browser's viewer, where `#page=` selects a page.
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
        report = await get_shown_report(run)
        artifacts = [artifact for artifact in artifacts if artifact.id in report.exhibits]
        own = {f"{PAGE}{n}" for n, source in enumerate(sources, start=1) if source.is_private}
        snapshots = [snapshot for snapshot in snapshots if snapshot.id not in own]
    return [*artifacts, *snapshots]
