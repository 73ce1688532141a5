"""Artifacts of the pages that a run fetched."""

from collections.abc import Sequence

from contracts.agents.workbench import Artifact, Kind
from contracts.evidence.sources import Source
from contracts.media_types import DOCX, PDF

KINDS: dict[str, Kind] = {
    PDF: "pdf",
    DOCX: "docx",
    "text/html": "html",
    "application/xhtml+xml": "html",
}
SERVED_AS: dict[str, str] = {"chart": "image/svg+xml", "pdf": PDF, "docx": DOCX}
"""Media types by kind; all else is plain text, so that no fetched page runs on our origin."""
DOWNLOADED = {"pdf", "docx"}
"""Kinds that a browser downloads."""


def list_snapshots(sources: Sequence[Source]) -> list[Artifact]:
    """Return an artifact for each source, in order."""
    return [_make_snapshot(number, source) for number, source in enumerate(sources, start=1)]


def _make_snapshot(number: int, source: Source) -> Artifact:
    return Artifact(
        id=f"source-{number}",
        name=source.title or source.url,
        kind=KINDS.get(source.content_type, "text"),
        media_type=source.content_type or "text/plain",
        key=source.raw_key,
        bytes=source.bytes,
        source_url=source.url,
    )


def disposition_header(artifact: Artifact) -> dict[str, str]:
    """Return the header by which a browser downloads a file; none for what it shows."""
    if artifact.kind not in DOWNLOADED:
        return {}
    return {"Content-Disposition": f'attachment; filename="{artifact.id}.{artifact.kind}"'}
