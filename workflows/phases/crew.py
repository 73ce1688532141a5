"""`crew`: agents of CrewAI do what the approved plan asks for, one task after another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from temporalio.exceptions import ActivityError

from activities.crew.crew_tasks import CrewActivities
from contracts.agents.crews import CrewTask, CrewTaskRequest, CrewTaskResult
from contracts.base import Json, get_answer_schema
from contracts.errors import BudgetExceeded, NothingFound
from contracts.evidence.claims import JUDGE
from contracts.lost_inputs import LossCause
from contracts.models.call import Input, ModelRequest, ModelResult, build_guidance, to_input
from contracts.notices import Notice
from contracts.phases.base import Needs
from contracts.phases.crew import CrewConfig, CrewInput, CrewOutput, CrewPhase
from contracts.planning.plan import Plan, PlanRole
from contracts.report.drafts import Findings
from contracts.report.report import Report, Search
from contracts.runs.events import StopEvent
from contracts.terms import Usage
from domain.evidence.claims import leave_out_marks, list_by_id, renumber_sources
from domain.lost_inputs import list_lost_reads
from domain.report.crew_sections import (
    arrange_sections,
    join_comparisons,
    join_outputs,
    name_apart,
)
from domain.source_registry import list_citable_pages, list_pages_read, merge_spans, number_source
from workflows.agents.report_check import CHECK, check_report
from workflows.agents.report_editor import finish_report
from workflows.checkpoints.plan_price import compute_cap_usd, reserve_usd
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.kind import Kind, Tokens
from workflows.phases.research import READS
from workflows.runtime.control_flow import describe_failure, is_final

_UNTOLD = {"steps", "estimated_duration", "estimated_cost"}
"""What of the plan an agent is not told: it gets its own steps."""


async def crew(phase: CrewPhase, given: CrewInput, run: PhaseContext) -> CrewOutput:
    """Execute the tasks in order, join their outputs, and report their claims with their quotes."""
    results: dict[str, CrewTaskResult] = {}
    for task in phase.config.tasks:
        results[task.id] = await _execute_task(phase, given.plan, run, task, results)
    outputs = {name: result.output for name, result in results.items() if result.output}
    if not outputs:
        reason = next(iter(results.values())).failure or ""
        raise NothingFound(Notice.of("no-task-finished", reason=reason))
    searches = [search for result in results.values() for search in result.searches]
    sources = list(run.state.sources)
    _lose_reads(run, searches, results.values())
    plan = given.plan
    if plan and phase.config.web:
        run.losses.record_unmade_searches(plan, searches)
    tasks = phase.config.tasks
    parts = arrange_sections(tasks, outputs, plan.outline if plan else [])
    report = Report(
        title=plan.title if plan else run.state.request.query,
        comparison=join_comparisons(outputs.values()),
        sections=parts,
        notes=[
            Notice.of("part-unfinished", part=name) for name in _list_unfinished(tasks, results)
        ],
    )
    report = await check_report(run, report)
    return CrewOutput(
        sources=sources,
        findings=[claim for part in parts for claim in part.claims if claim.is_usable],
        searches=searches,
        analysis=join_outputs(list(outputs.values())),
        report=finish_report(run, report, sources, searches),
        gaps=[gap for section in report.sections for gap in section.missing.splitlines()],
    )


def adapt_needs(phase: CrewPhase, needs: Needs) -> Needs:
    """Return the needs with the plan required where an agent reaches the web."""
    return needs | {"plan": replace(needs["plan"], required=phase.config.web)}


def estimate_tokens(phase: CrewPhase) -> tuple[Tokens, ...]:
    """Return the tokens that each task is expected to read and write."""
    slack, tokens = phase.config.max_answer_tokens, list[Tokens]()
    for agent in map(phase.config.agent, phase.config.tasks):
        if agent.toolset:  # it searches and reads, its answer is judged and at times mended
            read = Tokens(4_000, 400, 1_600, 120, slack=slack, role=agent.id)
            judged = Tokens(1_800, 40, 400, 17, slack=2_500, role=JUDGE)
            tokens += [part.reading(phase.config.max_sources) for part in (read, judged)]
        else:
            tokens += Tokens(2_000, 500, 450, 45, slack=slack, role=agent.id).verified()
    return *tokens, CHECK


async def _execute_task(
    phase: CrewPhase,
    plan: Plan | None,
    run: PhaseContext,
    task: CrewTask,
    results: dict[str, CrewTaskResult],
) -> CrewTaskResult:
    """Execute one task; its sources join the run's, and a missing output becomes a warning."""
    agent = phase.config.agent(task)
    request = _build_request(phase, plan, run, task, results)
    try:
        result = await run.calls.execute_activity(
            task.id, CrewActivities.work, request, summary=f"{agent.role}: {task.title or task.id}"
        )
        if result.output is not None:
            result = await _verify(run, request, result, _list_context(task, results))
    except ActivityError as error:
        if is_final(error) and not any(done.output for done in results.values()):
            raise
        run.losses.go_on(error, Notice.of("agent-ended-early", agent=agent.role), "analysis")
        info = describe_failure(error)
        result = CrewTaskResult(end_reason=info.type, failure=info.words)
    # Others may have read pages meanwhile: what the crew calls its third may be the run's fifth.
    known = len(run.state.sources)
    numbers = [number_source(source, run.state.sources) for source in result.sources]
    run.me.progress.pages_read += len(run.state.sources) - known
    for content, spans in result.shown.items():
        run.state.shown[content] = merge_spans([*run.state.shown.get(content, []), *spans])
    output = result.output and name_apart(task.id, renumber_sources(result.output, numbers))
    if result.end_reason == BudgetExceeded.type():
        run.losses.end_early("budget")
    if result.turns and output is None:
        ended = Notice.of("agent-ended-early", agent=agent.role)
        told = Notice.of("because", what=ended, why=result.failure or "")
        run.losses.record_value("analysis", LossCause(reason=result.end_reason), told)
    run.log.emit(StopEvent(result=result.end_reason, turns=result.turns, agent=agent.id))
    return result.model_copy(update={"output": output})


