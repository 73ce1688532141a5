"""A tool that workflow code carries out itself, told in the log as any agent's tool is."""

from collections.abc import Callable

from contracts.base import Json
from contracts.runs.records import EventType, tool_result

Emit = Callable[[EventType, Json], None]


def tell(
    emit: Emit, call: Json, output: Json | str, content: str, *, is_error: bool = False
) -> None:
    """Log a call with its result: together, so that a handler entered again repeats neither.

    `call` has `tool_id`, `tool_name` and `tool_kwargs`.
    """
    emit("ToolCall", call)
    emit("ToolCallResult", tool_result(call, output, content, is_error=is_error))
