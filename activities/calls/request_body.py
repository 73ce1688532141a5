"""Rendering a `ModelRequest` as a body of the Messages API: fences, blobs, cache marks, hash."""

import asyncio
import hashlib
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from activities.calls.prompt_cache import CACHED, mark_cached
from activities.calls.untrusted_text import GUIDANCE_RULE, INPUT_RULE, fence
from contracts.base import Json
from contracts.models.batch import Form
from contracts.models.call import Block, ModelRequest
from contracts.models.catalogue import find_accepted

if TYPE_CHECKING:
    from store.blobs import BlobStore

Body = dict[str, Any]
Texts = Mapping[str, str]

ANSWER_TOOL = "give_answer"
_MIN_THINKING = 1_024
"""Tokens that a budget for thinking has at least, by the API."""
_IN_WORDS = "When you answer, give one JSON object of this JSON Schema and nothing else:"
_UNSEEN: dict[str, Any] = {
    **dict.fromkeys(("scope", "batch", "pages", "judge", "keeps_history", "seconds_left"), True),
    **dict.fromkeys(("cap_usd", "kept_usd", "kept_turns", "fits_budget"), True),
    "messages": {"__all__": {"content": {"__all__": {"artifact", "search"}}}},
}
"""Fields of a request that are not sent to the model."""


def hash_request(request: ModelRequest) -> str:
    """Return the SHA-256 of the canonical JSON of all that the model receives."""
    body = request.model_dump(mode="json", exclude=_UNSEEN)
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def count_bytes(value: object) -> int:
    """Return how many bytes a value takes in a request."""
    return len(json.dumps(value, ensure_ascii=False).encode())


class RenderedRequest:
    """A request with the texts of its blobs, rendered once in each form that is asked for."""

    def __init__(self, request: ModelRequest, texts: Texts) -> None:
        self.request = request
        self.texts = texts
        self._bodies: dict[Form, Body] = {}
        self._sizes: dict[Form, int] = {}

    def render(self, form: Form) -> Body:
        """Return the body to send, which must not be changed."""
        if form not in self._bodies:
            self._bodies[form] = render(self.request, self.texts, form)
        return self._bodies[form]

    def count_bytes(self, form: Form) -> int:
        """Return how many bytes the body has."""
        if form not in self._sizes:
            self._sizes[form] = count_bytes(self.render(form))
        return self._sizes[form]

    def estimate_tokens(self, form: Form) -> int:
        """Return an upper estimate of the body's tokens: its UTF-8 bytes divided by three, rounded up.

        English has about four bytes per token, and other scripts about three per character, so the
        estimate is high, as a reservation should be.
        """
        return math.ceil(self.count_bytes(form) / 3)

    def limit_answer(self, tokens: int) -> "RenderedRequest":
        """Return the rendered request for an answer of at most `tokens` tokens."""
        if tokens == self.request.max_tokens:
            return self
        limited = RenderedRequest(
            self.request.model_copy(update={"max_tokens": tokens}), self.texts
        )
        if not self.request.thinking_tokens:  # else less of it is for thinking, too
            limited._bodies = {
                form: {**body, "max_tokens": tokens} for form, body in self._bodies.items()
            }
        limited._sizes = dict(self._sizes)  # but for the digits of that number
        return limited


def fit_thinking(request: ModelRequest) -> ModelRequest:
    """Return a request without room for thinking if its model cannot think before it answers."""
    if not request.thinking_tokens or find_accepted(request.model).thinks:
        return request
    left = request.max_tokens - request.thinking_tokens
    return request.model_copy(update={"max_tokens": left, "thinking_tokens": 0})


async def render_body(request: ModelRequest, blobs: "BlobStore") -> Body:
    """Return the body to send; each blob that it refers to is read once."""
    return render(request, await load_texts(request, blobs), "enforced")


