"""`control`: the plan step by step, each reviewed before the next; `one_shot`: one step, no plan."""

from collections.abc import Iterator

from contracts.agents.steps import StepDraft, StepResult, join_reasons
from contracts.base import Json
from contracts.errors import InvalidInput, OutOfTime, StepFailed
from contracts.evidence.claims import JUDGE
from contracts.human.checkpoints import Checkpoint
from contracts.models.call import to_input
from contracts.notices import Notice
from contracts.phases.control import (
    ControlInput,
    ControlOutput,
    ControlPhase,
    OneShotInput,
    OneShotOutput,
    OneShotPhase,
    WorkRole,
)
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisInput
from contracts.planning.plan import Plan, PlanRole, PlanStep
from contracts.problems import Problem
from contracts.report.report import ApprovedFindings, Report, Section
from contracts.words import say
from domain.report.gaps import keep_gaps
from domain.report.run_report import add_accounts, build_idea_section
from domain.report.subject_text import build_section
from workflows.agents.gap_check import CHECK, check_report
from workflows.agents.plan_step import (
    PROMPTS,
    StepRunner,
    build_step_inputs,
    describe_work,
    forget_attempt,
    list_findings,
    name_apart,
)
from workflows.agents.report_editor import finish_report
from workflows.agents.tool_servers import ServerToolset, open_toolset
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.plan_edits import list_done_steps
from workflows.checkpoints.prices.plan_price import reserve_usd
from workflows.checkpoints.subjects import build_step_subject, describe_sent_back_step
from workflows.checkpoints.wait_for_human import compute_deadline
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import OWN_SEARCHES, Searches, Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.phases.idea_generation import list_objections, list_reviews
from workflows.phases.research import READS
from workflows.phases.synthesis import ROLE as WRITER
from workflows.phases.synthesis import build_inputs, write_report
from workflows.runtime.failures import describe_failure, is_final
from workflows.verification.answer_verification import NO_ANSWER

WEB_ROLE: WorkRole = "researcher"
"""The role that searches and reads; it also does steps of unknown roles."""


