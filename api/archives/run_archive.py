"""The archive of an ended run, written while it is read: little of it is held at a time."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Self

from pydantic_core import to_json

from api.archives.archive_writer import ArchiveWriter, encode_manifest
from api.reports.report_history import parse_patch
from api.reports.text_formats import TextFormat, render_report
from api.runs.ended_run import EndedRun
from api.runs.service import RunService
from contracts.archive import (
    ARTIFACTS,
    CALLS,
    EVENTS,
    PHASES,
    REPORTS,
    RUN,
    SOURCES,
    EventChain,
    Manifest,
    name_artifact,
    name_page,
)
from contracts.errors import Conflict, NotFound
from contracts.notices import Notice

READ_AT_ONCE = 200
"""Number of events or calls read from the store at once."""


@dataclass(frozen=True)
class RunArchive:
    """The contents of a run's archive; its log, calls and pages are read while they are written."""

    run: RunService
    chain: EventChain
    recorded: EndedRun
    reports: dict[TextFormat, str]

    @classmethod
    async def load(cls, run: RunService) -> Self:
        """Load a run's rows, and render its report as it is served.

        Raises:
            Conflict: The run has not ended.
        """
        chain = await run.deps.archives.find_chain(run.reader, run.id)
        if chain is None:
            status = Notice.of(f"status-{run.row.status}")
            raise Conflict(Notice.of("archive-live", run=run.id, status=status))
        run = await run.reload()
        changes = await run.deps.log.events.read(run.reader, run.id, patches=True)
        recorded = EndedRun(
            row=run.row,
            phases=await run.get_phases(),
            sources=await run.deps.runs.list_sources(run.reader, run.id),
            artifacts=await run.deps.runs.list_artifacts(run.reader, run.id),
            patches=[*map(parse_patch, changes)],
        )
        return cls(run, chain, recorded, await _render(run, recorded))

    async def write(self) -> AsyncIterator[bytes]:
        """Yield the file's bytes.

        Raises:
            NotFound: The run was removed meanwhile; the file ends without a seal.
        """
        writer = ArchiveWriter()
        for name, content in self._list_rows():
            await asyncio.to_thread(writer.add, name, content)
            yield writer.take()
        async for written in self._write_events(writer):
            yield written
        async for written in self._write_calls(writer):
            yield written
        missing = []
        for name, key in self._list_blobs():
            blob = await _find_blob(self.run, key)
            if blob is None:
                missing.append(name)
            else:
                await asyncio.to_thread(writer.add, name, blob)
                yield writer.take()
        # A run removed meanwhile would look as if it never had calls and pages.
        await self.run.deps.archives.find_chain(self.run.reader, self.run.id)
        manifest = Manifest(
            run_id=self.run.id,
            status=self.recorded.row.status,  # type: ignore[arg-type] # it is validated
            chain=self.chain,
            entries=writer.entries,
            missing=missing,
        )
        digest = hashlib.sha256(encode_manifest(manifest)).hexdigest()
        yield writer.finish(manifest, self.run.deps.seals.sign_archive(digest))

    def _list_rows(self) -> Iterator[tuple[str, bytes]]:
        """Yield the entries that are at hand: rows, and the report in each format that is text."""
        recorded = self.recorded
        rows = {
            RUN: recorded.row,
            PHASES: recorded.phases,
            SOURCES: recorded.sources,
            ARTIFACTS: recorded.artifacts,
        }
        for name, value in rows.items():
            yield name, to_json(value, indent=1)
        for format, text in self.reports.items():
            yield REPORTS[format], text.encode()

    def _list_blobs(self) -> Iterator[tuple[str, str]]:
        """Yield each page, table and chart once, as an entry's name and the key of its blob."""
        pages = {name_page(s.text_key): s.text_key for s in self.recorded.sources}
        exhibits = (a for a in self.recorded.artifacts if a.kind in {"table", "chart"})
        yield from pages.items()
        yield from {name_artifact(a.blob_key): a.blob_key for a in exhibits}.items()

    async def _write_events(self, writer: ArchiveWriter) -> AsyncIterator[bytes]:
        """Write the log: a line for each event, its hash and the text that this covers."""
        run, at = self.run, 0
        with writer.open(EVENTS) as entry:
            while at < self.chain.events:
                page = await run.deps.archives.read_events(run.reader, run.id, at, READ_AT_ONCE)
                if not page:
                    raise NotFound(Notice.of("run-unknown", run=run.id))
                at = page[-1][0]
                lines = "".join(f"{digest} {text}\n" for _, digest, text in page)
                await asyncio.to_thread(entry.write, lines.encode())
                yield writer.take()

    async def _write_calls(self, writer: ArchiveWriter) -> AsyncIterator[bytes]:
        """Write the journal: a line of JSON for each call."""
        run, at = self.run, ""
        with writer.open(CALLS) as entry:
            while page := await run.deps.archives.read_calls(run.reader, run.id, at, READ_AT_ONCE):
                at = str(page[-1]["key"])
                lines = b"".join(to_json(call) + b"\n" for call in page)
                await asyncio.to_thread(entry.write, lines)
                yield writer.take()


async def _render(run: RunService, recorded: EndedRun) -> dict[TextFormat, str]:
    """Return the report in each format that is text, as the gateway serves it."""
    served = recorded.build_report()
    charts = {}
    for artifact in recorded.artifacts:
        is_shown = artifact.kind == "chart" and artifact.id in served.report.exhibits
        if is_shown and (svg := await _find_blob(run, artifact.blob_key)) is not None:
            charts[artifact.id] = svg
    formats: list[TextFormat] = ["md", "html", "json"]
    return {
        format: await run.deps.sandbox.run(
            render_report,
            *(format, served.report, served.context, served.head, charts),
            task=f"rendering the report as {format}",
            tenant=run.reader.tenant_id,
        )
        for format in formats
    }


async def _find_blob(run: RunService, key: str) -> bytes | None:
    try:
        return await run.get_blob(key)
    except NotFound:
        return None
