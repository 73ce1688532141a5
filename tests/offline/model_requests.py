"""Requests to the offline model as the application sends them, and what comes back."""

import json
from typing import Any

from offline.model.conversation import Conversation
from offline.model.reply import reply

Json = dict[str, Any]


def fence(inputs: dict[str, Any]) -> str:
    """Return inputs as prompts carry them."""
    texts = {n: v if isinstance(v, str) else json.dumps(v) for n, v in inputs.items()}
    return "\n\n".join(f'<input name="{name}">\n{text}\n</input>' for name, text in texts.items())


def body(text: str, *, schema: Json | None = None, **options: Any) -> Json:
    """Return a request with one user message."""
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    wanted = {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    basis = {"model": "claude-haiku-4-5", "max_tokens": 8_000, "messages": messages}
    return basis | (wanted if schema else {}) | options


def instance(schema: Json, **inputs: Any) -> Any:
    """Return the typed answer to inputs."""
    content, stop_reason = reply(Conversation.of(body(fence(inputs), schema=schema)))
    assert stop_reason == "end_turn"
    return json.loads(content[0]["text"])
