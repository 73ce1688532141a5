"""The living report after any event, folded from the patches in the run's log."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from api.runs.service import RunService
from contracts.base import Json
from contracts.errors import InvalidInput, StoreUnavailable
from contracts.evidence.sources import Source
from contracts.report.patches import Patch
from contracts.report.research import Report
from contracts.runs.records import LoggedEvent
from domain.report.markdown import render
from domain.report.patches import EMPTY, apply_patch, fold_patches
from domain.report.report_claims import find_last_source
from store.events import LogPart
from workflows.interpreter.initial_state import find_opening_patches

RETRY_SECONDS = 1.0


class ReportHistory:
    """Folds a run's patches in order, reading each once."""

    def __init__(self, run: RunService) -> None:
        self._run = run
        opened = run.row.opened
        self._report = fold_patches(find_opening_patches(opened.resolved)) if opened else EMPTY
        self._seq = 0
        self._sources: list[Source] = []

    async def render_at(self, seq: int) -> Report | None:
        """Return the draft after an event, with its Markdown; None before the first patch."""
        log = self._run.deps.log.events
        if self._seq < seq:
            wanted: LogPart = {"after": self._seq, "until": seq, "patches": True}
            for event in await log.read(self._run.reader, self._run.id, **wanted):
                self._fold(event)
        if self._report == EMPTY:
            return None
        most = find_last_source(self._report)
        if most > len(self._sources):
            self._sources = await self._run.deps.runs.list_sources(self._run.reader, self._run.id)
        cited, offline = self._sources[:most], self._run.row.offline
        markdown = render(self._report, cited, None, offline=offline)
        return self._report.model_copy(update={"markdown": markdown})

    def _fold(self, event: LoggedEvent) -> None:
        self._report = apply_patch(self._report, _parse_patch(event))
        self._seq = event.seq

    async def expand(self, event: LoggedEvent) -> LoggedEvent:
        """Add the whole report to an event that changed it."""
        if not is_patch(event) or (report := await self.render_at(event.seq)) is None:
            return event
        output = {**_output(event), "new_report_markdown": report.markdown}
        result: Json = {**event.payload["tool_output"], "raw_output": output}  # type: ignore[dict-item]
        return event.model_copy(update={"payload": {**event.payload, "tool_output": result}})

    async def follow(self, events: AsyncIterator[LoggedEvent]) -> AsyncGenerator[LoggedEvent]:
        """Yield expanded events; while PostgreSQL is unreachable, retry."""
        last: int | None = None
        async for event in events:
            if is_patch(event) and self._seq == last:
                self._fold(event)  # no patch lies in between: saves a query for each viewer
            yield await self._expand_with_retry(event)
            last = event.seq if is_patch(event) else last

    async def _expand_with_retry(self, event: LoggedEvent) -> LoggedEvent:
        while True:
            try:
                return await self.expand(event)
            except StoreUnavailable:
                await asyncio.sleep(RETRY_SECONDS)

    async def find_patch_number(self, seq: int) -> int:
        """Return the number of the patch in an event.

        Raises:
            InvalidInput: the event holds no patch.
        """
        log = self._run.deps.log.events
        wanted: LogPart = {"after": seq - 1, "until": seq, "patches": True}
        events = await log.read(self._run.reader, self._run.id, **wanted)
        if not events:
            raise InvalidInput(f"seq: event {seq} is no patch of the report")
        return _parse_patch(events[0]).number


def is_patch(event: LoggedEvent) -> bool:
    """Tell whether an event changed the living report."""
    return event.type == "ToolCallResult" and "patch" in _output(event)


def _output(event: LoggedEvent) -> Json:
    result = event.payload.get("tool_output")
    output = result.get("raw_output") if isinstance(result, dict) else None
    return output if isinstance(output, dict) else {}


def _parse_patch(event: LoggedEvent) -> Patch:
    return Patch.model_validate(_output(event)["patch"])
