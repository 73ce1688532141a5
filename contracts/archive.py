"""The archive of a run: its manifest and its possible entries."""

import re
from typing import Literal

from pydantic import Field

from contracts.base import Contract, RunId
from contracts.blobs import BlobKey
from contracts.runs.statuses import RunStatus

VERSION = 1
MAX_EVENTS = 10_000_000
"""An archive with more events is hostile, because no run logs nearly as many."""
MANIFEST, SIGNATURE = "manifest.json", "signature.json"
RUN, PHASES, SOURCES, ARTIFACTS = "run.json", "phases.json", "sources.json", "artifacts.json"
EVENTS, CALLS = "events.txt", "calls.jsonl"
REPORTS = {"md": "report.md", "html": "report.html", "json": "report.json"}
"""Entries of the report by its format."""
ENTRY = re.compile(
    r"(?:run|phases|sources|artifacts)\.json|events\.txt|calls\.jsonl|report\.(?:md|html|json)"
    r"|(?:pages|artifacts)/[0-9a-f]{64}",
    re.ASCII,
)
"""Valid names of entries, besides the manifest and its signature."""


class ArchiveEntry(Contract):
    """A file of the archive."""

    name: str
    bytes: int = Field(ge=0)
    sha256: str


class EventChain(Contract):
    """Where the log of the run ends: each event's hash covers it and the hash before it."""

    events: int = Field(ge=0, le=MAX_EVENTS)
    head: str = Field(description="hash of the last event, hexadecimal")


class Manifest(Contract):
    """An archive's contents; the sha256 of this is the archive's hash."""

    format: Literal["greenlight-archive"] = "greenlight-archive"
    version: int = VERSION
    run_id: RunId
    status: RunStatus
    chain: EventChain
    entries: list[ArchiveEntry]
    missing: list[str] = Field(
        default=[], description="pages and artifacts that the run names and the store no longer has"
    )


class ArchiveSignature(Contract):
    """Signature on the archive's hash by the installation that wrote it."""

    algorithm: Literal["HMAC-SHA256"] = "HMAC-SHA256"
    mac: str


def name_page(key: BlobKey) -> str:
    """Return the entry of a page's text: the hash in the key of its blob, the sha256 of the text, names it."""
    return f"pages/{_find_hash(key)}"


def name_artifact(key: BlobKey) -> str:
    """Return the entry of a table or a chart, which the hash in the key of its blob names."""
    return f"artifacts/{_find_hash(key)}"


def _find_hash(key: BlobKey) -> str:
    return key.rpartition("/")[2]