class StepSequence:
    """The plan's steps, with the checkpoints between them; the cursor is whole whenever it waits."""

    def __init__(self, phase: ControlPhase, given: ControlInput, run: PhaseContext) -> None:
        self._config = phase.config
        self._given = given
        self._run = run
        self._cursor = run.me.progress.steps

    async def execute(self) -> ControlOutput:
        """Return the output of the steps.

        A step that fails is put to a human, if there is one. Without one, and where no attempt could
        succeed, rejected work fails the phase, and a model that gives no answer ends the steps early.
        """
        done = self._cursor.done
        while True:
            self._run.me.undone = self._list_undone()
            if await self._is_sent_back():
                last = done.pop()
                self._cursor.sent_back = last
                self._start_step(last.attempts, self._cursor.feedback, describe_work(last))
                continue
            number = self._find_next()
            if number is None:
                return await self._finish()
            if self._run.me.early_end and done:
                self._run.losses.record_early_end(self._describe_left(), "steps")
                return await self._finish()
            if self._config.checkpoint_before_step:
                await self._ask_human(
                    f"before-{number}", Notice.of("ask-step-begin", "info", number=number)
                )
            try:
                await self._execute_step(number, self._plan)
            except (StepFailed, *NO_ANSWER) as error:
                if self._asks_about(error):
                    await self._ask_about_failure(number)
                    continue
                if isinstance(error, StepFailed) or not done:
                    raise
                self._run.losses.go_on(error, self._describe_left(), "steps")
                return await self._finish()

    def _asks_about(self, error: Exception) -> bool:
        """Return True if a human should decide about a failed step; record the failure in the cursor."""
        if not self._asks_on_failure or isinstance(error, OutOfTime) or is_final(error):
            return False
        if not isinstance(error, StepFailed):  # other failures are not recorded yet
            reason = describe_failure(error).words.say(self._run.language)
            self._cursor.note_failure([reason], is_answered=False)
        return True

    @property
    def _asks_on_failure(self) -> bool:
        """Return True if a checkpoint opens after all attempts at a step were rejected."""
        config = self._config
        if config.on_step_failure != "auto":
            return config.on_step_failure == "ask"
        return (
            config.checkpoint_before_step
            or config.checkpoint_after_step
            or any(
                isinstance(phase, HitlCheckpointPhase)
                and phase.enabled
                and phase.config.require_approval
                for phase in self._run.state.resolved.definition.phases
            )
        )

    @property
    def _plan(self) -> Plan:
        """The current plan, which a human may change between steps."""
        return self._run.humans.find_plan() or self._given.plan

    @property
    def _objections(self) -> list[str]:
        """The critic's objections to the plan's idea."""
        return list_objections(self._given, offline=self._run.state.terms.by_rule)

    def _find_next(self) -> int | None:
        """Return the number of the next step, or None after the last one."""
        count, one = len(self._plan.steps), self._config.step_number
        if one is not None and one > count:
            raise InvalidInput(Problem.at("step_number", "step-number-large", one=one, n=count))
        number = (one or 1) + len(self._cursor.done)
        return number if number <= (one or count) else None

    def _describe_left(self) -> Notice:
        """Return the notice of the steps that are still to be done."""
        return Notice.of("steps-left", n=len(self._plan.steps) - len(self._cursor.done))

    def _list_undone(self) -> list[str]:
        """Return the names of the steps that are still to be done."""
        one, steps = self._config.step_number, self._plan.steps
        asked = steps[one - 1 : one] if one else steps
        return [step.name for step in asked[len(self._cursor.done) :]]

    async def _execute_step(self, number: int, plan: Plan) -> None:
        run, config, step = self._run, self._config, plan.steps[number - 1]
        role = _choose_role(step)
        if role == WEB_ROLE and config.web:
            run.humans.require_approved_plan()
            servers = await open_toolset(run, plan, config.servers)
        else:
            servers = ServerToolset(run)
        toolbox = Toolbox(
            run,
            role if role != WEB_ROLE or config.web else "",
            max_sources=config.max_sources,
            max_results=config.max_search_results_per_query,
            plan_step=f"step-{number}",
            servers=servers,
        )
        given = self._given.model_copy(update={"plan": plan})
        inputs = build_step_inputs(run, config, given, step, role)
        if self._objections:
            inputs.append(to_input("objections", self._objections))
        inputs += servers.describe()
        reserve = reserve_usd(run.state, run.me.id, plan)
        runner = StepRunner(run, config, toolbox, step.name, role, inputs, reserve)
        self._finish_step(await runner.execute(number))

    def _finish_step(self, result: StepResult) -> None:
        self._cursor.done.append(name_apart(result, self._cursor.done))
        self._start_step()
        steps = len(self._plan.steps)
        done = Notice.of("step-done", "info", number=result.number, of=steps, name=result.name)
        self._run.log.tell(done)

    def _start_step(
        self,
        tries: int = 0,
        feedback: str = "",
        rejected: Json | None = None,
        earlier: list[list[str]] | None = None,
    ) -> None:
        """Reset the cursor for a step after `tries` earlier attempts, and show the finished steps."""
        cursor = self._cursor
        cursor.tries, cursor.failures, cursor.rejected = tries, [], rejected
        cursor.draft, cursor.taken_back, cursor.earlier = None, [], earlier or []
        cursor.searches, cursor.calculations = [], []
        cursor.plot_evals, cursor.feedback = 0, feedback
        forget_attempt(self._run)
        self._run.log.replace_output(self._run.me.id, self._build_output().model_dump(mode="json"))

    async def _is_sent_back(self) -> bool:
        """Ask a human about the last finished step; return whether it is to be revised."""
        if not (self._config.checkpoint_after_step and self._cursor.done):
            return False
        last = self._cursor.done[-1]
        asks = Notice.of("ask-step-next", "info", number=last.number, name=last.name)
        return await self._ask_human(_name_gate(last), asks, "revise") == "revise"

    async def _ask_human(self, place: str, asks: Notice, *options: str) -> str:
        """Return the action that a human chose at a checkpoint; each checkpoint asks once.

        A changed plan is in place afterwards.
        """
        run, cursor = self._run, self._cursor
        if place in cursor.passed:
            return ""
        checkpoint = self._build_checkpoint(place, asks, ["approve", "reject", "modify", *options])
        decision = await run.humans.ask_decision(checkpoint, self._config.default_on_timeout)
        cursor.passed.append(place)
        cursor.feedback = decision.feedback if decision.action == "revise" else ""
        return decision.action

    async def _ask_about_failure(self, number: int) -> None:
        """Ask a human to accept a step despite its reviewer, to redo it, or to end the run.

        The deadline's default rejects the run.
        """
        cursor, step = self._cursor, self._plan.steps[number - 1]
        objections = cursor.failures[-1]
        draft = cursor.draft or StepDraft(summary="")
        result = StepResult(
            **dict(draft),
            number=number,
            name=step.name,
            agent_role=_choose_role(step),
            attempts=cursor.tries,
            failures=cursor.list_objections()[:-1],
            objections=objections,
            artifacts=[made.id for made in cursor.taken_back],
        )
        reasons = join_reasons(objections)
        name, tries = step.name, cursor.tries
        code = "ask-step-rejected" if cursor.draft else "ask-step-unanswered"
        asked = Notice.of(code, number=number, name=name, tries=tries, reasons=reasons)
        place = f"failed-{number}-{cursor.tries}"
        options = [*(["approve"] if cursor.draft else []), "reject", "modify", "revise"]
        checkpoint = self._build_checkpoint(place, asked, options, result)
        decision = await self._run.humans.ask_decision(checkpoint, "reject")
        if decision.action != "approve":
            words = decision.feedback if decision.action == "revise" else ""
            cursor.sent_back = result if decision.action == "revise" else None
            self._start_step(cursor.tries, words, cursor.rejected, cursor.list_objections())
        else:
            accepted = Notice.of("step-accepted", number=number, name=step.name, reasons=reasons)
            self._run.log.note(accepted)
            known = self._run.state.artifacts
            known += [made for made in cursor.taken_back if made not in known]
            cursor.passed.append(_name_gate(result))
            self._finish_step(result)

    def _build_checkpoint(
        self, place: str, asks: Notice, options: list[str], rejected: StepResult | None = None
    ) -> Checkpoint:
        run, plan = self._run, self._plan
        subject = build_step_subject(run.state, run.me, plan, rejected)
        shown = subject.step
        sent_back = describe_sent_back_step(run.state, run.me, shown) if shown else None
        version = (
            [Notice.of("ask-version", n=sent_back.version)] if sent_back and not rejected else []
        )
        return Checkpoint(
            checkpoint_id=f"{run.me.id}-{run.me.attempt}-{place}",
            phase_id=run.me.id,
            kind="decision",
            options=options,
            asks=[asks, *version],
            subject=subject,
            sent_back=sent_back,
            plan_hash=plan.hash,
            done_steps=list_done_steps(run.state, run.me.id),
            deadline=compute_deadline(run.clock.now(), self._config.wait_seconds),
        )

    async def _finish(self) -> ControlOutput:
        """Return the output with the report that the plan asks for, written from the steps' findings.

        Gaps that the writer omits are added, as is what steps produced without a source. If no step cites
        anything, or the writer fails, the report consists of the steps' own sections.
        """
        run, output = self._run, self._build_output()
        run.losses.record_reads()
        searches = any(_choose_role(step) == WEB_ROLE for step in self._plan.steps)
        if self._config.web and self._config.execute_all_steps and searches:
            run.losses.record_unmade_searches(self._plan, run.me.progress.searches)
        if not output.findings or self._config.step_number:
            return await self._check(output, self._join_sections())
        done = [{"name": step.name, "summary": step.summary} for step in output.steps]
        idea = self._given.selected_idea
        made = [{"name": a.name, "rows": a.preview} for a in output.artifacts if a.preview]
        told: dict[str, object] = {"idea": idea, "objections": self._objections or None}
        told |= {"earlier": done, "tables": made or None}
        told |= {"approved": [step.name for step in self._list_approved()] or None}
        found = SynthesisInput(
            sources=output.sources, findings=output.findings, gaps=output.gaps, plan=self._plan
        )
        inputs = build_inputs(found, run, **told)
        try:
            config = SynthesisConfig(instructions=PROMPTS["report"])
            report = await write_report(config, found, run, inputs)
        except NO_ANSWER as error:
            run.losses.go_on(error, Notice.of("report-of-steps"), "report")
            return await self._check(output, self._join_sections())
        report = add_accounts(report, [*self._introduce_idea()], self._list_accounts())
        report = keep_gaps(report, output.gaps, say(run.language, "not-researched"))
        return await self._check(output, report)

    def _list_approved(self) -> list[StepResult]:
        """Return the completed steps whose results a human approved at their own checkpoints."""
        return [step for step in self._cursor.done if _name_gate(step) in self._cursor.passed]

    def _list_accounts(self) -> list[Section]:
        """Return what steps produced without a source, such as a text; searches without results are gaps."""
        return [
            build_section(step).model_copy(update={"missing": ""})
            for step in self._cursor.done
            if not (
                step.findings or (step.gaps and self._config.web and step.agent_role == WEB_ROLE)
            )
        ]

    async def _check(self, output: ControlOutput, report: Report) -> ControlOutput:
        """Return the output with a report that is checked and rendered."""
        checked = await check_report(self._run, report)
        approved = [
            ApprovedFindings(
                number=step.number,
                name=step.name,
                summary=step.summary,
                findings=step.findings,
            )
            for step in self._list_approved()
        ]
        checked = checked.model_copy(update={"approved": approved})
        finished = finish_report(self._run, checked, output.sources, output.searches)
        return output.model_copy(update={"report": finished})

    def _introduce_idea(self) -> Iterator[Section]:
        """Yield a section on the plan's idea, which no page describes, with its critic's review."""
        if idea := self._given.selected_idea:
            reviews = list_reviews(self._given, offline=self._run.state.terms.by_rule)
            language = self._run.language
            heading = say(language, "idea-heading", title=idea.title)
            yield build_idea_section(heading, idea, reviews, language)

    def _join_sections(self) -> Report:
        """Return the report of the steps: a section for each that is done."""
        sections = [*map(build_section, self._cursor.done)]
        report = Report(title=self._plan.title, sections=sections)
        return add_accounts(report, [*self._introduce_idea()], [])

    def _build_output(self) -> ControlOutput:
        searches = self._run.me.progress.searches
        sources, done = list(self._run.state.sources), self._cursor.done
        return ControlOutput(
            sources=sources,
            findings=[claim for claim in list_findings(done) if claim.is_usable],
            searches=searches,
            steps=done,
            report=finish_report(self._run, self._join_sections(), sources, searches),
            gaps=[gap for result in done for gap in result.gaps],
            artifacts=list(self._run.state.artifacts),
        )


