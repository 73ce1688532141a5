"""The living report after any event, folded from the patches in the run's log."""

import asyncio
from collections.abc import AsyncGenerator

from contracts.access.principal import Principal
from contracts.base import Json
from contracts.errors import InvalidInput
from contracts.evidence.sources import Source
from contracts.problems import Problem
from contracts.report.patches import Patch
from contracts.report.report import Report
from contracts.runs.records import LoggedEvent
from contracts.words.question_language import detect_language
from domain.report.changes.patches import EMPTY, apply_patch, fold_patches
from domain.report.claims.report_claims import find_last_source
from domain.report.context import ReportContext
from domain.report.formats.markdown import render
from store.run_records.event_log import EventRepository, LogPart
from store.run_records.runs import RunRepository, RunRow
from workflows.interpreter.initial_state import find_opening_patches

MAX_PAGE_CHARS = 4_000_000
"""A page of events ends once the reports in them have this many characters."""


class ReportHistory:
    """Folds a run's patches in order, reading each once where events are asked for in order.

    Without `renders`, events are left as they were logged: the whole report in each of its changes makes the log of
    a long one many megabytes, and most readers fold the patches themselves or need none.
    """

    def __init__(
        self,
        events: EventRepository,
        runs: RunRepository,
        reader: Principal,
        run_id: str,
        *,
        renders: bool = True,
    ) -> None:
        self._renders = renders
        self._events = events
        self._runs = runs
        self._run = reader, run_id
        self._row: RunRow | None = None
        self._report = EMPTY
        self._seq = 0
        self._sources: list[Source] = []

    async def find_at(self, seq: int) -> Report | None:
        """Return the draft after an event; None before the first patch."""
        if self._row is None or self._seq > seq:
            self._row = self._row or await self._runs.get(*self._run)
            opened = self._row.opened
            self._report = fold_patches(find_opening_patches(opened.resolved)) if opened else EMPTY
            self._seq = 0
        if self._seq < seq:
            wanted: LogPart = {"after": self._seq, "until": seq, "patches": True}
            for event in await self._events.read(*self._run, **wanted):
                self._fold(event)
        return None if self._report == EMPTY else self._report

    async def _render(self, report: Report) -> str:
        """Return a draft as Markdown, drawn in a thread; the run's sources are read once it cites further ones."""
        assert self._row
        if find_last_source(report) > len(self._sources):
            self._sources = await self._runs.list_sources(*self._run)
        language = detect_language(self._row.query)
        context = ReportContext(self._sources, offline=self._row.by_rule, language=language)
        return await asyncio.to_thread(render, report, context.keep_cited(report))

    def _fold(self, event: LoggedEvent) -> None:
        self._report = apply_patch(self._report, parse_patch(event))
        self._seq = event.seq

    async def expand(self, page: list[LoggedEvent]) -> AsyncGenerator[LoggedEvent]:
        """Yield consecutive events; those that changed the report include all of it.

        Yield fewer than were given once the reports in them have `MAX_PAGE_CHARS` characters.
        """
        last: int | None = None
        chars = 0
        for event in page:
            if self._renders and is_patch(event):
                if self._seq == last:
                    self._fold(event)  # no patch lies in between, which saves a query
                last = event.seq
                if report := await self.find_at(last):
                    markdown = await self._render(report)
                    event, chars = _add_report(event, markdown), chars + len(markdown)
            yield event
            if chars >= MAX_PAGE_CHARS:
                return

    async def find_patch_number(self, seq: int) -> int:
        """Return the number of the patch in an event.

        Raises:
            InvalidInput: the event holds no patch.
        """
        wanted: LogPart = {"after": seq - 1, "until": seq, "patches": True}
        events = await self._events.read(*self._run, **wanted)
        if not events:
            raise InvalidInput(Problem.at("seq", "event-no-patch", seq=seq))
        return parse_patch(events[0]).number


def _add_report(event: LoggedEvent, markdown: str) -> LoggedEvent:
    output = {**_output(event), "new_report_markdown": markdown}
    result: Json = {**event.payload["tool_output"], "raw_output": output}  # type: ignore[dict-item]
    return event.model_copy(update={"payload": {**event.payload, "tool_output": result}})


def is_patch(event: LoggedEvent) -> bool:
    """Return whether an event changed the living report."""
    return event.type == "ToolCallResult" and "patch" in _output(event)


def _output(event: LoggedEvent) -> Json:
    result = event.payload.get("tool_output")
    output = result.get("raw_output") if isinstance(result, dict) else None
    return output if isinstance(output, dict) else {}


def parse_patch(event: LoggedEvent) -> Patch:
    """Return the change of the living report that an event brought."""
    return Patch.read_record(_output(event)["patch"])
