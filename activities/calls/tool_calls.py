"""Journaled tool calls with their events: an activity retry gets the result it had."""

import contextlib
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from activities.calls.call_events import attempt_id, call_event
from activities.calls.journaled_call import JournaledCalls
from contracts.base import Contract, Json
from contracts.errors import GreenlightError, StoreUnavailable, ToolFailed
from contracts.models.call import Scope
from contracts.models.journal import CallResult, CallSpec
from contracts.runs.records import tool_result
from contracts.terms import Usage

if TYPE_CHECKING:
    from store.events import EventRepository
    from store.journal import Journal

T = TypeVar("T", bound=Contract)
MAX_CONTENT_CHARS = 8_000
"""Characters of a result that its event repeats as text, beside the whole of it."""
Settles = Callable[[GreenlightError], bool]
"""Tells whether a failure is the call's result rather than a reason to retry."""


class ToolCalls:
    """Runs a tool once per scope, name and arguments, and writes its two events."""

    def __init__(self, journal: "Journal", events: "EventRepository") -> None:
        self._calls = JournaledCalls(journal)
        self._events = events

    async def run(  # noqa: PLR0913 - one call, whole
        self,
        scope: Scope,
        tool_name: str,
        kwargs: Json,
        fn: Callable[[], Awaitable[T]],
        result_type: type[T],
        settles: Settles,
    ) -> T:
        """Return the journaled result of this very call, or that of `fn()`.

        Raises:
            ToolFailed: A failure that `settles`: journaled, so that a retry fails in the same way.
        """
        call: Json = {"tool_id": scope.name, "tool_name": tool_name, "tool_kwargs": kwargs}

        async def make() -> CallResult:
            try:
                found = (await fn()).model_dump(mode="json")
            except GreenlightError as error:
                failed = tool_result(call, str(error), str(error), is_error=True)
                finished = call_event(scope, "ToolCallResult", failed, f"{attempt_id()}/failed")
                if settles(error):
                    return CallResult(
                        result={"failed": str(error)}, usage=Usage(), events=[finished]
                    )
                with contextlib.suppress(StoreUnavailable):
                    await self._events.append(scope.tenant_id, scope.run_id, [finished])
                raise
            given = tool_result(call, found, json.dumps(found)[:MAX_CONTENT_CHARS])
            done = call_event(scope, "ToolCallResult", given, "output")
            return CallResult(result=found, usage=Usage(), events=[done])

        canonical = json.dumps([tool_name, kwargs], sort_keys=True).encode()
        begun = call_event(scope, "ToolCall", call, f"{attempt_id()}/0")
        spec = CallSpec(
            scope=scope,
            kind="tool",
            request_hash=hashlib.sha256(canonical).hexdigest(),
            events=[begun],
        )
        result = (await self._calls.run(spec, make)).result
        if "failed" in result:
            raise ToolFailed(str(result["failed"]))
        return result_type.model_validate(result)

    async def drain(self) -> None:
        """Give calls that go on although their attempt is gone a moment to end."""
        await self._calls.drain()
