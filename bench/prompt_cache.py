"""The prompt cache of the Messages API: how much of a request an earlier one left, and it leaves."""

import hashlib
import json
import time
from typing import Any

from offline.wire import count_tokens

LIFETIME_SECONDS, LOOKBACK, LEAST_TOKENS = 300, 20, 4_096
_kept: dict[str, float] = {}
"""When each prefix that ends at a marked block expires, by its hash."""


def count_cached(body: dict[str, Any]) -> tuple[int, int]:
    """Return the tokens that are read and that are written, and keep what is marked."""
    parts = [body.get("tools"), body.get("system"), *(m["content"] for m in body["messages"])]
    shared = json.dumps([body.get(name) for name in ("model", "output_config", "tool_choice")])
    digest, size, read, now = hashlib.sha256(shared.encode()), 0, 0, time.monotonic()
    ends, marked = list[tuple[str, int]](), list[tuple[str, int]]()
    for block in (block for part in parts for block in part or [] if isinstance(block, dict)):
        text = json.dumps({**block, "cache_control": None})
        digest.update(text.encode())
        size += count_tokens(text)
        ends.append((digest.hexdigest(), size))
        if "cache_control" in block and size >= LEAST_TOKENS:
            marked.append(ends[-1])
            read = max(read, *(s if _kept.get(key, 0) > now else 0 for key, s in ends[-LOOKBACK:]))
    _kept.update({key: now + LIFETIME_SECONDS for key, _ in marked})
    return read, max([0, *(size - read for _, size in marked)])
