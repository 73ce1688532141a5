"""Prompt caching: the blocks of a request that are marked with `cache_control`, because later requests repeat them."""

from typing import Any

from contracts.agents.tool_definitions import UPDATE_REPORT
from contracts.models.call import PLANNED, ModelRequest

CACHED = {"cache_control": {"type": "ephemeral"}}


def mark_cached(messages: list[dict[str, Any]], request: ModelRequest) -> None:
    """Mark for the prompt cache what later turns of a conversation with tools repeat, besides system and tools.

    All turns repeat the first block of the first message. A turn that keeps its history repeats the previous
    turn completely; since the API looks back at most 20 blocks, the end of the turn before is marked too. A
    turn that drops its history repeats nothing else, but reads what the turn before it wrote, if there is
    one. A turn that may not call tools has no successor, and reads nothing because its tool choice differs.
    An agent that only writes the report gets fewer pages in a repair turn, so that repeats nothing.
    """
    only_writes = all(tool.name == UPDATE_REPORT for tool in request.tools)
    if not request.may_call or (only_writes and not request.keeps_history):
        return
    called = [block.id for message in request.messages[-2:-1] for block in message.content]
    left = [] if any(id.startswith(PLANNED) for id in called) else messages[2:-1:2][-1:]
    opening = messages[0]["content"]
    if len(opening) > 1:
        opening[0].update(CACHED)
    for message in messages[-1::-2][:2] if request.keeps_history else left:
        message["content"][-1].update(CACHED)
