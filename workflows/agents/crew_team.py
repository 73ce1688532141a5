"""The agents of a crew: each task starts once those of its context have ended, and all share the pages and the money."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from math import ceil

from pydantic_core import to_json
from temporalio.exceptions import ActivityError

from activities.crew.crew_task import CrewActivities
from contracts.agents.crews import CrewAgent, CrewTask, CrewTaskRequest, CrewTaskResult
from contracts.base import Json
from contracts.errors import BudgetExceeded
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import (
    Input,
    ModelRequest,
    ModelResult,
    build_guidance,
    build_inputs,
    to_input,
)
from contracts.models.model_drafts import Findings
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.phases.crew import CrewConfig
from contracts.planning.plan import Plan
from contracts.report.checks import Gap
from contracts.runs.events import StopEvent
from contracts.runs.lost_inputs import LossCause
from contracts.words import Language
from domain.evidence.claims import CITATIONS, leave_out_marks, list_by_id, renumber_sources
from domain.prompts import load_prompts
from domain.report.crew_sections import (
    GAPS,
    name_apart,
    name_gaps,
)
from domain.sources.source_registry import (
    list_citable_pages,
    list_pages_read,
    merge_spans,
    number_source,
)
from workflows.agents.gap_check import phrase_ahead
from workflows.agents.research_team import share_evenly
from workflows.agents.tool_servers import ServerToolset
from workflows.checkpoints.prices.plan_price import reserve_usd
from workflows.checkpoints.prices.spending_cap import compute_cap_usd, compute_left_usd
from workflows.phase_context.context import PhaseContext
from workflows.runtime.failures import describe_failure, is_final
from workflows.runtime.run_together import run_together

PROMPTS = load_prompts("workflows.prompts", "crew")

_UNTOLD = {"steps", "estimated_duration", "estimated_cost"}
"""Parts of the plan hidden from agents, which get their own steps instead."""


class CrewTeam:
    """The tasks of one attempt at work: each starts once the tasks of its context have ended."""

    def __init__(
        self, config: CrewConfig, plan: Plan | None, run: PhaseContext, servers: ServerToolset
    ) -> None:
        self._config = config
        self._servers = servers
        self._plan = plan
        self._run = run
        self._ends = {task.id: asyncio.Event() for task in config.tasks}
        self._ended: dict[str, CrewTaskResult] = {}
        """Results by task id, with sources numbered within the task."""
        self._results: dict[str, CrewTaskResult] = {}
        """Results by task id, with sources numbered across the run."""
        self._pages: dict[str, int] = {}
        """Pages that a task may read or has read, until they are among the run's."""
        self.phrased: list[Gap] = []
        """Gaps of the tasks before the concluding one, with phrases written while it worked."""
        self._final: ActivityError | None = None

    async def execute(self) -> dict[str, CrewTaskResult]:
        """Return the tasks' results in the order of the configuration.

        Raises:
            ActivityError: No task gave an output, and the failure of one is final.
        """
        tasks = self._config.tasks
        await run_together(*map(self._execute, tasks))
        if self._final and not any(result.output for result in self._results.values()):
            raise self._final
        return {task.id: self._results[task.id] for task in tasks}

    async def _execute(self, task: CrewTask) -> None:
        context = self._config.list_context(task)
        for name in context:
            await self._ends[name].wait()
        self._number(context)
        given = {name: self._results[name] for name in context}
        request = self._build_request(task, given)
        self._pages[task.id] = request.may_read
        outputs = list_outputs(given)
        is_last = len(self._ended) == len(self._config.tasks) - 1
        phrasing = [self._phrase_gaps(outputs)] if is_last and given else []
        done: list[CrewTaskResult | None] = await run_together(
            self._do(request, outputs), *phrasing
        )
        [result] = filter(None, done)
        self._pages[task.id] = max(len(result.sources) - len(request.sources), 0)
        self._ended[task.id] = result
        self._ends[task.id].set()
        ids = [each.id for each in self._config.tasks]
        self._number(list(takewhile(self._ended.__contains__, ids)))

    async def _phrase_gaps(self, outputs: Mapping[str, Json]) -> None:
        """Write the search phrases for the tasks' gaps in advance, so that no report waits for them."""
        titles = {task.id: task.name(self._run.language) for task in self._config.tasks}
        gaps = [
            Gap(place=titles[name], line=line)
            for name, output in outputs.items()
            for line in name_gaps(name, output).values()
        ]
        self.phrased = await phrase_ahead(self._run, gaps)

    async def _do(self, request: CrewTaskRequest, context: Mapping[str, Json]) -> CrewTaskResult:
        """Return the result of a task; a missing output becomes a warning."""
        run, task, agent = self._run, request.task, request.agent
        title = task.name(run.language)
        try:
            result = await run.calls.execute_activity(
                task.id,
                CrewActivities.work,
                request,
                summary=f"{agent.role}: {title}",
            )
            if result.output is not None:
                result = await _verify(run, request, result, context)
        except ActivityError as error:
            self._final = self._final or (error if is_final(error) else None)
            run.losses.go_on(error, Notice.of("part-unfinished", part=title), "analysis")
            info = describe_failure(error)
            result = CrewTaskResult(end_reason=info.type, failure=info.words)
        if result.end_reason == BudgetExceeded.type():
            run.losses.end_early("budget")
            run.log.degrade(Notice.of("phase-ended-short"))
        if result.turns and result.output is None:
            ended = Notice.of("part-unfinished", part=title)
            told = Notice.of("because", what=ended, why=result.failure or "")
            run.losses.record_value("analysis", LossCause(reason=result.end_reason), told)
        run.log.emit(StopEvent(result=result.end_reason, turns=result.turns, agent=agent.id))
        return result

    def _number(self, names: Sequence[str]) -> None:
        """Add the sources of ended tasks to the run's, in an order that does not depend on who was first.

        What a task calls its third source may be the run's fifth: its output names the run's numbers.
        """
        state, progress = self._run.state, self._run.me.progress
        for name in names:
            if name in self._results:
                continue
            result, known = self._ended[name], len(state.sources)
            numbers = [number_source(source, state.sources) for source in result.sources]
            progress.pages_read += len(state.sources) - known
            for content, spans in result.shown.items():
                state.shown[content] = merge_spans([*state.shown.get(content, []), *spans])
            state.found |= {k: page for k, page in result.found.items() if k not in state.found}
            output = result.output and name_apart(name, renumber_sources(result.output, numbers))
            self._results[name] = result.model_copy(update={"output": output})
            del self._pages[name]

    def _build_request(
        self, task: CrewTask, context: Mapping[str, CrewTaskResult]
    ) -> CrewTaskRequest:
        config, run, plan = self._config, self._run, self._plan
        agent, after = config.agent(task), config.list_dependents(task)
        servers = self._servers.choose(agent.servers)
        if agent.reaches_out:
            plan = run.humans.require_approved_plan()
        undone = len(after) / len(config.tasks)  # a task that concludes comes last
        may_read = self._share_pages(task, after)
        schema = task.output_schema or get_answer_schema(Findings)
        kept = reserve_usd(run.state, run.me.id, plan, undone) if plan else 0.0
        beside = [each for each in config.tasks if each not in after and each.id not in self._ended]
        left_usd = compute_left_usd(run.state, kept, len(beside))
        return CrewTaskRequest(
            scope=run.calls.scope(task.id, plan_step=task.id),
            agent=agent,
            task=task,
            model=run.state.terms.choose_model(agent.id, config.models.get(agent.id)),
            system=f"{_describe_work(agent, schema)}\n{run.describe_day()}",
            output_schema=schema,
            inputs=[
                *self._build_inputs(plan, task, context),
                *servers.describe(),
                *build_inputs(left=self._describe_left(task, may_read, left_usd, after)),
            ],
            context=[
                to_input(f"found-{name.lower()}", leave_out_marks(_show_gaps(name, output)))
                for name, output in list_outputs(context).items()
            ],
            sources=list(run.state.sources),
            shown=run.state.shown,
            may_read=may_read,
            max_results=config.max_search_results_per_query,
            search=run.calls.choose_services(),
            max_turns=config.max_turns,
            max_tokens=config.max_answer_tokens,
            cap_usd=compute_cap_usd(run.state),
            kept_usd=kept,
            left_usd=left_usd,
            named=run.humans.find_named_urls(),
            approved=run.humans.list_approved_words(),
            server_tools=[*servers.granted.values()],
            server_calls=self._share_calls(task, servers),
        )

    def _share_calls(self, task: CrewTask, servers: ServerToolset) -> dict[str, int]:
        """Return how often a task may call each server's tools; the tasks share the calls that the plan allows."""
        shares: dict[str, int] = {}
        for name, server in {t.server.name: t.server for t in servers.granted.values()}.items():
            left = server.max_calls - self._run.state.server_calls.get(name, 0)
            tasks = [t.id for t in self._config.tasks if name in self._config.agent(t).servers]
            shares[name] = share_evenly(left, len(tasks))[tasks.index(task.id)]
        return shares

    def _share_pages(self, task: CrewTask, after: Collection[CrewTask]) -> int:
        """Return how many pages a task may read: an equal share with those that may start while it works."""
        left = (
            self._config.max_sources - self._run.me.progress.pages_read - sum(self._pages.values())
        )
        begun = {*self._pages, *self._results, *self._run.me.memo}
        beside = [
            each
            for each in self._config.tasks
            if each not in (task, *after)
            and each.id not in begun
            and self._config.agent(each).toolset
        ]
        return max(ceil(left / (1 + len(beside))), 0)

    def _describe_left(
        self, task: CrewTask, may_read: int, left_usd: float, after: Collection[CrewTask]
    ) -> Json:
        """Return the turns, pages and dollars that a task begins with."""
        left: Json = {"turns_left": self._config.max_turns, "usd_left": left_usd}
        if self._config.agent(task).toolset:
            sharing = sum(bool(self._config.agent(each).toolset) for each in after)
            left |= {"pages_left": may_read}
            left |= {"other_tasks_that_share_them": sharing} if sharing else {}
        return left

    def _build_inputs(
        self, plan: Plan | None, task: CrewTask, context: Mapping[str, CrewTaskResult]
    ) -> list[Input]:
        """Return the question, the approved plan, the agent's own steps, the pages read, and the failed tasks."""
        run, config, agent = self._run, self._config, self._config.agent(task)
        names = {n.casefold(): one.id for one in config.agents for n in (one.id, one.role)}
        first = config.agents[0].id  # also does the steps without an agent
        steps = plan.steps if plan else []
        own = [s for s in steps if names.get(s.agent_role.casefold(), first) == agent.id]
        inputs = run.build_inputs(
            plan=plan and plan.tell(run.language, exclude=_UNTOLD),
            steps=own if plan else None,
            pages_read=list_pages_read(run.state.sources) if agent.toolset else None,
            unfinished=_list_unfinished(config.tasks, context, run.language) or None,
        )
        return [*inputs, *build_guidance(run.humans.read_steering())]


