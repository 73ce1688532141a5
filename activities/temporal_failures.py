"""Failures as Temporal sees them: which are tried again, after how long, and which are left to the workflow."""

import logging
import random
from datetime import timedelta

from opentelemetry import trace
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities.spans import mark_failed
from contracts.errors import (
    BatchPending,
    GreenlightError,
    ModelBusy,
    StoreUnavailable,
    Transient,
    WorkerStopping,
)
from temporal.telemetry.prometheus_metrics import ACTIVITY_FAILURES

logger = logging.getLogger(__name__)


LONG_WAIT_SECONDS = 10.0
"""Maximum wait that an activity itself does for a provider; the workflow does longer ones, with its timer paused."""

_JITTER = 0.2

_BENIGN = ApplicationErrorCategory.BENIGN

BLAMELESS = (StoreUnavailable, WorkerStopping, BatchPending)
"""Errors unrelated to the call: the workflow starts its activity again without using up an attempt."""


def settles(error: GreenlightError) -> bool:
    """Return whether a failure is a call's result, because a retry cannot help or none is left."""
    if isinstance(error, BLAMELESS):
        return False
    policy = activity.info().retry_policy
    most = policy.maximum_attempts if policy else 0
    return not isinstance(error, Transient) or 0 < most <= activity.info().attempt


def to_application_error(error: GreenlightError) -> ApplicationError:
    """Convert an error for Temporal, retryable if it is transient and the call's own fault.

    Long waits requested by a provider are left to the workflow, so that they use up no time of a phase. The
    SDK would log each failure with its traceback; this logs one line, and none for outages, which the pool
    logs once.
    """
    info = activity.info()
    mark_failed(trace.get_current_span(), error)
    ACTIVITY_FAILURES.labels(info.activity_type, error.type()).inc()
    if not isinstance(error, (StoreUnavailable, BatchPending)):
        call = (info.activity_type, info.activity_id, info.workflow_id, info.attempt)
        logger.warning("%s %s of %s, attempt %d: %s: %s", *call, error.type(), error)
    delay = None
    if error.retry_after is not None:
        # Add up to a fifth of the requested wait, so that retries spread.
        spread = random.uniform(1, 1 + _JITTER)  # noqa: S311
        delay = timedelta(seconds=error.retry_after * spread)
    waits = isinstance(error, ModelBusy) and (error.retry_after or 0) > LONG_WAIT_SECONDS
    non_retryable = (
        not isinstance(error, Transient)
        or isinstance(error, BLAMELESS)
        or (waits and not settles(error))
    )
    return ApplicationError(
        str(error),
        *error.details,
        type=error.type(),
        non_retryable=non_retryable,
        next_retry_delay=delay,
        category=_BENIGN,
    )
