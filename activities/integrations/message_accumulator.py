"""A message of the Messages API, put together from the events that stream it."""

from collections.abc import Callable
from typing import Any

from anthropic.types import (
    ContentBlock,
    MessageDeltaUsage,
    RawContentBlockDelta,
    RawMessageStreamEvent,
    Usage,
)
from pydantic_core import from_json

from contracts.models.call import Block, Reply

OnText = Callable[[str], None]
OnTokens = Callable[[float, int], None]
"""Told of the billed input and the output so far, as the provider counts them."""

CACHE_WRITE, CACHE_READ = 1.25, 0.1
"""What a cached token costs against a plain one. Source: the provider's pricing page."""

_COUNTED = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


class MessageAccumulator:
    """What has come of a message so far; a block's pieces are joined once, when it is read.

    The SDK's accumulator reads the whole input of a tool anew with each piece: of one of 9,000
    tokens, in pieces of five characters, that is half a second of the event loop.
    """

    def __init__(self, on_text: OnText, on_tokens: OnTokens) -> None:
        self._on_text = on_text
        self._on_tokens = on_tokens
        self._blocks: list[tuple[ContentBlock, list[str]]] = []
        self._tokens: dict[str, int] = {}
        self._stop_reason: str | None = None
        self._whole = False

    def take(self, event: RawMessageStreamEvent) -> None:
        """Take in one event; an odd one raises whatever it fails at."""
        match event.type:
            case "message_start":
                self._count(event.message.usage)
            case "content_block_start":
                self._blocks.append((event.content_block, []))
            case "content_block_delta":
                self._grow(self._blocks[event.index][1], event.delta)
            case "message_delta":
                self._stop_reason = event.delta.stop_reason
                self._count(event.usage)
            case "message_stop":
                self._whole = True
            case _:
                pass  # the end of a block says nothing new, and the API may send more kinds

    def _grow(self, pieces: list[str], delta: RawContentBlockDelta) -> None:
        if delta.type == "text_delta":
            pieces.append(delta.text)
            self._on_text(delta.text)
        elif delta.type == "input_json_delta":
            pieces.append(delta.partial_json)

    def _count(self, usage: Usage | MessageDeltaUsage) -> None:
        """Keep the newest counts; one that a later event leaves out stands."""
        counted = ((name, getattr(usage, name)) for name in _COUNTED)
        self._tokens |= {name: n for name, n in counted if n is not None}
        self._on_tokens(self._input(CACHE_WRITE, CACHE_READ), self._tokens["output_tokens"])

    def _input(self, write: float, read: float) -> float:
        """Return the input tokens, cached ones weighed."""
        written = self._tokens.get("cache_creation_input_tokens", 0)
        found = self._tokens.get("cache_read_input_tokens", 0)
        return self._tokens["input_tokens"] + write * written + read * found

    def reply(self) -> Reply:
        """Return the whole message.

        Raises:
            ValueError: It did not come to its end, or a tool's input is no JSON object.
        """
        if not (self._tokens and self._whole):
            raise ValueError("no whole message")
        blocks = (_block(part, "".join(pieces)) for part, pieces in self._blocks)
        return Reply(
            content=[block for block in blocks if block],
            stop_reason=self._stop_reason or "",
            input_tokens=int(self._input(1, 1)),
            billed_input_tokens=self._input(CACHE_WRITE, CACHE_READ),
            output_tokens=self._tokens["output_tokens"],
        )


def _block(part: ContentBlock, written: str) -> Block | None:
    """Return a block of ours; None for a kind we do not keep, such as the model's thinking."""
    if part.type == "text":
        return Block(type="text", text=part.text + written)
    if part.type == "tool_use":
        # An answer that was cut off ends in the midst of it; its stop reason says so.
        given: Any = from_json(written, allow_partial=True) if written else part.input
        return Block(type="tool_use", id=part.id, name=part.name, input=given)
    return None
