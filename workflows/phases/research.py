"""`research`: agents search and read what the approved plan asks for, each an independent part of it."""

from collections.abc import Iterable, Sequence
from typing import Any

from contracts.errors import InputLost
from contracts.evidence.claims import Claim
from contracts.models.model_drafts import Findings, Gaps, ShortAnswer
from contracts.notices import Notice
from contracts.phases.research import (
    ResearchConfig,
    ResearchInput,
    ResearchOutput,
    ResearchPhase,
)
from contracts.planning.plan import PlanRole, PlanStep
from domain.lost_inputs import explain_loss, find_outage
from domain.prompts import load_prompts
from domain.report.changes.patches import fold_patches
from domain.report.claims.report_claims import find_free_names, list_claims, rename_claim
from workflows.agents.agent import Agent
from workflows.agents.report_editor import ReportEditor
from workflows.agents.research_team import End, ResearchTeam
from workflows.agents.tool_servers import open_toolset
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.prices.plan_price import estimate_page_usd, reserve_usd
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import JUDGED, OWN_SEARCHES, Searches, Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.runtime.failures import describe_failure, is_final
from workflows.verification.answer_verification import NO_ANSWER

PROMPTS = load_prompts("workflows.prompts", "research")

ROLE = "researcher"
TOLD_OTHERWISE: dict[str, Any] = {
    **dict.fromkeys(
        ("estimated_cost", "estimated_duration", "search_terms", "expanded_queries"), True
    ),
    "steps": {"__all__": {"estimated_duration", "independent"}},
}
"""Fields of a plan that agents do not see: its searches begin the conversation; its price and time are of no use there."""
READS = (
    "searches the web, or the documents that stand in for it; reads pages and notes what they say"
)


async def research(phase: ResearchPhase, _: ResearchInput, run: PhaseContext) -> ResearchOutput:
    """Run the agents until they answer, or until their turns or share of the budget are used up.

    Raises:
        InputLost: Nothing was read, because no search succeeded or an outage lost every page.
    """
    plan = run.humans.require_approved_plan()
    config = phase.config
    most = config.max_report_update_size

    def make_editor(steps: Sequence[PlanStep]) -> ReportEditor | None:
        return ReportEditor(run, plan, most, steps=steps) if config.living else None

    editor = make_editor(())
    servers = await open_toolset(run, plan, config.servers)
    keep_usd = reserve_usd(run.state, run.me.id, plan)
    toolbox = Toolbox(
        run,
        ROLE,
        max_sources=config.max_sources,
        more_sources=config.max_sources // 2 if config.living else 0,
        page_usd=estimate_page_usd(run.state, plan),
        keep_usd=keep_usd,
        max_results=config.max_search_results_per_query,
        editor=editor,
        servers=servers,
    )
    inputs = run.build_inputs(
        plan=plan.tell(
            run.language,
            exclude=TOLD_OTHERWISE | dict.fromkeys(("outline",) * config.living, True),
        )
    )
    wanted = Gaps if editor else ShortAnswer if config.answers else Findings
    trunk = Agent(
        run,
        toolbox,
        role=ROLE,
        system=PROMPTS["living" if editor else "answer" if config.answers else "findings"],
        inputs=[*inputs, *servers.describe()],
        output=wanted,
        max_turns=config.max_turns,
        keep_usd=keep_usd,
        searches=tuple(plan.searches),
    )
    agents = 1 if config.answers else min(config.max_agents, config.max_sources)
    try:
        await trunk.begin()
        require_search(run)
        team = ResearchTeam(trunk, plan.lookups, agents, make_editor, plan.measures)
        ends = await team.work()
    except NO_ANSWER as error:
        if is_final(error) and not _has_material(run):
            raise
        run.losses.go_on(error, Notice.of("research-ended-early"), "findings")
        ends = [End(None, describe_failure(error).type)]
    run.losses.record_reads()
    if not run.state.sources:
        require_no_outage(run)
    return _collect(config, run, ends)


