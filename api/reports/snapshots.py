"""The pages a run read, as artifacts: each as it was fetched."""

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
"""Media types by kind; all else is plain text: a page of others runs nowhere on our address."""
KEPT = {"pdf", "docx"}
"""Kinds that a browser saves instead of showing them."""


def snapshots(sources: Sequence[Source]) -> list[Artifact]:
    """Return what was fetched of each source, in their order."""
    return [_snapshot(number, source) for number, source in enumerate(sources, start=1)]


def _snapshot(number: int, source: Source) -> Artifact:
    return Artifact(
        id=f"source-{number}",
        name=source.title or source.url,
        kind=KINDS.get(source.content_type, "text"),
        media_type=source.content_type or "text/plain",
        key=source.raw_key,
        bytes=source.bytes,
        source_url=source.url,
    )


def disposition(artifact: Artifact) -> dict[str, str]:
    """Return the header that has a file saved, where it is one."""
    if artifact.kind not in KEPT:
        return {}
    return {"Content-Disposition": f'attachment; filename="{artifact.id}.{artifact.kind}"'}
