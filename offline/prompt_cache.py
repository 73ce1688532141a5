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
    spoken = [block for turn in body["messages"] for block in turn["content"]]
    blocks = [*body.get("tools", []), *body.get("system", []), *spoken]
    digest, size, read, now = hashlib.sha256(body["model"].encode()), 0, 0, time.monotonic()
    ends, marked = list[tuple[str, int]](), list[tuple[str, int]]()
    for block in filter(lambda block: isinstance(block, dict), blocks):
        text = json.dumps({**block, "cache_control": None})
        digest.update(text.encode())
        size += count_tokens(text)
        ends.append((digest.hexdigest(), size))
        if "cache_control" in block and size >= LEAST_TOKENS:
            marked.append(ends[-1])
            read = max(read, *(s if _kept.get(key, 0) > now else 0 for key, s in ends[-LOOKBACK:]))
    _kept.update({key: now + LIFETIME_SECONDS for key, _ in marked})
    return read, max([0, *(size - read for _, size in marked)])
