"""Paid once: claimed before, settled after, whatever becomes of the attempt that waits for it."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from temporalio import activity
from typing_extensions import TypeIs

from contracts.base import Json, in_order
from contracts.errors import GreenlightError, StoreUnavailable
from contracts.models.call import Scope
from contracts.runs.records import Event
from contracts.terms import Usage

if TYPE_CHECKING:
    from store.journal import Claim, Journal, Settled

T = TypeVar("T")


@dataclass(frozen=True)
class Made:
    """What a call gave and cost, and the events that tell it; all three are kept at once."""

    result: Json
    usage: Usage
    events: Sequence[Event] = ()


Work = Callable[[], Awaitable[Made]]

_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True)
class Entry:
    """What is claimed; a call whose `reserved_usd` would pass `cap_usd` is not made."""

    scope: Scope
    kind: Literal["model", "tool"]
    request_hash: str
    model: str = ""
    reserved_usd: float = 0.0
    cap_usd: float = 0.0
    events: Sequence[Event] = ()
    """What the log says once the call is claimed."""
    lost_usd: Callable[[], float] = lambda: 0.0
    """Asked when the call fails: what it has cost all the same."""


@dataclass(frozen=True)
class Outcome:
    """A settled call; `reused` when it was made before."""

    result: Json
    usage: Usage
    reused: bool


class Once:
    """Makes calls that a retry finds in the journal instead of making them again."""

    def __init__(self, journal: "Journal") -> None:
        self._journal = journal
        self._tasks: set[asyncio.Task[Any]] = set()

    async def run(self, entry: Entry, work: Work) -> Outcome:
        """Return what the call gave before, or make it; another's live call is waited for.

        An attempt that the server gave up while this process stood still leaves its call running:
        it is paid for already, and the next attempt waits for its result.

        Raises:
            BudgetExceeded: The call would pass the cap; it was not made.
        """
        found = await self._journal.claim(
            entry.scope,
            entry.kind,
            entry.request_hash,
            entry.model,
            entry.reserved_usd,
            entry.cap_usd,
            entry.events,
        )
        if _is_settled(found):
            return _outcome(found.result, found.usage, reused=True)
        call = self._keep(self._make(entry, found, work))
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            if not _given_up():
                call.cancel()
                await asyncio.wait({call}, timeout=_PATIENCE_SECONDS)
            raise

    async def drain(self, limit_seconds: float = 5.0) -> None:
        """Give what runs in the background a moment to end."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=limit_seconds)

    async def _make(self, entry: Entry, claim: "Claim", work: Work) -> Outcome:
        try:
            made = await work()
        except BaseException as error:
            releasing = self._journal.release(claim, _reason(error), entry.lost_usd())
            with contextlib.suppress(StoreUnavailable):
                await self._write(releasing)
            raise
        settling = self._journal.settle(claim, made.result, made.usage, made.events)
        return _outcome(await self._write(settling), made.usage, reused=False)

    async def _write(self, writing: Coroutine[Any, Any, T]) -> T:
        """Wait for the journal; while the store is away it goes on by itself, and we do not."""
        task = self._keep(writing)
        done, _ = await asyncio.wait({task}, timeout=_PATIENCE_SECONDS)
        if not done:
            raise StoreUnavailable("a call was made and is journaled when the store is back")
        return task.result()

    def _keep(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _outcome(result: Json, usage: Usage, *, reused: bool) -> Outcome:
    """Return a settled call: what is asked next is built of it, and is the same after a kill.

    The journal keeps the keys of an object in an order of its own.
    """
    return Outcome({key: in_order(result[key]) for key in sorted(result)}, usage, reused)


def _is_settled(found: "Claim | Settled") -> "TypeIs[Settled]":
    return hasattr(found, "result")


def _given_up() -> bool:
    """Tell whether the server dropped this attempt, rather than somebody asking it to stop."""
    details = activity.cancellation_details()
    return details is not None and (details.timed_out or details.not_found)


def _reason(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return error.type() if isinstance(error, GreenlightError) else type(error).__name__
