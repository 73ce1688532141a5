"""Errors in workflow code: their text for people, the loss they cause, and whether a retry may help."""

from pydantic import ValidationError
from temporalio.exceptions import ApplicationError, TimeoutError, TimeoutType

from contracts.errors import (
    MAX_MESSAGE_CHARS,
    ApprovalRequired,
    BudgetExceeded,
    CallTimedOut,
    ErrorInfo,
    GreenlightError,
    KeyRejected,
    ModelRefused,
    ModelRejected,
    ModelTruncated,
    OutputInvalid,
    Transient,
    WorkerLost,
)
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause

_FINAL = {error.type() for error in (ApprovalRequired, BudgetExceeded, KeyRejected, ModelRejected)}
_USELESS = {error.type() for error in (ModelRefused, ModelTruncated, OutputInvalid)}
_OUTAGES: tuple[type[GreenlightError], ...] = (
    *Transient.__subclasses__(),
    CallTimedOut,
    WorkerLost,
)
_PASSING = {error.type() for error in _OUTAGES}


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
    """Return True if a retry of the failed activity would fail in the same way."""
    return describe_failure(error).type in _FINAL


def is_answer_useless(error: BaseException) -> bool:
    """Return True if a model did answer: the same call would return that answer from the journal."""
    return isinstance(error, ValidationError) or describe_failure(error).type in _USELESS
