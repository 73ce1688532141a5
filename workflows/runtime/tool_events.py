"""Events of a tool that workflow code executes itself, logged like those of any other tool."""

from collections.abc import Callable

from contracts.base import Json
from contracts.models.call import Block
from contracts.runs.records import EventType, build_tool_result

Emit = Callable[[EventType, Json], None]


def log_tool_call(
    emit: Emit, call: Block, output: Json | str, content: str, *, is_error: bool = False
) -> None:
    """Log a call together with its result, so that a handler entered again repeats neither."""
    said: Json = {"tool_id": call.id, "tool_name": call.name, "tool_kwargs": call.input}
    emit("ToolCall", said)
    emit("ToolCallResult", build_tool_result(said, output, content, is_error=is_error))
