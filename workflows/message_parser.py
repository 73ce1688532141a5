"""Parsing messages: a malformed start ends its run at once, a malformed signal is dropped and logged."""

import asyncio
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from temporalio import workflow
from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, FailureError
from temporalio.worker import (
    ExecuteWorkflowInput,
    HandleSignalInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from contracts.errors import GreenlightError, InvalidInput
from contracts.notices import Notice
from contracts.problems import Problem, limit_notice, list_problems

Body = TypeVar("Body", bound=BaseModel)

NO_BODY = RawValue(Payload())
"""The argument of a message without one."""


def parse_body(value: RawValue, body: type[Body]) -> Body:
    """Return a message's body; its fields may be left out where they have defaults.

    Raises InvalidInput, which says which field is wrong and how.
    """
    data: object = None
    if value.payload.metadata:
        try:
            data = workflow.payload_converter().from_payload(value.payload)
        except Exception as error:  # noqa: BLE001 - whatever it holds, it must not wedge the run
            raise InvalidInput(Notice.of("message-not-json", reason=str(error)[:300])) from None
    if not isinstance(data, dict | None):
        raise InvalidInput(Notice.of("message-no-object", fields=list(body.model_fields)))
    try:
        return body.model_validate(data or {})
    except ValidationError as error:
        raise InvalidInput(list_problems(error.errors())) from None


def refusal(error: GreenlightError) -> ApplicationError:
    """Return an error as Temporal passes it on."""
    return ApplicationError(str(error), *error.details, type=error.type(), non_retryable=True)


class _Inbound(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        if len(input.args) > 1:
            example, n = '{"query": "…"}', len(input.args)
            raise refusal(InvalidInput(Problem.at("input", "input-several", example=example, n=n)))
        return await super().execute_workflow(input)

    async def handle_signal(self, input: HandleSignalInput) -> None:
        try:
            await super().handle_signal(input)
        except (FailureError, asyncio.CancelledError):
            raise
        except (GreenlightError, TypeError, ValueError, AttributeError) as error:
            workflow.logger.warning("signal %s ignored: %s", input.signal, error)
            note = getattr(workflow.instance(), "report_ignored_signal", None)
            if note is not None:
                other = Notice.of("text", text=str(error))
                words = error.words if isinstance(error, GreenlightError) else other
                await note(input.signal, limit_notice(words))


class SafeMessages(Interceptor):
    """Keeps what has the wrong form from failing the workflow task for ever."""

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        """Return the inbound half."""
        return _Inbound
