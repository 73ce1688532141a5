"""The living report at any moment: its patches, read from the run's log and folded."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from api.runs.service import OwnRun
from contracts.base import Json
from contracts.errors import InvalidInput, StoreUnavailable
from contracts.evidence.sources import Source
from contracts.report.patches import Patch
from contracts.report.research import Report
from contracts.runs.records import LoggedEvent
from domain.report.markdown import render
from domain.report.patches import EMPTY, changed, cited, folded
from workflows.interpreter.run_state import seeded_patches

AGAIN_SECONDS = 1.0


class Living:
    """Reads a run's patches forwards, each once."""

    def __init__(self, run: OwnRun) -> None:
        self._run = run
        opened = run.row.opened
        self._report = folded(seeded_patches(opened.resolved)) if opened else EMPTY
        self._seq = 0
        self._sources: list[Source] = []

    async def at(self, seq: int) -> Report | None:
        """Return the draft as it stood after an event, with its Markdown; None before the first."""
        log = self._run.deps.log.events
        if self._seq < seq:
            for event in await log.patches(self._run.reader, self._run.id, self._seq, seq):
                self._fold(event)
        if self._report == EMPTY:
            return None
        return self._report.model_copy(update={"markdown": await self._markdown()})

    def _fold(self, event: LoggedEvent) -> None:
        self._report = changed(self._report, _patch(event))
        self._seq = event.seq

    async def _markdown(self) -> str:
        most = cited(self._report)
        if most > len(self._sources):
            self._sources = await self._run.deps.runs.sources(self._run.reader, self._run.id)
        return render(self._report, self._sources[:most], None, offline=self._run.row.offline)

    async def expanded(self, event: LoggedEvent) -> LoggedEvent:
        """Return an event as readers get it: one that changed the report carries the whole of it."""
        if not is_patch(event) or (report := await self.at(event.seq)) is None:
            return event
        output = {**_output(event), "new_report_markdown": report.markdown}
        told: Json = {**event.payload["tool_output"], "raw_output": output}  # type: ignore[dict-item]
        return event.model_copy(update={"payload": {**event.payload, "tool_output": told}})

    async def follow(self, events: AsyncIterator[LoggedEvent]) -> AsyncGenerator[LoggedEvent]:
        """Yield events as readers get them; a store that is away is waited out."""
        last: int | None = None
        async for event in events:
            if is_patch(event) and self._seq == last:
                self._fold(event)  # none lies in between: many viewers need not each ask
            yield await self._told(event)
            last = event.seq if is_patch(event) else last

    async def _told(self, event: LoggedEvent) -> LoggedEvent:
        while True:
            try:
                return await self.expanded(event)
            except StoreUnavailable:
                await asyncio.sleep(AGAIN_SECONDS)

    async def number_at(self, seq: int) -> int:
        """Return the number of the patch that an event tells.

        Raises:
            InvalidInput: That event changed no report.
        """
        log = self._run.deps.log.events
        found = await log.patches(self._run.reader, self._run.id, seq - 1, seq)
        if not found:
            raise InvalidInput(f"seq: event {seq} is no patch of the report")
        return _patch(found[0]).number


def is_patch(event: LoggedEvent) -> bool:
    """Tell whether an event changed the living report."""
    return event.type == "ToolCallResult" and "patch" in _output(event)


def _output(event: LoggedEvent) -> Json:
    told = event.payload.get("tool_output")
    output = told.get("raw_output") if isinstance(told, dict) else None
    return output if isinstance(output, dict) else {}


def _patch(event: LoggedEvent) -> Patch:
    return Patch.model_validate(_output(event)["patch"])
