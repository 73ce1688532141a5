"""`clarification`: two or three sharp questions, each with its reason, before anything is planned."""

from activities.startups import RecallRequest, StartupActivities
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.clarification import ClarificationOutput, ClarificationPhase, Constraints
from contracts.phases.recall import FinishedReport
from contracts.report.drafts import Questions
from contracts.report.research import Answered, Brief, Startup
from contracts.runs.state import Checkpoint, OpenQuestion
from workflows.agents.query_decomposition import decompose_query, read_constraints
from workflows.phases.recall import ended_day, short_circuit
from workflows.prompts import clarification as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens

OFFER, USE = "finished", "use that report"


async def clarification(phase: ClarificationPhase, run: PhaseContext) -> ClarificationOutput:
    """Ask until the question is clear, at most `max_rounds` rounds, then state assumptions."""
    config = phase.config
    rounds = 1 if config.mode == "always" else config.max_rounds
    answered: list[Answered] = []
    for number in range(1, rounds + 1):
        questions = await _questions(phase, run, number, answered)
        if not questions:
            break
        answered += await _ask(phase, run, number, questions)
        if number == 1:
            answered = _heeded(run, answered)
    brief = Brief(
        query=run.state.request.query,
        answers=answered,
        assumptions=[f"{a.question} Left to us." for a in answered if a.answer is None],
    )
    return ClarificationOutput(brief=brief, startup=await _chosen(run, answered))


def _heeded(run: PhaseContext, answered: list[Answered]) -> list[Answered]:
    """Return the answers about the question itself; who takes the finished report has all."""
    finished = run.need_as("finished", FinishedReport)
    if finished and any(a.id == OFFER and a.answer == USE for a in answered):
        brief = Brief(query=run.state.request.query)
        raise short_circuit(run, ClarificationOutput(brief=brief), finished)
    return [a for a in answered if a.id != OFFER]


async def _chosen(run: PhaseContext, answered: list[Answered]) -> Startup | None:
    """Return the startup the run is about; one that was chosen just now is touched."""
    names = [a.answer for a in answered if a.id == "startup"]
    for startup in _startups(run):
        if startup.name in names:
            request = RecallRequest(
                scope=run.scope("startup"), user_id=startup.user_id, startup_id=startup.id, limit=1
            )
            return (
                await run.execute_activity("startup", StartupActivities.recall, request)
            ).startup
    return run.need_as("startup", Startup)


async def _questions(
    phase: ClarificationPhase, run: PhaseContext, number: int, answered: list[Answered]
) -> list[OpenQuestion]:
    config, name, inputs = phase.config, f"questions-{number}", _inputs(phase, run, answered)
    if config.decompose:
        output: Questions = await decompose_query(run, name, "clarifier", inputs)
    else:
        output = await run.generate(
            name, "clarifier", prompts.CLARIFY, inputs, Questions, max_tokens=1_500
        )
    asked = [
        OpenQuestion(
            id=f"q{i + 1}",
            question=draft.question,
            context=draft.context,
            kind="choice" if draft.choices else "text",
            choices=draft.choices,
        )
        for i, draft in enumerate(output.questions[: config.max_questions])
    ]
    return [*_offered(run), *asked, *_which(_startups(run))] if number == 1 else asked


def _inputs(phase: ClarificationPhase, run: PhaseContext, answered: list[Answered]) -> list[Input]:
    inputs = [
        data("question", run.state.request.query),
        data("min_questions", "2" if phase.config.mode == "always" else "0"),
        data("max_questions", str(phase.config.max_questions)),
        *read_constraints(run),
    ]
    if startup := run.need_as("startup", Startup):
        inputs.append(data("startup", startup.told))
    if answered:
        inputs.append(data("answers", answered))
    return inputs


def _startups(run: PhaseContext) -> list[Startup]:
    if run.need("startup") is not None:
        return []
    return run.need_list("startups", Startup)


def _offered(run: PhaseContext) -> list[OpenQuestion]:
    """Return the question whether a report on the same one will do; left to us, it will not."""
    finished = run.need_as("finished", FinishedReport)
    if finished is None:
        return []
    return [
        OpenQuestion(
            id=OFFER,
            question=f"A report on this question was finished on {ended_day(finished)}: will it do?",
            context=f"It is “{finished.report.title}”, of run {finished.run_id}; it costs nothing.",
            kind="choice",
            choices=[USE, "research anew"],
        )
    ]


def _which(startups: list[Startup]) -> list[OpenQuestion]:
    """Return the one question whose choices are strict: which of the user's startups is meant."""
    if len(startups) < 2:
        return []
    return [
        OpenQuestion(
            id="startup",
            question="Which of your startups is this about?",
            context="Its industry and market focus the questions and the plan.",
            kind="choice",
            choices=[*(startup.name for startup in startups), "none of these"],
            strict=True,
        )
    ]


async def _ask(
    phase: ClarificationPhase, run: PhaseContext, number: int, questions: list[OpenQuestion]
) -> list[Answered]:
    checkpoint_id = f"{run.me.id}-{run.me.attempt}" + (f"-r{number}" if number > 1 else "")
    checkpoint = Checkpoint(
        checkpoint_id=checkpoint_id,
        phase_id=run.me.id,
        kind="questions",
        questions=questions,
        message="Before a plan is made:",
        deadline=run.deadline(phase.config.wait_seconds),
    )
    if not await run.ask_human(checkpoint):
        run.state.answers[checkpoint_id] = {question.id: None for question in questions}
        run.warn("nobody answered in time; the open points became assumptions")
    answers = run.state.answers[checkpoint_id]
    return [
        Answered(id=q.id, question=q.question, context=q.context, answer=answers.get(q.id))
        for q in questions
    ]


KIND = Kind(
    phase=ClarificationPhase,
    handler=clarification,
    output=ClarificationOutput,
    title="Clarify",
    description="Asks two or three questions, each with its reason.",
    category="clarify",
    icon="help",
    clarifies=True,
    needs=lambda _: (
        Need("startup", required=False),
        Need("startups", required=False),
        Need("finished", required=False),
    ),
    inputs=lambda _: Constraints,
    waits=True,
    agents=lambda _: ("clarifier",),
    tokens=lambda phase: (
        Tokens(600, 500 if phase.config.decompose else 300, slack=2_000, role="clarifier"),
    ),
)
