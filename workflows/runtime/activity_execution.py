"""Execution of an activity with its options; an unreachable store uses up no attempt."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from pydantic import BaseModel
from temporalio import workflow
from temporalio.exceptions import ActivityError

from contracts.errors import StoreUnavailable
from workflows.runtime.activity_options import OPTIONS

FIRST_PAUSE, LONGEST_PAUSE = 1, 300
"""Seconds: a history is bounded, an outage is not."""

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result")


async def execute_activity(
    method: Callable[[Any, Request], Awaitable[Result]],
    request: Request,
    *,
    summary: str,
    activity_id: str | None = None,
    during_outage: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Result:
    """Return an activity's result; an outage of the store is waited out, inside `during_outage`.

    Raises the activity's failure.
    """

    async def start() -> Result:
        return await workflow.execute_activity_method(
            method, request, activity_id=activity_id, summary=summary, **OPTIONS[method]
        )

    try:
        return await start()
    except ActivityError as error:
        _require_outage(error)
    pause = FIRST_PAUSE
    with during_outage():
        while True:
            await workflow.sleep(pause, summary="the store is unreachable")
            try:
                return await start()
            except ActivityError as error:
                _require_outage(error)
            pause = min(2 * pause, LONGEST_PAUSE)


def _require_outage(error: ActivityError) -> None:
    if getattr(error.cause, "type", "") != StoreUnavailable.type():
        raise error
