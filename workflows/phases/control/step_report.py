"""The report of the steps, and the output of `control`."""

from collections.abc import Iterator

from contracts.agents.steps import StepResult
from contracts.notices import Notice
from contracts.phases.control import ControlOutput
from contracts.phases.synthesis import SynthesisConfig, SynthesisInput
from contracts.report.report import ApprovedFindings, Report, Section
from contracts.words import say
from domain.report.gaps.kept_gaps import keep_gaps
from domain.report.run_report import add_accounts, build_idea_section
from domain.report.subject_text import build_section
from workflows.agents.gap_check import check_report, list_not_held
from workflows.agents.plan_step import PROMPTS, list_findings
from workflows.agents.report_editor import finish_report
from workflows.phases.control.step_checkpoints import name_gate
from workflows.phases.control.step_context import WEB_ROLE, StepContext, choose_role
from workflows.phases.idea_generation import list_reviews
from workflows.phases.synthesis import build_inputs, write_report
from workflows.verification.answer_verification import NO_ANSWER


class StepReport:
    """Writes the report that the plan asks for from what its steps found."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._run, self._config, self._cursor = context.run, context.config, context.cursor

    async def finish(self) -> ControlOutput:
        """Return the output with the report that the plan asks for, written from the steps' findings.

        Gaps that the writer omits are added, as is what steps produced without a source. If no step cites
        anything, or the writer fails, the report consists of the steps' own sections.
        """
        run, output = self._run, self.build_output()
        run.losses.record_reads()
        searches = any(choose_role(step) == WEB_ROLE for step in self._context.plan.steps)
        if self._config.web and self._config.execute_all_steps and searches:
            run.losses.record_unmade_searches(self._context.plan, run.me.progress.searches)
        if not output.findings or self._config.step_number:
            return await self._check(output, self._join_sections())
        done = [{"name": step.name, "summary": step.summary} for step in output.steps]
        idea = self._context.given.selected_idea
        made = [{"name": a.name, "rows": a.preview} for a in output.artifacts if a.preview]
        told: dict[str, object] = {"idea": idea, "objections": self._context.objections or None}
        told |= {"earlier": done, "tables": made or None}
        approved = {claim.id for step in self._list_approved() for claim in step.findings}
        told |= {"approved": [c.id for c in output.findings if c.id in approved] or None}
        found = SynthesisInput(
            sources=output.sources,
            findings=output.findings,
            gaps=output.gaps,
            plan=self._context.plan,
        )
        inputs = build_inputs(found, run, **told)
        try:
            config = SynthesisConfig(instructions=PROMPTS["report"])
            report = await write_report(config, found, run, inputs, approved)
        except NO_ANSWER as error:
            run.losses.go_on(error, Notice.of("report-of-steps"), "report")
            return await self._check(output, self._join_sections())
        report = add_accounts(report, [*self._introduce_idea()], self._list_accounts())
        report = keep_gaps(report, output.gaps, say(run.language, "not-researched"))
        return await self._check(output, report)

    def _list_approved(self) -> list[StepResult]:
        """Return the completed steps that have a checkpoint of their own and were approved there."""
        return [step for step in self._cursor.done if name_gate(step) in self._cursor.passed]

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
        if not self._config.step_number:
            report = list_not_held(self._run, report)
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
        if idea := self._context.given.selected_idea:
            reviews = list_reviews(self._context.given, offline=self._run.state.terms.by_rule)
            language = self._run.language
            heading = say(language, "idea-heading", title=idea.title)
            yield build_idea_section(heading, idea, reviews, language)

    def _join_sections(self) -> Report:
        """Return the report of the steps: a section for each that is done."""
        sections = [*map(build_section, self._cursor.done)]
        report = Report(title=self._context.plan.title, sections=sections)
        return add_accounts(report, [*self._introduce_idea()], [])

    def build_output(self) -> ControlOutput:
        """Return the phase's output so far; its report has one section for each finished step."""
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
