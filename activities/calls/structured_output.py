"""Structured output: validation of a reply against its schema, and the repair turn."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, get_args

from jsonschema.exceptions import ValidationError
from pydantic import JsonValue
from referencing.exceptions import Unresolvable

from activities.calls.request_body import ANSWER_TOOL
from contracts.agents.tool_definitions import UPDATE_REPORT
from contracts.base import Json
from contracts.errors import ModelRefused, ModelTruncated, OutputInvalid
from contracts.models.batch import Form
from contracts.models.call import (
    Block,
    Input,
    Message,
    ModelRequest,
    Reply,
)
from contracts.models.catalogue import find_accepted
from contracts.models.user_json_schema import SchemaTooCostly, find_violations
from contracts.notices import Notice, list_once
from domain.evidence.claims import list_all_citations

_DECODER = json.JSONDecoder()
_MAX_PROBLEMS = 20
_FORMS: tuple[Form, ...] = get_args(Form)
_ENFORCED = {"type", "required", "additionalProperties", "enum"}
"""Rules that servers with schema enforcement guarantee; the API ignores all others."""
_MAX_STARTS = 10
"""Braces of an answer from which JSON is tried to be read."""
CUT_OFF = "max_tokens"
TRUNCATED = {CUT_OFF, "model_context_window_exceeded"}
_REPAIR = (
    "Your answer does not match the schema it was asked for. The problems are listed below. "
    "Answer again with the whole corrected JSON and nothing else."
)
_OTHERWISE = "Your answer was not in the form in which it was asked for ({form}). Give it as you are asked to now."


class Mismatch(Exception):
    """A typed answer that does not match its schema.

    `problems` are complete, for the model; `why` names only paths and rules, since it travels
    further than an answer may. `is_free` means that the server did not enforce the schema.
    """

    def __init__(self, problems: list[str], *why: Notice, is_free: bool = True) -> None:
        super().__init__(*why)
        self.problems = problems
        self.why = why
        self.is_free = is_free


@dataclass(frozen=True)
class TypedAnswer:
    """An answer as JSON that matches its schema, or why it does not: the fields of a Mismatch."""

    value: Json | None = None
    problems: tuple[str, ...] = ()
    why: tuple[Notice, ...] = ()
    is_free: bool = True

    def unwrap(self) -> Json | None:
        """Return the answer, or raise the Mismatch."""
        if self.why:
            raise Mismatch([*self.problems], *self.why, is_free=self.is_free)
        return self.value


class AnswerForms:
    """Remembers for the worker's lifetime in which form each model returns typed answers.

    Requests with tools are probed separately, because a server may accept both, but not together.
    """

    def __init__(self) -> None:
        self._kept: dict[_Place, Form] = {}
        self._next: dict[_Place, int] = {}

    def list_possible(self, request: ModelRequest) -> tuple[Form, ...]:
        """Return the forms to try, best first: the one that has given an answer, if any has."""
        place = _find_place(request)
        kept = self._kept.get(place)
        first = max(self._next.get(each, 0) for each in (place, (request.model, False)))
        return (kept,) if kept else _list_accepted(request.model)[first:]

    def keep(self, request: ModelRequest, form: Form) -> None:
        """Remember that the request's model gave an answer in this form."""
        self._kept.setdefault(_find_place(request), form)

    def leave(self, request: ModelRequest, form: Form) -> bool:
        """Switch to a form for less capable servers; return False if there is none, or no need."""
        place, forms = _find_place(request), _list_accepted(request.model)
        worse = forms.index(form) + 1
        if place in self._kept or worse == len(forms):
            return False
        self._next[place] = max(worse, self._next.get(place, 0))
        return True

    def start_over(self, request: ModelRequest) -> None:
        """Try the best form first again, except where one has given an answer: a passing fault may have spoiled them all."""
        for place in (_find_place(request), (request.model, False)):
            self._next.pop(place, None)


_Place = tuple[str, bool]
"""A model, and whether it may call tools in the same request."""


def _find_place(request: ModelRequest) -> _Place:
    return request.model, bool(request.tools) and request.may_call


def _list_accepted(model: str) -> tuple[Form, ...]:
    """Return the request forms that a model accepts; `tool` needs a forced `tool_choice`, which some refuse."""
    return _FORMS if find_accepted(model).forced_tools else tuple(f for f in _FORMS if f != "tool")


def read_typed(request: ModelRequest, reply: Reply) -> TypedAnswer:
    """Return the output of a typed answer, or its mismatch as data, because this runs in another process.

    Raises like `parse_output`, except for Mismatch.
    """
    try:
        return TypedAnswer(parse_output(request, reply))
    except Mismatch as found:
        return TypedAnswer(None, tuple(found.problems), found.why, found.is_free)


def parse_output(request: ModelRequest, reply: Reply) -> Json | None:
    """Return the output of a typed answer; None if the request has no schema or tools are called.

    Raises:
        ModelRefused, ModelTruncated: There is no answer, and the same request would not get one on a retry.
        Mismatch: The answer does not match its schema.
    """
    if reply.stop_reason == "refusal":
        raise ModelRefused(Notice.of("model-declined"))
    if any(block.type == "tool_use" for block in reply.content):
        return None  # a truncated turn keeps its complete calls
    if reply.stop_reason in TRUNCATED:
        text = join_text(reply)
        if request.output_schema is not None and text and "{" not in text:
            raise Mismatch(
                ["not JSON"], Notice.of("output-no-json")
            )  # more tokens would only give more prose
        raise ModelTruncated(Notice.of("model-cut", reason=reply.stop_reason))
    if request.output_schema is None:
        return None
    return _validate(join_text(reply), request.output_schema)


