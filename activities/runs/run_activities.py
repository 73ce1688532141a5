"""Activities of every run: its opening, its events and phases recorded, a sentence of its report edited."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from temporalio import activity

from activities.runs.start_resolver import StartResolver
from contracts.access.principal import Principal
from contracts.errors import Conflict, NotAllowed, Permanent, StoreUnavailable
from contracts.notices import Notice
from contracts.report.edits import EditedReport, EditRequest
from contracts.runs.events import Status, build_event
from contracts.runs.records import Batch, Recorded, set_aside
from contracts.runs.schedules import SCHEDULED_RUN
from contracts.runs.start import Opened, OpenRequest
from contracts.words.question_language import detect_language
from domain.alerts.selection import list_alerts
from domain.report.changes.hand_edits import edit_outputs
from domain.report.context import ReportContext

if TYPE_CHECKING:
    from activities.alerts.run_alerts import RunAlerts
    from activities.collections.library import FolderMirror
    from activities.providers.provider_check import ProviderCheck
    from store.calls.call_journal import Journal
    from store.run_records.runs import RunRepository
    from store.schedules import ScheduleRepository


_ASIDE_SECONDS = 0.05
ATTEMPTS = 5
"""Attempts at a batch that PostgreSQL is reachable for but refuses."""


@dataclass(frozen=True)
class RunActivities:
    """Writes the run's row, phases and log."""

    _resolver: StartResolver
    _runs: "RunRepository"
    _journal: "Journal"
    _library: "FolderMirror"
    _schedules: "ScheduleRepository"
    _providers: "ProviderCheck | None" = None
    _alerts: "RunAlerts | None" = None

    @activity.defn(name="runs.open")
    async def open(self, request: OpenRequest) -> Opened:
        """Resolve a start and record the run, without relying on what the gateway resolved.

        Check now whether providers would refuse the run, so that nobody answers questions in vain.
        Idempotent by run id. Raises like `StartResolver.resolve`, and Conflict if a run with this id has
        ended; neither is retried. If a scheduled run fails to start, its owner is alerted; it is refused
        as NotAllowed once its schedule's key is no longer live.
        """
        try:
            return await self._open(request)
        except Permanent as error:
            if self._alerts:
                await self._alerts.tell_failed_start(request, error)
            raise

    async def _open(self, request: OpenRequest) -> Opened:
        tenant = request.input.tenant_id
        if scheduled := SCHEDULED_RUN.fullmatch(request.run_id):
            request = await self._name_key(request, scheduled[1])
        own = await self._library.synchronise(tenant)
        opened = await self._resolver.resolve(request.input, [own] if own else [])
        opened = await self._library.add_to(tenant, opened, own)
        if not await self._runs.create(request, opened):
            raise Conflict(Notice.of("run-id-taken", run=request.run_id))
        blocked = await self._providers.find_refusal(opened.needed) if self._providers else None
        return opened.model_copy(update={"blocked": blocked})

    async def _name_key(self, request: OpenRequest, schedule_id: str) -> OpenRequest:
        """Return a scheduled run's request with the schedule's current key, which pays and is logged.

        Resuming a schedule binds it to the user's key. Raises NotAllowed if that key was revoked.
        """
        tenant = request.input.tenant_id
        if await self._schedules.list_without_key(Principal(tenant_id=tenant), schedule_id):
            raise NotAllowed(Notice.of("schedule-key-revoked"))
        keys = await self._schedules.list_keys(tenant, schedule_id)
        named = request.input.model_copy(update={"key_id": keys[0]} if keys else {})
        return request.model_copy(update={"input": named})

    @activity.defn(name="runs.record")
    async def record(self, batch: Batch) -> Recorded:
        """Write one batch, idempotent by its events' keys, and return the run's spend so far.

        Alerts about its events are queued in the same transaction, and their channels are woken.

        Wait briefly first, because calls that start at the same moment need the same row, and work waits
        for them. A batch that cannot be written is stored for an operator after five attempts, since the
        run's end waits for its record.

        Raises:
            StoreUnavailable: PostgreSQL is unreachable; retried without limit.
        """
        if not batch.ended_at:
            await asyncio.sleep(_ASIDE_SECONDS)
        usage = await self._journal.sum_usage(batch.tenant_id, batch.run_id)
        snapshot = {**batch.snapshot, "usage": usage.model_dump(mode="json")}
        batch = batch.model_copy(update={"usage": usage, "snapshot": snapshot})
        try:
            alerts = list_alerts(batch.tenant_id, batch.run_id, batch.events)
            channels = await self._runs.record(batch, alerts)
        except StoreUnavailable:
            raise
        except Exception as error:  # the run must end, whatever is wrong with the batch
            if activity.info().attempt < ATTEMPTS:
                raise
            await self._set_aside(batch, str(error))
            return Recorded(usage=usage, rejected=str(error))
        if channels and self._alerts:
            await self._alerts.wake(channels)
        return Recorded(usage=usage)

    @activity.defn(name="runs.edit")
    async def edit(self, request: EditRequest) -> EditedReport:
        """Replace a sentence in another run's report, in every phase that contains it.

        Idempotent by the report's content.

        Raises:
            Conflict: The sentence or its run was edited since the check.
            NotFound: The run was removed meanwhile.
        """
        who = Principal(tenant_id=request.scope.tenant_id, user_id=request.user_id)
        for _ in range(ATTEMPTS):
            row = await self._runs.get(who, request.run_id)
            phases = await self._runs.list_phases(who, row.run_id)
            outputs = {phase.id: phase.output for phase in phases if phase.output}
            context = ReportContext(
                await self._runs.list_sources(who, row.run_id),
                await self._runs.list_artifacts(who, row.run_id),
                row.by_rule,
                detect_language(row.query),
            )
            places = request.before, request.after
            edited = await asyncio.to_thread(edit_outputs, outputs, *places, context)
            if edited is None:
                break
            if await self._runs.replace_outputs(who, row.run_id, outputs, edited):
                return EditedReport(phases=list(edited))
        raise Conflict(Notice.of("sentence-changed-meanwhile"))

    async def _set_aside(self, batch: Batch, reason: str) -> None:
        """Store a refused batch separately, and record that the run continues or how it ended instead."""
        await self._runs.set_aside(batch, reason)
        told = build_event(
            Status.of(set_aside(reason)),
            key=f"rejected-{batch.version}",
            at=activity.info().scheduled_time.isoformat(),
        )
        end = [event for event in batch.events if event.type == "workflow_complete"]
        left: dict[str, list[Any]] = {"phases": [], "sources": [], "artifacts": []}
        try:
            await self._runs.record(batch.model_copy(update={**left, "events": [told, *end]}))
        except StoreUnavailable:
            raise
        except Exception:  # noqa: BLE001 - whatever is wrong with it, its run must end
            activity.logger.exception("the row of run %s stays as it was", batch.run_id)
