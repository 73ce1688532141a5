"""Spans of model calls and tools, by OpenTelemetry's GenAI conventions; they contain no prompts or answers."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.trace import Span, SpanKind

from activities.spans import open_span
from contracts.models.call import Reply
from contracts.tool_servers import is_server_call

PROVIDERS = {"api.anthropic.com": "anthropic", "api.openai.com": "openai"}
"""Well-known providers by host; any other server is named by its host."""


class ChatSpan:
    """The span of one call of a model."""

    def __init__(self, span: Span) -> None:
        self._span = span
        self._begun = time.monotonic()
        self._has_chunk = False

    def note_chunks(self, on_text: Callable[[str], None]) -> Callable[[str], None]:
        """Return `on_text`, with the time of its first call noted."""

        def receive(text: str) -> None:
            if not self._has_chunk:
                self._has_chunk = True
                seconds = time.monotonic() - self._begun
                self._span.set_attribute("gen_ai.response.time_to_first_chunk", seconds)
            on_text(text)

        return receive

    def note_reply(self, reply: Reply) -> None:
        """Note why the answer ended and its tokens."""
        self._span.set_attributes(
            {
                "gen_ai.response.finish_reasons": [reply.stop_reason],
                "gen_ai.usage.input_tokens": reply.input_tokens,
                "gen_ai.usage.output_tokens": reply.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": reply.cache_read_tokens,
                "gen_ai.usage.cache_creation.input_tokens": reply.cache_written_tokens,
            }
        )


@contextmanager
def open_chat_span(
    body: Mapping[str, Any], url: str, agent: str, run_id: str
) -> Iterator[ChatSpan]:
    """Open the span of a request to the model's server at `url`; `agent` is the role that asks."""
    model, host = str(body["model"]), urlsplit(url).hostname or ""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(host, host),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": body.get("max_tokens", 0),
        "gen_ai.request.stream": True,
        "gen_ai.agent.name": agent,
        "gen_ai.conversation.id": run_id,
        "server.address": host,
    }
    with open_span(f"chat {model}", SpanKind.CLIENT, attributes) as span:
        yield ChatSpan(span)


@contextmanager
def open_tool_span(name: str) -> Iterator[Span]:
    """Open a tool call's span; a server's tool is named `mcp`, because its own name may contain content."""
    own = "mcp" if is_server_call(name) else name
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": own}
    with open_span(f"execute_tool {own}", attributes=attributes) as span:
        yield span
