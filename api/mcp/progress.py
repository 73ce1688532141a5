"""Waiting for a run, with a line of progress for each step of its work."""

import asyncio
from typing import Annotated

from pydantic import Field

from api.chat.reply_or_new_run import Turn
from api.mcp.caller import ToolContext
from api.runs.service import RunService
from contracts.runs.state_view import StateView

MAX_WAIT_SECONDS = 50
"""Clients of the TypeScript SDK give a call up after a minute, unless they are set otherwise."""
USER_SECONDS = 300.0
"""How long to wait for a client's user; the SDK does not report clients that disconnect."""
WaitSeconds = Annotated[
    float,
    Field(
        ge=0, le=MAX_WAIT_SECONDS, description="how long to wait for the next question or the end"
    ),
]


def limit_asking() -> asyncio.Timeout:
    """Return the time within which a client's user answers or opens a link; then TimeoutError is raised."""
    return asyncio.timeout(USER_SECONDS)


async def follow(ctx: ToolContext, run: RunService, seconds: float) -> StateView:
    """Return the state once a human is asked or the run has ended, or when time is up."""
    turn = Turn(run, (await run.get_state()).seq)
    if seconds:
        done = 0
        async for line in turn.follow(seconds):
            done += 1
            await ctx.report_progress(done, message=line)
    return await (await run.reload()).get_state()
