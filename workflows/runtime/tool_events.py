"""Events of a tool that workflow code executes itself, logged like those of any other tool."""

from collections.abc import Callable

from contracts.base import Json
from contracts.runs.records import EventType, build_tool_result

Emit = Callable[[EventType, Json], None]


def log_tool_call(
    emit: Emit, call: Json, output: Json | str, content: str, *, is_error: bool = False
) -> None:
    """Log a call together with its result, so that a handler entered again repeats neither.

    `call` has `tool_id`, `tool_name` and `tool_kwargs`.
    """
    emit("ToolCall", call)
    emit("ToolCallResult", build_tool_result(call, output, content, is_error=is_error))
