"""The tools: each calls what the HTTP route of the same thing calls."""

from collections.abc import Callable
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from api.chat.reply_or_new_run import find_started
from api.mcp.approval import approve
from api.mcp.caller import ToolCaller, ToolContext, identify, refuse_in_words
from api.mcp.guidance import revise, steer
from api.mcp.progress import WaitSeconds, follow
from api.mcp.questions import QuestionForm, ask_user
from api.mcp.views import (
    ToolDefinitions,
    ToolPlan,
    ToolReport,
    ToolRun,
    ToolRuns,
    ToolSources,
    build_run_url,
    find_plan_checkpoint,
    find_questions,
    show_definition,
    show_plan,
    show_run,
    show_source,
    show_summary,
)
from api.routers import runs
from api.routers.run.reports import get_report
from api.runs.idempotency_key import create_run_id
from api.runs.service import RunService
from api.runs.start import RunStarted, start_run
from contracts.base import Question, RunId
from contracts.definitions import DEFAULT
from contracts.errors import Conflict
from contracts.human.messages import AnswerQuestions
from contracts.notices import Notice
from contracts.planning.plan import Depth
from contracts.runs.request import RunRequest
from contracts.runs.state_view import StateView
from contracts.words.question_language import detect_language
from store.run_records.runs import RunQuery

PART_CHARS, PART_SOURCES = 50_000, 100
RequestId = Annotated[
    str | None,
    Field(
        min_length=1, max_length=200, description="your own id; the same one starts no second run"
    ),
]
Start = Annotated[int, Field(ge=0, le=2**31, description="`next_start` of the part before")]


@refuse_in_words
async def start(  # noqa: PLR0913 - each is an argument of the tool
    question: Question,
    ctx: ToolContext,
    definition: str = DEFAULT,
    inputs: dict[str, Any] | None = None,
    depth: Depth | None = None,
    budget_usd: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None,
    collections: list[str] | None = None,
    request_id: RequestId = None,
    wait_seconds: WaitSeconds = 20,
) -> ToolRun:
    """Start research on a question. It asks back and shows a plan with its price; nothing is searched before the user has approved that.

    `definition` is one of `list_definitions`; `inputs` are what it asks for beside the question. `collections` name the
    user's own documents to search as well. `next` of the result says what to do.
    """
    caller = identify(ctx)
    request = RunRequest(
        query=question,
        inputs=inputs or {},
        depth=depth,
        budget=budget_usd,
        collections=collections or [],
    )
    new_id = await _create_id(caller, request_id)
    return await _show_started(
        ctx,
        await start_run(caller.deps, caller.principal, new_id, definition, request),
        wait_seconds,
    )


@refuse_in_words
async def answer(
    run_id: RunId,
    elicited: Annotated[ElicitationResult[QuestionForm], Resolve(ask_user)],
    ctx: ToolContext,
    answers: dict[str, str | None] | None = None,
    wait_seconds: WaitSeconds = 30,
) -> ToolRun:
    """Answer the run's open questions, in the user's words.

    Without `answers` your client asks the user itself, if it can show forms. `answers` are by question id; null
    leaves a question to the run, one that is left out stays open. Do not make answers up.
    """
    run = await identify(ctx).find_run(run_id)
    if answers is not None:
        message = AnswerQuestions(answers=answers)
    elif not isinstance(elicited, AcceptedElicitation):
        raise ToolError(Notice.of("mcp-not-answered").say(detect_language(run.row.query)))
    elif not isinstance(elicited.data, QuestionForm):
        state = await run.get_state()
        if find_questions(state) is None:
            raise Conflict(Notice.of("no-questions-open"))
        return show_run(run, state)
    else:
        message = elicited.data.read()
    await run.send("answer_questions", message, 0)
    return await _wait(ctx, run, wait_seconds)


@refuse_in_words
async def plan(run_id: RunId, ctx: ToolContext) -> ToolPlan:
    """Return the run's plan with its price. Show it to the user whole before you call `approve`."""
    run = await identify(ctx).find_run(run_id)
    state = await run.get_state()
    found = show_plan(run, state, find_plan_checkpoint(state))
    if found is None:
        raise Conflict(Notice.of("no-plan-open"))
    return found


@refuse_in_words
async def status(run_id: RunId, ctx: ToolContext, wait_seconds: WaitSeconds = 0) -> ToolRun:
    """Return how far a run is, at once or after waiting for its next question or its end, with progress."""
    run = await identify(ctx).find_run(run_id)
    return await _wait(ctx, run, wait_seconds)


