"""One plan step: its inputs, its attempts by an agent, their reviews, and its section of the report."""

from dataclasses import dataclass
from itertools import count

from pydantic import JsonValue

from contracts.agents.calculations_and_charts import Artifact
from contracts.agents.steps import StepCursor, StepDraft, StepResult, join_reasons
from contracts.base import Json
from contracts.errors import StepFailed
from contracts.evidence.claims import Claim
from contracts.models.call import Input, build_inputs
from contracts.notices import Notice
from contracts.phases.control import ControlConfig, ControlInput, WorkConfig
from contracts.phases.typed_answers import Review
from contracts.planning.plan import PlanStep
from contracts.words import say
from domain.evidence.figures.unfounded_figures import KnownFigures
from domain.prompts import load_prompts
from domain.report.claims.report_claims import find_free_names, rename_claim
from domain.sources.source_registry import list_pages_read
from workflows.agents.agent import Agent
from workflows.agents.toolbox import Toolbox
from workflows.phase_context.context import PhaseContext
from workflows.runtime.failures import describe_failure, is_final
from workflows.verification.answer_verification import NO_ANSWER

PROMPTS = load_prompts("workflows.prompts", "control")

EARLIER_CHARS = 12_000
"""Character limit of the summaries of all earlier steps, and again of their findings."""
MADE = ("table", "chart")
"""Tools whose tables and charts are attached to the report as the tool made them."""
READ_CHARS = 150_000
"""Limit of text searched for figures on the workflow thread, which takes at most half a second."""


