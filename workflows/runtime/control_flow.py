"""Exceptions by which a phase ends its run early or sends another back, and errors that no retry mends."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from temporalio.exceptions import ApplicationError, TimeoutError, TimeoutType

from contracts.base import Json
from contracts.errors import (
    MAX_MESSAGE_CHARS,
    ApprovalRequired,
    BudgetExceeded,
    CallTimedOut,
    ErrorInfo,
    GreenlightError,
    KeyRejected,
    ModelRejected,
    Transient,
    WorkerLost,
)
from contracts.lost_inputs import LossCause
from contracts.notices import Notice
from contracts.phases.recall import FinishedReport

T = TypeVar("T")

_FINAL = {error.type() for error in (ApprovalRequired, BudgetExceeded, KeyRejected, ModelRejected)}
_OUTAGES: tuple[type[GreenlightError], ...] = (
    *Transient.__subclasses__(),
    CallTimedOut,
    WorkerLost,
)
_PASSING = {error.type() for error in _OUTAGES}


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


def describe_failure(error: BaseException) -> ErrorInfo:
    """Return an error as people read it."""
    cause = getattr(error, "cause", None) or error
    if isinstance(cause, TimeoutError):
        cause = (
            WorkerLost(Notice.of("worker-lost"))
            if cause.type is TimeoutType.HEARTBEAT
            else CallTimedOut(Notice.of("call-timed-out", reason=cause.message))
        )
    if isinstance(cause, GreenlightError):
        return ErrorInfo.of(cause)
    if isinstance(cause, ApplicationError) and len(cause.details) > 1:
        return ErrorInfo.model_validate(cause.details[1])
    message = getattr(cause, "message", None) or str(cause)
    name = getattr(cause, "type", None) or type(cause).__name__
    return ErrorInfo(type=name, message=message[:MAX_MESSAGE_CHARS])


def describe_cause(error: BaseException) -> LossCause:
    """Return an error as the data that a lost input is explained by."""
    cause = getattr(error, "cause", None) or error
    if isinstance(cause, GreenlightError):
        return cause.loss_cause
    if isinstance(cause, ApplicationError) and cause.details:
        try:
            return LossCause.model_validate(cause.details[0])
        except ValidationError:
            pass  # it is an error of another kind
    reason = describe_failure(error).type
    return LossCause(reason=reason, passing=reason in _PASSING)


def is_final(error: BaseException) -> bool:
    """Tell whether another attempt would fail for the same reason."""
    return describe_failure(error).type in _FINAL


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