@refuse_in_words
async def report(
    run_id: RunId,
    ctx: ToolContext,
    evidence: Annotated[bool, Field(description="also every quote, below the text")] = False,
    start: Start = 0,
) -> ToolReport:
    """Return the run's report as Markdown, a draft while it is written; long ones in parts."""
    run = await identify(ctx).find_run(run_id)
    response = await get_report(run, "md", None, None, appendix=evidence)
    text = bytes(response.body).decode()
    part = text[start : start + PART_CHARS]
    end = start + len(part)
    return ToolReport(
        run_id=run.id,
        url=build_run_url(run),
        status=(await run.get_state()).status,
        text=part,
        next_start=end if end < len(text) else None,
    )


@refuse_in_words
async def sources(run_id: RunId, ctx: ToolContext, start: Start = 0) -> ToolSources:
    """Return the pages that the run read, by the numbers that its report cites."""
    run = await identify(ctx).find_run(run_id)
    found = await run.list_noted_sources()
    end = start + PART_SOURCES
    language = detect_language(run.row.query)
    numbered = list(enumerate(found, 1))[start:end]
    return ToolSources(
        run_id=run.id,
        total=len(found),
        sources=[show_source(n, source, language) for n, source in numbered],
        next_start=end if end < len(found) else None,
    )


@refuse_in_words
async def follow_up(  # noqa: PLR0913 - each is an argument of the tool
    run_id: RunId,
    question: Question,
    ctx: ToolContext,
    budget_usd: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None,
    request_id: RequestId = None,
    wait_seconds: WaitSeconds = 20,
) -> ToolRun:
    """Research a further question on a finished run, with its sources; a new run, with a plan to approve."""
    body = runs.FollowUp(query=question, budget=budget_usd)
    return await _go_on(ctx, run_id, body, request_id, wait_seconds)


@refuse_in_words
async def ask(
    run_id: RunId,
    question: Question,
    ctx: ToolContext,
    request_id: RequestId = None,
    wait_seconds: WaitSeconds = 45,
) -> ToolRun:
    """Answer a question from a finished report and its stored pages alone: nothing is searched. Its answer is the new run's `report`."""
    body = runs.FollowUp(query=question, research=False)
    return await _go_on(ctx, run_id, body, request_id, wait_seconds)


@refuse_in_words
async def list_runs(
    ctx: ToolContext,
    text: Annotated[str | None, Field(description="part of the question")] = None,
    cursor: Annotated[str | None, Field(description="the last `next_cursor`")] = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
) -> ToolRuns:
    """Return the runs of the user and of their colleagues, those still at work first."""
    caller = identify(ctx)
    query = RunQuery(text=text, cursor=cursor, limit=limit)
    page = await runs.list_runs(caller.deps, caller.principal, query)
    return ToolRuns(
        runs=[show_summary(caller, row) for row in page.items], next_cursor=page.next_cursor
    )


@refuse_in_words
async def list_definitions(ctx: ToolContext) -> ToolDefinitions:
    """Return what `start` can start, with the inputs that each takes."""
    caller = identify(ctx)
    found = await caller.deps.definitions.list(caller.principal)
    return ToolDefinitions(definitions=[show_definition(d) for d in found if not d.asks_report])


async def _create_id(caller: ToolCaller, request_id: str | None) -> str:
    return await create_run_id(caller.principal, request_id and f"mcp:{request_id}")


async def _go_on(
    ctx: ToolContext, run_id: str, body: runs.FollowUp, request_id: str | None, seconds: float
) -> ToolRun:
    """Start a run from a finished one."""
    caller = identify(ctx)
    new_id = await _create_id(caller, request_id)
    started = await runs.follow_up(await caller.find_run(run_id), body, new_id)
    return await _show_started(ctx, started, seconds)


async def _show_started(ctx: ToolContext, started: RunStarted, seconds: float) -> ToolRun:
    caller = identify(ctx)
    return await _wait(
        ctx, await find_started(caller.deps, caller.principal, started.run_id), seconds
    )


async def _wait(ctx: ToolContext, run: RunService, seconds: float) -> ToolRun:
    state: StateView = await follow(ctx, run, seconds)
    return show_run(run, state)


READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
STARTS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
APPROVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)
TOOLS: dict[Callable[..., Any], ToolAnnotations] = {
    start: STARTS,
    answer: STARTS,
    plan: READS,
    approve: APPROVES,
    revise: STARTS,
    steer: STARTS,
    status: READS,
    report: READS,
    sources: READS,
    follow_up: STARTS,
    ask: STARTS,
    list_runs: READS,
    list_definitions: READS,
}
"""In the order shown by clients."""
