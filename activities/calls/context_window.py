"""A model's context window: how much of it a request may take, and pages cut to fit."""

import contextlib
import json
from collections.abc import Awaitable, Callable

from activities.calls.request_body import Body, RenderedRequest, Texts, count_bytes
from activities.calls.untrusted_text import get_page
from contracts.errors import ModelRejected
from contracts.models.batch import Form
from contracts.models.call import Block, Input, Message, ModelRequest
from contracts.models.prices import Limits
from contracts.notices import Notice

Count = Callable[[Body], Awaitable[int | None]]
"""Returns a request's tokens as counted by the model's server, or None if it cannot count."""

_LEAST_ANSWER_TOKENS = 500
_LEAST_SHARE = 400
"""Bytes of a page below which it is not worth reading."""
_MARGIN = 0.95
"""The share of a context window that is used, since bytes cut are only roughly proportional to tokens."""
_ENDS = ("\n\n", "\n", ". ", " ")
_TOLD = "(to fit the context window, the first {} of {} characters)"


async def fit(
    rendered: RenderedRequest, limits: Limits, form: Form, count: Count
) -> tuple[RenderedRequest, bool]:
    """Return the request within a model's limits, and whether pages were cut for it.

    Raises ModelRejected where what cannot be cut leaves no room for an answer.
    """
    request, texts, window = rendered.request, rendered.texts, limits.window_tokens
    wanted = min(request.max_tokens, limits.answer_tokens or request.max_tokens)
    size = rendered.estimate_tokens(form)
    asked = rendered.limit_answer(wanted)
    if window is None or size + wanted <= window:
        return asked, False
    counted = await count(asked.render(form))
    if counted and counted + wanted <= window:
        return asked, False
    window = int(window * _MARGIN)
    bytes_per_token = rendered.count_bytes(form) / (counted or size)
    most = window - min(wanted, limits.usual_answer_tokens)
    surplus = rendered.count_bytes(form) - int(most * bytes_per_token)
    cut = RenderedRequest(_shorten(request, texts, surplus), texts)
    size = int(cut.count_bytes(form) / bytes_per_token) + 1
    if (left := window - size) < min(wanted, _LEAST_ANSWER_TOKENS):
        named = {"model": request.model, "window": limits.window_tokens}
        raise ModelRejected(Notice.of("model-window", size=size, **named), is_too_long=True)
    return cut.limit_answer(min(wanted, left)), cut.request != request


def _shorten(request: ModelRequest, texts: Texts, surplus: int) -> ModelRequest:
    """Shorten a request by `surplus` bytes, if enough of it may be cut.

    Only pages and tool results may be cut; those of the latest turn get room before older ones.
    """
    if surplus <= 0:
        return request
    weights = [_weigh(b, i, texts) for m in request.messages for b in m.content for i in b.inputs]
    room = sum(weights) - surplus
    messages: list[Message] = []
    for message in reversed(request.messages):
        undone = sum(_weigh(b, i, texts) > 0 for b in message.content for i in b.inputs)
        blocks = []
        for block in message.content:
            inputs = []
            for item in block.inputs:
                if weight := _weigh(block, item, texts):
                    share = min(max(room // undone, _LEAST_SHARE), max(room, 0), weight)
                    room, undone = room - share, undone - 1
                    inputs.append(_cut(item, texts, share / weight))
                else:
                    inputs.append(item)
            blocks.append(block.model_copy(update={"inputs": inputs}))
        messages.append(message.model_copy(update={"content": blocks}))
    return request.model_copy(update={"messages": messages[::-1]})


def _get_long(item: Input, texts: Texts) -> str:
    """Return the text of an input that may be cut: a page's content, without its description."""
    return get_page(item, texts) if item.blob else item.text


def _weigh(block: Block, item: Input, texts: Texts) -> int:
    """Return the bytes of an input that may be cut; 0 if cutting it is not allowed or not worthwhile."""
    may_be_cut = item.blob is not None or block.type == "tool_result"
    weight = count_bytes(_get_long(item, texts)) if may_be_cut else 0
    return weight if weight > _LEAST_SHARE else 0


def _cut(item: Input, texts: Texts, part: float) -> Input:
    """Return an input with a part of its text, which ends where a passage does, and a word about it."""
    text = _get_long(item, texts)
    if part == 1:
        return item
    most = max(int(len(text) * part) - len(_TOLD), 0)
    ends = ((text.rfind(end, most // 2, most), len(end)) for end in _ENDS)
    shown = next((at + length for at, length in ends if at >= 0), most)
    told = _TOLD.format(shown, len(text))
    if item.blob is None:
        hits = _list_first(text, most)
        return item.model_copy(update={"text": hits or f"{text[:shown]}\n{told}"})
    page = item.blob.model_copy(update={"chars": shown, "is_excerpt": False}) if shown else None
    return item.model_copy(update={"text": f"{item.text.rstrip()}\n{told}\n\n", "blob": page})


def _list_first(text: str, most: int) -> str:
    """Return as many items of a JSON list as fit; empty for other text, or if none fits."""
    with contextlib.suppress(ValueError):
        items = json.loads(text)
        while isinstance(items, list) and items:
            items.pop()
            first = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
            if items and len(first) <= most:
                return first
    return ""
