"""Guidance by the user through MCP: a plan or result is sent back, or agents at work are told something.

Neither approves anything, and both are refused where they would undo what a human decided.
"""

from typing import Annotated

from pydantic import Field

from api.mcp.approval import require_plan
from api.mcp.caller import ToolContext, identify, refuse_in_words
from api.mcp.progress import WaitSeconds, follow
from api.mcp.views import ToolRun, find_plan_checkpoint, show_run
from contracts.base import Note, RunId
from contracts.errors import Conflict
from contracts.human.approvers import LinkedDecide
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Steer
from contracts.notices import Notice
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from workflows.checkpoints.decision_checks import list_allowed_actions

UserWords = Annotated[Note, Field(min_length=1, description="the user's own words")]


@refuse_in_words
async def revise(
    run_id: RunId,
    feedback: UserWords,
    ctx: ToolContext,
    plan_hash: Annotated[
        str | None, Field(description="of the plan that the user saw; required while a plan waits")
    ] = None,
    wait_seconds: WaitSeconds = 45,
) -> ToolRun:
    """Send back the plan, step or result that waits for a decision, to be made again as the user says.

    It approves nothing: what is made again waits for the user as before, a plan with a new hash and price.
    """
    caller = identify(ctx)
    run = await caller.find_run(run_id)
    waiting = _find_revisable(await run.get_state(), plan_hash)
    message = LinkedDecide(
        action="revise",
        feedback=feedback,
        plan_hash=waiting.plan_hash,
        checkpoint_id=waiting.checkpoint_id,
        client=caller.client,
    )
    await run.send("decide", message, 0)
    return show_run(run, await follow(ctx, run, wait_seconds))


@refuse_in_words
async def steer(run_id: RunId, text: UserWords, ctx: ToolContext) -> ToolRun:
    """Guide the run's agents from their next call on, in the user's words.

    Once the run may search, only a key of the scope `approve` can: guidance changes what was approved.
    """
    run = await identify(ctx).find_run(run_id)
    return show_run(run, await run.send("steer", Steer(text=text), 0))


def _find_revisable(state: StateView, plan_hash: str | None) -> Checkpoint:
    """Return the checkpoint whose subject can be sent back.

    Raises:
        StalePlan: A plan waits, and the hash is not its own.
        Conflict: Nothing waits that can be sent back.
    """
    if plan_hash is not None or find_plan_checkpoint(state):
        return require_plan(state, plan_hash)
    for checkpoint in state.pending:
        if "revise" in list_allowed_actions(checkpoint):
            return checkpoint
    if state.status in ENDED:
        raise Conflict(Notice.of("run-has-ended", status=Notice.of(f"status-{state.status}")))
    raise Conflict(Notice.of("no-decision-open"))
