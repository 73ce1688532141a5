"""A model that answers each turn with charts of nearly equal values, as a misled one might."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bench.replay import Exchange
from offline import wire
from offline.messages import check_request
from offline.model.conversation import Conversation
from offline.model.reply import reply

NAME = "draughtsman"
NEARLY_EQUAL: list[list[float]] = [[1, 1.0000000000000002], [1e18, 1e18 - 128], [2**53, 2**53 + 2]]
TURN_SECONDS = 3.0
"""Duration of a turn, as of a fast model, so that charts are the bottleneck and not model calls."""
MAX_TURNS = 6
"""Turns of a run with tables and charts; after them it answers as the offline model does."""


@dataclass
class Draughtsman:
    """Makes tables and charts of them, in turns, wherever the tools are offered."""

    exchanges: list[Exchange] = field(default_factory=list)

    async def respond(self, request: Request) -> Response:
        """Answer a request of the Messages API."""
        body, problem = await check_request(request)
        if problem:
            return problem
        offered = {tool["name"] for tool in body.get("tools", [])}
        turn = len(body["messages"]) // 2
        if "chart" in offered and turn < MAX_TURNS:
            content, reason = [_call(turn, n) for n in range(len(NEARLY_EQUAL))], "tool_use"
        else:
            content, reason = reply(Conversation.of(body))
        await asyncio.sleep(TURN_SECONDS)
        whole = wire.build_message(body["model"], content, reason, 1_000)
        return StreamingResponse(
            wire.stream_events(whole, 0, break_off=False), media_type="text/event-stream"
        )


def _call(turn: int, n: int) -> wire.Content:
    """Return a call that makes a table, or in the turn after that one a chart of it."""
    title = f"Pumps {turn // 2}.{n}"
    args: dict[str, Any] = {"title": title, "columns": ["x", "y"]}
    if turn % 2:
        args |= {"table": title, "kind": "scatter", "x": "x", "y_label": "y", "columns": ["y"]}
    else:
        args["rows"] = [[value, value] for value in NEARLY_EQUAL[n]]
    name = "chart" if turn % 2 else "table"
    return {"type": "tool_use", "id": f"toolu_{turn}_{n}", "name": name, "input": args}
