"""Message Batches: a model call that may take a day and costs half, found again by the journal."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Never

from activities.calls.call_events import build_call_event
from activities.calls.request_body import Body
from activities.calls.structured_output import read_tools
from contracts.errors import BatchPending, GreenlightError, StoreUnavailable, Transient
from contracts.models.batch import Form, OpenBatch
from contracts.models.call import ModelRequest, Reply, Scope
from contracts.models.prices import BATCH_SHARE, Price, find_price
from contracts.notices import Notice
from contracts.runs.events import Status

if TYPE_CHECKING:
    from activities.integrations.models.model_client import ModelClient
    from store.calls.call_journal import Journal
    from store.run_records.event_log import EventRepository

FIRST_LOOK, LONGEST_PAUSE = 2.0, 600.0
"""Seconds until a batch is looked at again: half of its age, within these."""
LAST_LOOK = 26 * 3_600.0
"""Age at which an unreadable batch is given up; its provider has ended it long before."""
_LOOKS_AT_CANCELLED = 5
_OPEN = ("in_progress", "canceling")


@dataclass(frozen=True)
class ModelBatches:
    """Submits calls as batches of one, and looks up their answers."""

    _client: "ModelClient"
    _journal: "Journal"
    _events: "EventRepository"
    _prices: Mapping[str, Price]

    async def submit(self, request: ModelRequest, body: Body, form: Form, cut_to: int) -> None:
        """Submit a call as a batch and raise BatchPending; return if the model's server has no batches."""
        creating = asyncio.create_task(self._client.open_batch(body))
        try:
            made = await asyncio.shield(creating)
        except asyncio.CancelledError:  # the batch would be lost
            with contextlib.suppress(GreenlightError):
                if lost := await creating:
                    await self._client.cancel_batch(request.model, lost)
            raise
        if made is None:
            await self._tell(request, "none", Notice.of("batch-none", model=request.model))
            return
        now = datetime.now(UTC)
        waits = Notice.of("batch-waits", "info", role=request.role, time=f"{now:%H:%M}")
        await self._tell(request, made, waits)
        _wait(OpenBatch(id=made, at=now.isoformat(), form=form, cut_to_tokens=cut_to))

    async def look_up(self, request: ModelRequest, batch: OpenBatch) -> Reply | None:
        """Return the reply to a batched call, or None if it will get none; raise BatchPending while it waits."""
        try:
            found = await self._client.read_batch(request.model, batch.id)
        except Transient:
            if _compute_age(batch) > LAST_LOOK:
                raise
            _wait(batch)
        if isinstance(found, Reply):
            update = {"form": batch.form, "cut_to_tokens": batch.cut_to_tokens}
            return read_tools(found).model_copy(update=update)
        if found in _OPEN:
            _wait(batch)
        failed = Notice.of("batch-failed", role=request.role, state=str(found))
        await self._tell(request, f"{batch.id}/failed", failed)
        return None

    async def withdraw(self, scope: Scope) -> None:
        """Cancel the batches in which a scope's call, and those made for it, wait; count what was answered."""
        for claim, model, batch in await self._journal.list_open_batches(scope):
            lost_usd = 0.0
            reply = await self._cancel(model, batch)
            if isinstance(reply, Reply):
                price = find_price(model, self._prices)
                lost_usd = price.compute_call_usd(reply)
            await self._journal.withdraw(claim, batch, BATCH_SHARE * lost_usd)

    async def _cancel(self, model: str, batch: OpenBatch) -> Reply | str:
        """Return what became of a batch, which takes its provider a moment to cancel."""
        found = await self._client.read_batch(model, batch.id)
        if found == _OPEN[0]:
            await self._client.cancel_batch(model, batch.id)
        for pause in range(_LOOKS_AT_CANCELLED):
            if found not in _OPEN:
                break
            await asyncio.sleep(pause)
            found = await self._client.read_batch(model, batch.id)
        return found

    async def _tell(self, request: ModelRequest, key: str, notice: Notice) -> None:
        """Show a notice in the run's log, once per key; severity `info` reports a wait."""
        scope = request.scope
        status = Status.of(notice).model_copy(update={"waits": notice.severity == "info"})
        event = build_call_event(scope, status, "")
        once = event.model_copy(update={"key": f"batches/{key}"})
        with contextlib.suppress(StoreUnavailable):
            await self._events.append(scope.tenant_id, scope.run_id, [once])


def _compute_age(batch: OpenBatch) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(batch.at)).total_seconds()


def _wait(batch: OpenBatch) -> Never:
    raise BatchPending(batch, min(max(_compute_age(batch) / 2, FIRST_LOOK), LONGEST_PAUSE))
