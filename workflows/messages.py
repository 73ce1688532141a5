"""The defence against malformed signals: what cannot be read is dropped, and the run says why."""

import asyncio
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import FailureError
from temporalio.worker import (
    HandleSignalInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from contracts.errors import GreenlightError, InvalidInput

Body = TypeVar("Body", bound=BaseModel)


def read(value: RawValue | None, body: type[Body]) -> Body:
    """Return a message's body; its fields may be left out where they have defaults."""
    if value is None:
        return validated({}, body)
    try:
        data = workflow.payload_converter().from_payload(value.payload)
    except Exception as error:  # noqa: BLE001 - whatever a payload holds, it must not wedge the run
        raise InvalidInput(f"not JSON: {error}"[:300]) from None
    return validated({} if data is None else data, body)


def validated(data: object, body: type[Body]) -> Body:
    """Return `data` as that model, or say which field is wrong and how."""
    if not isinstance(data, dict):
        raise InvalidInput(f"expected a JSON object with {', '.join(body.model_fields)}")
    try:
        return body.model_validate(data)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise InvalidInput("; ".join(problems)[:1_000]) from None


class _Inbound(WorkflowInboundInterceptor):
    async def handle_signal(self, input: HandleSignalInput) -> None:
        try:
            await super().handle_signal(input)
        except (FailureError, asyncio.CancelledError):
            raise
        except (GreenlightError, TypeError, ValueError, AttributeError) as error:
            workflow.logger.warning("signal %s ignored: %s", input.signal, error)
            note = getattr(workflow.instance(), "signal_ignored", None)
            if note is not None:
                note(input.signal, str(error))


class SafeMessages(Interceptor):
    """Keeps a signal of the wrong form from failing the workflow task for ever."""

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        """Return the inbound half."""
        return _Inbound
