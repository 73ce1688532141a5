"""Structured output: validation of a reply against its schema, and the repair turn."""

import contextlib
import json
from collections.abc import Sequence
from itertools import islice

from pydantic import JsonValue
from referencing.exceptions import Unresolvable

from contracts.base import Json
from contracts.errors import ModelRefused, ModelTruncated, OutputInvalid
from contracts.evidence.claims import Claim
from contracts.models.call import MAX_ANSWER_TOKENS, Block, Input, Message, ModelRequest, Reply
from contracts.models.schemas import SchemaTooCostly, find_violations

_DECODER = json.JSONDecoder()
_MAX_PROBLEMS = 20
_MAX_STARTS = 10
"""Braces of an answer from which JSON is tried to be read."""
CUT_OFF = "max_tokens"
TRUNCATED = {CUT_OFF, "model_context_window_exceeded"}
_REPAIR = (
    "Your answer does not match the schema it was asked for. The problems are listed below. "
    "Answer again with the whole corrected JSON and nothing else."
)
_MEND = (
    "Your sentences were checked against what they cite. Those below did not hold; each says why. Mend "
    "what can be mended (say only what the quotes carry, quote the passage that does, give the expression "
    "of a figure you computed), and leave out what cannot. Keep the rest as it is. Answer again with the "
    "whole JSON and nothing else."
)


class Mismatch(Exception):
    """A typed answer that does not match its schema.

    `problems` are complete, for the model; the message names only paths and rules, since it travels
    further than an answer may.
    """

    def __init__(self, problems: list[str], summary: str) -> None:
        super().__init__(summary)
        self.problems = problems


def parse_output(request: ModelRequest, reply: Reply) -> Json | None:
    """Return the output of a typed answer; None if the request has no schema or tools are called.

    Raises:
        ModelRefused, ModelTruncated: There is no answer, nor would there be on a retry as it stands.
        Mismatch: The answer does not match its schema.
    """
    if reply.stop_reason == "refusal":
        raise ModelRefused("the model declined to answer")
    if any(block.type == "tool_use" for block in reply.content):
        return None  # of a turn that was cut off, the calls that are complete
    if reply.stop_reason in TRUNCATED:
        raise ModelTruncated(f"the answer was cut off ({reply.stop_reason})")
    if request.output_schema is None:
        return None
    return _validate(join_text(reply), request.output_schema)


def build_repair(request: ModelRequest, reply: Reply, problems: list[str]) -> ModelRequest:
    """Return the request that shows the model its answer with what breaks the schema."""
    return _ask_again(request, "repair", reply.content, _REPAIR, problems)


def build_longer(request: ModelRequest) -> ModelRequest:
    """Return the request with room for an answer that was cut off, or raise ModelTruncated."""
    if request.max_tokens >= MAX_ANSWER_TOKENS:
        raise ModelTruncated(f"the answer was cut off at {request.max_tokens} tokens")
    scope = request.scope.model_copy(update={"name": f"{request.scope.name}-longer"})
    most = min(2 * request.max_tokens, MAX_ANSWER_TOKENS)
    return request.model_copy(update={"scope": scope, "max_tokens": most})


def build_mend(request: ModelRequest, answer: list[Block], failed: Sequence[Claim]) -> ModelRequest:
    """Return the request that shows the model its answer with the claims that did not hold."""
    problems = [f"“{claim.text}”: {claim.reason}" for claim in failed[:_MAX_PROBLEMS]]
    again = _ask_again(request, "mend", answer, _MEND, problems)
    return again.model_copy(update={"may_call": False})


def _ask_again(
    request: ModelRequest, why: str, answer: list[Block], told: str, problems: list[str]
) -> ModelRequest:
    listed = Input(name="problems", text="\n".join(problems))
    content = [Block(type="text", text=told), Block(type="inputs", inputs=[listed])]
    said = [Message(role="assistant", content=answer), Message(role="user", content=content)]
    scope = request.scope.model_copy(update={"name": f"{request.scope.name}-{why}"})
    return request.model_copy(update={"scope": scope, "messages": [*request.messages, *said]})


def join_text(reply: Reply) -> str:
    """Return the whole text of a reply."""
    return "".join(block.text for block in reply.content if block.type == "text")


def read_json(text: str) -> JsonValue:
    """Return the JSON of an answer, also in a fence, behind a preamble or behind `<think>`.

    Raises ValueError where there is none, RecursionError where it is nested too deeply.
    """
    bare = text.rpartition("</think>")[2].strip()
    try:
        value: JsonValue = json.loads(bare)
    except ValueError:
        for start in islice((n for n, char in enumerate(bare) if char == "{"), _MAX_STARTS):
            with contextlib.suppress(ValueError):
                return _DECODER.raw_decode(bare, start)[0]  # type: ignore[no-any-return]
        raise
    return value


def _validate(text: str, schema: Json) -> Json:
    try:
        value = read_json(text)
        # Refuses lone surrogates and 1e999.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise Mismatch([f"not JSON: {error}"], "it is not JSON") from None
    try:
        violations = sorted(find_violations(schema, value), key=lambda error: error.json_path)
    except Unresolvable as error:
        raise OutputInvalid(f"the output schema lacks what it refers to: {error.ref}") from None
    except (SchemaTooCostly, RecursionError) as error:
        raise OutputInvalid("the output schema takes too long to check an answer") from error
    if violations := violations[:_MAX_PROBLEMS]:
        problems = [f"{error.json_path}: {error.message}" for error in violations]
        summary = ", ".join(f"{e.json_path} breaks `{e.validator}`" for e in violations)
        raise Mismatch(problems, summary)
    if not isinstance(value, dict):
        raise Mismatch(["$: the answer must be an object"], "it is not an object")
    return value
