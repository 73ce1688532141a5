"""The plan's steps in their order: each is done, shown, and sent back where a human says so."""

from contracts.agents.steps import StepResult, join_reasons
from contracts.base import Json
from contracts.errors import InvalidInput, StepFailed
from contracts.models.call import to_input
from contracts.notices import Notice
from contracts.phases.control import ControlOutput
from contracts.planning.plan import Plan
from contracts.problems import Problem
from workflows.agents.plan_step import (
    StepRunner,
    build_step_inputs,
    describe_work,
    forget_attempt,
    name_apart,
)
from workflows.agents.tool_servers import ServerToolset, open_toolset
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.prices.plan_price import reserve_usd
from workflows.phases.control.step_checkpoints import StepCheckpoints, name_gate
from workflows.phases.control.step_context import WEB_ROLE, StepContext, choose_role
from workflows.phases.control.step_report import StepReport
from workflows.verification.answer_verification import NO_ANSWER


class StepSequence:
    """The plan's steps, with the checkpoints between them; the cursor is whole whenever it waits."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._run, self._config, self._cursor = context.run, context.config, context.cursor
        self._checkpoints = StepCheckpoints(context)
        self._report = StepReport(context)

    async def execute(self) -> ControlOutput:
        """Return the output of the steps.

        A step that fails is put to a human, if there is one. Without one, and where no attempt could
        succeed, rejected work fails the phase, and a model that gives no answer ends the steps early.
        """
        done = self._cursor.done
        while True:
            self._run.me.undone = self._list_undone()
            if await self._checkpoints.is_sent_back():
                last = done.pop()
                self._cursor.sent_back = last
                self._start_step(last.attempts, self._cursor.feedback, describe_work(last))
                continue
            number = self._find_next()
            if number is None:
                return await self._report.finish()
            if self._run.me.early_end and done:
                self._run.losses.record_early_end(self._describe_left(), "steps")
                return await self._report.finish()
            if self._config.checkpoint_before_step:
                await self._checkpoints.ask(
                    f"before-{number}", Notice.of("ask-step-begin", "info", number=number)
                )
            try:
                await self._execute_step(number, self._context.plan)
            except (StepFailed, *NO_ANSWER) as error:
                if self._checkpoints.asks_about(error):
                    await self._ask_about_failure(number)
                    continue
                if isinstance(error, StepFailed) or not done:
                    raise
                self._run.losses.go_on(error, self._describe_left(), "steps")
                return await self._report.finish()

    def _find_next(self) -> int | None:
        """Return the 1-based number of the next step to run, or None if all are done.

        Raises:
            InvalidInput: `step_number` is larger than the number of the plan's steps; not retried.
        """
        count, one = len(self._context.plan.steps), self._config.step_number
        if one is not None and one > count:
            raise InvalidInput(Problem.at("step_number", "step-number-large", one=one, n=count))
        number = (one or 1) + len(self._cursor.done)
        return number if number <= (one or count) else None

    def _describe_left(self) -> Notice:
        """Return the notice of the steps that are still to be done."""
        return Notice.of("steps-left", n=len(self._context.plan.steps) - len(self._cursor.done))

    def _list_undone(self) -> list[str]:
        """Return the names of the steps that are still to be done."""
        one, steps = self._config.step_number, self._context.plan.steps
        asked = steps[one - 1 : one] if one else steps
        return [step.name for step in asked[len(self._cursor.done) :]]

    async def _execute_step(self, number: int, plan: Plan) -> None:
        run, config, step = self._run, self._config, plan.steps[number - 1]
        role = choose_role(step)
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
        given = self._context.given.model_copy(update={"plan": plan})
        inputs = build_step_inputs(run, config, given, step, role)
        if self._context.objections:
            inputs.append(to_input("objections", self._context.objections))
        inputs += servers.describe()
        reserve = reserve_usd(run.state, run.me.id, plan)
        runner = StepRunner(run, config, toolbox, step.name, role, inputs, reserve)
        self._finish_step(await runner.execute(number))

    def _finish_step(self, result: StepResult) -> None:
        self._cursor.done.append(name_apart(result, self._cursor.done))
        self._start_step()
        steps = len(self._context.plan.steps)
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
        self._run.log.replace_output(
            self._run.me.id, self._report.build_output().model_dump(mode="json")
        )

    async def _ask_about_failure(self, number: int) -> None:
        """Have a human accept a rejected step, or do it again in their words."""
        result, decision = await self._checkpoints.ask_about_failure(number)
        run, cursor = self._run, self._cursor
        if decision.action != "approve":
            words = decision.feedback if decision.action == "revise" else ""
            cursor.sent_back = result if decision.action == "revise" else None
            self._start_step(cursor.tries, words, cursor.rejected, cursor.list_objections())
            return
        reasons = join_reasons(result.objections)
        run.log.note(Notice.of("step-accepted", number=number, name=result.name, reasons=reasons))
        known = run.state.artifacts
        known += [made for made in cursor.taken_back if made not in known]
        cursor.passed.append(name_gate(result))
        self._finish_step(result)
