"""Work done at the same time, in an order that a replay repeats."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def run_together(*work: Coroutine[Any, Any, T]) -> list[T]:
    """Return the results of coroutines that run at the same time; the first failure cancels the others and is raised.

    They are started and cancelled in their order, so that a replay does the same; `asyncio.TaskGroup` cancels a set.
    """
    tasks = [asyncio.create_task(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            if not task.cancelling():
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