async def _verify(
    run: PhaseContext,
    request: CrewTaskRequest,
    result: CrewTaskResult,
    context: Mapping[str, Json],
) -> CrewTaskResult:
    """Return a task's result with its claims verified, on the pages under the crew's own numbers.

    Its conclusions may rest on sentences of its context.
    """
    known = {name: claim.as_premise for name, claim in list_by_id([*context.values()]).items()}
    call = ModelRequest(
        scope=request.scope,
        role=request.agent.id,
        model=request.model,
        system="",
        messages=[],
        output_schema=request.output_schema,
        cap_usd=request.cap_usd,
        kept_usd=request.kept_usd,
        pages=list_citable_pages(result.sources),
        judge=run.calls.build_judge_terms(known),
    )
    written = ModelResult(content=[], output=result.output, usage=Usage())
    verified = await run.calls.verify(call, written)
    return result.model_copy(update={"output": verified.output})


def _lose_reads(
    run: PhaseContext, searches: list[Search], results: Iterable[CrewTaskResult]
) -> None:
    """Record the pages and searches that the crew lost; a page that another task read is not lost."""
    read = {source.url for source in run.state.sources}
    unread = {u: cause for r in results for u, cause in r.unread.items() if u not in read}
    for lost in list_lost_reads(searches, unread, run.me.progress.pages_read):
        run.losses.record(lost)


def _build_request(
    phase: CrewPhase,
    plan: Plan | None,
    run: PhaseContext,
    task: CrewTask,
    results: dict[str, CrewTaskResult],
) -> CrewTaskRequest:
    config, agent = phase.config, phase.config.agent(task)
    if agent.toolset:
        plan = run.humans.require_approved_plan()
    undone = 1 - (config.tasks.index(task) + 1) / len(config.tasks)  # the last task concludes
    kept = reserve_usd(run.state, run.me.id, plan, undone) if plan else 0.0
    return CrewTaskRequest(
        scope=run.calls.scope(task.id, plan_step=task.id),
        agent=agent,
        task=task,
        model=run.state.terms.choose_model(agent.id, config.models.get(agent.id)),
        output_schema=task.output_schema or get_answer_schema(Findings),
        inputs=_build_inputs(run, plan, task, config, results),
        context=[
            to_input(f"found-{name.lower()}", leave_out_marks(output))
            for name, output in _list_context(task, results).items()
        ],
        sources=list(run.state.sources),
        shown=run.state.shown,
        may_read=max(config.max_sources - run.me.progress.pages_read, 0),
        max_results=config.max_search_results_per_query,
        max_turns=config.max_turns,
        max_tokens=config.max_answer_tokens,
        cap_usd=compute_cap_usd(run.state),
        kept_usd=kept,
        named=run.humans.find_named_urls(),
        approved=run.humans.list_approved_words(),
    )


def _list_context(task: CrewTask, results: Mapping[str, CrewTaskResult]) -> dict[str, Json]:
    """Return the outputs of the earlier tasks that a task is given."""
    names = results if task.context is None else task.context
    return {name: output for name in names if (output := results[name].output)}


def _list_unfinished(tasks: Sequence[CrewTask], results: Mapping[str, CrewTaskResult]) -> list[str]:
    """Return the titles of the tasks that ended without an answer."""
    ended = [task for task in tasks if task.id in results and results[task.id].output is None]
    return [task.title or task.id for task in ended]


def _build_inputs(
    run: PhaseContext,
    plan: Plan | None,
    task: CrewTask,
    config: CrewConfig,
    results: Mapping[str, CrewTaskResult],
) -> list[Input]:
    """Return the question, the approved plan, the agent's own steps, what it may read, and what failed."""
    agent, later = config.agent(task), config.tasks[config.tasks.index(task) + 1 :]
    left: Json = {"pages_left": max(config.max_sources - run.me.progress.pages_read, 0)}
    left["other_tasks_that_share_them"] = sum(bool(config.agent(t).toolset) for t in later)
    names = {n.casefold(): member.id for member in config.agents for n in (member.id, member.role)}
    first = config.agents[0].id  # also does the steps that name no agent
    steps = plan.steps if plan else []
    own = [s for s in steps if names.get(s.agent_role.casefold(), first) == agent.id]
    inputs = run.build_inputs(
        plan=plan and plan.model_dump(mode="json", exclude=_UNTOLD),
        steps=own if plan else None,
        left=left if agent.toolset else None,
        pages_read=list_pages_read(run.state.sources) if agent.toolset else None,
        unfinished=_list_unfinished(config.tasks, results) or None,
    )
    return [*inputs, *build_guidance(run.humans.read_steering())]


KIND = Kind(
    handler=crew,
    category="execute",
    icon="users",
    adapt_needs=adapt_needs,
    web=lambda phase: phase.config.web,
    plans_for=lambda phase: tuple(
        PlanRole(
            id=agent.id,
            does=f"{agent.role}: {agent.goal}; {READS if agent.toolset else 'has no web'}",
        )
        for agent in phase.config.agents
    ),
    agents=lambda phase: tuple(agent.id for agent in phase.config.agents),
    tokens=estimate_tokens,
)
