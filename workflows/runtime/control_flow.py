"""Exceptions by which a phase ends its run early or sends another back, and work done at the same time."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pydantic import BaseModel

from contracts.base import Json
from contracts.errors import GreenlightError
from contracts.phases.recall import FinishedReport
from workflows.runtime.failures import describe_failure

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


class RevisionRequested(Exception):
    """A human asks for another version of what earlier phases gave."""

    def __init__(self, phase_ids: list[str], feedback: str) -> None:
        super().__init__(*phase_ids)
        self.phase_ids = phase_ids
        self.feedback = feedback


class RunStopped(Exception):
    """A phase fails, with an output for people to read, and no later phase may run."""

    def __init__(self, error: GreenlightError, output: BaseModel) -> None:
        super().__init__(str(error))
        self.error = describe_failure(error)
        self.output: Json = output.model_dump(mode="json")


class Rejected(Exception):
    """A human rejected the checkpoint, or its deadline passed."""


class RunShortCircuited(Exception):
    """A phase already has the run's answer; carries its output, with the report in it."""

    def __init__(self, output: BaseModel, finished: FinishedReport) -> None:
        super().__init__("short-circuited")
        answer = finished.model_dump(mode="json", include={"report", "sources", "artifacts"})
        self.output: Json = output.model_dump(mode="json") | answer