def read_tools(reply: Reply) -> Reply:
    """Return a reply with the answer tool's input as text, and report changes completed.

    A sentence without citations gets an empty list, so that it is checked like any other.
    """
    content = [_read_tool(block) for block in reply.content]
    return reply.model_copy(update={"content": content})


def _read_tool(block: Block) -> Block:
    if block.type != "tool_use":
        return block
    if block.name == ANSWER_TOOL:
        return Block(type="text", text=json.dumps(block.input, ensure_ascii=False))
    if block.name == UPDATE_REPORT:
        return block.model_copy(update={"input": list_all_citations(block.input)})
    return block


def build_repair(request: ModelRequest, reply: Reply, problems: list[str]) -> ModelRequest:
    """Return a request that shows the model its answer and the schema violations."""
    listed = Input(name="problems", text="\n".join(problems))
    told = [Block(type="text", text=_REPAIR), Block(type="inputs", inputs=[listed])]
    said = [Message(role="assistant", content=reply.content), Message(role="user", content=told)]
    return request.derive("repair", messages=[*request.messages, *said])


def build_otherwise(request: ModelRequest, form: Form) -> ModelRequest:
    """Return the request to send in a form for servers that can do less than `form`.

    The answer is left out, which a small context has no room for; the words make it another call.
    """
    *before, last = request.messages
    told = Block(type="text", text=_OTHERWISE.format(form=form))
    again = last.model_copy(update={"content": [*last.content, told]})
    return request.derive("otherwise", messages=[*before, again])


def build_longer(request: ModelRequest, most: int) -> ModelRequest:
    """Return the request with room for an answer that was cut off, or raise ModelTruncated.

    `most` is how long the model's answers may be.
    """
    if request.max_tokens >= most:
        raise ModelTruncated(Notice.of("model-cut-most", n=most, model=request.model))
    return request.derive("longer", max_tokens=min(2 * request.max_tokens, most))


def join_text(reply: Reply) -> str:
    """Return the whole text of a reply."""
    return "".join(block.text for block in reply.content if block.type == "text")


def read_json(text: str) -> JsonValue:
    """Parse the JSON of an answer, even within a code fence, after a preamble or after `<think>`.

    Raises ValueError if there is none, RecursionError if it is nested too deeply.
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
        raise Mismatch([f"not JSON: {error}"], Notice.of("output-no-json")) from None
    try:
        _drop_invented([*find_violations(schema, value)])
        violations = sorted(find_violations(schema, value), key=lambda error: error.json_path)
    except Unresolvable as error:
        raise OutputInvalid(Notice.of("output-schema-lacks", name=error.ref)) from None
    except (SchemaTooCostly, RecursionError) as error:
        raise OutputInvalid(Notice.of("output-schema-slow")) from error
    if found := [leaf for error in violations for leaf in _find_leaves(error)][:_MAX_PROBLEMS]:
        problems = [f"{error.json_path}: {_complain(error)}" for error in found]
        is_free = any(error.validator in _ENFORCED for error in found)
        raise Mismatch(problems, *list_once(map(_describe, found)), is_free=is_free)
    if not isinstance(value, dict):
        raise Mismatch(["$: the answer must be an object"], Notice.of("output-no-object"))
    return value


def _find_leaves(error: ValidationError) -> Iterator[ValidationError]:
    """Yield the schema violations in a value; for `anyOf`, only those of the branch with the matching type."""
    by_branch: dict[object, list[ValidationError]] = {}
    for part in error.context or ():
        by_branch.setdefault(part.schema_path[0], []).append(part)
    if not by_branch:
        yield error
        return
    is_other = lambda parts: any(p.validator == "type" and not p.path for p in parts)  # noqa: E731
    for part in min(by_branch.values(), key=is_other):
        yield from _find_leaves(part)


def _describe(error: ValidationError) -> Notice:
    """Describe a violation by the schema's field names, without content of the answer."""
    place = ".".join(name for name in error.absolute_path if isinstance(name, str)) or None
    schema: Any = error.validator_value
    said: Any = error.instance
    match error.validator:
        case "required":
            names = [name for name in schema if name not in said]
            return Notice.of("output-lacks", place=place, names=names)
        case "type":
            wanted = schema if isinstance(schema, list) else [schema]
            return Notice.of("output-type", place=place, wanted=wanted)
        case rule:
            return Notice.of("output-breaks", place=place, rule=str(rule))


def _complain(error: ValidationError) -> str:
    """Return a schema violation in the words sent to the model."""
    told = _describe(error)
    return error.message if told.code == "output-breaks" else told.text


def _drop_invented(violations: Sequence[ValidationError]) -> None:
    """Remove fields that the schema does not have, which nobody reads."""
    for error in violations:
        if error.validator == "additionalProperties":
            said: Any = error.instance
            schema: Any = error.schema
            for name in set(said) - set(schema.get("properties", {})):
                del said[name]
