"""Journaled tool calls with their events: an activity retry gets the result it had."""

import contextlib
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from activities.calls.call_events import build_call_event, get_attempt_id
from activities.calls.genai_spans import open_tool_span
from contracts.base import Contract, Json
from contracts.errors import ErrorInfo, GreenlightError, Permanent, StoreUnavailable, ToolFailed
from contracts.models.batch import OpenBatch
from contracts.models.call import Scope
from contracts.models.usage import Usage
from contracts.runs.events import ToolCall
from contracts.runs.lost_inputs import LossCause
from contracts.runs.records import CallResult, CallSpec

if TYPE_CHECKING:
    from activities.calls.journaled_call import JournaledCalls
    from store.run_records.event_log import EventRepository

T = TypeVar("T", bound=Contract)
Settles = Callable[[GreenlightError], bool]
"""Decides whether a failure is the call's result rather than a reason to retry."""


def is_permanent(error: GreenlightError) -> bool:
    """Return whether a failure is the result of a call that is the same at each try, as arithmetic is."""
    return isinstance(error, Permanent)


@dataclass(frozen=True)
class ToolCalls:
    """Runs a tool once per scope, name and arguments, and writes its two events."""

    _calls: "JournaledCalls"
    _events: "EventRepository"
    _settles: Settles | None = None

    async def run(  # noqa: PLR0913 - what is called, and how its result is read and shown
        self,
        scope: Scope,
        tool_name: str,
        args: BaseModel,
        fn: Callable[[], Awaitable[T]],
        result_type: type[T],
        publish: Callable[[T], T] = lambda found: found,
    ) -> T:
        """Return the journaled result of the call with these arguments, or that of `fn()`.

        The event shows what `publish` returns of it.

        Raises:
            ToolFailed: A failure that `settles`: journaled, so that a retry fails in the same way.
        """
        kwargs: Json = args.model_dump(
            mode="json",
            exclude={
                *("scope", "named", "approved", "beside_others"),
                *("pages_left", "failures", "sections", "cap_usd"),
            },
        )
        call = ToolCall(tool_id=scope.name, tool_name=tool_name, tool_kwargs=kwargs)

        async def make(_: OpenBatch | None) -> CallResult:
            try:
                with open_tool_span(tool_name):
                    found = await fn()
            except GreenlightError as error:
                failed = build_call_event(
                    scope, call.fail(error.words), f"{get_attempt_id()}/failed"
                )
                if self._settles and self._settles(error):
                    cause, told = error.details
                    kept: Json = {"failed": told, "cause": cause}
                    return CallResult(result=kept, usage=Usage(), events=[failed])
                with contextlib.suppress(StoreUnavailable):
                    await self._events.append(scope.tenant_id, scope.run_id, [failed])
                raise
            given = call.finish(publish(found).model_dump(mode="json"))
            done = build_call_event(scope, given, "output")
            return CallResult(result=found.model_dump(mode="json"), usage=Usage(), events=[done])

        # An agent that repeats a failed call gets a new one: a search may have listed the page
        # since.
        again = [failures] if (failures := getattr(args, "failures", 0)) else []
        canonical = json.dumps([tool_name, kwargs, *again], sort_keys=True).encode()
        begun = build_call_event(scope, call, f"{get_attempt_id()}/0")
        spec = CallSpec(
            scope=scope,
            kind="tool",
            request_hash=hashlib.sha256(canonical).hexdigest(),
            events=[begun],
        )
        result = (await self._calls.run(spec, make)).result
        if "failed" in result:
            told = ErrorInfo.model_validate(result["failed"])
            raise ToolFailed(told.problems or told.words, LossCause.model_validate(result["cause"]))
        return result_type.model_validate(result)
