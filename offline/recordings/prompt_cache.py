"""The provider's prompt cache, simulated, so that a run is priced as the provider would price it."""

import hashlib
import json
import math
import time
from typing import Any

from offline import wire

LIFETIME_SECONDS, LOOKBACK, LEAST_TOKENS = 300, 20, 4_096
"""The prompt cache's lifetime, how many blocks back it looks, and its shortest prefix."""


class PromptCache:
    """The provider's prompt cache: a marked prefix is kept from its first answer's begin on."""

    def __init__(self, delay_seconds: float = 0.0) -> None:
        self._delay_seconds = delay_seconds
        self._kept: dict[str, tuple[float, float]] = {}
        """Maps a prefix's hash to the times from and until which it can be read."""

    def count(self, body: dict[str, Any]) -> tuple[int, int]:
        """Return the tokens that a request reads from the cache and writes to it; store marked prefixes."""
        parts = [body.get("tools"), body.get("system"), *(m["content"] for m in body["messages"])]
        shared = json.dumps([body.get(name) for name in ("model", "output_config", "tool_choice")])
        digest, size, read, now = hashlib.sha256(shared.encode()), 0, 0, time.monotonic()
        ends, marked = list[tuple[str, int]](), list[tuple[str, int]]()
        for block in (block for part in parts for block in part or [] if isinstance(block, dict)):
            text = json.dumps({**block, "cache_control": None})
            digest.update(text.encode())
            size += wire.count_tokens(text)
            ends.append((digest.hexdigest(), size))
            if "cache_control" in block and size >= LEAST_TOKENS:
                marked.append(ends[-1])
                held = (s for key, s in ends[-LOOKBACK:] if self._holds(key, now))
                read = max([read, *held])
        for key, _ in marked:
            ready, until = self._kept.get(key, (math.inf, 0.0))
            ready = min(ready if now < until else math.inf, now + self._delay_seconds)
            self._kept[key] = ready, now + LIFETIME_SECONDS
        return read, max([0, *(size - read for _, size in marked)])

    def _holds(self, key: str, now: float) -> bool:
        ready, until = self._kept.get(key, (math.inf, 0.0))
        return ready <= now < until
