"""The run in an archive, as verification and replay read it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import TypeAdapter, ValidationError

from api.reports.report_history import is_patch, parse_patch
from api.runs.ended_run import EndedRun
from contracts.agents.calculations_and_charts import Artifact
from contracts.archive import ARTIFACTS, EVENTS, PHASES, RUN, SOURCES
from contracts.errors import GreenlightError
from contracts.evidence.sources import Source
from contracts.report.patches import Patch
from contracts.runs.records import LoggedEvent, PhaseRecord
from greenlight.archives.archive_reader import Archive, ArchiveError, describe_error, parse_json
from store.run_records.runs import RunRow

_ROWS: Mapping[str, TypeAdapter[Any]] = {
    RUN: TypeAdapter(RunRow),
    PHASES: TypeAdapter(list[PhaseRecord]),
    SOURCES: TypeAdapter(list[Source]),
    ARTIFACTS: TypeAdapter(list[Artifact]),
}
HASH_CHARS = 64
MAX_PATCH_BYTES = 100_000_000
"""Limit of the events that are held as changes of the living report."""
UNREADABLE = (
    *(ValidationError, GreenlightError, ValueError, TypeError, LookupError, AttributeError),
    *(RecursionError, OverflowError),
)
"""Exceptions of our own code on rows that our store did not write."""


@dataclass(frozen=True)
class ArchivedEvent:
    """A line of the log: the text of an event, and the hash that is to cover it and the hash before it."""

    text: bytes
    digest: str

    def read_digest(self) -> bytes:
        """Return the hash; empty if it is malformed."""
        try:
            return bytes.fromhex(self.digest)
        except ValueError:
            return b""

    def parse(self) -> dict[str, Any]:
        """Parse the event; return an empty dict if it is malformed.

        Raises:
            ArchiveError: It is too large.
        """
        try:
            event = parse_json(EVENTS, self.text)
        except ValueError:
            return {}
        return event if isinstance(event, dict) else {}


def read_run(archive: Archive) -> EndedRun:
    """Return the run of an archive.

    Raises:
        ArchiveError: Its rows cannot be read.
    """
    rows = {name: _parse(archive, name) for name in _ROWS}
    return EndedRun(
        row=rows[RUN],
        phases=rows[PHASES],
        sources=rows[SOURCES],
        artifacts=rows[ARTIFACTS],
        patches=[*_read_patches(archive, rows[RUN].run_id)],
    )


@contextmanager
def name_broken(name: str) -> Iterator[None]:
    """Raise an ArchiveError if an entry's content is malformed."""
    try:
        yield
    except UNREADABLE as error:
        reason = describe_error(error)
        raise ArchiveError.of("archive-entry-broken", name=name, reason=reason) from error


def _parse(archive: Archive, name: str) -> Any:
    content = archive.read(name)
    with name_broken(name):
        return _ROWS[name].validate_python(parse_json(name, content))


def read_events(archive: Archive) -> Iterator[ArchivedEvent]:
    """Yield the events of the log in order, and of those beyond its chain the first."""
    for line in islice(archive.read_lines(EVENTS), archive.manifest.chain.events + 1):
        digest = line[:HASH_CHARS].decode("ascii", "replace")
        yield ArchivedEvent(line[HASH_CHARS + 1 :], digest)


def _read_patches(archive: Archive, run_id: str) -> Iterator[Patch]:
    """Yield the changes of the living report."""
    held = 0
    for seq, event in enumerate(read_events(archive), start=1):
        if b'"patch"' not in event.text:
            continue
        if (held := held + len(event.text)) > MAX_PATCH_BYTES:
            raise ArchiveError.of("archive-large", name=EVENTS, most=MAX_PATCH_BYTES)
        told = {key: value for key, value in event.parse().items() if key != "key"}
        with name_broken(EVENTS):
            logged = LoggedEvent.model_validate({**told, "seq": seq, "run_id": run_id})
            patch = parse_patch(logged) if is_patch(logged) else None
        if patch:
            yield patch
