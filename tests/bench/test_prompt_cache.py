"""How much of a request a replayed answer is billed as read from the prompt cache."""

from typing import Any

from bench.replay import count_cached
from tests.offline.model_requests import body

TEXT = {"type": "text", "text": "Olives grow in Peru. " * 900}
MARKED = TEXT | {"cache_control": {"type": "ephemeral"}}
REQUEST = body("") | {"messages": [{"role": "user", "content": [MARKED]}]}


def test_a_marked_prefix_is_written_once_and_read_under_the_same_schema_and_tool_choice() -> None:
    def count(**options: Any) -> tuple[bool, bool]:
        read, written = count_cached(REQUEST | options)
        return read > 0, written > 0

    assert count() == (False, True)
    assert count() == (True, False)
    assert count(tool_choice={"type": "none"}) == (False, True)
    assert count(output_config={"format": {"type": "json_schema", "schema": {}}}) == (False, True)