@dataclass(frozen=True)
class StepRunner:
    """Repeats attempts at a step until a reviewer accepts one; each gets the earlier objections."""

    run: PhaseContext
    config: WorkConfig
    toolbox: Toolbox
    name: str
    role: str
    inputs: list[Input]
    reserve_usd: float = 0.0
    """Budget that its agent leaves for later phases."""

    @property
    def _cursor(self) -> StepCursor:
        return self.run.me.progress.steps

    async def execute(self, number: int = 1) -> StepResult:
        """Return the result of the accepted attempt; `number` is the step's place in the plan.

        Raises:
            StepFailed: All attempts were rejected; the message lists the objections. Where the last
                one ended with an error that is raised, and so is one that is final.
        """
        cursor, label = self._cursor, self.toolbox.plan_step
        while len(cursor.failures) < self.config.max_n_attempts:
            agent = self._make_agent()
            try:
                draft, objections = await self._attempt(agent)
            except NO_ANSWER as error:
                if is_final(error) or len(cursor.failures) + 1 >= self.config.max_n_attempts:
                    raise
                draft, objections = None, [describe_failure(error).words.say(self.run.language)]
            if draft and not objections:
                return StepResult(
                    **dict(draft),
                    number=number,
                    name=self.name,
                    agent_role=self.role,
                    attempts=cursor.tries + 1,
                    failures=cursor.list_objections(),
                    artifacts=[made.id for made in _list_artifacts(self.run, agent)],
                    unreviewed=cursor.unreviewed,
                )
            cursor.note_failure(objections, is_answered=draft is not None)
            made = _take_back_made(self.run, agent)
            if draft:
                cursor.rejected = describe_work(draft) | _list_made(agent)
                cursor.draft, cursor.taken_back = draft, made
            cursor.searches += list_searches(agent)
            cursor.calculations += agent.list_results("calculate")
            reasons = join_reasons(objections)[:1_000]
            failed = Notice.of("step-attempt-failed", step=label, n=cursor.tries, reasons=reasons)
            self.run.log.tell(failed)
            forget_attempt(self.run)
        attempts = enumerate(cursor.failures, start=1)
        lacked = "; ".join(f"{n}: {join_reasons(reasons)}" for n, reasons in attempts)
        count = len(cursor.failures)
        raise StepFailed(
            Notice.of("step-failed", step=label, name=self.name, n=count, reasons=lacked)
        )

    async def _attempt(self, agent: Agent) -> tuple[StepDraft | None, list[str]]:
        """Return an attempt's work and the objections to it; unreviewed work is accepted with a warning."""
        output, _ = await agent.work()
        if output is None:
            return None, [say(self.run.language, "step-unanswered")]
        draft = StepDraft.model_validate(output)
        self._cursor.unreviewed = []
        objections = await self._review(draft, agent)
        return draft, objections or await self._review_charts(self._list_charts(agent))

    def _make_agent(self) -> Agent:
        rejected = (
            self._cursor.rejected
        )  # rejected attempts of this step, else what a human sent back
        return Agent(
            self.run,
            self.toolbox,
            role=self.role,
            system=PROMPTS[self.role if self.toolbox.list_tools() else "writer"],
            inputs=self._build_inputs(
                calculations=self._cursor.calculations or None,
                **({"earlier_version": rejected} if rejected else {}),
            ),
            output=StepDraft,
            max_turns=self.config.max_rounds,
            keep_usd=self.reserve_usd,
            name=self._call_prefix,
            known={
                claim.id: claim.as_premise for claim in list_held(self._cursor.done) if claim.id
            },
        )

    @property
    def _call_prefix(self) -> str:
        return f"{self.toolbox.plan_step}-try-{self._cursor.tries + 1}-"

    async def _review(self, draft: StepDraft, agent: Agent) -> list[str]:
        """Return the reviewer's objections to an attempt, which is shown with its tool calls.

        Work is not reviewed if it produced and computed nothing, all its sentences were checked against
        pages, and its summary has no figures of its own.
        """
        made: dict[str, object] = {
            "calculations": [*self._cursor.calculations, *agent.list_results("calculate")] or None,
            "tables": agent.list_calls("table") or None,
            "charts": self._list_charts(agent) or None,
        }
        work = describe_work(draft)
        known = [i.text for i in (*self.inputs, *build_inputs(findings=work["findings"], **made))]
        unfounded = _find_unfounded(draft.summary, known)
        is_plain = unfounded == [] and not any(made.values())
        if is_plain and any(c.is_usable for c in draft.findings):
            return []
        return await self._ask(
            "review",
            "step_reviewer",
            PROMPTS["review"],
            work=work,
            unfounded=unfounded or None,
            searches=[*self._cursor.searches, *list_searches(agent)] or None,
            pages_read=list_pages_read(self.run.state.sources),
            **made,
        )

    def _list_charts(self, agent: Agent) -> list[Json]:
        """Return an attempt's charts as reviewers see them, each with the data of its table."""
        made = {artifact.id: artifact for artifact in self.run.state.artifacts}
        charts: list[Json] = []
        for call, result in agent.pair_calls("chart"):
            drawn = made.get(result.artifact)
            if drawn and drawn.table in made:
                shown: list[JsonValue] = [list[JsonValue](row) for row in made[drawn.table].preview]
                told: Json = {"table": made[drawn.table].name, "table_data": shown}
                charts.append(call.input | told)
        return charts

    async def _review_charts(self, charts: list[Json]) -> list[str]:
        """Return the critic's objections to the charts; beyond the number of its reviews they stand unreviewed."""
        config, cursor = self.config, self._cursor
        if not charts or not config.evaluate_plots:
            return []
        if cursor.plot_evals >= config.max_n_plot_evals:
            cursor.unreviewed = [*cursor.unreviewed, "plot_critic"]
            self.run.log.note(
                Notice.of("step-charts-unreviewed", step=self.name, n=config.max_n_plot_evals)
            )
            return []
        objections = await self._ask("plots", "plot_critic", PROMPTS["charts"], charts=charts)
        cursor.plot_evals += 1
        return objections

    async def _ask(self, name: str, role: str, system: str, **shown: object) -> list[str]:
        """Return a reviewer's objections; none if the reviewer gives no answer."""
        reviewing = self.run.calls.generate(
            f"{self._call_prefix}{name}",
            role,
            system,
            self._build_inputs(**shown),
            Review,
            plan_step=self.toolbox.plan_step,
            max_tokens=800,
        )
        lost = Notice.of("step-unreviewed", step=self.name, role=role.replace("_", " "))
        review = await self.run.calls.do_without(reviewing, lost)
        if review is None:
            self._cursor.unreviewed = [*self._cursor.unreviewed, role]
        if review is None or review.accepted:
            return []
        return review.issues or [say(self.run.language, "step-not-accepted")]

    def _build_inputs(self, **more: object) -> list[Input]:
        before = [known for known in self.inputs if known.name not in more]
        return [*before, *build_inputs(failures=self._cursor.list_objections() or None, **more)]