def _choose_role(step: PlanStep) -> WorkRole:
    return "engineer" if step.agent_role.casefold() == "engineer" else WEB_ROLE


def _name_gate(result: StepResult) -> str:
    """Return the place of the checkpoint after a step, once for each time that it was done."""
    return f"after-{result.number}-{result.attempts}"


async def control(phase: ControlPhase, given: ControlInput, run: PhaseContext) -> ControlOutput:
    """Execute the plan step by step."""
    return await StepSequence(phase, given, run).execute()


async def one_shot(phase: OneShotPhase, _: OneShotInput, run: PhaseContext) -> OneShotOutput:
    """Let one agent do the whole task."""
    role, task = phase.config.agent, run.brief.query
    step = PlanStep(name=task[:200], description=task)
    toolbox = Toolbox(run, role if role == "engineer" else "", plan_step="task")
    inputs = run.build_inputs(steps=[step])
    result = await StepRunner(run, phase.config, toolbox, step.name, role, inputs).execute()
    result = result.model_copy(update={"findings": []})
    report = Report(title=step.name, sections=[build_section(result)])
    report = await check_report(run, report)
    return OneShotOutput(
        result=result,
        report=finish_report(run, report, [], []),
        artifacts=list(run.state.artifacts),
    )


CONTROL_KIND = Kind(
    handler=control,
    category="execute",
    icon="list-checks",
    web=lambda phase: phase.config.web,
    plans_for=lambda phase: (
        PlanRole(
            id=WEB_ROLE, does=READS if phase.config.web else "weighs and writes, without the web"
        ),
        PlanRole(
            id="engineer", does="calculates, tabulates and draws what earlier steps found; no web"
        ),
    ),
    agents=lambda phase: ("researcher", "engineer", WRITER, *phase.config.helpers),
    tokens=lambda phase: (
        Tokens(step=Use(12_000, 600), slack=6_000, role="researcher"),
        Tokens(step=Use(2_000, 80), slack=2_500, role=JUDGE),
        Tokens(step=Use(2_300, 10), slack=800, role="step_reviewer"),
        *Tokens(once=Use(3_000, 600), step=Use(1_000, 120), slack=12_000, role=WRITER).verified(),
        CHECK,
    ),
    searches=lambda phase: Searches(step=OWN_SEARCHES) if phase.config.web else Searches(),
)
ONE_SHOT_KIND = Kind(
    handler=one_shot,
    category="execute",
    icon="zap",
    agents=lambda phase: (phase.config.agent, *phase.config.helpers),
    tokens=lambda phase: (
        Tokens(Use(8_000, 600), slack=6_000, role=phase.config.agent),
        Tokens(Use(2_300, 10), slack=800, role="step_reviewer"),
    ),
)
KINDS = (CONTROL_KIND, ONE_SHOT_KIND)
