"""Service of one run: its state, its end, and the messages to it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Query

from api.access.auth import Caller
from api.dependencies import Dependencies, Deps
from api.event_stream import LAST_EVENT_TYPE, SentEvent
from api.reports.report_history import ReportHistory
from api.runs.ended_run import build_context, find_finished, list_notices, note_sources
from api.runs.message_rights import authorize
from contracts.access.principal import Principal
from contracts.base import Json, RunId
from contracts.blobs import BlobKey
from contracts.errors import NotAllowed, NotFound, StoreUnavailable
from contracts.evidence.sources import Source
from contracts.human.approvers import Delegate
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import AnswerQuestions, Cancel, Decide, HumanMessage, Steer
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.report.report import Report
from contracts.runs.events import WorkflowComplete, build_event
from contracts.runs.records import LAST_VERSION, Batch, PhaseRecord
from contracts.runs.start import OpenRequest, RunInput
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED, RunStatus
from domain.alerts.selection import list_alerts
from domain.report.context import ReportContext
from domain.report.run_notices import add_notices
from store.run_records.runs import RunRow
from temporal.run_client import OutsideChange
from temporal.telemetry.traces import note_run
from workflows.checkpoints.approval_gate import is_approval
from workflows.interpreter.initial_state import build_initial_state
from workflows.runtime.state_view import build_view

Accepted = Literal["update", "signal"]
"""How a message was accepted: by the run, or by Temporal until a worker is available."""
_ForCheckpoint = AnswerQuestions | Decide | Delegate
MILESTONES = frozenset({"InputRequiredEvent", LAST_EVENT_TYPE})
RECORD_TRIES, RECORD_PAUSE_SECONDS = 20, 0.1
"""How long to wait until something is recorded; if the store is down, answer nevertheless."""


class CommandView(StateView):
    """The state after a message, and how the message was taken."""

    accepted: Accepted


@dataclass(frozen=True)
class RunService:
    """Reads a run of the caller's tenant, and sends it the caller's messages."""

    deps: Dependencies
    caller: Principal
    row: RunRow

    @classmethod
    async def find(cls, deps: Deps, caller: Caller, run_id: RunId) -> "RunService":
        """Return the service of a run.

        Raises:
            NotFound: the run is unknown, or another tenant's.
        """
        note_run(run_id)
        return cls(deps, caller, await deps.runs.get(caller.reader, run_id))

    @property
    def reader(self) -> Principal:
        """The caller as a reader: every user of a tenant may read its runs."""
        return self.caller.reader

    @property
    def is_shared(self) -> bool:
        """Whether the caller has a share link, and may see the report and what it cites alone."""
        return self.caller.run_id is not None

    @property
    def id(self) -> str:
        """The run's id."""
        return self.row.run_id

    async def get_blob(self, key: BlobKey) -> bytes:
        """Return the bytes that a source or artifact of the run refers to."""
        return await self.deps.blobs.get(self.reader.tenant_id, key)

    @property
    def notices(self) -> list[Notice]:
        """The recorded notices on how the run ended and what is missing."""
        return list_notices(self.row)

    async def get_phases(self) -> list[PhaseRecord]:
        """Return the records of the run's phases."""
        return await self.deps.runs.list_phases(self.reader, self.id)

    def open_history(self, *, renders: bool = True) -> ReportHistory:
        """Return the history of the run's living report; without `renders`, it adds none to events."""
        log = self.deps.log.events
        return ReportHistory(log, self.deps.runs, self.reader, self.id, renders=renders)

    async def build_context(self) -> ReportContext:
        """Return what the run's reports are drawn with."""
        artifacts = await self.deps.runs.list_artifacts(self.reader, self.id)
        return build_context(self.row, await self.list_noted_sources(), artifacts)

    async def list_noted_sources(self) -> list[Source]:
        """Return the run's sources with the doubts that validation found."""
        sources = await self.deps.runs.list_sources(self.reader, self.id)
        return note_sources(sources, await self.get_phases())

    def find_report(self, outputs: Mapping[str, Json | None]) -> Report | None:
        """Return the run's report among outputs of its phases, by phase id in their order."""
        return find_finished(self.row, outputs)

    async def get_state(self, wait: float = 0) -> StateView:
        """Return the run's live state, or the recorded one after its end or if no worker answers."""
        live = None if self.row.status in ENDED else await self.deps.run_client.get_state(self.id)
        if wait and self.row.status not in ENDED and not _is_at_rest(live):
            live = await self._wait_for_rest(wait)
        return await self._stamp(live) if live else await self._read_record()

    async def _read_record(self) -> StateView:
        """Return the recorded state of a run that does not answer, with what an operator did to it in Temporal."""
        if self.row.status in ENDED:
            return self.get_recorded_state()
        outside = await self.deps.run_client.find_outside_change(self.id)
        await self._record_end(outside)
        current = await self.reload()  # it may have ended since it was found
        recorded = current.get_recorded_state()
        if not outside.pause or recorded.status in ENDED:
            return recorded
        notices = [*recorded.notices, outside.pause]
        paused = {"status": "paused", "notices": notices, "warnings": [n.text for n in notices]}
        return recorded.model_copy(update=paused)

    async def _stamp(self, live: StateView) -> StateView:
        """Return a live state with the `seq` read before it.

        Wait briefly until a live state's end or checkpoints are recorded: a client next asks for the
        report, or for the subject of the decision, and both are read from the record.
        """
        current = self
        for _ in range(RECORD_TRIES):
            if current._has_recorded(live):
                break
            await asyncio.sleep(RECORD_PAUSE_SECONDS)
            current = await current.reload()
        return live.model_copy(update={"seq": current.row.last_seq, "live": True})

    def _has_recorded(self, live: StateView) -> bool:
        """Return whether the run's record has the end, or the open checkpoints, of a live state."""
        if self.row.status in ENDED:
            return True
        pending: Any = self.row.snapshot.get("pending", [])
        recorded = {open["checkpoint_id"] for open in pending}
        return live.status not in ENDED and recorded.issuperset(
            open.checkpoint_id for open in live.pending
        )

    async def record_end(self) -> None:
        """Record the end of a run that Temporal closed before the run could."""
        if self.row.status not in ENDED:
            await self._record_end(await self.deps.run_client.find_outside_change(self.id))

    async def _record_end(self, outside: OutsideChange) -> None:
        if outside.closed_as:
            current = await self.reload()
            if current.row.status not in ENDED:
                await current._append_end(outside.closed_as)

    async def _append_end(self, status: RunStatus) -> None:
        now = datetime.now(UTC).isoformat()
        before = self.get_recorded_state()
        why = Notice.of("run-closed-outside")
        notices = [why, *before.notices]
        changes = {"status": status, "ended_at": now, "pending": [], "notices": notices}
        recorded = add_notices(before.model_copy(update=changes))
        end = WorkflowComplete(status=status, message=why.text)
        last = build_event(end, key="closed", at=now, status=status)
        batch = Batch(
            tenant_id=self.caller.tenant_id,
            run_id=self.id,
            version=LAST_VERSION,
            status=status,
            snapshot=recorded.model_dump(mode="json"),
            ended_at=now,
            usage=recorded.usage,
            phases=[],
            events=[last],
        )
        alerts = list_alerts(batch.tenant_id, self.id, batch.events)
        await self.deps.alerting.courier.wake(await self.deps.runs.record(batch, alerts))

    async def send(self, message: str, body: HumanMessage, wait: float) -> CommandView:
        """Send a message, and return the state after it, or at the next checkpoint.

        The message names its checkpoint, so that a repeated message does not apply to the next one. The
        checkpoint is looked up if the message does not name it, or if the user's right to send it depends
        on it.
        """
        user = self.caller.user_id
        if user is not None and body.by not in {"", user}:
            raise NotAllowed(Problem.at("by", "user-not-of-key", user=user))
        body = body.model_copy(update={"by": user or body.by, "key_id": self.caller.key_id})
        asked = None
        is_named = isinstance(body, _ForCheckpoint) and body.checkpoint_id is not None
        if isinstance(body, _ForCheckpoint) and not (is_named and user is None):
            asked = _find_checkpoint(await self.get_state(), body)
        if asked:
            body = body.model_copy(update={"checkpoint_id": asked.checkpoint_id})
        if not self.caller.may_decide and (
            _decides(body, asked) or (isinstance(body, Steer) and await self._has_consent())
        ):
            raise NotAllowed(Notice.of("key-decides-nothing"))
        if user is not None:
            body = authorize(self.deps.seals, self.caller, self.row, body, asked)
        live = await self.deps.run_client.send(self.id, message, body)
        accepted: Accepted = "update" if live else "signal"
        if wait and not _is_at_rest(live):
            live = await self._wait_for_rest(wait)
        state = await self._stamp(live) if live else await self._read_record()
        return CommandView(accepted=accepted, **dict(state))

    async def _has_consent(self) -> bool:
        """Return whether the run may search: it was approved, or started with consent."""
        decisions = (await self.get_state()).decisions
        return any(is_approval(decision) or decision.scope for decision in decisions)

    async def _wait_for_rest(self, wait: float) -> StateView | None:
        """Return the state once a human is asked or the run has ended, or when time is up."""
        async for _ in self.watch(self.row.last_seq, wait):
            pass
        return await self.deps.run_client.get_state(self.id)

    async def watch(self, after: int, seconds: float) -> AsyncGenerator[SentEvent]:
        """Yield the events after a `seq` until a human is asked or the run has ended, or until time is up."""
        log = self.deps.log.follow(self.reader, self.row, after, seconds)
        async with aclosing(log) as pages:
            async for page in pages:
                for event in page.events:
                    yield event
                if any(event.type in MILESTONES for event in page.events) and _is_at_rest(
                    await self.deps.run_client.get_state(self.id)
                ):
                    return

    async def reload(self) -> "RunService":
        """Return the service of the run's current record; the previous one while the store is unavailable."""
        with suppress(StoreUnavailable):
            return await RunService.find(self.deps, self.caller, self.id)
        return self

    def get_recorded_state(self) -> StateView:
        """Return the state as last recorded; before the first record, as the run was opened."""
        row = self.row
        if row.snapshot:
            recorded = StateView.read_record(row.snapshot)
        elif row.opened is None:
            raise NotFound(Notice.of("run-unopened", run=self.id))
        else:
            given = RunInput.read_record(row.request)
            opening = OpenRequest(run_id=self.id, input=given, started_at=row.started_at)
            recorded = build_view(build_initial_state(opening, row.opened))
        return recorded.model_copy(update={"seq": row.last_seq, "live": False})


Run = Annotated[RunService, Depends(RunService.find)]
Wait = Annotated[
    float, Query(ge=0, le=60, description="seconds to wait for the next checkpoint or the end")
]


def _decides(body: HumanMessage, asked: Checkpoint | None) -> bool:
    """Return whether a message approves or ends something; a revision does if it ends a vote."""
    if isinstance(body, Decide) and body.action == "revise":
        return asked is not None and asked.poll is not None
    return isinstance(body, Decide | Delegate | Cancel)


def _is_at_rest(state: StateView | None) -> bool:
    return state is not None and (bool(state.pending) or state.status in ENDED)


def _find_checkpoint(state: StateView, said: _ForCheckpoint) -> Checkpoint | None:
    """Return the one open checkpoint that a message can answer, or None if there is no single match."""
    kind = "questions" if isinstance(said, AnswerQuestions) else "decision"
    waiting = [c for c in state.pending if c.kind == kind]
    named = [c for c in waiting if said.checkpoint_id in {None, c.checkpoint_id}]
    return named[0] if len(named) == 1 else None