def _has_material(run: PhaseContext) -> bool:
    """Return whether an agent has taken a turn, or earlier phases read pages.

    Pages that code reads ahead of the first turn do not suffice to continue.
    """
    progress = run.me.progress
    has_answered = any(agent.turn for agent in progress.agents.values())
    return has_answered or len(run.state.sources) > progress.pages_read


def _collect(config: ResearchConfig, run: PhaseContext, ends: Sequence[End]) -> ResearchOutput:
    outputs = [end.output for end in ends if end.output]
    answer = ShortAnswer.model_validate(outputs[0]) if config.answers and outputs else None
    if answer:
        found = Findings(findings=answer.claims, gaps=answer.missing.splitlines())
    else:
        given = ({"findings": [], **output} for output in outputs)
        found = join_findings(map(Findings.model_validate, given))
    findings = list_claims(fold_patches(run.state.patches)) if config.living else found.findings
    return ResearchOutput(
        sources=list(run.state.sources),
        findings=[claim for claim in findings if claim.is_usable],
        searches=run.me.progress.searches,
        gaps=found.gaps,
        answer=answer,
        end_reason=next((end.reason for end in ends if end.reason != "completed"), "completed"),
        patches=list(run.state.patches),
    )


def join_findings(found: Iterable[Findings]) -> Findings:
    """Merge the findings of several agents in order, each with a unique id, and their gaps."""
    findings, gaps = list[Claim](), list[str]()
    for each in found:
        names = find_free_names(each.findings, findings)
        findings += [rename_claim(claim, names) for claim in each.findings]
        gaps += each.gaps
    return Findings(findings=findings, gaps=gaps)


def require_no_outage(run: PhaseContext) -> None:
    """Warn that no page was read; fail where that is an outage's doing, and not the question's.

    Raises:
        InputLost: No search was answered, or an outage took every page.
    """
    if lost := find_outage(run.me.lost_inputs):
        raise InputLost(explain_loss(lost), lost)
    run.log.degrade(Notice.of("no-page-read"))


def require_search(run: PhaseContext) -> None:
    """Fail before an agent's first turn if every search was refused and no retry can help.

    Raises:
        InputLost: There is nothing to read, and later searches would be refused too.
    """
    made = run.me.progress.searches
    if made and not run.state.sources and all(s.cause and not s.cause.passing for s in made):
        run.losses.record_reads()
        require_no_outage(run)


def estimate_tokens(phase: ResearchPhase) -> tuple[Tokens, ...]:
    """Return the tokens of agents that each read the opening and, some turns later, the report and its quotes."""
    if phase.config.living:
        found = Tokens(
            once=Use(0, 1_500),
            agent=Use(16_000, 800),
            search=Use(730),
            page=Use(0, 250, texts=1),
            document=Use(13_000, 2_000),
            slack=6_000,
            role=ROLE,
        )
        return found, found.judged(3)
    if phase.config.answers:
        found = Tokens(
            once=Use(3_200, 230),
            search=Use(1_200),
            page=Use(0, 25, texts=0.6),
            slack=6_000,
            role=ROLE,
        )
    else:
        found = Tokens(
            once=Use(0, 300),
            agent=Use(5_500, 200),
            search=Use(1_000),
            page=Use(0, 25, texts=1.6),
            slack=6_000,
            role=ROLE,
        )
    return found, found.judged(JUDGED)


KIND = Kind(
    handler=research,
    category="execute",
    icon="search",
    web=lambda _: True,
    plans_for=lambda phase: (
        PlanRole(
            id=ROLE,
            does=READS,
            at_once=phase.config.max_agents > 1 and not phase.config.answers,
        ),
    ),
    agents=lambda _: (ROLE,),
    tokens=estimate_tokens,
    searches=lambda phase: (
        Searches(planned=1, once=OWN_SEARCHES)  # one agent does it all
        if phase.config.answers
        else Searches(planned=1, agent=OWN_SEARCHES)
    ),
)
