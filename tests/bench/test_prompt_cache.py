"""How much of a request a replayed answer is billed as read from the prompt cache."""

from typing import Any

from offline.recordings.prompt_cache import PromptCache
from tests.offline.model_requests import body

TEXT = {"type": "text", "text": "Olives grow in Peru. " * 900}
MARKED = TEXT | {"cache_control": {"type": "ephemeral"}}
REQUEST = body("") | {"messages": [{"role": "user", "content": [MARKED]}]}


def test_a_marked_prefix_is_written_once_and_read_under_the_same_schema_and_tool_choice() -> None:
    cache = PromptCache()

    def count(**options: Any) -> tuple[bool, bool]:
        read, written = cache.count(REQUEST | options)
        return read > 0, written > 0

    assert count() == (False, True)
    assert count() == (True, False)
    assert count(tool_choice={"type": "none"}) == (False, True)
    assert count(output_config={"format": {"type": "json_schema", "schema": {}}}) == (False, True)


def test_a_prefix_is_not_read_before_the_answer_that_writes_it_begins() -> None:
    cache = PromptCache(delay_seconds=60)
    first, beside = cache.count(REQUEST), cache.count(REQUEST)
    assert (first[0], beside[0]) == (0, 0)
    assert beside[1] == first[1] > 0
