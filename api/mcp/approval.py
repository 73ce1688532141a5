"""Approval through MCP: by a link that the user opens, or by a key with the scope `approve`.

An answer that comes through a client proves no human: a client can give it by itself. The link leads to our own page,
whose record of a decision is what counts; that a client opened it counts for nothing.
"""

from contextlib import aclosing
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ElicitRequest, ElicitRequestURLParams, InputRequiredResult
from pydantic import Field

from api.mcp.caller import ToolCaller, ToolContext, asks_by_result, identify, refuse_in_words
from api.mcp.progress import MAX_WAIT_SECONDS, WaitSeconds, limit_asking
from api.mcp.views import ToolRun, build_run_url, find_plan_checkpoint, show_run
from api.runs.service import RunService
from contracts.base import RunId
from contracts.errors import Conflict, InvalidInput
from contracts.human.approvers import LinkedDecide
from contracts.human.checkpoints import Checkpoint
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from contracts.words import say
from contracts.words.question_language import detect_language
from workflows.checkpoints.decision_checks import build_stale_plan

OPENED = "decide"
HALF_A_CENT = 0.005


@refuse_in_words
async def approve(
    run_id: RunId,
    plan_hash: str,
    ctx: ToolContext,
    price_usd: Annotated[float | None, Field(allow_inf_nan=False)] = None,
    wait_seconds: WaitSeconds = 45,
) -> ToolRun | InputRequiredResult:
    """Have the user approve the plan that `plan_hash` names, after they have seen it with its price.

    The user decides on Greenlight's own page: your client opens its link, or the result has it as `approve_url`; give
    it to the user as it is. Nothing is searched before. A key of the scope `approve` decides at once, if `price_usd`
    repeats the plan's `top_usd`.
    """
    caller = identify(ctx)
    run = await caller.find_run(run_id)
    if ctx.input_responses is not None and ctx.request_state == f"{run_id} {plan_hash}":
        answer = ctx.input_responses.get(OPENED)
        return await _show_decided(run, getattr(answer, "action", ""), wait_seconds)
    state = await run.get_state()
    shown = require_plan(state, plan_hash)
    if caller.principal.may_decide:
        return await _decide(caller, run, shown, price_usd)
    link = caller.deps.alerting.links.build_holder_url(caller.holder, run.row, shown, caller.client)
    language = detect_language(run.row.query)
    if not _opens_links(ctx):
        return _hand_out(run, state, link)
    message = say(language, "mcp-approve", query=run.row.query, usd=_get_price(shown))
    if asks_by_result(ctx):
        asked = ElicitRequest(params=ElicitRequestURLParams(message=message, url=link))
        return InputRequiredResult(
            input_requests={OPENED: asked}, request_state=f"{run_id} {plan_hash}"
        )
    try:
        async with limit_asking():
            opened = await ctx.elicit_url(message, link, elicitation_id=shown.checkpoint_id)
    except TimeoutError:
        state = await run.get_state()
        return _hand_out(run, state, link) if find_plan_checkpoint(state) else show_run(run, state)
    return await _show_decided(run, opened.action, wait_seconds)


def _hand_out(run: RunService, state: StateView, link: str) -> ToolRun:
    """Return the run with a link for the user, since the client cannot open it; the run's page if no link may decide."""
    code = "mcp-next-page" if link == build_run_url(run) else "mcp-next-link"
    told = say(detect_language(run.row.query), code)
    return show_run(run, state).model_copy(update={"approve_url": link, "next": told})


def _opens_links(ctx: ToolContext) -> bool:
    declared = ctx.client_capabilities
    return bool(declared and declared.elicitation and declared.elicitation.url is not None)


def require_plan(state: StateView, plan_hash: str | None) -> Checkpoint:
    """Return the checkpoint that shows the plan.

    Raises:
        StalePlan: It shows another plan.
        Conflict: No plan is waiting, or the run has ended.
    """
    if state.status in ENDED:
        raise Conflict(Notice.of("run-has-ended", status=Notice.of(f"status-{state.status}")))
    shown = find_plan_checkpoint(state)
    if shown is None:
        raise Conflict(Notice.of("no-plan-open"))
    if shown.plan_hash != plan_hash:
        raise build_stale_plan([str(shown.plan_hash)], plan_hash)
    return shown


def _get_price(shown: Checkpoint) -> float:
    assert shown.plan is not None
    return shown.plan.estimated_cost.top_usd


async def _decide(
    caller: ToolCaller, run: RunService, shown: Checkpoint, price_usd: float | None
) -> ToolRun:
    """Approve by the key, if the plan and price are those that the user saw."""
    price = _get_price(shown)
    if price_usd is None or not abs(price_usd - price) < HALF_A_CENT:
        raise InvalidInput(Problem.at("price_usd", "mcp-price", usd=price))
    said = LinkedDecide(
        action="approve",
        plan_hash=shown.plan_hash,
        checkpoint_id=shown.checkpoint_id,
        client=caller.client,
    )
    return show_run(run, await run.send("decide", said, 0))


async def _show_decided(run: RunService, action: str, wait_seconds: float) -> ToolRun:
    """Return the run once the user has decided on the page, or when time is up."""
    if action != "accept":
        raise ToolError(say(detect_language(run.row.query), "mcp-not-opened"))
    state = await run.get_state()
    if find_plan_checkpoint(state):
        seconds = min(wait_seconds, MAX_WAIT_SECONDS)
        log = run.deps.log.follow(run.reader, run.row, state.seq, seconds)
        async with aclosing(log) as pages:
            async for _ in pages:
                if find_plan_checkpoint(state := await run.get_state()) is None:
                    break
    return show_run(await run.reload(), state)
