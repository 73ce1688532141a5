"""`crew`: agents of CrewAI do what the approved plan asks for, each task once its context is there."""

from collections.abc import Iterable
from dataclasses import replace

from contracts.agents.crews import CrewTaskResult
from contracts.errors import NothingFound
from contracts.notices import Notice
from contracts.phases.base import Needs
from contracts.phases.crew import CrewInput, CrewOutput, CrewPhase
from contracts.planning.plan import PlanRole
from contracts.report.checks import Gap
from contracts.report.report import Report, Search
from domain.lost_inputs import list_lost_reads
from domain.report.crew_sections import (
    arrange_sections,
    join_comparisons,
    join_outputs,
    list_malformed,
)
from workflows.agents.crew_team import CrewTeam, list_outputs
from workflows.agents.gap_check import CHECK, check_report, list_not_held
from workflows.agents.report_editor import finish_report
from workflows.agents.tool_servers import ServerToolset, open_toolset
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import JUDGED, OWN_SEARCHES, Searches, Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.phases.research import READS


async def crew(phase: CrewPhase, given: CrewInput, run: PhaseContext) -> CrewOutput:
    """Execute the tasks, join their outputs, and report their claims with their quotes."""
    plan, tasks = given.plan, phase.config.tasks
    servers = ServerToolset(run)
    if phase.config.servers:
        approved = run.humans.require_approved_plan()
        servers = await open_toolset(run, approved, phase.config.servers)
    work = CrewTeam(phase.config, plan, run, servers)
    results = await work.execute()
    for result in results.values():
        for name, calls in result.server_calls.items():
            run.state.server_calls[name] = run.state.server_calls.get(name, 0) + calls
    outputs = list_outputs(results)
    if not outputs:
        reason = next(iter(results.values())).failure or ""
        raise NothingFound(Notice.of("no-task-finished", reason=reason))
    searches = [search for result in results.values() for search in result.searches]
    sources = list(run.state.sources)
    _lose_reads(run, searches, results.values())
    if plan and phase.config.web:
        run.losses.record_unmade_searches(plan, searches)
    parts = arrange_sections(tasks, outputs, plan.outline if plan else [], run.language)
    for notice in list_malformed(tasks, outputs):
        run.log.note(notice)
    titles = {task.id: task.name(run.language) for task in tasks}
    report = Report(
        title=plan.title if plan else run.state.request.query,
        comparison=join_comparisons(outputs.values(), [titles[name] for name in outputs]),
        sections=parts,
        gaps=[
            Gap(place=part.heading, line=line)
            for part in parts
            for line in map(str.strip, part.missing.splitlines())
        ],
    )
    report = await check_report(run, list_not_held(run, report), phrased=work.phrased)
    return CrewOutput(
        sources=sources,
        findings=[
            claim
            for part in parts
            for claim in part.claims
            if claim.is_usable and not claim.superseded_by
        ],
        searches=searches,
        analysis=join_outputs(list(outputs.values()), list(outputs)),
        report=finish_report(run, report, sources, searches),
        gaps=[gap for section in report.sections for gap in section.missing.splitlines()],
    )


def adapt_needs(phase: CrewPhase, needs: Needs) -> Needs:
    """Return the needs with the plan required where an agent reaches the web."""
    return needs | {"plan": replace(needs["plan"], required=phase.config.web)}


def estimate_tokens(phase: CrewPhase) -> tuple[Tokens, ...]:
    """Return the tokens that each task is expected to read and write."""
    slack, found = phase.config.max_answer_tokens, list[Tokens]()
    agents = [phase.config.agent(task) for task in phase.config.tasks]
    readers = sum(bool(agent.toolset) for agent in agents)
    for agent in agents:
        if agent.toolset:  # it searches, and reads its share of the pages
            part = Use(0, 200 / readers, texts=2.8 / readers)
            reads = Tokens(Use(10_000, 700), page=part, slack=slack, role=agent.id)
            found += [reads, reads.judged(JUDGED)]
        else:
            weighs = Tokens(Use(3_000, 500), page=Use(280, 80), slack=slack, role=agent.id)
            found += weighs.verified()
    return *found, CHECK


def _lose_reads(
    run: PhaseContext, searches: list[Search], results: Iterable[CrewTaskResult]
) -> None:
    """Record the pages and searches that the crew lost; a page that another task read is not lost."""
    read = {source.url for source in run.state.sources}
    unread = {u: cause for r in results for u, cause in r.unread.items() if u not in read}
    for lost in list_lost_reads(searches, unread, run.me.progress.pages_read):
        run.losses.record(lost)


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
    searches=lambda phase: Searches(
        once=OWN_SEARCHES
        * sum(bool(phase.config.agent(task).toolset) for task in phase.config.tasks)
    ),
)
