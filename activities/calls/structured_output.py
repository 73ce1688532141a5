"""What a reply is worth: an answer, a turn that uses tools, an error, or a case for repair."""

import json

from referencing.exceptions import Unresolvable

from contracts.base import Json
from contracts.errors import ModelRefused, ModelTruncated, OutputInvalid
from contracts.models.call import Block, Input, Message, ModelRequest, Reply
from contracts.models.schemas import SchemaTooCostly, find_violations

_MOST_PROBLEMS = 20
_CUT_OFF = {"max_tokens", "model_context_window_exceeded"}
_REPAIR = (
    "Your answer does not match the schema it was asked for. The problems are listed below. "
    "Answer again with the whole corrected JSON and nothing else."
)


class Mismatch(Exception):
    """A typed answer that is not of its schema.

    `problems` say what is wrong in full, for the model; the message names places and rules only,
    since it travels further than an answer may.
    """

    def __init__(self, problems: list[str], summary: str) -> None:
        super().__init__(summary)
        self.problems = problems


def read(request: ModelRequest, reply: Reply) -> Json | None:
    """Return the output of a typed answer, None where none was asked for or tools come first.

    Raises:
        ModelRefused, ModelTruncated: No answer; the same request would end the same way.
        Mismatch: The answer is not of its schema.
    """
    if reply.stop_reason == "refusal":
        raise ModelRefused("the model declined to answer")
    if reply.stop_reason in _CUT_OFF:
        raise ModelTruncated(f"the answer was cut off ({reply.stop_reason})")
    if request.output_schema is None or any(b.type == "tool_use" for b in reply.content):
        return None
    return _parse(text_of(reply), request.output_schema)


def repair(request: ModelRequest, reply: Reply, problems: list[str]) -> ModelRequest:
    """Return the request that shows the model its answer and what is wrong with it."""
    answer = Message(role="assistant", content=reply.content)
    listed = Input(name="problems", text="\n".join(problems))
    complaint = Message(
        role="user",
        content=[Block(type="text", text=_REPAIR), Block(type="inputs", inputs=[listed])],
    )
    scope = request.scope.model_copy(update={"name": f"{request.scope.name}-repair"})
    messages = [*request.messages, answer, complaint]
    return request.model_copy(update={"scope": scope, "messages": messages})


def text_of(reply: Reply) -> str:
    """Return all the text of a reply."""
    return "".join(block.text for block in reply.content if block.type == "text")


def _parse(text: str, schema: Json) -> Json:
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # half characters, 1e999
    except (ValueError, RecursionError) as error:
        raise Mismatch([f"not JSON: {error}"], "it is not JSON") from None
    try:
        found = sorted(find_violations(schema, value), key=lambda error: error.json_path)
    except Unresolvable as error:
        raise OutputInvalid(f"the output schema lacks what it refers to: {error.ref}") from None
    except (SchemaTooCostly, RecursionError) as error:
        raise OutputInvalid("the output schema takes too long to check an answer") from error
    found = found[:_MOST_PROBLEMS]
    if found:
        summary = ", ".join(f"{e.json_path} breaks `{e.validator}`" for e in found)
        raise Mismatch([f"{e.json_path}: {e.message}" for e in found], summary)
    if not isinstance(value, dict):
        raise Mismatch(["$: the answer must be an object"], "it is no object")
    return value