def _describe_work(agent: CrewAgent, schema: Json) -> str:
    """Return who an agent is and the rules of its work, with those of evidence if its answer cites."""
    parts = [f"You are {agent.role}. {agent.backstory}".strip(), f"Your goal: {agent.goal}"]
    parts.append(PROMPTS["reads" if agent.toolset else "weighs"])
    cites = f'"{CITATIONS}"'.encode() in to_json(schema)
    return "\n\n".join([*parts, *([PROMPTS["facts"]] if cites else [])])


def list_outputs(results: Mapping[str, CrewTaskResult]) -> dict[str, Json]:
    """Return the outputs of the tasks that gave one."""
    return {name: result.output for name, result in results.items() if result.output}


def _show_gaps(task: str, output: Json) -> Json:
    """Return an output with ids for its gaps, if it has any."""
    named = name_gaps(task, output)
    return {**output, GAPS: {**named}} if named else output


def _list_unfinished(
    tasks: Sequence[CrewTask], results: Mapping[str, CrewTaskResult], language: Language
) -> list[str]:
    """Return the titles of the tasks that ended without an answer."""
    ended = [task for task in tasks if task.id in results and results[task.id].output is None]
    return [task.name(language) for task in ended]


async def _verify(
    run: PhaseContext,
    request: CrewTaskRequest,
    result: CrewTaskResult,
    context: Mapping[str, Json],
) -> CrewTaskResult:
    """Return a task's result with its claims verified against the pages, by the crew's own numbers.

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
