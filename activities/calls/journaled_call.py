"""Calls paid once: claimed before they are made, and settled afterwards even if their attempt is lost.

Whether a call is made, waits or is answered from the journal is decided by `claim_call`, which `store/calls/call_journal.py` asks.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from temporalio import activity

from activities.heartbeat_interceptor import note_finished_call
from contracts.errors import BatchPending, GreenlightError, StoreUnavailable
from contracts.models.batch import OpenBatch
from contracts.notices import Notice
from contracts.runs.records import CallResult, CallSpec

if TYPE_CHECKING:
    from store.calls.call_journal import CallClaim, Journal

Work = Callable[[OpenBatch | None], Awaitable[CallResult]]
"""Makes a call, or continues with the batch in which it waits."""

_PATIENCE_SECONDS = 5.0


class JournaledCalls:
    """Makes calls that a retry finds in the journal instead of making them again."""

    def __init__(self, journal: "Journal") -> None:
        self.journal = journal
        self._tasks: set[asyncio.Task[CallResult]] = set()

    async def run(
        self, spec: CallSpec, work: Work, lost_usd: Callable[[], float] = lambda: 0.0
    ) -> CallResult:
        """Return the settled call, or make it with `work`; wait while another attempt is making it.

        `lost_usd` is called if the call fails, for what it was billed nevertheless. If Temporal times out
        the attempt, rather than someone cancelling it, the call continues: it is paid for already, and
        the next attempt waits for its result.

        Raises:
            BudgetExceeded: The call would exceed the cap; it was not made.
        """
        claim = await self.journal.claim(spec)
        if isinstance(claim, CallResult):
            note_finished_call()
            return _order(claim)
        call = asyncio.create_task(self._make(claim, work, lost_usd))
        self._tasks.add(call)
        call.add_done_callback(self._forget)
        try:
            made = await asyncio.shield(call)
        except asyncio.CancelledError:
            details = activity.cancellation_details()
            if details is None or not (details.timed_out or details.not_found):
                call.cancel()
                await asyncio.wait({call}, timeout=_PATIENCE_SECONDS)
            raise
        note_finished_call()
        return made

    @property
    def is_busy(self) -> bool:
        """Return whether a call is being made or settled, whether its attempt still waits or not."""
        return bool(self._tasks)

    def _forget(self, call: asyncio.Task[CallResult]) -> None:
        """Drop a call that has ended; its failure is journaled, whether anybody still waits or not."""
        self._tasks.discard(call)
        if not call.cancelled():
            call.exception()  # else asyncio logs it as never retrieved

    async def drain(self) -> None:
        """Give calls that outlive their attempt a moment to end."""
        if self.is_busy:
            await asyncio.wait(set(self._tasks), timeout=_PATIENCE_SECONDS)

    async def _make(
        self, claim: "CallClaim", work: Work, lost_usd: Callable[[], float]
    ) -> CallResult:
        try:
            made = await work(claim.batch)
        except BatchPending as pending:
            with contextlib.suppress(
                TimeoutError
            ):  # the journal continues to retry in the background
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self.journal.suspend(claim, pending.batch)
            raise
        except BaseException as error:
            reason = error.type() if isinstance(error, GreenlightError) else type(error).__name__
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self.journal.release(claim, reason, lost_usd())
            raise
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                kept = await self.journal.settle(claim, made)
        except TimeoutError:  # the journal continues to retry in the background
            raise StoreUnavailable(Notice.of("call-unsettled")) from None
        return _order(made.model_copy(update={"result": kept}))


def _order(call: CallResult) -> CallResult:
    """Return a call with its result's keys sorted, because jsonb does not keep their order.

    The next request is built from the result, and must be the same after a worker's death.
    """
    ordered = json.loads(json.dumps(call.result, sort_keys=True))
    return call.model_copy(update={"result": ordered})