async def load_texts(request: ModelRequest, blobs: "BlobStore") -> Texts:
    """Return the texts of the blobs that a request refers to, by their keys."""
    blocks = [block for message in request.messages for block in message.content]
    keys = sorted({item.blob.blob_key for block in blocks for item in block.inputs if item.blob})
    read = await asyncio.gather(*(blobs.get(request.scope.tenant_id, key) for key in keys))
    return {key: text.decode() for key, text in zip(keys, read, strict=True)}


def render(request: ModelRequest, texts: Texts, form: Form) -> Body:
    """Return the body to send, with the texts of its blobs."""
    messages = []
    for message in request.messages:
        content = [_render_block(block, texts) for block in message.content]
        if kept := [block for block in content if block]:
            messages.append({"role": message.role, "content": kept})
    rules = INPUT_RULE + GUIDANCE_RULE * _may_be_guided(request)
    system = {"type": "text", "text": f"{request.system}\n\n{rules}", **CACHED}
    body: Body = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "system": [system],
        "messages": messages,
    }
    if request.tools:
        body["tools"] = [tool.model_dump() for tool in request.tools]
        if not _count_thinking(request):  # the next turn thinks less, and reads nothing of this one
            mark_cached(messages, request)
        if not request.may_call:
            body["tool_choice"] = {"type": "none"}
    if request.output_schema is not None:
        _demand(body, request, form)
    _set_thinking(body, _count_thinking(request))
    return body


def _count_thinking(request: ModelRequest) -> int:
    """Return how many tokens a model may think, at most half of its answer's; 0 if it does not think first."""
    tokens = min(request.thinking_tokens, request.max_tokens // 2)
    return tokens if tokens >= _MIN_THINKING else 0


def _set_thinking(body: Body, tokens: int) -> None:
    """Have a model think before it answers; otherwise turn thinking off, or limit it where a model thinks by default.

    It counts towards `max_tokens`, and is billed as output.
    """
    accepted = find_accepted(body["model"])
    if tokens and accepted.thinks == "budget":
        body["thinking"] = {"type": "enabled", "budget_tokens": tokens}
    elif tokens and accepted.thinks == "adaptive":
        body["thinking"] = {"type": "adaptive"}
        body["output_config"] = {**body.get("output_config", {}), "effort": "high"}
    elif accepted.thinking:
        body["thinking"] = dict(accepted.thinking)
    elif accepted.effort:
        body["output_config"] = {**body.get("output_config", {}), "effort": accepted.effort}


def _may_be_guided(request: ModelRequest) -> bool:
    """Return whether a human guides the work, or may do so while the conversation continues."""
    blocks = [block for message in request.messages for block in message.content]
    return bool(request.tools) or any(i.tag == "guidance" for b in blocks for i in b.inputs)


def build_answer_tool(schema: Json | None) -> Body:
    """Return the tool by which a model gives an answer of a schema."""
    return {"name": ANSWER_TOOL, "description": "Gives your answer.", "input_schema": schema}


def _demand(body: Body, request: ModelRequest, form: Form) -> None:
    schema = request.output_schema
    if form == "enforced":
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    elif form == "tool":
        body["tools"] = [*body.get("tools", []), build_answer_tool(schema)]
        may_call = request.tools and request.may_call
        body["tool_choice"] = {"type": "any"} if may_call else {"type": "tool", "name": ANSWER_TOOL}
    else:
        told = f"{_IN_WORDS}\n{json.dumps(schema, ensure_ascii=False)}"
        body["messages"][-1]["content"].append({"type": "text", "text": told})


def _render_block(block: Block, blobs: Mapping[str, str]) -> Body | None:
    """Return a block in the API's format; None for an empty text, which the API rejects."""
    if block.type == "tool_use":
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    fences = [fence(item, blobs) for item in block.inputs]
    text = "\n\n".join(part for part in [block.text, *fences] if part.strip())
    if block.type != "tool_result":
        return {"type": "text", "text": text} if text else None
    result: Body = {"type": "tool_result", "tool_use_id": block.id, "is_error": block.is_error}
    return {**result, "content": [{"type": "text", "text": text}]} if text else result