def describe_work(draft: StepDraft) -> Json:
    """Return an attempt's work as who reviews or repeats it sees it."""
    findings = [claim.as_finding for claim in draft.findings]
    return {"summary": draft.summary, "findings": [*findings], "gaps": [*draft.gaps]}


def _list_made(agent: Agent) -> Json:
    """Return an attempt's tables and charts as who repeats it sees them."""
    made: Json = {f"{kind}s": [*agent.list_calls(kind)] for kind in MADE}
    return {name: calls for name, calls in made.items() if calls}


def _list_artifacts(run: PhaseContext, agent: Agent) -> list[Artifact]:
    """Return the tables and charts that an attempt made."""
    own = {result.artifact for kind in MADE for _, result in agent.pair_calls(kind)}
    return [made for made in run.state.artifacts if made.id in own]


def _take_back_made(run: PhaseContext, agent: Agent) -> list[Artifact]:
    """Take the tables and charts of a rejected attempt from those that a reader sees; return them."""
    rejected = _list_artifacts(run, agent)
    run.state.artifacts[:] = [made for made in run.state.artifacts if made not in rejected]
    return rejected


def _find_unfounded(summary: str, known: list[str]) -> list[str] | None:
    """Return the figures of a summary that no known text has; None if there is too much text to search."""
    is_short = sum(map(len, known)) <= READ_CHARS
    return KnownFigures(known).list_unfounded(summary) if is_short else None


def list_searches(agent: Agent) -> list[Json]:
    """Return an attempt's searches as its reviewer sees them."""
    return [
        {"query": call.input.get("query")} | result.search.as_told
        for call, result in agent.pair_calls("web_search")
        if result.search
    ]


def forget_attempt(run: PhaseContext) -> None:
    """Discard the agent and the calls of an attempt: the next attempt starts from scratch."""
    run.me.progress.agents.clear()
    run.me.memo.clear()


def build_step_inputs(
    run: PhaseContext, config: ControlConfig, given: ControlInput, step: PlanStep, role: str
) -> list[Input]:
    """Return a step's inputs, including earlier steps' findings up to a size limit."""
    cursor = run.me.progress.steps
    share = EARLIER_CHARS // max(len(cursor.done), 1)
    earlier = [
        {"step": r.number, "name": r.name, "summary": r.summary[:share], "gaps": r.gaps}
        for r in cursor.done
    ]
    findings: list[Json] = []
    room = EARLIER_CHARS
    for claim in reversed(list_held(cursor.done)):  # the latest that fit
        room -= len(claim.text) + sum(len(cited.quote) for cited in claim.citations)
        if room < 0:
            break
        findings.insert(0, claim.as_finding)
    reads = role == "researcher" and config.web
    return run.build_inputs(
        plan=given.plan.tell(
            run.language, exclude={"steps", "estimated_cost", "estimated_duration"}
        ),
        steps=[step],
        idea=given.selected_idea,
        earlier=earlier or None,
        findings=findings if earlier else None,
        pages_read=list_pages_read(run.state.sources) if reads else None,
        instructions=getattr(config, f"{role}_instructions"),
        feedback="\n".join(filter(None, [*run.me.feedback, cursor.feedback])),
    )


def list_findings(done: list[StepResult]) -> list[Claim]:
    """Return the findings of all steps, in their order."""
    return [finding for result in done for finding in result.findings]


def list_held(done: list[StepResult]) -> list[Claim]:
    """Return those on which later steps may build."""
    return [claim for claim in list_findings(done) if claim.is_usable]


def name_apart(result: StepResult, done: list[StepResult]) -> StepResult:
    """Give each of a step's findings an id that no earlier step uses, and update references to them."""
    names = find_free_names(result.findings, list_findings(done))
    findings = [rename_claim(claim, names) for claim in result.findings]
    taken = {claim.id for claim in [*list_findings(done), *findings]}
    free = (name for n in count(1) if (name := f"s{n}") not in taken)
    findings = [
        claim if claim.id else claim.model_copy(update={"id": next(free)}) for claim in findings
    ]
    return result.model_copy(update={"findings": findings})
